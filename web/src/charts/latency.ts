// Latency: means with intervals, cumulative distributions, box plots.

import * as Plot from "@observablehq/plot";
import { type CellSummary, type Condition, type Metric, conditions } from "../model";
import { logTicks, quantity, tail, tick, withEnds, withInterval } from "../quantity";
import { type Chart, type View, around, codecLegend, figured, frame, inOrder, isNarrow, modeLegend, spansDecades } from "./drawing";

/** The conditions of one payload, which share their scale. */
function samePayload(all: Condition[], condition: Condition): CellSummary[] {
  return all.filter((other) => other.payload === condition.payload).flatMap((other) => other.cells);
}

function rowsAndGroups(view: View, cells: CellSummary[]): { rows: string[]; groups: string[] } {
  const { codec, mode } = view.data.summary.study.axes;
  return {
    rows: inOrder(codec, cells.map((cell) => cell.axes.codec)),
    groups: inOrder(mode, cells.map((cell) => cell.axes.mode)),
  };
}

interface Point {
  mode: string;
  codec: string;
  metric: Metric;
  low: number;
  high: number;
  colour: string;
  symbol: string;
  lost: boolean;
}

function point(view: View, cell: CellSummary): Point[] {
  const metric = cell.metrics["latency"];
  if (!metric) return [];
  const { codec, mode } = cell.axes;
  const [low, high] = metric.interval_95 ?? [metric.mean, metric.mean];
  const lost = cell.delivery.delivered < cell.delivery.sent;
  return [{ mode, codec, metric, low, high, ...view.palette.codec(codec), colour: view.palette.codec(codec).colour, lost }];
}

const latency: Chart = (view) => {
  const all = conditions(view.data.axes, view.cells);
  const panels = all.map((condition) => {
    const points = condition.cells.flatMap((cell) => point(view, cell));
    const scale = samePayload(all, condition).flatMap((cell) => point(view, cell)).flatMap(({ low, high }) => [low, high]);
    const log = spansDecades(scale);
    const written = ({ metric }: Point, width: number): string =>
      isNarrow(width) ? quantity(metric.mean, "ns") : withEnds(metric.mean, metric.interval_95, "ns");
    const draw = (width: number) =>
      frame(
        {
          width, unit: "ns", label: "mean latency", domain: around(scale, log), log, ...rowsAndGroups(view, condition.cells),
          right: isNarrow(width) ? 76 : 150,
        },
        [
          Plot.ruleY(points, { fy: "mode", y: "codec", x1: "low", x2: "high", stroke: "colour", strokeWidth: 5, strokeOpacity: 0.45 }),
          Plot.dot(points, {
            fy: "mode", y: "codec", x: (d: Point) => d.metric.mean, symbol: "symbol", r: 3, stroke: "colour", strokeWidth: 1.5,
            fill: (d: Point) => (d.metric.interval_95 ? d.colour : "var(--paper)"),
            title: (d: Point) => `${d.codec} over ${d.mode}\n${withInterval(d.metric.mean, d.metric.interval_95, "ns")}\n${tail(d.metric)}\nn = ${d.metric.count}`,
          }),
          Plot.text(points, {
            fy: "mode", y: "codec", x: "high", textAnchor: "start", dx: 8, fill: "var(--faint)", fontSize: 11,
            text: (d: Point) => `${written(d, width)}${d.lost ? " \u00d7" : ""}`,
          }),
        ],
      );
    const numbers = condition.cells.flatMap(({ axes: { codec, mode }, metrics, delivery: { sent, delivered } }) => {
      const metric = metrics["latency"];
      return metric ? [{ codec, mode, sent, delivered, ...figured("mean latency", metric), [`median (${metric.unit})`]: metric.median }] : [];
    });
    return { title: condition.name, numbers, draw };
  });
  return { legend: codecLegend(view, inOrder(view.data.summary.study.axes.codec, view.cells.map((cell) => cell.axes.codec))), panels };
};

interface Step {
  mode: string;
  time: number;
  share: number;
  colour: string;
}

/** The share of the messages sent that arrived: the curve ends there. */
function arrived(cell: CellSummary): number {
  const { sent, delivered } = cell.delivery;
  return sent > 0 ? delivered / sent : 1;
}

/** The curves of one condition and codec, each with a label, staggered so that labels never overlap. */
function curves(view: View, cells: CellSummary[]): { steps: Step[][]; labels: Step[] } {
  const steps = cells.map((cell) =>
    cell.latency_ecdf
      .filter(([time]) => time > 0)
      .map(([time, share]) => ({ mode: cell.axes.mode, time, share: share * arrived(cell), colour: view.palette.mode(cell.axes.mode).colour })),
  );
  const drawn = steps.filter((curve) => curve.length > 0);
  const labels = drawn.flatMap((curve, place) => {
    const wanted = (place + 0.7) / (drawn.length + 0.4);
    return curve.find((step) => step.share >= wanted) ?? curve.at(-1) ?? [];
  });
  return { steps: drawn, labels };
}

