// The shown page: the address's path and query, without reloading. The fragment belongs to the page.

import { inner, outer } from "./base";
import { computed, signal } from "@preact/signals";

/** The current address; fragments are ignored. */
export const here = signal(new URL(location.href));

/** Its path, as these pages name it. */
export const path = computed(() => inner(here.value.pathname));

/** The number of navigations: a page that is visited again starts afresh. */
export const visits = signal(0);

/** Goes to an address of these pages; `replace` leaves no entry in the history. */
export function go(to: string, replace = false): void {
  const url = new URL(outer(to), location.href);
  if (replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  if (!replace) {
    scrollTo(0, 0);
    visits.value += 1;
  }
  here.value = url;
}

/** Sets values of the query and keeps the rest; `null` removes one. */
export function choose(values: Record<string, string | null>): void {
  const url = new URL(here.value);
  // The report keeps its choices there.
  url.hash = location.hash;
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  go(url.href, true);
}

function isOwn(link: HTMLAnchorElement): boolean {
  return link.origin === location.origin && !inner(link.pathname).startsWith("/api/") && !link.download && !link.target;
}

addEventListener("popstate", () => {
  const url = new URL(location.href);
  const [from, to] = [here.value, url].map(({ pathname, search }) => pathname + search);
  if (from !== to) here.value = url;
});

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  // Links within the page are left to the browser.
  if (!isOwn(link) || link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  go(link.href);
});
