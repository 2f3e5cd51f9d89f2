// Puts charts with their legends and controls into their places on the page, and keeps them as wide as their
// panels.

import type { Keeper } from "./address";
import { CHARTS } from "./charts";
import type { Control, Drawing, LegendEntry, Panel, View } from "./charts/drawing";
import { plotTools } from "./tools";

export interface Charts extends Keeper {
  /** Redraws everything. */
  redraw(): void;
  /** Draws what came into view. */
  unfolded(): void;
}

function legendOf(entries: LegendEntry[]): HTMLElement {
  const list = document.createElement("ul");
  list.className = "legend";
  for (const entry of entries) {
    const item = document.createElement("li");
    item.append(...(entry.mark ? [entry.mark()] : []), entry.label);
    list.append(item);
  }
  return list;
}

function selectOf({ label, options, value }: Control, choose: (value: string) => void): HTMLElement {
  const box = document.createElement("label");
  const select = document.createElement("select");
  select.append(...options.map((option) => new Option(option.label, option.value, false, option.value === value)));
  select.addEventListener("change", () => choose(select.value));
  box.append(label, select);
  return box;
}

function titleOf(text: string): HTMLElement {
  const title = document.createElement("h4");
  title.textContent = text;
  return title;
}

/** Gives the whole picture one accessible name; Plot's names of its parts are only for the style sheet, which has Plot's own rules: a page
 * may be allowed no other styles. */
export function namePicture(plot: Element, name: string): void {
  for (const rules of plot.querySelectorAll("style")) rules.remove();
  for (const part of plot.querySelectorAll<SVGElement>("[aria-label]")) {
    part.dataset["part"] = part.getAttribute("aria-label") ?? "";
    part.removeAttribute("aria-label");
  }
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", name);
}

/** One chart in its figure. */
class Figure {
  /** The values chosen in its controls; empty before a choice. */
  chosen: string[] = [];
  readonly name: string;
  private readonly title: string;
  private readonly place: HTMLElement | null;
  private readonly controls = document.createElement("div");
  private readonly fold = document.createElement("details");
  private readonly more = document.createElement("summary");
  private readonly rest = document.createElement("div");
  /** Panels that have no width yet, because they are folded away. */
  private waiting = new Map<HTMLElement, Panel>();

  constructor(
    private readonly element: HTMLElement,
    private readonly chose: (figure: Figure) => void,
    /** Reports panels that come near; absent if all are drawn at once. */
    private readonly near: IntersectionObserver | null,
  ) {
    this.name = element.dataset["chart"] ?? "";
    this.title = element.querySelector("h3")?.textContent ?? "";
    this.place = element.querySelector<HTMLElement>(".panels");
    this.controls.className = "controls";
    this.fold.className = "fold";
    this.fold.id = `more-${this.name}`;
    this.rest.className = "panels";
    this.fold.append(this.more, this.rest);
    this.fold.hidden = true;
    this.place?.after(this.fold);
  }

  draw(view: View): void {
    const chart = CHARTS[this.name];
    if (!this.place || !chart) return;
    const drawing = chart(view, this.chosen);
    // Values that the chart doesn't know were replaced by it.
    if (this.chosen.length > 0) this.chosen = (drawing.controls ?? []).map(({ value }) => value);
    this.showControls(drawing.controls ?? []);
    this.element.querySelector(".legend")?.remove();
    const legend = (drawing.legend ?? []).filter(({ label }) => label !== "");
    if (legend.length > 0 && drawing.panels.length > 0) this.place.before(legendOf(legend));
    this.showPanels(this.place, drawing);
    this.unfolded();
  }

  /** Draws the panels that have a width by now; with gradual drawing, only those that are near. */
  unfolded(): void {
    if (this.near) return;
    for (const [box] of this.waiting) if (!box.closest("details:not([open])")) this.fill(box);
  }

  /** Draws the panel of a box, if it is still waiting. */
  fill(box: HTMLElement): void {
    const panel = this.waiting.get(box);
    if (!panel) return;
    this.waiting.delete(box);
    this.near?.unobserve(box);
    box.classList.remove("coming");
    if (panel.numbers.length === 0) return void box.append(said("Not measured here."));
    const plot = panel.draw(Math.max(240, box.clientWidth));
    namePicture(plot, [`${this.title}: ${panel.title}`, panel.alt].filter(Boolean).join(". "));
    box.append(plot);
    if (plot instanceof SVGSVGElement) box.append(plotTools(plot, `${this.title}: ${panel.title}`, panel.numbers));
  }

  /** Creates the controls once, so that none loses the focus while in use. */
  private showControls(controls: Control[]): void {
    const selects = [...this.controls.querySelectorAll("select")];
    controls.forEach(({ value }, place) => {
      const select = selects[place];
      if (select) select.value = value;
    });
    if (controls.length === selects.length) return;
    const choose = (place: number) => (value: string) => {
      this.chosen = controls.map((control, other) => (other === place ? value : (this.chosen[other] ?? control.value)));
      this.chose(this);
    };
    this.controls.replaceChildren(...controls.map((control, place) => selectOf(control, choose(place))));
    this.place?.before(this.controls);
  }

