// Live state from the server: events of one stream for all tabs, resumed where it stopped.

import { computed, signal } from "@preact/signals";
import { outer } from "./base";
import { Hub, type Of, type Told, type ToTab, type ToWorker } from "./hub";
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

/** Follows events after one with the stream that all tabs share; where the browser has no shared workers, with one of this tab. */
type Follow = (of: Of, after: string, tell: (told: Told) => void) => () => void;

function shared(): Follow {
  if (typeof SharedWorker === "undefined") {
    const hub = new Hub(outer("/api/events?all=true"));
    return (of, after, tell) => hub.follow(of, after, tell);
  }
  const { port } = new SharedWorker(document.body.dataset["stream"] ?? "", { type: "module", name: "wiredyno events" });
  const followers = new Map<number, (told: Told) => void>();
  let next = 0;
  const send = (what: ToWorker): void => port.postMessage(what);
  port.onmessage = ({ data }: MessageEvent<ToTab>) => followers.get(data.follower)?.(data.told);
  // A worker is not told that a tab is gone. A page that the browser kept starts afresh when it comes back.
  addEventListener("pagehide", () => followers.forEach((_, follower) => send({ leave: follower })));
  addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
  return (of, after, tell) => {
    const follower = next++;
    followers.set(follower, tell);
    send({ follow: follower, of, after });
    return () => {
      followers.delete(follower);
      send({ leave: follower });
    };
  };
}

let followed: Follow | null = null;

/** Calls the handlers of events after one, by their types, until the returned function is called. */
export function follow(of: Of, after: string, handlers: Handlers): () => void {
  followed ??= shared();
  return followed(of, after, (told) => {
    if ("open" in told) {
      connected.value = told.open;
      return;
    }
    connected.value = true;
    handlers[told.event.type]?.(told.event as never);
  });
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
  stop = follow("queue", last, {
    queue_changed: ({ test }: { test: Test }) => {
      const before = tests.value?.get(test.id);
      keep(test);
      // Its departure changes the places of others.
      if (before?.state === test.state && before.place === test.place) return;
      clearTimeout(planned);
      planned = window.setTimeout(() => void refresh(), 150);
    },
    progress: ({ test, progress, doing }: { test: number; progress: HowFar | null; doing: string | null }) => {
      const known = tests.value?.get(test);
      if (known) keep({ ...known, progress, doing });
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
