// Two metrics of the reader's choice against each other, and the front that no other combination beats.

import * as Plot from "@observablehq/plot";
import { type Condition, type Metric, type MetricInfo, type PageData, conditions, told } from "../model";
import { logTicks, tick, withEnds } from "../quantity";
import {
  type Chart, type Control, type LegendEntry, type Panel, type View, codecLegend, figured, inOrder, isNarrow, lineEntry,
} from "./drawing";
import { type Point, type Sign, frontOf, mayLead, stepsOf } from "./front";
import { type Box, type Label, places } from "./labels";

/** A combination, or a codec on a payload if no messages were sent. */
interface Entry {
  axes: { payload: string; codec: string; mode?: string; link?: string; loss?: number | null };
  metrics: Record<string, Metric>;
  delivery?: { sent: number; delivered: number };
}

const PANELS = 4;

/** The metrics shown at first, if they exist. */
const DEFAULTS = { message: ["wire_per_message", "latency"], codec: ["body", "total"] } as const;

function scopeOf({ summary }: PageData): MetricInfo["scope"] {
  return summary.cells.length > 0 ? "message" : "codec";
}

/** Metrics with a better direction, and the tail of the latency, to compare with losses. */
function choices(data: PageData): MetricInfo[] {
  const all = data.metrics.filter(({ scope, better }) => scope === scopeOf(data) && better !== "neither");
  return all.flatMap((info) => (info.name === "latency" ? [info, tailOf(data, info)] : [info]));
}

const [P99, MAX] = ["latency.p99", "latency.max"] as const;

/** The 99th percentile if each combination has enough messages for one, else the longest of each: never a mixture. */
function tailOf({ summary }: PageData, latency: MetricInfo): MetricInfo {
  const all = summary.cells.flatMap(({ metrics }) => metrics["latency"] ?? []);
  const enough = all.every(({ p99 }) => p99 !== null);
  return { ...latency, name: enough ? P99 : MAX, title: `${latency.title}, ${enough ? "p99" : "longest"}` };
}

/** An entry's figure for a choice, drawn as its mean. */
function figureOf(entry: Entry, { name }: MetricInfo): Metric | undefined {
  if (name !== P99 && name !== MAX) return told(entry, name);
  const latency = told(entry, "latency");
  if (!latency) return undefined;
  const { p99, p99_interval_95, max } = latency;
  return name === P99 && p99 !== null ? { ...latency, mean: p99, interval_95: p99_interval_95 } : { ...latency, mean: max, interval_95: null };
}

function chosenOf(data: PageData, chosen: string[]): [MetricInfo, MetricInfo] | null {
  const all = choices(data);
  const find = (name: string | undefined): MetricInfo | undefined => all.find((info) => info.name === name);
  const [x, y] = DEFAULTS[scopeOf(data)].map((name, place) => find(chosen[place]) ?? find(name) ?? all[place] ?? all[0]);
  // A metric against itself shows nothing.
  const other = x === y ? all.find((info) => info !== x) : y;
  return x && other ? [x, other] : null;
}

interface Mark {
  name: string;
  codec: string;
  mode: string | undefined;
  x: Metric;
  y: Metric;
  colour: string;
  symbol: string;
  /** Whether some of its messages did not arrive: its figures are of those that did. */
  lossy: boolean;
  title: string;
}

function mark(view: View, entry: Entry, [x, y]: [MetricInfo, MetricInfo]): Mark[] {
  const [ofX, ofY] = [figureOf(entry, x), figureOf(entry, y)];
  if (!ofX || !ofY) return [];
  const { codec, mode } = entry.axes;
  const line = (info: MetricInfo, metric: Metric): string => `${info.title}: ${withEnds(metric.mean, metric.interval_95, metric.unit)}`;
  const name = mode ? `${codec} over ${mode}` : codec;
  const { sent, delivered } = entry.delivery ?? { sent: 0, delivered: 0 };
  const lost = delivered < sent ? `\n${delivered} of ${sent} messages arrived` : "";
  return [{ name, codec, mode, x: ofX, y: ofY, ...view.palette.codec(codec), lossy: lost !== "", title: `${name}\n${line(x, ofX)}\n${line(y, ofY)}${lost}` }];
}

