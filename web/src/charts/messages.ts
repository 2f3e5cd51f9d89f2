// Costs of messages besides time: delivery, bytes on the wire, the split of their time, CPU and memory.

import * as Plot from "@observablehq/plot";
import { type CellSummary, type Condition, type Metric, type RatioInterval, conditions, isCovered, titleOf, told } from "../model";
import { PART, type SymbolName } from "../palette";
import { quantity, tail, withEnds, withInterval } from "../quantity";
import { type Chart, type LegendEntry, type View, areaEntry, around, codecLegend, figured, frame, fromZero, inOrder, isNarrow, symbolEntry } from "./drawing";

function layout(view: View, condition: Condition): { rows: string[]; groups: string[] } {
  const { codec, mode } = view.data.summary.study.axes;
  return {
    rows: inOrder(codec, condition.cells.map((cell) => cell.axes.codec)),
    groups: inOrder(mode, condition.cells.map((cell) => cell.axes.mode)),
  };
}

function legend(view: View): LegendEntry[] {
  return codecLegend(view, inOrder(view.data.summary.study.axes.codec, view.cells.map((cell) => cell.axes.codec)));
}

/** If colours have another meaning, the order distinguishes the rows of a mode. */
function rowOrder(view: View): LegendEntry {
  const codecs = inOrder(view.data.summary.study.axes.codec, view.cells.map((cell) => cell.axes.codec));
  return { label: codecs.length > 1 ? `rows of each mode, from the top: ${codecs.join(", ")}` : "" };
}

interface Fate {
  mode: string;
  codec: string;
  x1: number;
  x2: number;
  colour: string;
  title: string;
}

/** `9.75 % [3.3, 21.8]`; empty if no message was sent. */
function shareOf(share: RatioInterval | null | undefined): string {
  return share ? withEnds(share.ratio, share.interval_95, "ratio") : "";
}

function fates(cell: CellSummary): Fate[] {
  const { sent, delivered, superseded, lost } = cell.delivery;
  const late = cell.delivery.late ?? 0;
  if (sent === 0) return [];
  const parts = [
    [cell.delivery.late == null ? "delivered" : "in time", delivered - late, PART.delivered, ""],
    ["late", late, PART.late, shareOf(cell.late_ratio)],
    ["superseded", superseded, PART.superseded, ""],
    ["lost", lost, PART.lost, shareOf(cell.lost_ratio)],
  ] as const;
  let reached = 0;
  return parts.flatMap(([name, count, colour, share]) => {
    const x1 = reached;
    reached += count / sent;
    const title = `${cell.axes.codec} over ${cell.axes.mode}\n${name}: ${count} of ${sent}${share ? `, ${share}` : ""}`;
    return count > 0 ? [{ mode: cell.axes.mode, codec: cell.axes.codec, x1, x2: reached, colour, title }] : [];
  });
}

const delivery: Chart = (view) => {
  const panels = conditions(view.data.axes, view.cells).map((condition) => {
    const parts = condition.cells.flatMap(fates);
    const notes = condition.cells.flatMap(({ axes: { mode, codec }, lost_ratio: lost }) =>
      lost ? [{ mode, codec, short: quantity(lost.ratio, "ratio"), long: `${shareOf(lost)} lost` }] : [],
    );
    const draw = (width: number) =>
      frame({ width, unit: "ratio", label: "share of sent messages", domain: [0, 1], ...layout(view, condition), right: isNarrow(width) ? 56 : 150 }, [
        Plot.barX(parts, { fy: "mode", y: "codec", x1: "x1", x2: "x2", fill: "colour", title: "title", insetTop: 0.5 }),
        Plot.text(notes, { fy: "mode", y: "codec", x: 1, text: isNarrow(width) ? "short" : "long", textAnchor: "start", dx: 5, fill: "var(--ink)", fontSize: 11 }),
      ]);
    const numbers = condition.cells.flatMap(({ axes: { codec, mode }, delivery, lost_ratio: lost }) => {
      if (delivery.sent === 0) return [];
      const { sent, delivered, superseded, late = null } = delivery;
      const [from = null, to = null] = lost?.interval_95 ?? [];
      return [{ codec, mode, sent, delivered, "of them late": late, superseded, lost: delivery.lost, "lost share": lost?.ratio ?? null, "lost share from": from, "lost share to": to }];
    });
    return { title: condition.name, numbers, draw };
  });
  const entries = [
    areaEntry("in time", PART.delivered), areaEntry("late", PART.late),
    areaEntry("superseded", PART.superseded), areaEntry("lost", PART.lost),
  ];
  return { legend: [...entries, rowOrder(view)], panels };
};

