// Live state from the server: server-sent events, which the browser resumes where they broke off.

import { computed, signal } from "@preact/signals";
import { type HowFar, type Options, type Session, type Test, api } from "./api";
import { useScales } from "../../src/quantity";

export const session = signal<Session | null>(null);
export const options = signal<Options | null>(null);
/** Tests by id; null until the first answer. */
export const tests = signal<Map<number, Test> | null>(null);
/** Whether events arrive. */
export const connected = signal(true);

const all = computed(() => [...(tests.value?.values() ?? [])]);
export const processing = computed(() => all.value.filter(({ state }) => state === "processing"));
/** In the order in which they will run. */
export const submitted = computed(() => all.value.filter(({ state }) => state === "submitted").sort((a, b) => (a.place ?? 1e9) - (b.place ?? 1e9) || a.id - b.id));
export const ended = computed(() =>
  all.value.filter(({ state }) => state !== "processing" && state !== "submitted").sort((a, b) => (b.ended_ms ?? 0) - (a.ended_ms ?? 0) || b.id - a.id),
);

type Handlers = Record<string, (data: never) => void>;

/** Follows a stream; the browser reconnects by itself with the last id. A stream that was closed for good is reopened after a while. */
export function follow(path: string, after: string, handlers: Handlers): () => void {
  let source: EventSource;
  let last = after;
  let timer = 0;
  const open = (): void => {
    source = new EventSource(`${path}?after=${encodeURIComponent(last)}`);
    source.onopen = () => (connected.value = true);
    source.onerror = () => {
      connected.value = false;
      if (source.readyState === EventSource.CLOSED) timer = window.setTimeout(open, 3000);
    };
    for (const [type, handle] of Object.entries(handlers)) {
      source.addEventListener(type, (event: MessageEvent<string>) => {
        if (event.lastEventId) last = event.lastEventId;
        handle(JSON.parse(event.data) as never);
      });
    }
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}

export function keep(test: Test): void {
  const map = new Map(tests.value ?? []);
  map.set(test.id, test);
  tests.value = map;
}

/** Requests all tests again: a change of one can change the places of all. */
export async function refresh(): Promise<string> {
  const { tests: list, last_event } = await api.tests();
  tests.value = new Map(list.map((test) => [test.id, test]));
  return last_event;
}

let stop = (): void => {};
let planned = 0;

export async function loadOptions(): Promise<void> {
  const answer = await api.options();
  useScales(answer.scales);
  options.value = answer;
}

/** Loads what every page needs and follows the queue from then on. */
export async function begin(): Promise<void> {
  stop();
  const last = await refresh();
  stop = follow("/api/events", last, {
    queue_changed: ({ test }: { test: Test }) => {
      const before = tests.value?.get(test.id);
      keep(test);
      // Its departure changes the places of others.
      if (before?.state === test.state && before.place === test.place) return;
      clearTimeout(planned);
      planned = window.setTimeout(() => void refresh(), 150);
    },
    progress: ({ test, progress }: { test: number; progress: HowFar | null }) => {
      const known = tests.value?.get(test);
      if (known) keep({ ...known, progress });
    },
    removed: ({ id }: { id: number }) => {
      const map = new Map(tests.value ?? []);
      map.delete(id);
      tests.value = map;
    },
    options_changed: () => void loadOptions(),
    reset: () => void begin(),
  });
}
