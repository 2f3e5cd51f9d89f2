// Answers of the server for components, requested again when their inputs change.

import { useCallback, useEffect, useState } from "preact/hooks";
import { Refused } from "../api";

/** Refusals that mean "later": the server is busy, or the client sent too many requests. */
const BUSY = new Set(["busy", "rate"]);
const AGAIN_MS = 1000;

export interface Answer<T> {
  value: T | undefined;
  error: Error | undefined;
  /** Requests again, and keeps the old answer until the new one has arrived. */
  again(): void;
}

/** Requests when `inputs` change, after `after` milliseconds without another change; the previous request is aborted. */
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>, inputs: unknown[], after = 0): Answer<T> {
  const [answer, set] = useState<{ value: T | undefined; error: Error | undefined }>({ value: undefined, error: undefined });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    const begin = (): void => {
      ask(stop.signal).then(
        (value) => stop.signal.aborted || set({ value, error: undefined }),
        (error: unknown) => {
          if (stop.signal.aborted) return;
          if (error instanceof Refused && BUSY.has(error.answer.code)) timer = window.setTimeout(begin, AGAIN_MS);
          else set(({ value }) => ({ value, error: error instanceof Error ? error : new Error(String(error)) }));
        },
      );
    };
    timer = window.setTimeout(begin, after);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [...inputs, round]);
  return { ...answer, again: useCallback(() => setRound((now) => now + 1), []) };
}