interface Stack {
  mode: string;
  codec: string;
  body: number;
  wire: number;
  colour: string;
  interval: [number, number];
  title: string;
}

function stack(view: View, cell: CellSummary): Stack[] {
  const wire = cell.metrics["wire_per_message"];
  if (!wire) return [];
  const overhead = cell.metrics["overhead_per_message"]?.mean ?? wire.mean;
  const { codec, mode } = cell.axes;
  const body = Math.max(0, wire.mean - overhead);
  const title = `${codec} over ${mode}\n${withInterval(wire.mean, wire.interval_95, "bytes")}\nbody on all legs ${quantity(body, "bytes")}`;
  return [{
    mode, codec, body, wire: wire.mean, colour: view.palette.codec(codec).colour,
    interval: wire.interval_95 ?? [wire.mean, wire.mean], title,
  }];
}

const overhead: Chart = (view) => {
  const all = conditions(view.data.axes, view.cells);
  const panels = all.flatMap((condition) => {
    const data = condition.cells.flatMap((cell) => stack(view, cell));
    if (data.length === 0) return [];
    const peers = all.filter((other) => other.payload === condition.payload).flatMap((other) => other.cells);
    const domain = fromZero(peers.flatMap((cell) => stack(view, cell)).map(({ interval }) => interval[1]));
    const draw = (width: number) =>
      frame({ width, unit: "bytes", label: "bytes on the wire per message", domain, ...layout(view, condition), right: 66 }, [
        Plot.barX(data, { fy: "mode", y: "codec", x1: 0, x2: "body", fill: "colour", title: "title", insetTop: 0.5 }),
        Plot.barX(data, { fy: "mode", y: "codec", x1: "body", x2: "wire", fill: "colour", fillOpacity: 0.38, title: "title", insetTop: 0.5 }),
        Plot.ruleY(data, { fy: "mode", y: "codec", x1: (d: Stack) => d.interval[0], x2: (d: Stack) => d.interval[1], stroke: "var(--ink)" }),
        Plot.text(data, {
          fy: "mode", y: "codec", x: (d: Stack) => d.interval[1], text: (d: Stack) => quantity(d.wire, "bytes"), textAnchor: "start", dx: 6,
          fill: "var(--faint)", fontSize: 11,
        }),
      ]);
    const numbers = data.map(({ codec, mode, body, wire, interval: [from, to] }) => ({
      codec, mode, "body on all legs (bytes)": body, "bytes on the wire (bytes)": wire, "bytes on the wire from": from, "bytes on the wire to": to,
    }));
    return [{ title: condition.name, numbers, draw }];
  });
  return { legend: [...legend(view), areaEntry("body", "var(--ink)"), areaEntry("overhead", "var(--ink)", 0.38)], panels };
};

/** A part of a whole: its name, the metric of its size, its colour. */
type Part = readonly [name: string, metric: string, colour: string];

interface Whole {
  parts: readonly Part[];
  /** If a cell lacks this metric, its parts are unknown. */
  needed: string;
  unit: string;
  label: string;
}

interface Piece {
  mode: string;
  codec: string;
  part: string;
  x1: number;
  x2: number;
  colour: string;
  title: string;
}

/**
 * The means of a cell's parts, stacked; empty if it lacks the metric that the whole requires, or if
 * a part is known for too few messages: means of different messages don't add up.
 */
