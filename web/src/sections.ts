// Puts charts into the places that the page has for them and keeps them as wide as their panels.

import { CHARTS } from "./charts";
import type { Drawing, View } from "./charts/drawing";

function legendOf(drawing: Drawing): HTMLElement | null {
  if (!drawing.legend?.length) return null;
  const list = document.createElement("ul");
  list.className = "legend";
  for (const entry of drawing.legend) {
    const item = document.createElement("li");
    item.append(...(entry.mark ? [entry.mark()] : []), entry.label);
    list.append(item);
  }
  return list;
}

/** Draws one figure anew. */
function draw(figure: HTMLElement, view: View): void {
  const place = figure.querySelector<HTMLElement>(".panels");
  const chart = CHARTS[figure.dataset["chart"] ?? ""];
  if (!place || !chart) return;
  const drawing = chart(view);
  figure.querySelector(".legend")?.remove();
  const legend = legendOf(drawing);
  if (legend) place.before(legend);
  place.style.setProperty("--columns", String(drawing.columns ?? 2));
  if (drawing.panels.length === 0) {
    const nothing = document.createElement("p");
    nothing.className = "nothing";
    nothing.textContent = "Nothing to show: not measured, or hidden by the filters.";
    place.replaceChildren(nothing);
    return;
  }
  const panels = drawing.panels.map((panel) => {
    const box = document.createElement("div");
    box.className = "panel";
    const title = document.createElement("h4");
    title.textContent = panel.title;
    box.append(title);
    return { box, panel };
  });
  place.replaceChildren(...panels.map(({ box }) => box));
  for (const { box, panel } of panels) {
    const plot = panel.draw(Math.max(240, box.clientWidth));
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", `${figure.querySelector("h3")?.textContent ?? ""}: ${panel.title}`);
    box.append(plot);
  }
}

/** Draws every chart now, and again when the page's width changes. */
export function charts(view: () => View): () => void {
  const figures = [...document.querySelectorAll<HTMLElement>("figure[data-chart]")];
  const redraw = (): void => {
    const current = view();
    for (const figure of figures) draw(figure, current);
  };
  let width = document.documentElement.clientWidth;
  let planned = 0;
  window.addEventListener("resize", () => {
    if (document.documentElement.clientWidth === width) return;
    width = document.documentElement.clientWidth;
    cancelAnimationFrame(planned);
    planned = requestAnimationFrame(redraw);
  });
  redraw();
  return redraw;
}

/** Marks the section in view in the navigation. */
export function navigation(): void {
  const links = new Map<string, HTMLAnchorElement>();
  for (const link of document.querySelectorAll<HTMLAnchorElement>("nav a")) links.set(link.hash.slice(1), link);
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const link of links.values()) link.removeAttribute("aria-current");
        links.get(entry.target.id)?.setAttribute("aria-current", "true");
      }
    },
    { rootMargin: "-15% 0px -75% 0px" },
  );
  for (const section of document.querySelectorAll("main > section")) observer.observe(section);
}
