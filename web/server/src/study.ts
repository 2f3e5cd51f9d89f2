// A study as the form sees it: the table of its TOML file, so that keys unknown to the form are kept. Pure.

import { TomlError, parse, stringify } from "smol-toml";

type Table = Record<string, unknown>;
export type Axis = "payload" | "codec" | "compression" | "mode" | "broker" | "security" | "link" | "loss" | "rate" | "window" | (string & {});

/** The form's initial study: the questions of the IoT study's own order are still open. */
export const EMPTY = { name: "", why: "", axes: {}, load: { kind: "open", deadline: "2s", drain: "4s" }, trials: { repeats: 5 } };

function table(of: Table, name: string): Table {
  const found = of[name];
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Table) : {};
}

/** The table that a text contains, or the reason why it is not one. */
export function read(text: string): Table | string {
  try {
    return parse(text) as Table;
  } catch (error) {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return error instanceof TomlError ? `line ${error.line}, column ${error.column}: ${message.replace("Invalid TOML document: ", "")}` : message;
  }
}

/** Leaves out empty values, and those that the form keeps for itself. */
function trimmed(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).map(([name, inner]) => [name, trimmed(inner)] as const);
  return Object.fromEntries(kept.filter(([, inner]) => inner !== undefined && !(Array.isArray(inner) && inner.length === 0)));
}

export function write(study: Table): string {
  return stringify(trimmed(study) as Table);
}

/** The values of an axis as texts. */
export function values(study: Table, axis: Axis): string[] {
  const found = table(study, "axes")[axis];
  return Array.isArray(found) ? found.map(String) : [];
}

/** Numbers stay numbers: losses, windows. */
function typed(value: string): string | number {
  return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

export function withValues(study: Table, axis: Axis, chosen: string[]): Table {
  const axes = { ...table(study, "axes"), [axis]: chosen.map(typed) };
  return { ...study, axes };
}

/** The axis with a value added, or removed. */
export function toggled(study: Table, axis: Axis, value: string): Table {
  const now = values(study, axis);
  return withValues(study, axis, now.includes(value) ? now.filter((one) => one !== value) : [...now, value]);
}

/** Axes of the study besides the known ones, which the form shows by name. */
export function otherAxes(study: Table, known: readonly string[]): string[] {
  return Object.keys(table(study, "axes")).filter((axis) => !known.includes(axis) && !axis.includes("."));
}

export function setting(study: Table, of: string, name: string): unknown {
  return table(study, of)[name];
}

export function withSetting(study: Table, of: string, name: string, value: unknown): Table {
  return { ...study, [of]: { ...table(study, of), [name]: value === "" ? undefined : value } };
}

/** How often messages are sent: the load's only rate, or the axis of several. */
export function rates(study: Table): string[] {
  const one = setting(study, "load", "rate");
  return typeof one === "string" ? [one] : values(study, "rate");
}

export function withRates(study: Table, chosen: string[]): Table {
  const several = chosen.length > 1;
  const load = { ...table(study, "load"), kind: "open", rate: several ? undefined : chosen[0], interval: undefined, window: undefined, bound: undefined };
  return withValues({ ...study, load }, "rate", several ? chosen : []);
}

/** How many messages a trial has: the load's number, or the axis of several. */
export function counts(study: Table): string[] {
  const several = values(study, "messages");
  const one = setting(study, "load", "messages");
  return several.length > 0 ? several : one === undefined ? [] : [String(one)];
}

/** Several are an axis; the load needs its own number all the same. */
export function withCounts(study: Table, chosen: string[]): Table {
  const next = withSetting(study, "load", "messages", chosen[0] === undefined ? undefined : Number(chosen[0]));
  return withValues(next, "messages", chosen.length > 1 ? chosen : []);
}

/** Each message after the previous one, or the highest rate that is sustained. */
export function withKind(study: Table, kind: "closed" | "search"): Table {
  const load = { ...table(study, "load"), kind, rate: undefined, interval: undefined };
  const bound = kind === "search" ? { metric: "latency.p99", below: "100ms" } : undefined;
  return withValues({ ...study, load: { ...load, bound } }, "rate", []);
}

/** The codec of opaque bytes. */
export const RAW = "raw/wiredyno";

/** The codecs chosen at first for a payload with fields. */
export const STRUCTURED = ["json/serde-json", "protobuf/prost"] as const;

/** Sets payloads, with codecs that can carry them if none was chosen: opaque bytes unchanged, or two well-known codecs. */
export function withPayloads(study: Table, chosen: string[], structured: readonly string[]): Table {
  const opaque = chosen.filter((payload) => payload.split("@")[0] === "opaque");
  const had = values(study, "codec");
  const others = had.filter((codec) => codec !== RAW);
  const wanted = opaque.length < chosen.length ? (others.length > 0 ? others : [...structured]) : [];
  const codecs = [...(opaque.length > 0 ? [RAW] : []), ...wanted];
  const next = withValues(withValues(study, "payload", chosen), "codec", codecs);
  // For opaque bytes alone there is no codec to measure.
  const only = chosen.length > 0 && opaque.length === chosen.length;
  return { ...next, codec_trials: only ? { enabled: false } : undefined };
}

/** What must still be chosen before anything can be planned. */
export function missing(study: Table): string[] {
  const load = table(study, "load");
  const hasModes = values(study, "mode").length > 0;
  const needs: [string, boolean][] = [
    ["a protocol", hasModes || table(study, "codec_trials")["enabled"] !== false && values(study, "codec").length > 0],
    ["a payload", values(study, "payload").length > 0],
    ["a frequency", load["kind"] !== "open" || load["interval"] !== undefined || rates(study).length > 0],
    ["a number of messages", load["messages"] !== undefined],
  ];
  return needs.filter(([, there]) => !there).map(([what]) => what);
}

/** A name that says what is tested: `mqtt-qos1-100-bytes-10-per-s`. */
export function nameOf(study: Table): string {
  const said = (list: string[], many: string): string[] => (list.length === 0 ? [] : list.length > 2 ? [`${list.length}-${many}`] : list);
  const sizes = values(study, "payload").map((payload) => payload.replace(/^opaque@(\d+)$/, "$1-bytes"));
  const parts = [...said(values(study, "mode"), "modes"), ...said(sizes, "payloads"), ...said(rates(study).map((rate) => rate.replace("/s", "-per-s")), "rates")];
  return parts.join("-").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "test";
}

/** A generated question for a test without one. */
export function whyOf(study: Table): string {
  const listed = (list: string[]): string => (list.length > 3 ? `${list.length} of them` : list.join(", "));
  const modes = values(study, "mode");
  const what = modes.length > 1 ? `Which of ${listed(modes)} moves` : modes.length === 1 ? `How does ${modes[0]} move` : "Which codec is best for";
  return `${what} ${listed(values(study, "payload"))} over ${listed(values(study, "link").length > 0 ? values(study, "link") : ["loopback"])}?`;
}

/** The study, with a generated name and question if it has none. */
export function named(study: Table): Table {
  const { name, why, ...rest } = study;
  return { name: name || nameOf(study), why: why || whyOf(study), ...rest };
}
