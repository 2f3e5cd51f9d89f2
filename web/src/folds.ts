// Parts of the page that fold away: the address keeps which are open. Printing shows the open ones.

import type { Keeper } from "./address";

function all(): HTMLDetailsElement[] {
  return [...document.querySelectorAll<HTMLDetailsElement>("details.fold")];
}

/** `changed` is called after a fold was opened or closed, until `signal`. */
export function folds(changed: () => void, signal: AbortSignal): Keeper {
  const asWritten = new Set(all().filter((fold) => fold.open));
  document.addEventListener(
    "toggle",
    (event) => {
      if (event.target instanceof Element && event.target.matches("details.fold")) changed();
    },
    { capture: true, signal },
  );
  return {
    values() {
      const moved = all().filter((fold) => fold.id && fold.open !== asWritten.has(fold));
      return { open: moved.map(({ id, open }) => (open ? id : `-${id}`)) };
    },
    restore({ open = [] }) {
      for (const fold of all()) {
        fold.open = (asWritten.has(fold) || open.includes(fold.id)) && !open.includes(`-${fold.id}`);
      }
    },
  };
}