function pieces(cell: CellSummary, { parts, needed, unit }: Whole): Piece[] {
  const { codec, mode } = cell.axes;
  if (!cell.metrics[needed]) return [];
  if (parts.some(([, metric]) => cell.metrics[metric] && !isCovered(cell.metrics[metric]))) return [];
  let reached = 0;
  return parts.flatMap(([name, metric, colour]) => {
    const figures = cell.metrics[metric];
    if (!figures || figures.mean <= 0) return [];
    const x1 = reached;
    reached += figures.mean;
    const title = `${codec} over ${mode}\n${name}: ${withInterval(figures.mean, figures.interval_95, unit)}`;
    return [{ mode, codec, part: name, x1, x2: reached, colour, title }];
  });
}

/** Bars of parts that add up; all panels of a payload share their scale. */
function parted(whole: Whole): Chart {
  const { parts, unit, label } = whole;
  return (view) => {
    const all = conditions(view.data.axes, view.cells);
    const panels = all.flatMap((condition) => {
      const data = condition.cells.flatMap((cell) => pieces(cell, whole));
      if (data.length === 0) return [];
      const peers = all.filter((other) => other.payload === condition.payload).flatMap((other) => other.cells);
      const domain = fromZero(peers.flatMap((cell) => pieces(cell, whole)).map(({ x2 }) => x2));
      const ends = condition.cells.flatMap((cell) => pieces(cell, whole).slice(-1));
      const draw = (width: number) =>
        frame({ width, unit, label, domain, ...layout(view, condition), right: 66 }, [
          Plot.barX(data, { fy: "mode", y: "codec", x1: "x1", x2: "x2", fill: "colour", title: "title", insetTop: 0.5 }),
          Plot.text(ends, {
            fy: "mode", y: "codec", x: "x2", text: (d: Piece) => quantity(d.x2, unit), textAnchor: "start", dx: 6,
            fill: "var(--faint)", fontSize: 11,
          }),
        ]);
      const numbers = data.map(({ codec, mode, part, x1, x2 }) => ({ codec, mode, part, [`${label} (${unit})`]: x2 - x1 }));
      return [{ title: condition.name, numbers, draw }];
    });
    return { legend: [...parts.map(([name, , colour]) => areaEntry(name, colour)), rowOrder(view)], panels };
  };
}

const classes = parted({
  parts: [
    ["message", "message_wire", PART.message],
    ["acknowledgement", "acknowledgement_wire", PART.acknowledgement],
    ["TCP's acknowledgements", "transport_wire", PART.transport],
    ["keep-alive", "keep_alive_wire", PART.keepAlive],
    ["set-up", "set_up_wire", PART.setUp],
    ["sent again", "retransmitted_wire", PART.retransmitted],
    ["unread", "unread_wire", PART.unread],
  ],
  needed: "message_wire",
  unit: "bytes",
  label: "bytes on the wire per message",
});

const parts = parted({
  parts: [
    ["build", "build_time", PART.build],
    ["encode", "encode_time", PART.encode],
    ["publisher's queue", "publisher_queue_time", PART.send],
    ["network to the broker", "publisher_network_time", PART.network],
    ["broker", "broker_time", PART.broker],
    ["network to the subscriber", "subscriber_network_time", PART.networkBack],
    ["subscriber's queue", "subscriber_queue_time", PART.transit],
    ["decode", "decode_time", PART.decode],
  ],
  needed: "broker_time",
  unit: "ns",
  label: "mean time",
});

const SPLIT = [
  ["build", "build_time", "diamond"],
  ["encode", "encode_time", "square"],
  ["send", "send_time", "triangle"],
  ["transit", "latency_from_sent", "circle"],
  ["decode", "decode_time", "star"],
] as const satisfies readonly (readonly [keyof typeof PART, string, SymbolName])[];

interface Phase {
  mode: string;
  codec: string;
  phase: string;
  time: number;
  colour: string;
  symbol: string;
  title: string;
}

function phases(cell: CellSummary): Phase[] {
  return SPLIT.flatMap(([name, metric, symbol]) => {
    const figures = told(cell, metric);
    if (!figures || figures.median <= 0) return [];
    const title = `${cell.axes.codec} over ${cell.axes.mode}\n${name}: median ${quantity(figures.median, "ns")}, ${tail(figures)}`;
    return [{ mode: cell.axes.mode, codec: cell.axes.codec, phase: name, time: figures.median, colour: PART[name], symbol, title }];
  });
}

