// A test as it is watched: the snapshot, and what each event changes of it. Pure.

import type { Axes, Running, Sample, State, Test, Watch, Watched, WatchedCell, WatchedTrial } from "./api";

/** So much is kept of what grows. */
const LINES = 500;
const SAMPLES = 120;

export type Happened =
  | { type: "queue_changed"; test: Test }
  | { type: "plan"; lanes: number; estimate_ns: number; total: number; done: number; cells: { name: string; axes: Axes; kind: WatchedCell["kind"]; wanted: number }[] }
  | { type: "building"; text: string }
  | ({ type: "started" } & Running)
  | ({ type: "trial"; name: string; kind: WatchedCell["kind"]; done: number; total: number; left_ns: number; latency_ns?: number | null; sent?: number; delivered?: number; lost?: number; encode_ns?: number | null; decode_ns?: number | null } & WatchedTrial)
  | ({ type: "machine" } & Sample)
  | { type: "log"; line: string }
  | { type: "round"; trials: number }
  | { type: "lane_gone"; lane: number; reason: string }
  | { type: "ended"; state: State; reason?: string | null; run?: string | null };

const NONE: Watch = { phase: "compiling", lanes: 1, estimate_ns: 0, done: 0, total: 0, left_ns: 0, cells: [], running: [], machine: [] };

/** The middle of what trials gave, near enough while more of them come. */
function settled(before: number | null | undefined, made: number, now: number | null | undefined): number | null {
  if (now == null) return before ?? null;
  return before == null ? now : before + (now - before) / (made + 1);
}

const isOf = (one: { name: string; kind: string }) => (other: { name: string; kind: string }): boolean => one.name === other.name && one.kind === other.kind;

function withTrial(watch: Watch, event: Extract<Happened, { type: "trial" }>): Watch {
  const { number, repeat, attempt, outcome, reason } = event;
  const cells = watch.cells.map((cell) => {
    if (!isOf(cell)(event)) return cell;
    const trials = [...cell.trials.filter((trial) => trial.number !== number), { number, repeat, attempt, outcome, reason: reason ?? null }];
    const base = { ...cell, trials, running: Math.max(0, cell.running - 1) };
    if (outcome === "invalid") return base;
    const made = cell.trials.filter((trial) => trial.outcome !== "invalid").length;
    return {
      ...base,
      latency_ns: settled(cell.latency_ns, made, event.latency_ns), encode_ns: settled(cell.encode_ns, made, event.encode_ns), decode_ns: settled(cell.decode_ns, made, event.decode_ns),
      sent: (cell.sent ?? 0) + (event.sent ?? 0), delivered: (cell.delivered ?? 0) + (event.delivered ?? 0), lost: (cell.lost ?? 0) + (event.lost ?? 0),
    };
  });
  const at = watch.running.findIndex((one) => isOf(one)(event) && one.repeat === repeat && one.attempt === attempt);
  const running = watch.running.filter((_, place) => place !== at);
  return { ...watch, phase: "trials", cells, running, done: event.done, total: event.total, left_ns: event.left_ns };
}

function watchAfter(watch: Watch, event: Happened): Watch {
  switch (event.type) {
    case "plan": {
      const known = watch.cells;
      const cells = event.cells.map((cell): WatchedCell => ({ ...(known.find(isOf(cell)) ?? { trials: [] }), ...cell, running: 0, trials: known.find(isOf(cell))?.trials ?? [] }));
      return { ...watch, lanes: event.lanes, estimate_ns: event.estimate_ns, left_ns: event.estimate_ns, total: event.total, done: event.done, cells, running: [] };
    }
    case "building":
      return { ...watch, phase: "compiling", building: event.text };
    case "started": {
      const { type: _, ...running } = event;
      return { ...watch, phase: "trials", building: null, running: [...watch.running, running], cells: watch.cells.map((cell) => (isOf(cell)(event) ? { ...cell, running: cell.running + 1 } : cell)) };
    }
    case "trial":
      return withTrial(watch, event);
    case "machine": {
      const { type: _, ...sample } = event;
      return { ...watch, machine: [...watch.machine, sample].slice(-SAMPLES) };
    }
    case "ended":
      return { ...watch, phase: "ended", running: [], left_ns: 0, cells: watch.cells.map((cell) => ({ ...cell, running: 0 })) };
    default:
      return watch;
  }
}

/** The test after an event. */
export function after(test: Watched, event: Happened): Watched {
  const watch = watchAfter(test.watch ?? NONE, event);
  switch (event.type) {
    case "queue_changed":
      return { ...test, ...event.test };
    case "log":
      return { ...test, lines: [...test.lines, event.line].slice(-LINES) };
    case "ended":
      return { ...test, watch, state: event.state, reason: event.reason ?? null, run: event.run ?? test.run ?? null };
    default:
      return { ...test, watch };
  }
}

export const TYPES: Happened["type"][] = ["queue_changed", "plan", "building", "started", "trial", "machine", "log", "round", "lane_gone", "ended"];
