// A test as it is watched: the snapshot, and how each event changes it. Pure.

import type { Axes, HowFar, RoleFigures, Running, Sample, State, Test, Watch, Watched, WatchedCell, WatchedTrial } from "./api";
import { type LiveTrial, added } from "./parts/series";

/** How much is kept of growing lists, as in the server. */
const LINES = 500;
const SAMPLES = 120;

interface Ended extends WatchedTrial, HowFar {
  name: string;
  kind: WatchedCell["kind"];
  /** Whether it was executed before the run was resumed: the snapshot of the run counts it already. */
  before: boolean;
  latency_ns?: number | null;
  encode_ns?: number | null;
  decode_ns?: number | null;
  sent: number;
  delivered: number;
  lost: number;
  roles: RoleFigures[];
}

export type Happened =
  | { type: "queue_changed"; test: Test }
  | { type: "plan"; lanes: number; estimate_ns: number; total: number; cells: { name: string; axes: Axes; kind: WatchedCell["kind"]; wanted: number }[] }
  | { type: "building"; text: string }
  | ({ type: "started" } & Running)
  | ({ type: "trial" } & Ended)
  | { type: "live"; trials: LiveTrial[] }
  | ({ type: "machine" } & Sample)
  | { type: "log"; line: string }
  | { type: "round"; trials: number }
  | { type: "lane_gone"; lane: number; reason: string }
  | { type: "ended"; state: State; reason?: string | null; run?: string | null };

const NONE: Watch = { phase: "compiling", lanes: 1, estimate_ns: 0, progress: { done: 0, total: 0, left_ns: 0 }, cells: [], running: [], machine: [] };

/** The mean over complete trials with one more, where `before` is the mean of the `made` earlier ones. */
function running(before: number | null | undefined, made: number, now: number | null | undefined): number | null {
  if (now == null) return before ?? null;
  return before == null ? now : before + (now - before) / (made + 1);
}

type Named = { name: string; kind: string };
const isOf = (one: Named) => (other: Named): boolean => one.name === other.name && one.kind === other.kind;

function cellAfter(cell: WatchedCell, trial: Ended): WatchedCell {
  const { number, repeat, attempt, outcome, reason } = trial;
  const trials = [...cell.trials.filter((one) => one.number !== number), { number, repeat, attempt, outcome, reason: reason ?? null }];
  const hasFigures = outcome === "complete" || outcome === "overloaded";
  const next = { ...cell, made: cell.made + 1, measured: cell.measured + (hasFigures ? 1 : 0), trials };
  if (outcome === "invalid") return next;
  const counted = { ...next, sent: cell.sent + trial.sent, delivered: cell.delivered + trial.delivered, lost: cell.lost + trial.lost };
  if (outcome !== "complete") return counted;
  const complete = cell.trials.filter((one) => one.outcome === "complete").length;
  const mean = (name: "latency_ns" | "encode_ns" | "decode_ns"): number | null => running(cell[name], complete, trial[name]);
  return { ...counted, latency_ns: mean("latency_ns"), encode_ns: mean("encode_ns"), decode_ns: mean("decode_ns") };
}

function watchAfter(watch: Watch, event: Happened): Watch {
  switch (event.type) {
    case "plan": {
      const cells = event.cells.map((cell): WatchedCell => ({ ...cell, made: 0, measured: 0, trials: [], sent: 0, delivered: 0, lost: 0 }));
      const { lanes, estimate_ns, total } = event;
      return { ...watch, phase: "trials", building: null, lanes, estimate_ns, progress: { done: 0, total, left_ns: estimate_ns }, cells, running: [] };
    }
    case "building":
      return { ...watch, building: event.text };
    case "round":
      return { ...watch, progress: { ...watch.progress, total: watch.progress.total + event.trials } };
    case "started": {
      const { type: _, ...trial } = event;
      return { ...watch, running: [...watch.running, trial] };
    }
    case "trial": {
      const { done, total, left_ns, before, roles } = event;
      return {
        ...watch,
        progress: before ? watch.progress : { done, total, left_ns },
        running: watch.running.filter((one) => !(isOf(one)(event) && one.repeat === event.repeat)),
        cells: watch.cells.map((cell) => (isOf(cell)(event) ? cellAfter(cell, event) : cell)),
        roles,
      };
    }
    case "live": {
      const of = ({ name, kind, repeat, attempt }: Running): LiveTrial | undefined => event.trials.find((one) => kind === "message" && one.name === name && one.repeat === repeat && one.attempt === attempt);
      return { ...watch, running: watch.running.map((one) => { const now = of(one); return now ? { ...one, live: added(one.live, now) } : one; }) };
    }
    case "machine": {
      const { type: _, ...sample } = event;
      return { ...watch, machine: [...watch.machine, sample].slice(-SAMPLES) };
    }
    case "ended":
      return { ...watch, phase: "ended", building: null, running: [], progress: { ...watch.progress, left_ns: 0 } };
    default:
      return watch;
  }
}

/** The test after an event. */
export function after(test: Watched, event: Happened): Watched {
  switch (event.type) {
    case "queue_changed":
      return { ...test, ...event.test };
    case "log":
      return { ...test, lines: [...test.lines, event.line].slice(-LINES) };
    case "lane_gone":
      return { ...test, lines: [...test.lines, `lane ${event.lane}: ${event.reason}`].slice(-LINES) };
    case "ended":
      return { ...test, watch: watchAfter(test.watch ?? NONE, event), state: event.state, reason: event.reason ?? null, run: event.run ?? test.run ?? null };
    default:
      return { ...test, watch: watchAfter(test.watch ?? NONE, event) };
  }
}

/** How many trials of each cell are running. */
export function underWay(watch: Watch, cell: Named): number {
  return watch.running.filter(isOf(cell)).length;
}

export const TYPES: Happened["type"][] = ["queue_changed", "plan", "building", "started", "trial", "live", "machine", "log", "round", "lane_gone", "ended"];
