// A metric along a numeric axis (share lost, size, subscribers, messages): a curve for each codec and mode.

import * as Plot from "@observablehq/plot";
import { type AxisInfo, type CellSummary, type MetricInfo, type PageData, conditions, valueOf, told } from "../model";
import { logTicks, tick, withEnds } from "../quantity";
import { type Chart, type Control, type Panel, type View, around, curveColour, curveLegend, endLabels, endRoom } from "./drawing";

/** A numeric axis to draw along. */
interface Along {
  name: string;
  unit: string;
  /** The value of a cell on it. */
  at(cell: CellSummary): number | undefined;
}

interface Spot {
  name: string;
  mode: string;
  at: number;
  value: number;
  low: number;
  high: number;
  colour: string;
  /** Whether not all of its messages arrived. */
  lossy: boolean;
  title: string;
}

/** If the largest value is this many times the smallest or more, an axis is logarithmic. */
const WIDE = 20;

/** Bytes of `opaque@100`; undefined for a payload without a size in its name. */
function sizeOf({ axes }: CellSummary): number | undefined {
  const size = Number(axes.payload.split("@")[1] ?? NaN);
  return Number.isNaN(size) ? undefined : size;
}

function numberOf(axis: AxisInfo): Along[] {
  if (axis.part !== "condition" || typeof axis.kind !== "object" || axis.name === "rate") return [];
  const at = (cell: CellSummary): number | undefined => {
    const value = valueOf(cell.axes, axis.name);
    return value == null || Number.isNaN(Number(value)) ? undefined : Number(value);
  };
  return [{ name: axis.name, unit: axis.kind.number, at }];
}

/** Axes with at least two values among some cells. Rates have a chart of their own. */
function axesOf(data: PageData, cells: CellSummary[]): Along[] {
  const all: Along[] = [{ name: "payload", unit: "bytes", at: sizeOf }, ...data.axes.flatMap(numberOf)];
  return all.filter(({ at }) => new Set(cells.flatMap((cell) => at(cell) ?? [])).size > 1);
}

function metricsOf({ metrics }: PageData): MetricInfo[] {
  return metrics.filter(({ scope, better }) => scope === "message" && better !== "neither");
}

const nameOf = ({ axes }: CellSummary): string => `${axes.codec} over ${axes.mode}`;

function spot(view: View, cell: CellSummary, { at, unit }: Along, info: MetricInfo): Spot[] {
  const [metric, place] = [told(cell, info.name), at(cell)];
  if (!metric || place === undefined) return [];
  const [low, high] = metric.interval_95 ?? [metric.mean, metric.mean];
  const { sent, delivered } = cell.delivery;
  const lossy = delivered < sent;
  const arrived = lossy ? `\n${delivered} of ${sent} messages arrived` : "";
  const title = `${nameOf(cell)}\n${tick(place, unit)}: ${withEnds(metric.mean, metric.interval_95, metric.unit)}${arrived}`;
  const { mode } = cell.axes;
  return [{ name: nameOf(cell), mode, at: place, value: metric.mean, low, high, colour: curveColour(view, cell.axes), lossy, title }];
}