  private showPanels(place: HTMLElement, { panels, instead = NOTHING, columns = 2, first = panels.length }: Drawing): void {
    const boxes = panels.map((panel) => {
      const box = document.createElement("div");
      box.className = "panel";
      box.append(titleOf(panel.title));
      return box;
    });
    for (const [box] of this.waiting) this.near?.unobserve(box);
    this.waiting = new Map(boxes.flatMap((box, at) => { const panel = panels[at]; return panel ? [[box, panel]] : []; }));
    for (const part of [place, this.rest]) part.style.setProperty("--columns", String(columns));
    place.replaceChildren(...(panels.length > 0 ? boxes.slice(0, first) : [said(instead)]));
    this.rest.replaceChildren(...boxes.slice(first));
    this.more.textContent = `${panels.length - first} more`;
    this.fold.hidden = panels.length <= first;
    if (!this.near) return;
    for (const [box] of this.waiting) {
      box.classList.add("coming");
      this.near.observe(box);
    }
  }
}

const NOTHING = "Nothing to show: not measured, or hidden by the filters.";

/** Text in place of a picture. */
function said(words: string): HTMLElement {
  const text = document.createElement("p");
  text.className = "nothing";
  text.textContent = words;
  return text;
}

/** How far from the window panels are drawn, with gradual drawing. */
const AHEAD = "700px 0px";

/**
 * The page's charts; `changed` is called when the reader changes a control. They follow the window's width until `signal`.
 * With `gradually` each panel is drawn when it comes near: a page of hundreds of combinations would stall otherwise.
 */
export function charts(view: () => View, changed: () => void, signal: AbortSignal, gradually: boolean): Charts {
  const elements = [...document.querySelectorAll<HTMLElement>("figure[data-chart]")];
  const near = !gradually ? null : new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting && target instanceof HTMLElement) for (const figure of figures) figure.fill(target);
    }
  }, { rootMargin: AHEAD });
  signal.addEventListener("abort", () => near?.disconnect());
  const chose = (figure: Figure): void => {
    figure.draw(view());
    changed();
  };
  const figures = elements.map((element) => new Figure(element, chose, near));
  const redraw = (): void => {
    const current = view();
    for (const figure of figures) figure.draw(current);
  };
  let width = document.documentElement.clientWidth;
  let planned = 0;
  window.addEventListener("resize", () => {
    if (document.documentElement.clientWidth === width) return;
    width = document.documentElement.clientWidth;
    cancelAnimationFrame(planned);
    planned = requestAnimationFrame(redraw);
  }, { signal });
  return {
    redraw,
    unfolded: () => figures.forEach((figure) => figure.unfolded()),
    values: () => Object.fromEntries(figures.map(({ name, chosen }) => [name, chosen])),
    restore(values) {
      for (const figure of figures) figure.chosen = values[figure.name] ?? [];
    },
  };
}

/** Marks the section in view in the navigation, keeps it visible there, and closes its menus after use, until `signal`. */
export function navigation(signal: AbortSignal): void {
  const place = document.querySelector<HTMLElement>("nav[aria-label=Sections]");
  if (!place) return;
  const links = new Map<string, HTMLAnchorElement>();
  for (const link of place.querySelectorAll<HTMLAnchorElement>("a")) links.set(link.hash.slice(1), link);
  menus(place, signal);
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const link = links.get(target.id);
        if (!isIntersecting || !link) continue;
        for (const other of place.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
        link.setAttribute("aria-current", "true");
        const shown = link.closest("details")?.querySelector("summary") ?? link;
        shown.setAttribute("aria-current", "true");
        const list = place.querySelector<HTMLElement>(":scope > ul");
        if (list) list.scrollLeft = shown.offsetLeft - list.offsetLeft - (list.clientWidth - shown.offsetWidth) / 2;
      }
    },
    { rootMargin: "-15% 0px -75% 0px" },
  );
  for (const section of document.querySelectorAll("main section[aria-labelledby]")) observer.observe(section);
  signal.addEventListener("abort", () => observer.disconnect());
}

/** One menu is open at a time: until a link in it is followed, Escape is pressed, or something else is clicked or gets the focus. */
function menus(place: HTMLElement, signal: AbortSignal): void {
  const all = [...place.querySelectorAll<HTMLDetailsElement>("li details")];
  const shut = (but?: EventTarget | null): void => {
    for (const menu of all) if (!(but instanceof Node && menu.contains(but))) menu.open = false;
  };
  place.addEventListener("keydown", (event) => {
    const open = all.find((menu) => menu.open);
    if (event.key !== "Escape" || !open) return;
    shut();
    open.querySelector("summary")?.focus();
  }, { signal });
  document.addEventListener("focusin", ({ target }) => shut(target), { signal });
  document.addEventListener("click", ({ target }) => shut(target instanceof Element && target.closest("a") ? null : target), { signal });
  for (const menu of all) {
    const list = menu.querySelector("ul");
    menu.addEventListener("toggle", () => {
      // Below its word, as far as the window has room; a narrow window's style sheet overrides this.
      if (!menu.open || !list) return;
      const [{ left }, { left: edge, width }] = [menu.getBoundingClientRect(), place.getBoundingClientRect()];
      list.style.left = matchMedia("(max-width: 640px)").matches ? "" : `${Math.max(0, Math.min(left - edge - 16, width - list.offsetWidth))}px`;
    }, { signal });
  }
}