function placeOf({ x, y }: Mark): Point {
  return [x.mean, y.mean];
}

/** -1 where less is better. */
function signOf({ better }: MetricInfo): Sign {
  return better === "higher" ? 1 : -1;
}

interface Axis {
  info: MetricInfo;
  log: boolean;
  domain: [number, number];
}

/** From this ratio on, marks crowd at the lower end of a linear axis. */
const LOGARITHMIC_FROM = 5;

function endsOf(metrics: Metric[]): [number, number] {
  const ends = metrics.flatMap(({ mean, interval_95 }) => [mean, ...(interval_95 ?? [])]);
  return [Math.min(...ends), Math.max(...ends)];
}

/** Whether marks, in any panel, would crowd on a linear axis: adjacent panels have the same kind of axis. */
function isLogarithmic(metrics: Metric[]): boolean {
  const [low, high] = endsOf(metrics);
  return low > 0 && high / low > LOGARITHMIC_FROM;
}

/** The least that a logarithmic axis spans: closer marks would look far apart, with hardly a round number between them. */
const LEAST_SPAN = 4;

/** With room for labels around all values, more of it at the better end, where there are no marks. A linear axis begins at zero. */
function axis(info: MetricInfo, metrics: Metric[], log: boolean): Axis {
  const [least, high] = endsOf(metrics);
  const low = !log && least > 0 ? 0 : least;
  if (log && high / low < LEAST_SPAN) {
    const more = Math.sqrt(LEAST_SPAN / (high / low));
    return { info, log, domain: [low / more, high * more] };
  }
  const exact: Axis = { info, log, domain: high > low ? [low, high] : [low - (Math.abs(low) || 1) * 0.1, high + (Math.abs(high) || 1) * 0.1] };
  const [before, behind] = info.better === "higher" ? [0.06, 0.16] : [0.16, 0.06];
  const domain: [number, number] = [valueAt(exact, -before), valueAt(exact, 1 + behind)];
  return { ...exact, domain: low >= 0 ? [Math.max(0, domain[0]), domain[1]] : domain };
}

/** The position of a value on an axis, 0..1. */
function share({ log, domain }: Axis, value: number): number {
  const [low, high, at] = (log ? [...domain, value].map(Math.log) : [...domain, value]) as [number, number, number];
  return (at - low) / (high - low);
}

/** The value at a position on an axis. */
function valueAt({ log, domain: [low, high] }: Axis, place: number): number {
  return log ? low * (high / low) ** place : low + place * (high - low);
}

function plotAxis({ info, log, domain }: Axis, most: number, narrow: boolean): Plot.ScaleOptions {
  const better = `, ${info.better === "higher" ? "more" : "less"} is better`;
  const words = narrow ? [info.title, log ? " (log)" : ""] : [info.title, log ? " (logarithmic)" : "", better];
  return {
    type: log ? "log" : "linear",
    domain,
    ticks: log ? logTicks(domain, most) : most,
    // Times change their unit along a logarithmic axis, bytes don't: 10,000 B beside 20 kB are hard to compare.
    tickFormat: (value: number) => (log && info.unit !== "bytes" ? tick(value, info.unit) : tick(value, info.unit, domain[1])),
    label: words.join(""),
    labelArrow: "none",
    grid: true,
  };
}

const MARGIN = { left: 58, right: 14, top: 24, bottom: 42 };

/** With more marks than this, only those of the front have labels. */
const LABELLED = 30;

