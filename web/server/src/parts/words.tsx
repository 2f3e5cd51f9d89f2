// Small elements that all pages share.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { quantity } from "../../../src/quantity";
import { Refused, type State } from "../api";

/** `1 trial`, `12 trials`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`;
}

/** A readable span of time: `8 s`, `3 min 20 s`, `2 h 5 min`. */
export function span(ns: number): string {
  const seconds = Math.round(ns / 1e9);
  if (ns < 10e9) return quantity(ns, "ns");
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  return minutes % 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${minutes / 60} h`;
}

const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });

/** A moment, with its exact time as a tooltip. */
export function When({ at }: { at: number | string }): JSX.Element {
  const date = new Date(at);
  return <time dateTime={date.toISOString()} title={date.toISOString()}>{DATE.format(date)}</time>;
}

const MARKS: Record<State, string> = { submitted: "\u25cb", processing: "\u25d0", done: "\u25cf", failed: "\u2715", cancelled: "\u2013" };

/** A state by colour, shape and word. */
export function StateMark({ state }: { state: State }): JSX.Element {
  return <span class={`state ${state}`}><span aria-hidden="true">{MARKS[state]}</span> {state[0]?.toUpperCase()}{state.slice(1)}</span>;
}

export function Waiting({ what = "Loading" }: { what?: string }): JSX.Element {
  return <p class="waiting" role="status">{what}&hellip;</p>;
}

/** What went wrong and what to do about it. */
export function Problem({ error }: { error: Error }): JSX.Element {
  const answer = error instanceof Refused ? error.answer : null;
  return (
    <div class="problem" role="alert">
      <p>{answer?.line ? <strong>Line {answer.line}: </strong> : null}{error.message}</p>
    </div>
  );
}

/** A shell command that can be copied. */
export function Command({ text }: { text: string }): JSX.Element {
  const [copied, set] = useState(false);
  const copy = (): void => {
    void navigator.clipboard?.writeText(text).then(() => {
      set(true);
      setTimeout(() => set(false), 2000);
    });
  };
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" class="quiet" aria-label={`Copy: ${text}`} onClick={copy}><span aria-live="polite">{copied ? "Copied" : "Copy"}</span></button>
    </span>
  );
}

/** What an empty list shows: what to do about it. */
export function Nothing({ children }: { children: ComponentChildren }): JSX.Element {
  return <p class="nothing">{children}</p>;
}

/** A progress bar with a label. */
export function Progress({ done, total, label }: { done: number; total: number; label: string }): JSX.Element {
  return <progress max={Math.max(total, 1)} value={Math.min(done, total)} aria-label={label} />;
}

/** A button for what can't be taken back: it asks once more where it is. */
export function Sure({ label, about, busy, act }: { label: string; about: string; busy: boolean; act(): void }): JSX.Element {
  const [asks, ask] = useState(false);
  if (!asks) return <button type="button" class="quiet" aria-label={`${label}: ${about}`} disabled={busy} onClick={() => ask(true)}>{label}</button>;
  return (
    <span class="sure" role="group" aria-label={`${label} ${about}?`}>
      <button type="button" disabled={busy} aria-label={`Yes, ${label.toLowerCase()} ${about}`} onClick={() => { ask(false); act(); }}>{label}, for good</button>
      <button type="button" class="quiet" onClick={() => ask(false)}>Keep</button>
    </span>
  );
}

/** Runs one action at a time, and keeps its error. */
export function useDeed(): { busy: boolean; error: Error | undefined; run(deed: () => Promise<unknown>): void } {
  const [state, set] = useState<{ busy: boolean; error: Error | undefined }>({ busy: false, error: undefined });
  const run = (deed: () => Promise<unknown>): void => {
    if (state.busy) return;
    set({ busy: true, error: undefined });
    deed().then(
      () => set({ busy: false, error: undefined }),
      (error: unknown) => set({ busy: false, error: error instanceof Error ? error : new Error(String(error)) }),
    );
  };
  return { ...state, run };
}
