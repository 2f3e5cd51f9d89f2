// Candidates by their ratios to the best in two metrics, and the front of those that no other beats.

import * as Plot from "@observablehq/plot";
import { logTicks } from "../quantity";
import { around } from "./drawing";
import { type Point, frontOf, stepsOf } from "./front";
import { places } from "./labels";

export interface Candidate { name: string; x: number; y: number; chosen: boolean; meets: boolean }

const MARGIN = { left: 54, right: 18, top: 22, bottom: 42 };
const HEIGHT = 360;
const times = (value: number): string => `\u00d7 ${value < 9.95 ? +value.toPrecision(3) : Math.round(value)}`;

export function choice(all: Candidate[], [across, up]: [string, string], width: number): SVGSVGElement | HTMLElement {
  const [x, y] = (["x", "y"] as const).map((axis) => {
    const [low, high] = around(all.map((one) => one[axis]), true);
    return [low / 1.02, high * 1.2] as Point;
  }) as [Point, Point];
  const at = ({ x, y }: Candidate): Point => [x, y];
  const front = frontOf(all.filter(({ meets }) => meets), at, [-1, -1]);
  const steps = stepsOf(front.map(at), [-1, -1], [x[1], y[1]]);
  const frame = { x1: MARGIN.left, x2: width - MARGIN.right, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom };
  const share = (value: number, [low, high]: Point): number => Math.log(value / low) / Math.log(high / low);
  const inFrame = ([atX, atY]: Point): Point => [frame.x1 + share(atX, x) * (frame.x2 - frame.x1), frame.y2 - share(atY, y) * (frame.y2 - frame.y1)];
  const ordered = [...all.filter(({ chosen }) => chosen), ...front.filter(({ chosen }) => !chosen)];
  const corners = steps.map(inFrame);
  const lines = corners.slice(1).map(([x2, y2], place) => {
    const [x1, y1] = corners[place] ?? [x2, y2];
    return { x1: Math.min(x1, x2) - 2, x2: Math.max(x1, x2) + 2, y1: Math.min(y1, y2) - 2, y2: Math.max(y1, y2) + 2 };
  });
  const others = all.filter((one) => !ordered.includes(one)).map((one) => ({ lines: [], at: inFrame(at(one)), must: false }));
  const labels = places([...ordered.map((one) => ({ lines: [one.name], at: inFrame(at(one)), must: true })), ...others], lines, [1, -1], frame);
  return Plot.plot({
    width, height: HEIGHT, marginLeft: MARGIN.left, marginRight: MARGIN.right, marginTop: MARGIN.top, marginBottom: MARGIN.bottom,
    style: { background: "none", fontSize: "12px", fontFamily: "inherit", overflow: "visible" },
    x: { type: "log", domain: x, label: `${across}, times the best (logarithmic)`, labelAnchor: "center", labelArrow: "none", grid: true, ticks: logTicks(x, 6), tickFormat: times },
    y: { type: "log", domain: y, label: `${up}, times the best (logarithmic)`, labelArrow: "none", grid: true, ticks: logTicks(y, 6), tickFormat: times },
    color: { type: "identity" },
    r: { type: "identity" },
    marks: [
      Plot.line(steps, { stroke: "var(--ink)", strokeWidth: 1.2, strokeOpacity: 0.7 }),
      Plot.dot(all, {
        x: "x", y: "y", r: (d: Candidate) => (d.chosen ? 8 : 4.5), fill: (d: Candidate) => (d.chosen ? "var(--worse)" : d.meets ? "var(--accent)" : "none"),
        stroke: (d: Candidate) => (d.meets ? "var(--paper)" : "var(--faint)"), title: (d: Candidate) => `${d.name}\n${across} ${times(d.x)}\n${up} ${times(d.y)}`,
      }),
      ...labels.map((label) =>
        Plot.text([ordered[label.of]], {
          x: "x", y: "y", text: () => label.lines.join("\n"), dx: label.dx, dy: label.dy, textAnchor: label.anchor, fill: "var(--ink)",
          fontWeight: ordered[label.of]?.chosen ? 700 : 400, stroke: "var(--paper)", strokeWidth: 4, fontSize: 11,
        }),
      ),
    ],
  });
}
