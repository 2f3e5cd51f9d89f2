// Codecs alone: sizes, phases, allocations.

import * as Plot from "@observablehq/plot";
import type { Numbers } from "../files";
import { type CodecSummary, byFormat, formatOf } from "../model";
import { PART } from "../palette";
import { quantity, withInterval } from "../quantity";
import {
  type Chart, type LegendEntry, type Panel, type View, areaEntry, around, codecLegend, frame, fromZero, inOrder, manyRows, symbolEntry,
} from "./drawing";

function byPayload(view: View, numbers: (codec: CodecSummary) => Numbers[], panel: (codecs: CodecSummary[], rows: string[]) => Panel["draw"]): Panel[] {
  const { payload } = view.data.summary.study.axes;
  return inOrder(payload, view.codecs.map(({ axes }) => axes.payload)).map((title) => {
    const codecs = view.codecs.filter(({ axes }) => axes.payload === title);
    return { title, numbers: codecs.flatMap(numbers), draw: panel(codecs, byFormat(view.data, codecs.map(({ axes }) => axes.codec))) };
  });
}

/** Shades every second format behind the rows, if there are many. */
function shades(rows: string[], [x1, x2]: [number, number]): Plot.Markish[] {
  if (!manyRows(rows)) return [];
  const formats = [...new Set(rows.map(formatOf))];
  const shaded = rows.filter((codec) => formats.indexOf(formatOf(codec)) % 2 === 1).map((codec) => ({ codec, x1, x2 }));
  return [Plot.barX(shaded, { y: "codec", x1: "x1", x2: "x2", fill: "var(--wash)", insetTop: -2, insetBottom: -2 })];
}

/** The meaning of codec colours, if they are those of families. */
function families(view: View): LegendEntry[] {
  const ids = byFormat(view.data, view.codecs.map(({ axes }) => axes.codec));
  return ids.some((id) => view.palette.meaning(id) !== id) ? codecLegend(view, ids) : [];
}

interface Size {
  codec: string;
  mean: number;
  min: number;
  max: number;
  colour: string;
}

const sizes: Chart = (view) => ({
  legend: families(view),
  panels: byPayload(view, ({ axes: { codec }, metrics: { body } }) => (body ? [{ codec, "body (bytes)": body.mean, smallest: body.min, largest: body.max }] : []), (codecs, rows) => {
    const data: Size[] = codecs.flatMap(({ axes, metrics }) => {
      const body = metrics["body"];
      return body ? [{ codec: axes.codec, mean: body.mean, min: body.min, max: body.max, colour: view.palette.codec(axes.codec).colour }] : [];
    });
    const domain = fromZero(data.map(({ max }) => max));
    return (width) =>
      frame({ width, unit: "bytes", label: "body", domain, rows, right: 72 }, [
        ...shades(rows, domain),
        Plot.barX(data, {
          y: "codec", x: "mean", fill: "colour", fillOpacity: 0.8,
          title: (d: Size) => `${d.codec}\nmean ${quantity(d.mean, "bytes")}, ${quantity(d.min, "bytes")} to ${quantity(d.max, "bytes")}`,
        }),
        Plot.ruleY(data.filter((d) => d.max > d.min), { y: "codec", x1: "min", x2: "max", stroke: "var(--ink)", strokeWidth: 1.3 }),
        Plot.text(data, {
          y: "codec", x: "max", text: (d: Size) => quantity(d.mean, "bytes"), textAnchor: "start", dx: 6, fill: "var(--ink)",
        }),
      ]);
  }),
});

/** As `MANY` in `crates/results/report/src/codecs.rs`. */
const MANY = 16;

const PHASES = ["build", "encode", "compress", "decompress", "decode", "read"] as const;

/** The phases that any codec in view has. */
function phasesOf(view: View, suffix = ""): (typeof PHASES)[number][] {
  return PHASES.filter((phase) => view.codecs.some(({ metrics }) => metrics[`${phase}${suffix}`]));
}

interface Part {
  codec: string;
  x1: number;
  x2: number;
  colour: string;
  title: string;
}

/** A row for each phase of a codec. */
function phaseNumbers(suffix: string, name: string): (codec: CodecSummary) => Numbers[] {
  return ({ axes: { codec }, metrics }) =>
    PHASES.flatMap((phase) => {
      const metric = metrics[`${phase}${suffix}`];
      return metric ? [{ codec, phase, [name]: metric.mean, [`${name} from`]: metric.interval_95?.[0] ?? null, [`${name} to`]: metric.interval_95?.[1] ?? null }] : [];
    });
}

