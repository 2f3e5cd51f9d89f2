// The path below which the server is reached, if a proxy serves other things too.

import { options } from "preact";

/** Such as `/bench`; empty at the root. */
export const BASE = document.documentElement.dataset["base"] ?? "";

/** A path of these pages as the browser has to ask for it. */
export const outer = (path: string): string => (path.startsWith("/") ? BASE + path : path);

/** A path that the browser shows, as these pages name it. */
export const inner = (path: string): string => (path === BASE || path.startsWith(`${BASE}/`) ? path.slice(BASE.length) || "/" : path);

// Every link of the pages, where preact makes it: none can be forgotten.
const before = options.vnode;
options.vnode = (vnode) => {
  const props = vnode.props as unknown as { href?: unknown };
  if (BASE !== "" && vnode.type === "a" && typeof props.href === "string") props.href = outer(props.href);
  before?.(vnode);
};
