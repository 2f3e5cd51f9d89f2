// Keeps the reader's choices in the page's address, so that a link opens the page as it was left, and Back returns to it.

import { type Values, parse, print } from "./state";

/** A part of the page whose choices stand in the address. */
export interface Keeper {
  values(): Values;
  /** Sets the choices that the values name, and resets all others. */
  restore(values: Values): void;
}

/** Marks entries of the history that this page wrote: only other entries may omit choices. */
const WRITTEN = "wiredyno";

function write(section: string, keepers: Keeper[]): void {
  const values = Object.assign({}, ...keepers.map((keeper) => keeper.values())) as Values;
  const address = print({ section, values }) || location.pathname + location.search;
  try {
    history.replaceState(WRITTEN, "", address);
  } catch {
    // A page embedded in another may have no address of its own.
  }
}

/** Shows what an address points to, even inside a closed fold. */
function reveal(id: string): void {
  const target = id ? document.getElementById(id) : null;
  for (const marked of document.querySelectorAll(".pointed-to")) marked.classList.remove("pointed-to");
  if (!target) return;
  target.classList.add("pointed-to");
  // A section that is a fold opens, too.
  for (const own of target.matches(".folded") ? [...target.children] : []) if (own instanceof HTMLDetailsElement) own.open = true;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) fold.open = true;
  target.scrollIntoView();
}

/** Follows the address until `signal` ends it; returns a function that writes the choices of all parts into it. `restored` shows them. */
export function address(keepers: Keeper[], restored: () => void, signal: AbortSignal): () => void {
  const restore = (values: Values): void => {
    for (const keeper of keepers) keeper.restore(values);
    restored();
  };
  const arrive = (section: string): void => {
    reveal(section);
    write(section, keepers);
  };
  const isOwn = (): boolean => history.state === WRITTEN;
  const first = parse(location.hash);
  restore(first.values);
  // For an earlier position the browser itself restores the scroll position.
  if (location.hash && !isOwn()) arrive(first.section);
  window.addEventListener("hashchange", () => {
    const { section, values } = parse(location.hash);
    // A link to a section carries no choices: they stay.
    if (isOwn() || Object.keys(values).length > 0) restore(values);
    if (!isOwn()) arrive(section);
  }, { signal });
  return () => write(parse(location.hash).section, keepers);
}
