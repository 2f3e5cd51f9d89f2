// Latency over the requested rate: a curve for each codec and mode, with its knee marked.

import * as Plot from "@observablehq/plot";
import { type CellSummary, conditions, told } from "../model";
import { logTicks, quantity, tick, withInterval } from "../quantity";
import { type Chart, type View, around, curveColour, curveLegend, endLabels, endRoom } from "./drawing";

interface Point {
  name: string;
  mode: string;
  /** Logarithm to base ten of messages a second: a logarithmic scale would omit labels that are not round numbers. */
  rate: number;
  median: number;
  low: number;
  high: number;
  colour: string;
  isKnee: boolean;
  title: string;
}

/** Messages a second of `10k/s`. */
function perSecond(rate: string): number {
  const times: Record<string, number> = { "/s": 1, "k/s": 1e3, "M/s": 1e6 };
  const unit = rate.replace(/^[0-9.]+/, "");
  return Number.parseFloat(rate) * (times[unit] ?? NaN);
}

const nameOf = ({ axes }: CellSummary): string => `${axes.codec} over ${axes.mode}`;

function point(view: View, cell: CellSummary, isKnee: boolean): Point[] {
  const metric = told(cell, "latency");
  const { mode, rate } = cell.axes;
  if (!metric || rate == null) return [];
  const [low, high] = metric.median_interval_95 ?? [metric.median, metric.median];
  const title = `${nameOf(cell)}\n${rate}: ${withInterval(metric.median, metric.median_interval_95, "ns")}${isKnee ? "\nthe knee" : ""}`;
  return [{ name: nameOf(cell), mode, rate: Math.log10(perSecond(rate)), median: metric.median, low, high, colour: curveColour(view, cell.axes), isKnee, title }];
}

const rates: Chart = (view) => {
  const { knees = [] } = view.data.summary;
  // Knees are in the order of cells, one for each set of cells that differ in rate alone.
  const sets = new Map<string, CellSummary[]>();
  for (const cell of view.data.summary.cells) {
    if (cell.axes.rate == null) continue;
    const key = JSON.stringify({ ...cell.axes, rate: undefined });
    sets.set(key, [...(sets.get(key) ?? []), cell]);
  }
  const kneeOf = new Map<CellSummary, boolean>();
  [...sets.values()].filter((cells) => cells.length > 1).forEach((cells, place) => {
    for (const cell of cells) kneeOf.set(cell, knees[place]?.rate === cell.axes.rate);
  });
  const shown = view.cells.filter((cell) => kneeOf.has(cell));
  const groups = conditions(view.data.axes, shown, "rate");
  const panels = groups.map((condition) => {
    const points = condition.cells.flatMap((cell) => point(view, cell, kneeOf.get(cell) ?? false));
    const curves = [...new Set(points.map(({ name }) => name))].map((name) =>
      points.filter((one) => one.name === name).sort((a, b) => a.rate - b.rate),
    );
    const domain = around(points.flatMap(({ low, high }) => [low, high]), true);
    const ends = curves.flatMap((curve) => curve.at(-1) ?? []);
    const inside = { top: 10, bottom: 42 };
    const draw = (width: number) =>
      Plot.plot({
        width, height: 280, marginLeft: 62, marginRight: endRoom(ends, width), marginBottom: inside.bottom, marginTop: inside.top,
        style: { background: "none", fontSize: "12px", fontFamily: "inherit", overflow: "visible" },
        x: {
          label: "requested messages per second (logarithmic)", labelAnchor: "center", labelArrow: "none", grid: true,
          ticks: [...new Set(points.map(({ rate }) => rate))], tickFormat: (value: number) => quantity(10 ** value, "per_s"),
        },
        y: {
          type: "log", domain, label: null, grid: true, ticks: logTicks(domain, 6), tickFormat: (value: number) => tick(value, "ns"),
        },
        color: { type: "identity" },
        marks: [
          ...curves.map((curve) =>
            Plot.line(curve, {
              x: "rate", y: "median", stroke: curve[0]?.colour ?? "currentColor", strokeWidth: 1.8,
              strokeDasharray: view.palette.mode(curve[0]?.mode ?? "").dash,
            }),
          ),
          Plot.ruleX(points, { x: "rate", y1: "low", y2: "high", stroke: "colour", strokeWidth: 4, strokeOpacity: 0.4 }),
          Plot.dot(points, {
            x: "rate", y: "median", stroke: "colour", strokeWidth: 1.5, title: "title",
            r: (d: Point) => (d.isKnee ? 6 : 3), fill: (d: Point) => (d.isKnee ? d.colour : "var(--paper)"),
          }),
          ...endLabels(ends.map(({ rate, median, name, colour }) => ({ x: rate, y: median, name, colour })), domain, true, [inside.top, 280 - inside.bottom], width),
        ],
      });
    const numbers = points.map(({ name, rate, median, low, high, isKnee }) => ({
      choice: name, "requested (per_s)": Math.round(10 ** rate * 1e6) / 1e6, "median latency (ns)": median, "median latency from": low, "median latency to": high, knee: isKnee ? "yes" : "no",
    }));
    return { title: condition.name, numbers, draw };
  });
  return { legend: curveLegend(view, shown), panels };
};

export const charts: Record<string, Chart> = { rates };
