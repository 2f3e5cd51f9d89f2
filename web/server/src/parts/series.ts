// The seconds of a running trial, thinned as in crates/base/model/src/live.rs, and what its pictures show. Pure.

import type { components } from "../openapi";

type Schemas = components["schemas"];
export type Second = Schemas["LiveSecond"];
export type Series = Schemas["LiveSeries"];
export type Total = Schemas["LiveTotal"];
/** A trial of the event `live`. */
export interface LiveTrial extends Second { name: string; repeat: number; attempt: number; so_far: Total }

const MOST_KEPT = 180;

const sum = (one: number | null | undefined, other: number | null | undefined): number | null => (one == null && other == null ? null : (one ?? 0) + (other ?? 0));

function both(one: Second, next: Second): Second {
  const weight = one.timed + next.timed || 1;
  const before = new Map(one.roles.map(({ role, cpu_ns }) => [role, cpu_ns]));
  return {
    at_ms: next.at_ms, span_ns: one.span_ns + next.span_ns, phase: next.phase,
    sent: sum(one.sent, next.sent), received: sum(one.received, next.received),
    p50_ns: one.p50_ns == null || next.p50_ns == null ? (one.p50_ns ?? next.p50_ns ?? null) : Math.round((one.p50_ns * one.timed + next.p50_ns * next.timed) / weight),
    p99_ns: one.p99_ns == null || next.p99_ns == null ? (one.p99_ns ?? next.p99_ns ?? null) : Math.max(one.p99_ns, next.p99_ns),
    timed: one.timed + next.timed, judged: one.judged + next.judged, missing: one.missing + next.missing,
    roles: next.roles.map((role) => ({ ...role, cpu_ns: role.cpu_ns + (before.get(role.role) ?? 0) })),
    up_bytes: sum(one.up_bytes, next.up_bytes), down_bytes: sum(one.down_bytes, next.down_bytes),
  };
}

/** The series after the next second. */
export function added(series: Series | null | undefined, trial: LiveTrial): Series {
  const { name: _, repeat: __, attempt: ___, so_far, ...second } = trial;
  let { step_s, seconds } = series ?? { step_s: 1, seconds: [] };
  const last = seconds.at(-1);
  // The snapshot may have it already.
  if (last && second.at_ms <= last.at_ms) return { step_s, seconds, so_far };
  seconds = last && step_s > 1 && last.span_ns + 5e8 < step_s * 1e9 ? [...seconds.slice(0, -1), both(last, second)] : [...seconds, second];
  if (seconds.length > MOST_KEPT) {
    step_s *= 2;
    seconds = seconds.flatMap((one, place) => (place % 2 ? [] : [seconds[place + 1] ? both(one, seconds[place + 1] as Second) : one]));
  }
  return { step_s, seconds, so_far };
}

/** One curve: a value for each second, null where it is not known. */
export interface Curve { name: string; values: (number | null)[] }

/** A small picture: its curves share a scale from zero. */
export interface Picture { title: string; unit: string; curves: Curve[]; now: string }

const perSecond = (count: number | null | undefined, span_ns: number): number | null => (count == null ? null : (count * 1e9) / span_ns);

/** The pictures of a trial; those of which nothing is known are left out. `write` is `quantity`. */
export function pictures({ seconds }: Series, write: (value: number, unit: string) => string): Picture[] {
  const curve = (name: string, of: (second: Second) => number | null): Curve => ({ name, values: seconds.map(of) });
  const roles = [...new Set(seconds.flatMap(({ roles }) => roles.map(({ role }) => role)))];
  const of = (second: Second, role: string) => second.roles.find((one) => one.role === role);
  const all: Omit<Picture, "now">[] = [
    { title: "Rate", unit: "1/s", curves: [curve("sent", ({ sent, span_ns }) => perSecond(sent, span_ns)), curve("received", ({ received, span_ns }) => perSecond(received, span_ns))] },
    { title: "Latency", unit: "ns", curves: [curve("p50", ({ p50_ns }) => p50_ns ?? null), curve("p99", ({ p99_ns }) => p99_ns ?? null)] },
    { title: "Missing", unit: "ratio", curves: [curve("of those due", ({ judged, missing }) => (judged ? missing / judged : null))] },
    { title: "CPU", unit: "ratio", curves: roles.map((role) => curve(role, (second) => { const used = of(second, role); return used ? used.cpu_ns / second.span_ns : null; })) },
    { title: "Memory", unit: "bytes", curves: roles.map((role) => curve(role, (second) => of(second, role)?.memory_bytes ?? null)) },
    { title: "Link", unit: "bytes/s", curves: [curve("up", ({ up_bytes, span_ns }) => perSecond(up_bytes, span_ns)), curve("down", ({ down_bytes, span_ns }) => perSecond(down_bytes, span_ns))] },
  ];
  const known = all.filter(({ curves }) => curves.some(({ values }) => values.some((value) => value !== null)));
  return known.map((picture) => ({ ...picture, now: picture.curves.map(({ name, values }) => `${name} ${latest(values, picture.unit, write)}`).join(", ") }));
}

/** The last known value in words. */
export function latest(values: (number | null)[], unit: string, write: (value: number, unit: string) => string): string {
  const value = values.filter((one) => one !== null).at(-1) ?? null;
  return value === null ? "\u2013" : inWords(value, unit, write);
}

export function inWords(value: number, unit: string, write: (value: number, unit: string) => string): string {
  if (unit === "1/s") return `${value >= 100 ? Math.round(value).toLocaleString("en-US") : Number(value.toPrecision(2))}/s`;
  if (unit === "ratio") return `${value > 0 && value < 0.1 ? Number((100 * value).toPrecision(2)) : Math.round(100 * value)} %`;
  return unit === "bytes/s" ? `${write(value, "bytes")}/s` : write(value, unit);
}
