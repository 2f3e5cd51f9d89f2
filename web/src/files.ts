// Tables and charts as they leave the page: texts of rows, and pictures that stand alone.

/** What stands in a cell, small letters apart from large ones; nothing where the filters blank it. */
function textOf(cell: HTMLTableCellElement): string {
  if (cell.matches(".blank")) return "";
  const words = (node: Node): string => {
    const parts = [...node.childNodes].map((child) => (child.nodeType === Node.TEXT_NODE ? (child.textContent ?? "") : words(child)));
    return parts.join(" ");
  };
  return words(cell).replace(/\s+/g, " ").trim();
}

/** The rows and columns that are shown, in the order in which they are shown. */
function shown(table: HTMLTableElement): HTMLTableCellElement[][] {
  const isShown = (cell: HTMLTableCellElement): boolean => !cell.hidden;
  return [...table.rows].filter((row) => !row.hidden).map((row) => [...row.cells].filter(isShown));
}

/** For spreadsheets, by way of the clipboard. */
export function tabSeparated(table: HTMLTableElement): string {
  return shown(table).map((cells) => cells.map(textOf).join("\t")).join("\n");
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** A column that sorts by a number has two: the number in the unit of summary.json, and its text. */
export function commaSeparated(table: HTMLTableElement): string {
  const [head = [], ...rows] = shown(table);
  const isNumber = head.map((_, column) => rows.some((cells) => cells[column]?.dataset["sort"] !== undefined));
  const line = (cells: HTMLTableCellElement[], numbers: (cell: HTMLTableCellElement) => string[]): string =>
    cells.flatMap((cell, column) => (isNumber[column] ? numbers(cell) : [textOf(cell)])).map(quoted).join(",");
  const lines = [
    line(head, (cell) => [textOf(cell), `${textOf(cell)} (text)`]),
    ...rows.map((cells) => line(cells, (cell) => [cell.matches(".blank") ? "" : (cell.dataset["sort"] ?? ""), textOf(cell)])),
  ];
  // The first character tells spreadsheets that this is UTF-8.
  return `\ufeff${lines.join("\r\n")}\r\n`;
}

const SVG = "http://www.w3.org/2000/svg";

/** What a chart takes from the page's style sheet. */
const COMPUTED = [
  "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight",
] as const;

/** A copy that needs no style sheet. */
function resolved(original: SVGElement): SVGElement {
  const copy = original.cloneNode(true) as SVGElement;
  const [from, to] = [original, copy].map((root) => [root, ...root.querySelectorAll<SVGElement>("*")]);
  from?.forEach((element, place) => {
    const target = to?.[place];
    if (!target || element.matches("style, title, clipPath, clipPath *")) return;
    const style = getComputedStyle(element);
    const above = element === original || !element.parentElement ? null : getComputedStyle(element.parentElement);
    for (const name of COMPUTED) {
      const value = style.getPropertyValue(name);
      target.removeAttribute(name);
      target.style.removeProperty(name);
      if (value !== (above && name !== "opacity" ? above.getPropertyValue(name) : "")) target.setAttribute(name, value);
    }
    if (target.getAttribute("style") === "") target.removeAttribute("style");
  });
  return copy;
}

function textAt(x: number, y: number, text: string, like: Element, weight: string): SVGElement {
  const element = document.createElementNS(SVG, "text");
  const attributes = { x, y, fill: getComputedStyle(like).color, "font-size": 12, "font-weight": weight };
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.textContent = text;
  return element;
}

const LINE = 20;

/** The entries of a legend, line by line, and the height that they need. */
function legendOf(legend: Element, width: number): { parts: SVGElement[]; height: number } {
  let [x, y] = [0, 0];
  const parts = [...legend.querySelectorAll("li")].flatMap((item) => {
    const room = item.getBoundingClientRect().width + 18;
    if (x > 0 && x + room > width) [x, y] = [0, y + LINE];
    const mark = item.querySelector("svg");
    const swatch = mark ? [resolved(mark)] : [];
    for (const one of swatch) {
      one.setAttribute("x", String(x));
      one.setAttribute("y", String(y + 1));
    }
    const text = textAt(x + (mark ? 30 : 0), y + 13, item.textContent ?? "", item, "400");
    x += room;
    return [...swatch, text];
  });
  return { parts, height: parts.length > 0 ? y + LINE : 0 };
}

function moved(parts: SVGElement[], x: number, y: number): SVGElement {
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("transform", `translate(${x},${y})`);
  group.append(...parts);
  return group;
}

const EDGE = 12;

/** A plot with its title and legend on the page's paper, in the colours of the moment. */
export function standalone(plot: SVGSVGElement, title: string, legend: Element | null): string {
  const { width, height } = plot.getBoundingClientRect();
  const entries = legend ? legendOf(legend, width) : { parts: [], height: 0 };
  const whole = document.createElementNS(SVG, "svg");
  const [outer, total] = [width + 2 * EDGE, height + entries.height + 2 * EDGE + 24];
  const { fontFamily, backgroundColor } = getComputedStyle(plot.closest(".chart") ?? document.body);
  const attributes = { width: outer, height: total, viewBox: `0 0 ${outer} ${total}`, "font-family": fontFamily };
  for (const [name, value] of Object.entries(attributes)) whole.setAttribute(name, String(value));
  const paper = document.createElementNS(SVG, "rect");
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: backgroundColor })) paper.setAttribute(name, value);
  const drawing = resolved(plot);
  const attributesOfPlot = { width: String(width), height: String(height), color: getComputedStyle(plot).color };
  for (const [name, value] of Object.entries(attributesOfPlot)) drawing.setAttribute(name, value);
  whole.append(
    paper,
    moved([textAt(0, 14, title, plot.closest(".chart") ?? plot, "600")], EDGE, EDGE),
    moved(entries.parts, EDGE, EDGE + 24),
    moved([drawing], EDGE, EDGE + 24 + entries.height),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(whole)}\n`;
}
