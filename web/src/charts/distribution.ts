// Times of single messages in classes, a row for each combination, on one scale.

import * as Plot from "@observablehq/plot";
import { logTicks, quantity, tick } from "../quantity";
import { labelRoom } from "./drawing";

export interface Classes { name: string; count: number; edges: number[]; counts: number[] }

const ROW = 40;

export function distribution(rows: Classes[], unit: string, label: string, width: number): SVGSVGElement | HTMLElement {
  const bars = rows.flatMap(({ name, count, edges, counts }) =>
    counts.map((inside, place) => ({ name, x1: edges[place] ?? 0, x2: edges[place + 1] ?? 0, share: inside / Math.max(1, count), inside })),
  );
  const ends = rows.flatMap(({ edges }) => [edges[0] ?? NaN, edges.at(-1) ?? NaN]).filter((end) => end > 0);
  const domain: [number, number] = ends.length > 0 ? [Math.min(...ends), Math.max(...ends)] : [1, 10];
  const names = rows.map(({ name }) => name);
  const left = labelRoom(names, width);
  return Plot.plot({
    width, height: rows.length * ROW + 46, marginLeft: left, marginRight: 16, marginTop: 4, marginBottom: 42,
    style: { background: "none", fontSize: "12px", fontFamily: "inherit", overflow: "visible" },
    x: {
      type: "log", domain, ticks: logTicks(domain, Math.floor((width - left) / 70)), tickFormat: (value: number) => tick(value, unit), grid: true,
      label: `${label} (logarithmic)`, labelAnchor: "center", labelArrow: "none",
    },
    y: { axis: null },
    fy: { domain: names, label: null, axis: "left", padding: 0.1 },
    marks: [
      Plot.rect(bars, {
        fy: "name", x1: "x1", x2: "x2", y1: 0, y2: "share", fill: "var(--accent)", fillOpacity: 0.75, inset: 0.3,
        title: (bar: (typeof bars)[number]) => `${bar.name}\n${quantity(bar.x1, unit)} to ${quantity(bar.x2, unit)}: ${bar.inside.toLocaleString("en-US")} messages`,
      }),
      Plot.ruleY(names, { fy: (name: string) => name, y: 0, stroke: "var(--line)" }),
    ],
  });
}
