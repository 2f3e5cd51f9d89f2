// The buttons that export tables and charts.

import { type Numbers, commaSeparated, csvOf, drawn, png, standalone, tabSeparated } from "./files";

/** The beginning of file names: the run's id. */
let run = "run";

function button(text: string, title: string, press: () => void): HTMLButtonElement {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  element.title = title;
  element.addEventListener("click", press);
  return element;
}

function nameOf(text: string, ending: string): string {
  return `${run}-${text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}.${ending}`;
}

/** Has the browser save something as a file. */
export function save(name: string, type: string, content: string | Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  // Browsers read the URL after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** By the clipboard API, which pages from insecure addresses don't have, else by a selection. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

function bar(buttons: HTMLElement[]): HTMLElement {
  const element = document.createElement("div");
  element.className = "tools";
  // Announces the outcome to screen readers.
  element.setAttribute("aria-live", "polite");
  element.append(...buttons);
  return element;
}

/** Shows a message on a button for a moment before its name returns. */
function tell(element: HTMLButtonElement, name: string, word: string): void {
  element.textContent = word;
  element.focus();
  setTimeout(() => (element.textContent = name), 2_000);
}

function copyButton(title: string, text: () => string): HTMLButtonElement {
  const element = button("Copy", title, () => void copy(text()).then((done) => tell(element, "Copy", done ? "Copied" : "Not copied")));
  return element;
}

/** Buttons that save a picture, which `draw` makes standalone. */
function pictureButtons(title: string, draw: () => string): HTMLButtonElement[] {
  const asPng = button("PNG", `Save as PNG: ${title}`, () =>
    void png(draw()).then((image) => save(nameOf(title, "png"), "image/png", image), () => tell(asPng, "PNG", "No PNG")),
  );
  return [button("SVG", `Save as SVG: ${title}`, () => save(nameOf(title, "svg"), "image/svg+xml", draw())), asPng];
}

function toolsOf(table: HTMLTableElement): HTMLElement {
  const figure = table.matches(".bars, .matrix") ? table.closest("figure") : null;
  const titles = [figure?.querySelector("h3")?.textContent, table.caption?.textContent?.split(/[.:]/)[0]].filter(Boolean);
  const what = titles.join(": ") || (figure ? "The choices" : "table");
  return bar([
    copyButton(`Copy the rows shown: ${what}`, () => (figure ? commaSeparated(table) : tabSeparated(table))),
    button("CSV", `Save the rows shown as CSV: ${what}`, () => save(nameOf(table.id || what, "csv"), "text/csv", commaSeparated(table))),
    // The first picture's title is the question that it answers.
    ...(figure ? pictureButtons(what, () => drawn(table, titles.join(": ") || (document.querySelector("h1")?.textContent ?? what))) : []),
  ]);
}

/** Adds buttons above every table; `of` is the run's id. */
export function tools(tables: HTMLTableElement[], of: string): void {
  run = of;
  for (const table of tables) {
    const place = table.closest(".table") ?? table;
    const box = document.createElement("div");
    box.className = "tooled";
    place.before(box);
    box.append(toolsOf(table), place);
  }
}

/** Adds buttons that export a plot, with the title and the legend of its figure, and its numbers if it has some. */
export function plotTools(plot: SVGSVGElement, title: string, numbers: Numbers[] = []): HTMLElement {
  const draw = (): string => standalone(plot, title, plot.closest("figure")?.querySelector(".legend") ?? null);
  const copies = numbers.length > 0 ? [copyButton(`Copy the numbers as CSV: ${title}`, () => csvOf(numbers))] : [];
  return bar([...copies, ...pictureButtons(title, draw)]);
}

/** Adds buttons for drawings that are part of the page's markup. */
export function drawingTools(root: ParentNode): void {
  for (const plot of root.querySelectorAll<SVGSVGElement>("figure.chart > svg")) {
    plot.before(plotTools(plot, plot.closest("figure")?.querySelector("h3")?.textContent ?? "drawing"));
  }
}
