// What a component waits for: an answer of the server, anew when what it depends on changes.

import { useCallback, useEffect, useState } from "preact/hooks";
import { Refused } from "../api";

/** Refusals that mean "later": somebody else is answered, or too much was asked. */
const BUSY = new Set(["busy", "rate"]);
const AGAIN_MS = 1000;

export interface Answer<T> {
  value: T | undefined;
  error: Error | undefined;
  /** Asks again, and keeps what is shown until the answer is there. */
  again(): void;
}

/** Asks when `inputs` change, `after` so many milliseconds without another change; what was asked before is given up. */
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