function panel(view: View, title: string, spots: Spot[], along: Along, info: MetricInfo): Panel {
  const curves = [...new Set(spots.map(({ name }) => name))].map((name) =>
    spots.filter((one) => one.name === name).sort((a, b) => a.at - b.at),
  );
  const places = [...new Set(spots.map(({ at }) => at))].sort((a, b) => a - b);
  const [first, last] = [places[0] ?? 0, places.at(-1) ?? 1];
  const wide = first > 0 && last / first > WIDE;
  const values = spots.flatMap(({ low, high }) => [low, high]);
  const logarithmic = Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > WIDE;
  const domain: [number, number] = logarithmic ? around(values, true) : [Math.min(0, ...values), Math.max(...values) || 1];
  const ends = curves.flatMap((curve) => curve.at(-1) ?? []);
  const inside = { top: 10, bottom: 42 };
  const height = Math.max(260, ends.length * 12 + inside.top + inside.bottom);
  const draw = (width: number): HTMLElement | SVGSVGElement =>
    Plot.plot({
      width, height, marginLeft: 62, marginRight: endRoom(ends, width), marginBottom: inside.bottom, marginTop: inside.top,
      style: { background: "none", fontSize: "12px", fontFamily: "inherit", overflow: "visible" },
      x: {
        type: wide ? "log" : "linear", ticks: wide ? logTicks([first, last], Math.floor(width / 90)) : places,
        tickFormat: (value: number) => tick(value, along.unit), grid: true,
        label: `${along.name === "payload" ? "size of the payload" : along.name}${wide ? " (logarithmic)" : ""}`, labelAnchor: "center", labelArrow: "none",
      },
      y: {
        type: logarithmic ? "log" : "linear", domain, label: null, grid: true,
        ticks: logarithmic ? logTicks(domain, 6) : 6,
        tickFormat: (value: number) => (logarithmic ? tick(value, info.unit) : tick(value, info.unit, domain[1])),
      },
      color: { type: "identity" },
      symbol: { type: "identity" },
      marks: [
        ...curves.map((curve) =>
          Plot.line(curve, {
            x: "at", y: "value", stroke: curve[0]?.colour ?? "currentColor", strokeWidth: 1.8,
            strokeDasharray: view.palette.mode(curve[0]?.mode ?? "").dash,
          }),
        ),
        Plot.ruleX(spots, { x: "at", y1: "low", y2: "high", stroke: "colour", strokeWidth: 4, strokeOpacity: 0.4 }),
        Plot.dot(spots.filter(({ lossy }) => !lossy), { x: "at", y: "value", stroke: "colour", strokeWidth: 1.5, r: 3, fill: "var(--paper)", title: "title" }),
        Plot.dot(spots.filter(({ lossy }) => lossy), { x: "at", y: "value", stroke: "colour", strokeWidth: 2, r: 4, symbol: "times", title: "title" }),
        ...endLabels(ends.map(({ at, value, name, colour }) => ({ x: at, y: value, name, colour })), domain, logarithmic, [inside.top, height - inside.bottom], width),
      ],
    });
  const numbers = spots.map(({ name, at, value, low, high, lossy }) => ({
    choice: name, [`${along.name} (${along.unit})`]: at, [`${info.title} (${info.unit})`]: value, [`${info.title} from`]: low, [`${info.title} to`]: high,
    "all arrived": lossy ? "no" : "yes",
  }));
  return { title, numbers, draw };
}

const along: Chart = (view, chosen) => {
  const [axes, metrics] = [axesOf(view.data, view.cells), metricsOf(view.data)];
  const axis = axes.find(({ name }) => name === chosen[0]) ?? axes[0];
  const info = metrics.find(({ name }) => name === chosen[1]) ?? metrics.find(({ name }) => name === "latency") ?? metrics[0];
  if (!axis || !info) return { panels: [] };
  const shown = view.cells.filter((cell) => axis.at(cell) !== undefined);
  const panels = conditions(view.data.axes, shown, axis.name).flatMap(({ name, cells }) => {
    const spots = cells.flatMap((cell) => spot(view, cell, axis, info));
    return new Set(spots.map(({ at }) => at)).size > 1 ? [panel(view, name || info.title, spots, axis, info)] : [];
  });
  const controls: Control[] = [
    { label: "along", options: axes.map(({ name }) => ({ value: name, label: name === "payload" ? "size" : name })), value: axis.name },
    { label: "what", options: metrics.map(({ name, title }) => ({ value: name, label: title })), value: info.name },
  ];
  const remark = shown.some(({ delivery }) => delivery.delivered < delivery.sent) ? [{ label: "\u00d7: messages were lost" }] : [];
  return { controls, legend: [...curveLegend(view, shown), ...remark], panels };
};

export const charts: Record<string, Chart> = { along };