const split: Chart = (view) => {
  const all = conditions(view.data.axes, view.cells);
  const domain = around(view.cells.flatMap(phases).map(({ time }) => time), true);
  const panels = all.map((condition) => {
    const data = condition.cells.flatMap(phases);
    const draw = (width: number) =>
      frame({ width, unit: "ns", label: "median time", domain, log: true, ...layout(view, condition), right: 16 }, [
        Plot.ruleY(condition.cells.map(({ axes }) => axes), { fy: "mode", y: "codec", stroke: "var(--line)" }),
        Plot.dot(data, { fy: "mode", y: "codec", x: "time", symbol: "symbol", r: 4, fill: "colour", title: "title" }),
      ]);
    return { title: condition.name, numbers: data.map(({ codec, mode, phase, time }) => ({ codec, mode, phase, "median (ns)": time })), draw };
  });
  return { legend: [...SPLIT.map(([name, , symbol]) => symbolEntry(name, PART[name], symbol)), rowOrder(view)], panels };
};

interface Bar {
  mode: string;
  codec: string;
  metric: Metric;
  colour: string;
}

function bars(view: View, cells: CellSummary[], name: string): Bar[] {
  return cells.flatMap((cell) => {
    const metric = cell.metrics[name];
    const { codec, mode } = cell.axes;
    return metric ? [{ mode, codec, metric, colour: view.palette.codec(codec).colour }] : [];
  });
}

/** One panel per condition and role; all panels of a payload share their scale. */
function roles(names: readonly string[], label: string): Chart {
  return (view) => {
    const all = conditions(view.data.axes, view.cells);
    const panels = all.flatMap((condition) => {
      const peers = all.filter((other) => other.payload === condition.payload).flatMap((other) => other.cells);
      const tops = names.flatMap((name) => bars(view, peers, name)).map(({ metric }) => metric.interval_95?.[1] ?? metric.mean);
      const domain = fromZero(tops);
      return names.flatMap((name) => {
        const data = bars(view, condition.cells, name);
        if (data.length === 0) return [];
        const unit = data[0]?.metric.unit ?? "";
        const role = titleOf(view.data, "message", name).replace(/ (CPU|memory)$/, "");
        const draw = (width: number) =>
          frame({ width, unit, label, domain, ...layout(view, condition) }, [
            Plot.barX(data, {
              fy: "mode", y: "codec", x: (d: Bar) => d.metric.mean, fill: "colour", fillOpacity: 0.75, insetTop: 0.5,
              title: (d: Bar) => `${d.codec} over ${d.mode}\n${withInterval(d.metric.mean, d.metric.interval_95, unit)}`,
            }),
            Plot.ruleY(data.filter((d) => d.metric.interval_95), {
              fy: "mode", y: "codec", x1: (d: Bar) => d.metric.interval_95?.[0], x2: (d: Bar) => d.metric.interval_95?.[1],
              stroke: "var(--ink)", strokeWidth: 1.3,
            }),
            Plot.text(data, {
              fy: "mode", y: "codec", x: (d: Bar) => d.metric.interval_95?.[1] ?? d.metric.mean,
              text: (d: Bar) => quantity(d.metric.mean, unit), textAnchor: "start", dx: 5, fill: "var(--faint)", fontSize: 11,
            }),
          ]);
        const numbers = data.map(({ codec, mode, metric }) => ({ codec, mode, ...figured(`${role} ${label}`, metric) }));
        return [{ title: `${role} \u00b7 ${condition.name}`, numbers, draw }];
      });
    });
    return { legend: legend(view), panels, columns: 3 };
  };
}

const cpu = roles(["publisher_cpu_per_message", "subscriber_cpu_per_delivery", "broker_cpu_per_message"], "CPU time");
const memory = roles(["publisher_memory", "subscriber_memory", "broker_memory"], "peak memory");

export const charts: Record<string, Chart> = { delivery, overhead, classes, parts, split, cpu, memory };