/** Labels of the front, and of the other marks if there is room: their colour shows the codec. */
function labelsOf(front: Mark[], others: Mark[], steps: Point[], signs: [Sign, Sign], inFrame: (at: Point) => Point, frame: Box): Label[] {
  const few = front.length + others.length <= LABELLED;
  const words = ({ codec, mode, lossy }: Mark, must: boolean): string[] => (must && mode ? [codec, mode] : must || few ? [mode ?? codec] : []).map((line, place, all) => (lossy && place === all.length - 1 ? `${line} \u00d7` : line));
  const wanted = (must: boolean) => (mark: Mark) => ({ lines: words(mark, must), at: inFrame(placeOf(mark)), must });
  const corners = steps.map(inFrame);
  const lines = corners.slice(1).map(([x2, y2], place): Box => {
    const [x1, y1] = corners[place] ?? [x2, y2];
    return { x1: Math.min(x1, x2) - 2, x2: Math.max(x1, x2) + 2, y1: Math.min(y1, y2) - 2, y2: Math.max(y1, y2) + 2 };
  });
  const towardsBetter: [Sign, Sign] = [signs[0], signs[1] < 0 ? 1 : -1];
  return places([...front.map(wanted(true)), ...others.map(wanted(false))], lines, towardsBetter, frame);
}

/** All marks with their labels, the front on top. */
function marksOf(front: Mark[], others: Mark[], [x, y]: [Axis, Axis], frame: Box): Plot.Markish[] {
  const [width, height] = [frame.x2 - frame.x1, frame.y2 - frame.y1];
  const all = [...front, ...others];
  const signs: [Sign, Sign] = [signOf(x.info), signOf(y.info)];
  const worst = ({ info, domain }: Axis): number => domain[signOf(info) < 0 ? 1 : 0];
  // The steps of a single mark would look like a cross-hair.
  const steps = front.length < 2 ? [] : stepsOf(front.map(placeOf), signs, [worst(x), worst(y)]);
  const inFrame = ([atX, atY]: Point): Point => [frame.x1 + share(x, atX) * width, frame.y2 - share(y, atY) * height];
  const labels = labelsOf(front, others, steps, signs, inFrame, frame);
  const value = (axis: "x" | "y") => (mark: Mark) => mark[axis].mean;
  const end = (axis: "x" | "y", place: 0 | 1) => (mark: Mark) => mark[axis].interval_95?.[place] ?? mark[axis].mean;
  const crosshairs = (of: Mark[], strokeOpacity: number): Plot.Markish[] => [
    Plot.ruleY(of, { y: value("y"), x1: end("x", 0), x2: end("x", 1), stroke: "colour", strokeOpacity }),
    Plot.ruleX(of, { x: value("x"), y1: end("y", 0), y2: end("y", 1), stroke: "colour", strokeOpacity }),
  ];
  const leaders = (label: Label): Plot.Markish[] => {
    const mark = all[label.of];
    if (!mark || !label.far) return [];
    const to: Point = [valueAt(x, (label.x - frame.x1) / width), valueAt(y, (frame.y2 - label.y) / height)];
    return [Plot.line([placeOf(mark), to], { stroke: "var(--faint)", strokeWidth: 0.8 })];
  };
  const text = (label: Label): Plot.Markish => {
    const onFront = label.of < front.length;
    return Plot.text([all[label.of]], {
      x: value("x"), y: value("y"), text: () => label.lines.join("\n"), dx: label.dx, dy: label.dy, textAnchor: label.anchor,
      fill: onFront ? "var(--ink)" : "var(--faint)", fontSize: onFront ? 11 : 10, lineHeight: 1.15, stroke: "var(--paper)", strokeWidth: 4,
    });
  };
  return [
    Plot.line(steps, { stroke: "var(--ink)", strokeWidth: 1.2, strokeOpacity: 0.7 }),
    ...crosshairs(others, 0.3),
    Plot.dot(others, {
      x: value("x"), y: value("y"), symbol: "symbol", r: 4, fill: (mark: Mark) => (mark.lossy ? "var(--paper)" : mark.colour),
      fillOpacity: (mark: Mark) => (mark.lossy ? 1 : 0.35), stroke: "colour", strokeOpacity: (mark: Mark) => (mark.lossy ? 0.9 : 0.5), title: "title",
    }),
    ...crosshairs(front, 0.8),
    ...labels.flatMap(leaders),
    Plot.dot(front, { x: value("x"), y: value("y"), symbol: "symbol", r: 5, fill: "colour", stroke: "var(--paper)", title: "title" }),
    ...labels.map(text),
  ];
}

