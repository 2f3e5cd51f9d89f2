// One figure of one study from run to run, with the places where it changed.

import * as Plot from "@observablehq/plot";
import { quantity, tick, withInterval } from "../quantity";
import { around } from "./drawing";

export interface HistoryPoint { id: string; at: Date; value: number; interval: [number, number] | null; changed: boolean; words: string }

/** Runs are evenly spaced, in their order, whatever time lay between them. */
export function history(points: HistoryPoint[], unit: string, label: string, width: number): SVGSVGElement | HTMLElement {
  const domain = around(points.flatMap(({ value, interval }) => [value, ...(interval ?? [])]), false);
  const placed = points.map((point, place) => ({ ...point, place }));
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
  const every = Math.max(1, Math.ceil(placed.length / Math.max(2, Math.floor(width / 90))));
  const changes = placed.filter(({ changed }) => changed);
  return Plot.plot({
    width, height: 280, marginLeft: 64, marginRight: 16, marginTop: 24, marginBottom: 34,
    style: { background: "none", fontSize: "12px", fontFamily: "inherit", overflow: "visible" },
    x: {
      domain: [-0.5, placed.length - 0.5], label: null, ticks: placed.filter(({ place }) => place % every === 0).map(({ place }) => place),
      tickFormat: (place: number) => (placed[place] ? day.format(placed[place].at) : ""),
    },
    y: { domain, label, labelArrow: "none", grid: true, ticks: 5, tickFormat: (value: number) => tick(value, unit, domain[1]) },
    marks: [
      Plot.ruleX(changes, { x: (d: { place: number }) => d.place - 0.5, stroke: "var(--worse)", strokeWidth: 1.5, strokeDasharray: "4 3" }),
      Plot.line(placed, { x: "place", y: "value", stroke: "var(--faint)", strokeOpacity: 0.6 }),
      Plot.ruleX(placed.filter(({ interval }) => interval), { x: "place", y1: (d: HistoryPoint) => d.interval?.[0], y2: (d: HistoryPoint) => d.interval?.[1], stroke: "var(--accent)", strokeWidth: 5, strokeOpacity: 0.3 }),
      Plot.dot(placed, {
        x: "place", y: "value", r: (d: HistoryPoint) => (d.changed ? 6 : 4), fill: (d: HistoryPoint) => (d.changed ? "var(--worse)" : "var(--accent)"),
        title: (d: HistoryPoint) => `${d.id}\n${withInterval(d.value, d.interval, unit)}${d.words ? `\n${d.words}` : ""}`,
      }),
      Plot.text(changes, { x: "place", y: "value", text: (d: HistoryPoint) => quantity(d.value, unit), dy: -14, fill: "var(--ink)", stroke: "var(--paper)", strokeWidth: 4 }),
    ],
    color: { type: "identity" },
    r: { type: "identity" },
  });
}