/** The phases of each codec, stacked; `suffix` picks the metric. */
function stacked(suffix: string, unit: string, label: string): Chart {
  return (view) => ({
    legend: phasesOf(view, suffix).map((phase) => areaEntry(phase, PART[phase])),
    panels: byPayload(view, phaseNumbers(suffix, `${label} (${unit})`), (codecs, rows) => {
      const totals: { codec: string; total: number }[] = [];
      const parts: Part[] = codecs.flatMap(({ axes, metrics }) => {
        let reached = 0;
        const found = PHASES.flatMap((phase) => {
          const mean = metrics[`${phase}${suffix}`]?.mean;
          if (mean === undefined) return [];
          const x1 = reached;
          reached += mean;
          return [{ codec: axes.codec, x1, x2: reached, colour: PART[phase], title: `${axes.codec}\n${phase}: ${quantity(mean, unit)}` }];
        });
        if (found.length > 0) totals.push({ codec: axes.codec, total: reached });
        return found;
      });
      const domain = fromZero(totals.map(({ total }) => total));
      return (width) =>
        frame({ width, unit, label, domain, rows, right: 66 }, [
          ...shades(rows, domain),
          Plot.barX(parts, { y: "codec", x1: "x1", x2: "x2", fill: "colour", title: "title", insetRight: 0.5 }),
          Plot.text(totals, { y: "codec", x: "total", text: (d: { total: number }) => quantity(d.total, unit), textAnchor: "start", dx: 6, fill: "var(--ink)" }),
        ]);
    }),
  });
}

interface Mark {
  codec: string;
  value: number;
  colour: string;
  symbol: string;
  title: string;
}

const MARKS = {
  build: "triangle", encode: "square", compress: "cross", decompress: "wye", decode: "diamond", read: "star",
} as const;

/** Phases and their sum as marks on a logarithmic scale: stacks would hide all but the slowest of many codecs. */
const scattered: Chart = (view) => ({
  legend: [
    symbolEntry("all phases", "var(--ink)", "circle"),
    ...phasesOf(view).map((phase) => symbolEntry(phase, PART[phase], MARKS[phase])),
  ],
  panels: byPayload(view, phaseNumbers("", "time of one message (ns)"), (codecs, rows) => {
    const totals = codecs.flatMap(({ axes, metrics }) => {
      const total = metrics["total"];
      return total ? [{ codec: axes.codec, total, low: total.interval_95?.[0] ?? total.mean, high: total.interval_95?.[1] ?? total.mean }] : [];
    });
    const marks: Mark[] = codecs.flatMap(({ axes, metrics }) =>
      PHASES.flatMap((phase) => {
        const value = metrics[phase]?.mean ?? 0;
        const title = `${axes.codec}\n${phase}: ${quantity(value, "ns")}`;
        return value > 0 ? [{ codec: axes.codec, value, colour: PART[phase], symbol: MARKS[phase], title }] : [];
      }),
    );
    const domain = around([...marks.map(({ value }) => value), ...totals.map(({ high }) => high)], true);
    return (width) =>
      frame({ width, unit: "ns", label: "time of one message", domain, log: true, rows, right: 66 }, [
        ...shades(rows, domain),
        Plot.dot(marks, { y: "codec", x: "value", symbol: "symbol", r: 2.6, fill: "colour", title: "title" }),
        Plot.ruleY(totals, { y: "codec", x1: "low", x2: "high", stroke: "var(--ink)", strokeWidth: 5, strokeOpacity: 0.35 }),
        Plot.dot(totals, {
          y: "codec", x: (d: (typeof totals)[number]) => d.total.mean, r: 3, fill: "var(--ink)",
          title: (d: (typeof totals)[number]) => `${d.codec}\nall phases: ${withInterval(d.total.mean, d.total.interval_95, "ns")}`,
        }),
        Plot.text(totals, {
          y: "codec", x: domain[1], text: (d: (typeof totals)[number]) => quantity(d.total.mean, "ns"), textAnchor: "start", dx: 6,
          fill: "var(--ink)", fontSize: 11,
        }),
      ]);
  }),
});

const stackedPhases = stacked("", "ns", "time of one message");

/** Follows the study, like the caption, whatever the filters leave. */
const phases: Chart = (view, chosen) => (view.data.summary.codecs.length > MANY ? scattered : stackedPhases)(view, chosen);
const allocations = stacked("_allocations", "count", "heap allocations");

export const charts: Record<string, Chart> = { sizes, phases, allocations };
