// The server's answers. Every page does what it does by these.

import type { MetricInfo, PageData, Scale } from "../../src/model";
import type { Effect } from "../../src/schema";

export interface Session { version: string; login_required: boolean; user?: string | null; csrf?: string | null; data: string }
export type State = "submitted" | "processing" | "done" | "failed" | "cancelled";
export type Axes = Record<string, unknown>;

export interface Payload { id: string; about: string; sized: boolean; samples: number; definition: string; uploaded: boolean }
export interface Codec { id: string; format: string; family: string; runner: string; library: string; version: string; about: string }
export interface ProtocolOption { name: string; kind: { is: string; of?: (string | number)[]; least?: unknown; most?: unknown }; default: unknown; about: string }
export interface Protocol { id: string; library: string; version: string; modes: { id: string; about: string }[]; options: ProtocolOption[]; capabilities: string[]; brokers: string[] }
export interface Broker { id: string; about: string; protocols: string[]; installed: boolean; version?: string | null; install?: string | null }
export interface Runner { id: string; language: string; about: string; codecs: number; here: boolean; version?: string | null; why_not?: string | null }
export interface Link { id: string; about: string; source: string; mean_round_trip_ns: number }
export interface Options {
  payloads: Payload[]; codecs: Codec[]; families: { id: string; title: string }[]; compressions: { id: string; about: string }[];
  protocols: Protocol[]; brokers: Broker[]; runners: Runner[]; links: Link[];
  studies: { id: string; why: string; text: string }[]; questions: { id: string; title: string; why: string; study: string }[];
  scales: Record<string, Scale[]>; metrics: MetricInfo[]; limits: Record<string, number>;
}

export interface NotRun { what: string; why: string; install?: string | null }
export interface Plan {
  name: string; why: string; cells: { name: string; axes: Axes }[]; codec_cells: number; trials: number; codec_trials: number; lanes: number;
  estimate_ns: number; compile: { payload: string; codecs: string[]; estimate_ns: number }[]; compile_estimate_ns: number; to_make_ready: string[];
  not_run: NotRun[]; counted_only: { name: string; why: string }[];
}

export interface HowFar { done: number; total: number; left_ns: number }
export interface Test {
  id: number; kind: "study" | "self-test"; name: string; why: string; state: State; by?: string | null; priority: number; submitted_ms: number; started_ms?: number | null;
  ended_ms?: number | null; failures: number; most_attempts: number; retry_at_ms?: number | null; reason?: string | null; run?: string | null;
  again_of?: number | null; place?: number | null; cells?: number | null; estimate_ns?: number | null;
  progress?: HowFar | null; capture: boolean;
}
export type Outcome = "complete" | "overloaded" | "failed" | "invalid";
export interface WatchedTrial { number: number; repeat: number; attempt: number; outcome: Outcome; reason?: string | null }
export interface WatchedCell {
  name: string; axes: Axes; kind: "codec" | "message"; wanted: number; made: number; trials: WatchedTrial[];
  latency_ns?: number | null; sent: number; delivered: number; lost: number; encode_ns?: number | null; decode_ns?: number | null;
}
export interface Sample { at_ms: number; cpu: number; memory_bytes: number }
export interface Running { name: string; kind: WatchedCell["kind"]; repeat: number; attempt: number; lane?: number | null; since_ms?: number }
export interface RoleFigures { role: string; cpu_ns: number; memory_bytes: number }
export interface Watch {
  phase: "compiling" | "trials" | "ended"; building?: string | null; lanes: number; estimate_ns: number; progress: HowFar;
  cells: WatchedCell[]; running: Running[]; machine: Sample[];
  /** Of the trial that ended last, while the page watches. */
  roles?: RoleFigures[];
}
export interface Watched extends Test {
  study: string; last_event: string; lines: string[];
  attempts_made: { number: number; started_ms: number; ended_ms?: number | null; reason?: string | null; exit_code?: number | null }[];
  watch?: Watch | null;
}

export interface RunListed {
  id: string; study: string; why: string; started: string; duration_ns: number; complete: boolean; version: string; cells: number; codecs: number;
  commit: string; machine: string; test?: number | null;
}
export interface RunPage extends PageData {
  title: string; question: string; asked: string; analysis: string[]; facts: string[]; sections: { id: string; title: string; html: string }[];
}
export interface RunFile { path: string; bytes: number; kind: string }

export interface ErrorAnswer { code: string; message: string; help?: string | null; line?: number | null }

/** What the server refused, in its own words. */
export class Refused extends Error {
  constructor(readonly status: number, readonly answer: ErrorAnswer) {
    super(answer.message);
  }
}

let csrf: string | null = null;

function answerOf(text: string, status: number): ErrorAnswer {
  try {
    const { error } = JSON.parse(text) as { error?: ErrorAnswer };
    if (error) return error;
  } catch {
    // Something between browser and server answered.
  }
  return { code: "unknown", message: `The server answered ${status}.` };
}

async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (method !== "GET" && csrf) headers["x-csrf"] = csrf;
  const response = await fetch(`/api${path}`, {
    method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }), ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Refused(0, { code: "away", message: "The server does not answer.", help: "Is wiredyno serve still running?" });
  });
  const text = await response.text();
  if (!response.ok) throw new Refused(response.status, answerOf(text, response.status));
  return JSON.parse(text) as T;
}

