// Codecs by themselves: sizes, the phases, allocations.

import * as Plot from "@observablehq/plot";
import type { CodecSummary } from "../model";
import { PART } from "../palette";
import { quantity } from "../quantity";
import { type Chart, type Panel, type View, areaEntry, frame, fromZero, inOrder } from "./drawing";

function byPayload(view: View, panel: (codecs: CodecSummary[], rows: string[]) => Panel["draw"]): Panel[] {
  const { payload, codec } = view.data.summary.study.axes;
  return inOrder(payload, view.codecs.map(({ axes }) => axes.payload)).map((title) => {
    const codecs = view.codecs.filter(({ axes }) => axes.payload === title);
    return { title, draw: panel(codecs, inOrder(codec, codecs.map(({ axes }) => axes.codec))) };
  });
}

interface Size {
  codec: string;
  mean: number;
  min: number;
  max: number;
  colour: string;
}

export const sizes: Chart = (view) => ({
  panels: byPayload(view, (codecs, rows) => {
    const data: Size[] = codecs.flatMap(({ axes, metrics }) => {
      const body = metrics["body"];
      return body ? [{ codec: axes.codec, mean: body.mean, min: body.min, max: body.max, colour: view.palette.codec(axes.codec).colour }] : [];
    });
    const domain = fromZero(data.map(({ max }) => max));
    return (width) =>
      frame({ width, unit: "bytes", label: "body", domain, rows, right: 72 }, [
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

const PHASES = ["build", "encode", "compress", "decompress", "decode", "read"] as const;

interface Part {
  codec: string;
  x1: number;
  x2: number;
  colour: string;
  title: string;
}

/** The phases of each codec, stacked; `suffix` picks the metric. */
function stacked(suffix: string, unit: string, label: string): Chart {
  return (view) => ({
    legend: PHASES.filter((phase) => view.codecs.some(({ metrics }) => metrics[`${phase}${suffix}`])).map((phase) =>
      areaEntry(phase, PART[phase]),
    ),
    panels: byPayload(view, (codecs, rows) => {
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
          Plot.barX(parts, { y: "codec", x1: "x1", x2: "x2", fill: "colour", title: "title", insetRight: 0.5 }),
          Plot.text(totals, { y: "codec", x: "total", text: (d: { total: number }) => quantity(d.total, unit), textAnchor: "start", dx: 6, fill: "var(--ink)" }),
        ]);
    }),
  });
}

export const phases = stacked("", "ns", "time of one message");
export const allocations = stacked("_allocations", "count", "heap allocations");