const ecdf: Chart = (view) => {
  const all = conditions(view.data.axes, view.cells);
  const panels = all.flatMap((condition) => {
    const times = samePayload(all, condition).flatMap((cell) => cell.latency_ecdf.map(([time]) => time));
    const domain = around(times, true);
    const codecs = inOrder(view.data.summary.study.axes.codec, condition.cells.map((cell) => cell.axes.codec));
    return codecs.map((codec) => {
      const { steps, labels } = curves(view, condition.cells.filter((cell) => cell.axes.codec === codec));
      const draw = (width: number) =>
        Plot.plot({
          width, height: 210, marginLeft: 44, marginRight: 24, marginBottom: 42, marginTop: 8,
          style: { background: "none", fontSize: "12px", fontFamily: "inherit", overflow: "visible" },
          x: {
            type: "log", domain, label: "latency (logarithmic)", labelAnchor: "center", labelArrow: "none", grid: true,
            ticks: logTicks(domain, Math.floor((width - 60) / 62)), tickFormat: (value: number) => tick(value, "ns"),
          },
          y: { domain: [0, 1], label: null, ticks: 4, tickFormat: (value: number) => `${value * 100} %`, grid: true },
          color: { type: "identity" },
          marks: [
            ...steps.map((curve) =>
              Plot.line(curve, {
                x: "time", y: "share", stroke: curve[0]?.colour ?? "currentColor", strokeWidth: 1.8, curve: "step-after",
                strokeDasharray: view.palette.mode(curve[0]?.mode ?? "").dash,
              }),
            ),
            Plot.text(labels, {
              x: "time", y: "share", text: "mode", fill: "colour", stroke: "var(--paper)", strokeWidth: 4,
              textAnchor: "start", dx: 6, fontSize: 11, fontWeight: 600,
            }),
          ],
        });
      const numbers = steps.flat().map(({ mode, time, share }) => ({ mode, "latency (ns)": time, "share of all sent": share }));
      return { title: `${condition.name} \u00b7 ${codec}`, numbers, draw };
    });
  });
  return { legend: modeLegend(view, inOrder(view.data.summary.study.axes.mode, view.cells.map((cell) => cell.axes.mode))), panels, columns: 2 };
};

interface Box {
  mode: string;
  codec: string;
  low: number;
  q1: number;
  median: number;
  q3: number;
  high: number;
  outliers: number;
  outside: number[];
  /** The share of the messages sent that has no time, because it did not arrive. */
  missing: number;
  colour: string;
}

function box(view: View, cell: CellSummary): Box[] {
  if (!cell.latency_box) return [];
  const { codec, mode } = cell.axes;
  return [{ ...cell.latency_box, outside: cell.latency_box.outside ?? [], missing: 1 - arrived(cell), mode, codec, colour: view.palette.codec(codec).colour }];
}

const boxes: Chart = (view) => {
  const all = conditions(view.data.axes, view.cells);
  const panels = all.map((condition) => {
    const data = condition.cells.flatMap((cell) => box(view, cell));
    const scale = samePayload(all, condition).flatMap((cell) => box(view, cell)).flatMap(({ low, high, outside }) => [low, high, ...outside]);
    const log = spansDecades(scale);
    const title = (d: Box) =>
      `${d.codec} over ${d.mode}\nmedian ${quantity(d.median, "ns")}, quartiles ${quantity(d.q1, "ns")} and ${quantity(d.q3, "ns")}\n${d.outliers} messages outside${d.missing > 0 ? `\n${quantity(d.missing, "ratio")} did not arrive` : ""}`;
    const outside = data.flatMap(({ outside, mode, codec, colour }) => outside.map((value) => ({ value, mode, codec, colour })));
    const draw = (width: number) =>
      frame(
        { width, unit: "ns", label: "latency of one message", domain: around(scale, log), log, ...rowsAndGroups(view, condition.cells), right: 40 },
        [
          Plot.ruleY(data, { fy: "mode", y: "codec", x1: "low", x2: "high", stroke: "colour", strokeWidth: 1.2 }),
          Plot.barX(data, {
            fy: "mode", y: "codec", x1: "q1", x2: "q3", fill: "colour", fillOpacity: 0.3, stroke: "colour", strokeWidth: 1, inset: 0.5, title,
          }),
          Plot.tickX(data, { fy: "mode", y: "codec", x: "median", stroke: "colour", strokeWidth: 3 }),
          Plot.text(data.filter(({ missing }) => missing > 0), {
            fy: "mode", y: "codec", x: (d: Box) => Math.max(d.high, ...d.outside), textAnchor: "start", dx: 8, fill: "var(--fate-lost)", fontSize: 11,
            text: (d: Box) => (isNarrow(width) ? "\u00d7" : `\u00d7 ${quantity(d.missing, "ratio")} did not arrive`),
          }),
          Plot.dot(outside, { fy: "mode", y: "codec", x: "value", r: 2, stroke: "colour", strokeOpacity: 0.7, title: (d) => quantity(d.value, "ns") }),
        ],
      );
    const numbers = data.map(({ codec, mode, low, q1, median, q3, high, outliers, missing }) => ({
      codec, mode, "lower whisker (ns)": low, "lower quartile (ns)": q1, "median (ns)": median, "upper quartile (ns)": q3, "upper whisker (ns)": high, "messages outside": outliers, "share that did not arrive": missing,
    }));
    return { title: condition.name, numbers, draw };
  });
  const remark = view.cells.some((cell) => cell.latency_box && arrived(cell) < 1) ? [{ label: "\u00d7: some did not arrive" }] : [];
  return { legend: [...codecLegend(view, inOrder(view.data.summary.study.axes.codec, view.cells.map((cell) => cell.axes.codec))), ...remark], panels };
};

export const charts: Record<string, Chart> = { latency, ecdf, box: boxes };
