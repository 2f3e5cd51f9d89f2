// The one stream of events of a browser, shared by what follows it. A browser has six connections to a server over HTTP/1.1, and every stream
// takes one for as long as it is open.

/** What to follow: the queue, or a test by its number. */
export type Of = "queue" | number;

/** An event as the stream carries it: whose it is, and whether readers of the queue get it. */
interface Carried { of: number | null; queue: boolean; event: { type: string } }

/** What a follower is told: an event with its number, or whether the stream is open. */
export type Told = { id: string; event: { type: string } } | { open: boolean };

type Tell = (told: Told) => void;

/** Events kept for followers that begin later, or whose answer from the API is older than the stream. */
const KEPT = 4_000;
/** Of events about the last second of running trials, how many are kept, as in the server. */
const LIVE_KEPT = 60;
/** How long a stream that was closed for good is left alone, in milliseconds. */
const PAUSE = 3_000;

export class Hub {
  #source: EventSource | null = null;
  #open = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #followers = new Map<Tell, Of>();
  #kept: { id: number; carried: Carried }[] = [];
  /** All events after this one are among those kept. */
  #from = Infinity;
  #last = 0;
  /** Kept events of the kind that is forgotten earlier. */
  #live = 0;

  /** `path` is that of the stream of all events. */
  constructor(private readonly path: string) {}

  /** Tells what happens after an event, until the returned function is called. */
  follow(of: Of, after: string, tell: Tell): () => void {
    const since = Number(after);
    this.#followers.set(tell, of);
    if (this.#source === null) {
      this.#kept = [];
      this.#live = 0;
      this.#from = this.#last = since;
      this.#connect();
    } else if (since < this.#from) {
      tell({ id: String(this.#last), event: { type: "reset" } });
    } else {
      for (const { id, carried } of this.#kept) if (id > since && isOf(of, carried)) tell({ id: String(id), event: carried.event });
    }
    if (!this.#open) tell({ open: false });
    return () => {
      this.#followers.delete(tell);
      if (this.#followers.size === 0) this.#close();
    };
  }

  #connect(): void {
    const source = new EventSource(`${this.path}&after=${this.#last}`);
    this.#source = source;
    source.onopen = () => this.#tellOpen(true);
    source.onerror = () => {
      this.#tellOpen(false);
      // Otherwise the browser tries again by itself, with the number of the last event.
      if (source.readyState === EventSource.CLOSED) this.#timer = setTimeout(() => this.#connect(), PAUSE);
    };
    source.onmessage = ({ data, lastEventId }: MessageEvent<string>) => this.#take(Number(lastEventId), JSON.parse(data) as Carried);
  }

  #take(id: number, carried: Carried): void {
    this.#last = id;
    if (carried.event.type === "reset") {
      this.#kept = [];
      this.#live = 0;
      this.#from = id;
    } else {
      this.#kept.push({ id, carried });
      if (carried.event.type === "live" && ++this.#live > LIVE_KEPT) this.#forget();
      if (this.#kept.length > KEPT) {
        const gone = this.#kept.shift();
        this.#from = gone?.id ?? id;
        if (gone?.carried.event.type === "live") this.#live -= 1;
      }
    }
    for (const [tell, of] of [...this.#followers]) if (isOf(of, carried)) tell({ id: String(id), event: carried.event });
  }

  #forget(): void {
    const oldest = this.#kept.findIndex(({ carried }) => carried.event.type === "live");
    if (oldest >= 0) this.#kept.splice(oldest, 1);
    this.#live -= 1;
  }

  #tellOpen(open: boolean): void {
    if (this.#open === open) return;
    this.#open = open;
    for (const tell of [...this.#followers.keys()]) tell({ open });
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
    this.#open = true;
  }
}

function isOf(of: Of, { of: test, queue, event }: Carried): boolean {
  return event.type === "reset" || (of === "queue" ? queue : test === of);
}

/** What tabs and the worker that has their stream say to each other. */
export type ToWorker = { follow: number; of: Of; after: string } | { leave: number };
export type ToTab = { follower: number; told: Told };
