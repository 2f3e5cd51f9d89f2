// A worker that all tabs of a browser share, with their one stream of events.

import { Hub, type ToTab, type ToWorker } from "./hub";

// Beside this file's folder is the API, wherever the server is reached.
const hub = new Hub(new URL("../api/events?all=true", location.href).href);

/** What a shared worker's scope has beyond those of pages and dedicated workers. */
interface Scope { onconnect: (event: MessageEvent) => void }

(self as unknown as Scope).onconnect = ({ ports: [port] }) => {
  if (!port) return;
  const leave = new Map<number, () => void>();
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if ("leave" in data) {
      leave.get(data.leave)?.();
      leave.delete(data.leave);
      return;
    }
    const { follow, of, after } = data;
    leave.set(follow, hub.follow(of, after, (told) => port.postMessage({ follower: follow, told } satisfies ToTab)));
  };
};