const get = <T>(path: string, signal?: AbortSignal): Promise<T> => call<T>("GET", path, undefined, signal);
const post = <T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> => call<T>("POST", path, body, signal);
const id = encodeURIComponent;

function withToken(session: Session): Session {
  csrf = session.csrf ?? null;
  return session;
}

/** `a=b&c=d` of what has a value. */
export function query(values: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value != null && value !== "");
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

export const api = {
  session: async () => withToken(await get<Session>("/session")),
  login: async (token: string) => withToken(await post<Session>("/login", { token })),
  logout: async () => withToken(await post<Session>("/logout")),
  options: () => get<Options>("/options"),
  plan: (study: string, signal?: AbortSignal) => post<Plan>("/plan", { study }, signal),
  tests: (signal?: AbortSignal) => get<{ tests: Test[]; last_event: string }>("/tests?limit=200", signal),
  test: (test: number, signal?: AbortSignal) => get<Watched>(`/tests/${test}`, signal),
  submit: (study: string, more: { priority?: number; capture?: boolean; again_of?: number } = {}) => post<Test>("/tests", { study, ...more }),
  cancel: (test: number) => post<Test>(`/tests/${test}/cancel`),
  again: (test: number) => post<Test>(`/tests/${test}/again`),
  move: (test: number, to: { priority?: number; before?: number }) => post<Test>(`/tests/${test}/move`, to),
  runs: (signal?: AbortSignal) => get<{ runs: RunListed[] }>("/runs", signal),
  page: (run: string, signal?: AbortSignal) => get<RunPage>(`/runs/${id(run)}/page`, signal),
  files: (run: string, signal?: AbortSignal) => get<{ files: RunFile[] }>(`/runs/${id(run)}/files`, signal),
};

/** Where a file of a run is. */
export function fileOf(run: string, path: string): string {
  return `/api/runs/${id(run)}/files/${path.split("/").map(id).join("/")}`;
}

/** Of a number of messages, as `wiredyno size --json` has it. */
export interface Spread { sum_bytes?: number; mean_bytes?: number; min_bytes: number; max_bytes: number; count?: number }
export interface Sizes {
  definition: string; fields: number; samples: { count: number; invented: boolean }; remarks: string[]; sequence_field?: string | null; compressions: string[];
  codecs: { id: string; same_bytes_as?: string | null; self_describing: boolean; plain: Spread; compressed: Record<string, Spread> }[];
  partly: { id: string; samples: number; first: number; reason: string }[]; refused: { id: string; reason: string }[]; after_build: string[];
}
export interface Own { kind: "samples" | "proto" | "avsc" | "json-schema"; text: string; samples?: string; message?: string; compressions?: string[] }

export const messages = {
  size: (own: Own, signal?: AbortSignal) => post<Sizes>("/size", own, signal),
  keep: (name: string, own: Own) => post<{ id: string }>("/payloads", { id: name, ...own }),
};

export interface Comparison {
  question: string; effects: Effect[]; cells: { cell: string; effect: Effect }[]; refused: { why: string; metrics: string[]; anyway: boolean }[];
  differs: string[]; unmatched: string[];
}
export interface Recommendation {
  choice?: string | null; stays?: number | null; else_chosen: [string, number][];
  meet: { candidate: string; score: number; ratios: [string, number][]; on_front: boolean; notes: string[] }[];
  miss: { candidate: string; why: string[] }[]; undecided: { candidate: string; why: string[] }[];
  weights: { name: string; weight: number; below?: [number, string] | null; above?: [number, string] | null }[]; conditions: string[];
}
export interface History {
  metric: string; unit: string;
  runs: (RunListed & { value?: number | null; by_repeat: number[] })[];
  changes: { at: number; ratio: number; changed: string[] }[];
}

export const answers = {
  compare: (base: string, other: string, more: { where?: string }, signal?: AbortSignal) => get<Comparison>(`/compare${query({ base, new: other, ...more })}`, signal),
  recommend: (run: string, more: { weigh: string; below?: string; above?: string; where?: string }, signal?: AbortSignal) => get<Recommendation>(`/runs/${id(run)}/recommend${query(more)}`, signal),
  history: (study: string, metric: string, more: { where?: string }, signal?: AbortSignal) => get<History>(`/history${query({ study, metric, ...more })}`, signal),
};

export interface MachineAnswer {
  findings: { id: string; here: boolean; detail: string }[]; environment?: Record<string, unknown> | null;
  noise: { run: string; started: string; steal: number; utilisation: number; sleep_lateness_p99_ns: number }[];
  self_test?: { at_ms: number; found: unknown } | null; server: { version: string; listen: string; uptime_ms: number; attempts: number; brokers: string[] };
}
export const machine = {
  get: (signal?: AbortSignal) => get<MachineAnswer>("/machine", signal),
  selfTest: () => post<Test>("/machine/self-test"),
  audit: (signal?: AbortSignal) => get<{ entries: { at_ms: number; who?: string | null; address: string; action: string; what: string; status: number }[] }>("/audit", signal),
};

export interface Distribution { metric: string; unit: string; cells: { name: string; axes: Axes; count: number; negative: number; edges: number[]; counts: number[] }[] }
/** Times of single messages, in classes that the server counts. */
export function distributionOf(run: string, metric: string, where: string, signal?: AbortSignal): Promise<Distribution> {
  return get<Distribution>(`/runs/${id(run)}/distribution${query({ metric, where })}`, signal);
}
