// The server's API, through which the pages do everything.

import { outer } from "./base";
import type { MetricInfo, PageData, Scale } from "../../src/model";
import type { components } from "./openapi";

type Schemas = components["schemas"];
export type Session = Schemas["Session"];
export type State = Schemas["State"];
export type Test = Schemas["Test"];
export type HowFar = Schemas["Progress"];
export type WatchedTrial = Schemas["TrialState"];
export type Sample = Schemas["MachineSample"];
export type Running = Schemas["RunningTrial"];
export type RunListed = Schemas["RunEntry"];
export type History = Schemas["History"];
export type Distribution = Schemas["Distribution"];
export type Plan = Schemas["Planned"];
export type MachineAnswer = Schemas["Machine"];
export type Own = Schemas["Brought"];
export type Axes = Record<string, unknown>;

/** A role's CPU time and memory in a trial. */
export interface RoleFigures { role: string; cpu_ns: number; memory_bytes: number }
export type WatchedCell = Schemas["CellState"];
export interface Watch extends Omit<Schemas["WatchState"], "cells"> {
  cells: WatchedCell[];
  /** Of the trial that ended last while the page watches. */
  roles?: RoleFigures[];
}
export interface Watched extends Omit<Schemas["WatchedTest"], "watch"> { watch?: Watch | null }

/** The run whose results can be opened: a cancelled test and a self-test leave none, although they had a name for it. */
export const runOf = ({ opens, run }: Pick<Test, "opens" | "run">): string | null => (opens ? run ?? null : null);

// Entries of `wiredyno list`, as far as the pages read them.
export interface Payload { id: string; about: string; sized: boolean; uploaded?: boolean }
export interface Codec { id: string; family: string; runner: string; about: string }
export interface ProtocolOption { name: string; kind: { is: string; of?: (string | number)[] }; default: unknown; about: string }
export interface Protocol {
  id: string; library: string; version: string; capabilities: string[]; options: ProtocolOption[]; modes: string[];
  /** Of each mode, in their order; empty if there is only one. */
  settings: { name: string; about: string }[];
  /** How its connections can be secured; the first applies if a study names none. */
  securities: string[];
}
export interface Broker { id: string; about: string; protocols: string[]; installed: boolean; version?: string | null; install?: string | null }
export interface Runner { id: string; language: string; about: string; codecs: number; here: boolean; version?: string | null; why_not?: string | null }
export interface Link { id: string; about: string; uploaded?: boolean }
export interface Options extends Omit<Schemas["Options"], "payloads" | "codecs" | "compressions" | "protocols" | "brokers" | "runners" | "links" | "studies" | "metrics" | "scales" | "families"> {
  payloads: Payload[]; codecs: Codec[]; compressions: { id: string; ids: string[]; about: string }[]; protocols: Protocol[]; brokers: Broker[]; runners: Runner[]; links: Link[];
  studies: { id: string; why: string; text: string; uploaded?: boolean }[]; metrics: MetricInfo[]; scales: Record<string, Scale[]>; families: { id: string; title: string }[];
}

/** `page` of crates/results/report: the data of a report file, and its sections as HTML. */
export interface RunPage extends PageData {
  title: string; question: string; asked: string; analysis: string[]; facts: string[]; navigation: string; sections: { id: string; title: string; html: string }[];
}

export type ErrorAnswer = Schemas["ErrorDetail"];

/** A refusal by the server, with its message. */
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
    // A proxy between browser and server answered.
  }
  return { code: "unknown", message: `The server answered ${status}.` };
}

async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (method !== "GET" && csrf) headers["x-csrf"] = csrf;
  const response = await fetch(outer(`/api${path}`), {
    method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }), ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Refused(0, { code: "away", message: "The server does not answer. Is `wiredyno serve` still running?" });
  });
  const text = await response.text();
  if (!response.ok) throw new Refused(response.status, answerOf(text, response.status));
  return JSON.parse(text) as T;
}

const get = <T>(path: string, signal?: AbortSignal): Promise<T> => call<T>("GET", path, undefined, signal);
const post = <T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> => call<T>("POST", path, body, signal);
const take = <T>(path: string): Promise<T> => call<T>("DELETE", path);
const id = encodeURIComponent;

function withToken(session: Session): Session {
  csrf = session.csrf ?? null;
  return session;
}

/** `?a=b&c=d` of the values that are set. */
export function query(values: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value != null && value !== "");
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

