// The buttons that take tables and charts out of the page.

import { commaSeparated, standalone, tabSeparated } from "./files";

/** What files are called first: the run that they are of. */
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

/** Has the browser save a text as a file. */
export function save(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // Browsers read it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** By the clipboard's own interface, which pages from insecure addresses don't have, else by a selection. */
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

function toolsOf(table: HTMLTableElement): HTMLElement {
  const bar = document.createElement("div");
  bar.className = "tools";
  // What became of a press is said aloud.
  bar.setAttribute("aria-live", "polite");
  const what = table.caption?.textContent?.split(/[.:]/)[0] ?? "table";
  const copied = button("Copy", `Copy the rows shown: ${what}`, () => {
    void copy(tabSeparated(table)).then((done) => {
      copied.textContent = done ? "Copied" : "Not copied";
      copied.focus();
      setTimeout(() => (copied.textContent = "Copy"), 2_000);
    });
  });
  const saved = button("CSV", `Save the rows shown as CSV: ${what}`, () =>
    save(nameOf(table.id || what, "csv"), "text/csv", commaSeparated(table)),
  );
  bar.append(copied, saved);
  return bar;
}

/** Puts tools above every table; `of` is the run's id. */
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

/** Saves a plot, with the title and the legend of its figure. */
export function svgButton(plot: SVGSVGElement, title: string): HTMLElement {
  const element = button("SVG", `Save as SVG: ${title}`, () => {
    const legend = plot.closest("figure")?.querySelector(".legend") ?? null;
    save(nameOf(title, "svg"), "image/svg+xml", standalone(plot, title, legend));
  });
  element.className = "tool";
  return element;
}