function panel(condition: Condition<Entry>, marks: Mark[], metrics: [MetricInfo, MetricInfo], log: [boolean, boolean]): Panel {
  const front = frontOf(mayLead(marks, ({ lossy }) => lossy, metrics.some(({ name }) => name.includes("lost"))), placeOf, [signOf(metrics[0]), signOf(metrics[1])]);
  const others = marks.filter((mark) => !front.includes(mark));
  const [x, y] = [axis(metrics[0], marks.map(({ x }) => x), log[0]), axis(metrics[1], marks.map(({ y }) => y), log[1])];
  const draw = (width: number): HTMLElement | SVGSVGElement => {
    const height = isNarrow(width) ? 300 : 340;
    const frame = { x1: MARGIN.left, x2: width - MARGIN.right, y1: MARGIN.top, y2: height - MARGIN.bottom };
    return Plot.plot({
      width, height,
      marginLeft: MARGIN.left, marginRight: MARGIN.right, marginTop: MARGIN.top, marginBottom: MARGIN.bottom,
      style: { background: "none", fontSize: "12px", fontFamily: "inherit", overflow: "visible" },
      x: { ...plotAxis(x, Math.max(2, Math.floor(width / 80)), isNarrow(width)), labelAnchor: "center" },
      y: { ...plotAxis(y, 6, false), labelAnchor: "top" },
      color: { type: "identity" },
      symbol: { type: "identity" },
      marks: marksOf(front, others, [x, y], frame),
    });
  };
  const [nameOfX, nameOfY] = metrics.map(({ title }) => title) as [string, string];
  const numbers = marks.map((mark) => ({
    codec: mark.codec, ...(mark.mode ? { mode: mark.mode } : {}), ...figured(nameOfX, mark.x), ...figured(nameOfY, mark.y),
    "on the front": front.includes(mark) ? "yes" : "no", "all arrived": mark.lossy ? "no" : "yes",
  }));
  return { title: condition.name, numbers, alt: `On the front: ${front.map(({ name }) => name).join(", ")}`, draw };
}

function controls(data: PageData, metrics: [MetricInfo, MetricInfo]): Control[] {
  const options = choices(data).map(({ name, title }) => ({ value: name, label: title }));
  return ["across", "up"].map((label, place) => {
    const value = metrics[place]?.name ?? "";
    return { label, options: options.filter((option) => option.value === value || option.value !== metrics[1 - place]?.name), value };
  });
}

const scatter: Chart = (view, chosen) => {
  const metrics = chosenOf(view.data, chosen);
  if (!metrics) return { panels: [] };
  const entries: Entry[] = scopeOf(view.data) === "message" ? view.cells : view.codecs;
  const marked = conditions(view.data.axes, entries).flatMap((condition) => {
    const marks = condition.cells.flatMap((entry) => mark(view, entry, metrics));
    return marks.length > 0 ? [{ condition, marks }] : [];
  });
  if (marked.length > 0 && marked.every(({ marks }) => marks.length === 1)) {
    return { panels: [], instead: "Only one choice under each condition: nothing to compare." };
  }
  const all = marked.flatMap(({ marks }) => marks);
  const log: [boolean, boolean] = [isLogarithmic(all.map(({ x }) => x)), isLogarithmic(all.map(({ y }) => y))];
  const drawn = marked.map(({ condition, marks }) => ({ marks, panel: panel(condition, marks, metrics, log) }));
  const codecs = inOrder(view.data.summary.study.axes.codec, drawn.flatMap(({ marks }) => marks.map(({ codec }) => codec)));
  const remarks: LegendEntry[] = [
    lineEntry("front: no other is as good in both", "var(--ink)"),
    ...(all.some(({ lossy }) => lossy) ? [{ label: "hollow, \u00d7: messages were lost" }] : []),
  ];
  return {
    controls: controls(view.data, metrics),
    legend: [...codecLegend(view, codecs), ...remarks],
    panels: drawn.map(({ panel }) => panel),
    first: PANELS,
  };
};

export const charts: Record<string, Chart> = { scatter };
