// HTML that crates/results/report writes: reports, and answers on their own, which conclude in the engine's words alone.

import { useEffect, useRef } from "preact/hooks";

/** The page's content security policy allows no style attribute in markup; scripts may set styles. */
const STYLE = "data-styled";

export function fill(place: HTMLElement, html: string): void {
  place.innerHTML = html.replaceAll(' style="', ` ${STYLE}="`);
  for (const element of place.querySelectorAll<HTMLElement | SVGElement>(`[${STYLE}]`)) {
    element.style.cssText = element.getAttribute(STYLE) ?? "";
    element.removeAttribute(STYLE);
  }
}

/** On a phone each row of a table is a card, whose lines have the headings of its columns. */
function asCards(table: HTMLTableElement): void {
  table.classList.add("cards");
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent?.trim() ?? "");
  for (const row of table.tBodies[0]?.rows ?? []) [...row.cells].forEach((cell, place) => cell.setAttribute("data-label", headings[place] ?? ""));
}

/** An answer: the first screen, then its tables and lists. */
export function Answered({ html }: { html: string }): preact.JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    fill(place.current, html);
    for (const table of place.current.querySelectorAll<HTMLTableElement>(".table table")) asCards(table);
  }, [html]);
  return <div class="answered" ref={place} />;
}