export const api = {
  session: async () => withToken(await get<Session>("/session")),
  login: async (token: string) => withToken(await post<Session>("/login", { token })),
  logout: async () => withToken(await post<Session>("/logout")),
  options: () => get<Options>("/options"),
  plan: (study: string, fleet: string | null, signal?: AbortSignal) => post<Plan>("/plan", { study, ...(fleet === null ? {} : { fleet }) }, signal),
  tests: (signal?: AbortSignal) => get<Schemas["Tests"]>("/tests?limit=200", signal),
  test: (test: number, signal?: AbortSignal) => get<Watched>(`/tests/${test}`, signal),
  submit: (study: string, more: { priority?: number; capture?: boolean; fleet?: string; again_of?: number } = {}) => post<Test>("/tests", { study, ...more }),
  cancel: (test: number) => post<Test>(`/tests/${test}/cancel`),
  again: (test: number) => post<Test>(`/tests/${test}/again`),
  move: (test: number, to: { priority?: number; before?: number }) => post<Test>(`/tests/${test}/move`, to),
  cancelAll: (tests: number[]) => post<Schemas["Several"]>("/tests/cancel", { tests }),
  deleteTest: (test: number) => take<Test>(`/tests/${test}`),
  runs: (signal?: AbortSignal, more: { study?: string; search?: string; limit?: number; offset?: number } = {}) => get<Schemas["RunList"]>(`/runs${query(more)}`, signal),
  deleteRun: (run: string) => take<Schemas["Deleted"]>(`/runs/${id(run)}`),
  pin: (run: string, pinned: boolean) => post<Schemas["Pin"]>(`/runs/${id(run)}/pin`, { pinned }),
  deletePayload: (payload: string) => take<Schemas["Kept"]>(`/payloads/${id(payload)}`),
  keepLink: (link: Schemas["NewLink"]) => post<Schemas["KeptLink"]>("/links", link),
  keepStudy: (name: string, study: string) => post<Schemas["KeptStudy"]>("/studies", { id: name, study }),
  deleteStudy: (study: string) => take<Schemas["KeptStudy"]>(`/studies/${id(study)}`),
  deleteLink: (link: string) => take<Schemas["KeptLink"]>(`/links/${id(link)}`),
  page: (run: string, signal?: AbortSignal) => get<RunPage>(`/runs/${id(run)}/page`, signal),
  files: (run: string, signal?: AbortSignal) => get<Schemas["RunFiles"]>(`/runs/${id(run)}/files`, signal),
};

/** The address of a file of a run. */
export function fileOf(run: string, path: string): string {
  return `/api/runs/${id(run)}/files/${path.split("/").map(id).join("/")}`;
}

/** Sizes of several messages, as in `wiredyno size --json`. */
export interface Spread { sum_bytes?: number; mean_bytes?: number; min_bytes: number; max_bytes: number; count?: number }
export interface Sizes {
  samples: { count: number; invented: boolean }; compressions: string[];
  codecs: { id: string; same_bytes_as?: string | null; plain: Spread; compressed: Record<string, Spread> }[];
  partly: { id: string; reason: string }[]; refused: { id: string; reason: string }[];
}
export type Weighed = Omit<Schemas["Weighed"], "sizes"> & { sizes: Sizes };

export const messages = {
  size: (own: Own, signal?: AbortSignal) => post<Weighed>("/size", own, signal),
  keep: (name: string, { compressions: _, ...own }: Own) => post<Schemas["Kept"]>("/payloads", { id: name, ...own }),
};

/** An answer of the engine, with its HTML. */
export interface Comparison { conclusion: Conclusion; page: string }
export type Conclusion = "no-difference" | "not-decided" | "cant-tell" | "difference";
export interface Recommendation {
  conclusion: Conclusion; page: string; group: string[]; conditions: string[];
  meet: { candidate: string; ratios: [string, number][] }[];
  /** The weights that were taken, as they are written. */
  weighed: string;
}
export const answers = {
  compare: (base: string, other: string, more: { where?: string }, signal?: AbortSignal) => get<Comparison>(`/compare${query({ base, new: other, ...more })}`, signal),
  recommend: (run: string, more: { weigh?: string; need?: string; below?: string; above?: string; where?: string }, signal?: AbortSignal) => get<Recommendation>(`/runs/${id(run)}/recommend${query(more)}`, signal),
  history: (study: string, metric: string, more: { where?: string }, signal?: AbortSignal) => get<History>(`/history${query({ study, metric, ...more })}`, signal),
};

export type Fleet = Schemas["Fleet"];
export const fleets = {
  list: (signal?: AbortSignal) => get<Schemas["Fleets"]>("/fleets", signal),
  up: (name: string) => post<Schemas["Begun"]>(`/fleets/${id(name)}/up`),
  down: (name: string) => post<Schemas["Begun"]>(`/fleets/${id(name)}/down`),
};

export const machine = {
  get: (signal?: AbortSignal) => get<MachineAnswer>("/machine", signal),
  selfTest: () => post<Test>("/machine/self-test"),
  audit: (signal?: AbortSignal, before?: number) => get<Schemas["Audit"]>(`/audit${query({ before })}`, signal),
};

/** Times of single messages, in classes that the server counts. */
export function distributionOf(run: string, metric: string, where: string, signal?: AbortSignal): Promise<Distribution> {
  return get<Distribution>(`/runs/${id(run)}/distribution${query({ metric, where })}`, signal);
}
