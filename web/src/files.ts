// Exports tables and charts: texts of rows, and pictures that need no style sheet.

/** The text of a cell, with small print separated; empty if the filters blank it. */
function textOf(cell: HTMLTableCellElement): string {
  if (cell.matches(".blank")) return "";
  const words = (node: Node): string => {
    const parts = [...node.childNodes].map((child) => (child.nodeType === Node.TEXT_NODE ? (child.textContent ?? "") : words(child)));
    return parts.join(" ");
  };
  return words(cell).replace(/\s+/g, " ").trim();
}

/** The shown rows and columns, in the order shown. */
function shown(table: HTMLTableElement): HTMLTableCellElement[][] {
  const isShown = (cell: HTMLTableCellElement): boolean => !cell.hidden;
  return [...table.rows].filter((row) => !row.hidden).map((row) => [...row.cells].filter(isShown));
}

/** For pasting into spreadsheets. */
export function tabSeparated(table: HTMLTableElement): string {
  return shown(table).map((cells) => cells.map(textOf).join("\t")).join("\n");
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** A column that sorts by a number is exported as two: the number in the unit of summary.json, and its text. */
export function commaSeparated(table: HTMLTableElement): string {
  const [head = [], ...rows] = shown(table);
  const isNumber = head.map((_, column) => rows.some((cells) => cells[column]?.dataset["sort"] !== undefined));
  const line = (cells: HTMLTableCellElement[], numbers: (cell: HTMLTableCellElement) => string[]): string =>
    cells.flatMap((cell, column) => (isNumber[column] ? numbers(cell) : [textOf(cell)])).map(quoted).join(",");
  const lines = [
    line(head, (cell) => [textOf(cell), `${textOf(cell)} (text)`]),
    ...rows.map((cells) => line(cells, (cell) => [cell.matches(".blank") ? "" : (cell.dataset["sort"] ?? ""), textOf(cell)])),
  ];
  // The byte order mark: tells spreadsheets that this is UTF-8.
  return `\ufeff${lines.join("\r\n")}\r\n`;
}

/** A row of a picture's numbers: figures in the unit of their column's name, null where there is none. */
export type Numbers = Record<string, string | number | null>;

/** The numbers of a picture, with a column for each name that any row has, in order of first occurrence. */
export function csvOf(rows: Numbers[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (values: (string | number | null | undefined)[]): string =>
    values.map((value) => (typeof value === "string" ? quoted(value) : String(value ?? ""))).join(",");
  const head = columns.map((column) => (/[",]/.test(column) ? quoted(column) : column)).join(",");
  return `${[head, ...rows.map((row) => line(columns.map((column) => row[column])))].join("\r\n")}\r\n`;
}

const SVG = "http://www.w3.org/2000/svg";

/** The properties that a chart takes from the page's style sheet. */
const COMPUTED = [
  "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight",
] as const;

/** A copy with its styles inlined. */
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

function svg(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

function textAt(x: number, y: number, text: string, like: Element, weight: string): SVGElement {
  const element = svg("text", { x, y, fill: getComputedStyle(like).color, "font-size": 12, "font-weight": weight });
  element.textContent = text;
  return element;
}

const LINE = 20;

/** The entries of a legend, line by line, and the height that they take. */
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

/** Parts on the page's background colour under a title, as a file. */
function sheet(title: string, like: Element, [width, height]: [number, number], parts: SVGElement[]): string {
  const [outer, total] = [width + 2 * EDGE, height + 2 * EDGE + 24];
  const { fontFamily, backgroundColor } = getComputedStyle(like);
  const whole = svg("svg", { width: outer, height: total, viewBox: `0 0 ${outer} ${total}`, "font-family": fontFamily });
  whole.append(
    svg("rect", { width: "100%", height: "100%", fill: backgroundColor }),
    moved([textAt(0, 14, title, like, "600")], EDGE, EDGE),
    moved(parts, EDGE, EDGE + 24),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(whole)}\n`;
}

/** A plot with its title and legend on the page's background, in the current colours. */
export function standalone(plot: SVGSVGElement, title: string, legend: Element | null): string {
  const { width, height } = plot.getBoundingClientRect();
  const entries = legend ? legendOf(legend, width) : { parts: [], height: 0 };
  const drawing = resolved(plot);
  const attributes = { width: String(width), height: String(height), color: getComputedStyle(plot).color };
  for (const [name, value] of Object.entries(attributes)) drawing.setAttribute(name, value);
  const parts = [moved(entries.parts, 0, 0), moved([drawing], 0, entries.height)];
  return sheet(title, plot.closest(".chart") ?? document.body, [width, height + entries.height], parts);
}

/** Width of a character of a table's text in a picture, and height of a line, in pixels. */
const [CHARACTER, ROW_LINE] = [7, 17];

/** Minimum width of a column of bars, and the height of a bar. */
const [BAR_WIDTH, BAR_HEIGHT] = [180, 9];

function isPainted(colour: string): boolean {
  return !/^(transparent|rgba\(.*, 0\))$/.test(colour);
}

/** The lines of a cell: small print goes on a line of its own. */
function linesOf(cell: HTMLTableCellElement): string[] {
  const small = [...cell.children].filter((child) => child.matches("small"));
  const told = small.map((element) => element.textContent?.trim() ?? "");
  const all = textOf(cell);
  const rest = told.reduce((text, one) => text.replace(one, ""), all).trim();
  return [rest, ...told].filter((line) => line !== "");
}

/** A bar of the given share, with its interval, in a column of a width. */
function barOf(bar: Element, x: number, y: number, width: number): SVGElement[] {
  const whole = bar.getBoundingClientRect();
  const scale = whole.width > 0 ? width / whole.width : 0;
  const paper = getComputedStyle(bar.closest(".chart") ?? bar).backgroundColor;
  return [bar, ...bar.children].map((part) => {
    const { left, width: own } = part.getBoundingClientRect();
    const isInterval = part.matches("i");
    return svg("rect", {
      x: x + (left - whole.left) * scale, width: Math.max(1, own * scale), fill: getComputedStyle(part).backgroundColor,
      y: isInterval ? y + BAR_HEIGHT / 2 - 1 : y, height: isInterval ? 2 : BAR_HEIGHT,
      ...(isInterval ? { stroke: paper, "stroke-width": 2, "paint-order": "stroke" } : {}), ...(part.matches(".survivors b") ? { "fill-opacity": 0.55 } : {}),
    });
  });
}

/** Draws a cell of a table at a place: its background, its bar, its text. */
function cellAt(cell: HTMLTableCellElement, x: number, y: number, [width, height]: [number, number]): SVGElement[] {
  const { backgroundColor, boxShadow } = getComputedStyle(cell);
  const parts: SVGElement[] = [];
  if (isPainted(backgroundColor)) parts.push(svg("rect", { x, y, width, height, fill: backgroundColor }));
  if (cell.matches(".winner")) {
    const stroke = /^rgba?\([^)]*\)|color\([^)]*\)/.exec(boxShadow)?.[0] ?? "currentColor";
    parts.push(svg("rect", { x: x + 1, y: y + 1, width: width - 2, height: height - 2, fill: "none", stroke, "stroke-width": 2 }));
  }
  if (cell.matches(".tie")) {
    const { color } = getComputedStyle(cell);
    for (let at = 6; at < width; at += 7) parts.push(svg("line", { x1: x + at, y1: y + height, x2: x + Math.min(width, at + height), y2: y + height - Math.min(height, width - at), stroke: color, "stroke-opacity": 0.22 }));
  }
  const bar = cell.querySelector(".bar");
  if (bar) parts.push(...barOf(bar, x + 6, y + 5, width - 18));
  const top = y + (bar ? BAR_HEIGHT + 5 : 0);
  const weight = cell.matches("thead th, .winner, .best th") ? "600" : "400";
  parts.push(...linesOf(cell).map((line, place) => textAt(x + 6, top + 14 + place * ROW_LINE, line, cell.querySelector("a") ?? cell, place === 0 ? weight : "400")));
  return parts;
}

/** Words wrapped into lines of a maximum length. */
function linesIn(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Minimum room for the caption under a picture, in pixels. */
const NOTE_WIDTH = 480;

/** A table with painted cells or bars as a standalone picture, with its figure's caption: the rows and columns that are
 * shown. */
export function drawn(table: HTMLTableElement, title: string): string {
  const rows = shown(table);
  const columns = Math.max(...rows.map((cells) => cells.length));
  const room = (cell: HTMLTableCellElement): number =>
    Math.max(...linesOf(cell).map((line) => line.length * CHARACTER + 20), cell.querySelector(".bar") ? BAR_WIDTH : 0, 40);
  const widths = Array.from({ length: columns }, (_, column) => Math.max(...rows.flatMap((cells) => (cells[column] ? [room(cells[column])] : []))));
  const heightOf = (cells: HTMLTableCellElement[]): number =>
    Math.max(...cells.map((cell) => linesOf(cell).length * ROW_LINE + (cell.querySelector(".bar") ? BAR_HEIGHT + 5 : 0))) + 6;
  let y = 0;
  const parts = rows.flatMap((cells) => {
    const height = heightOf(cells);
    let x = 0;
    const row = cells.flatMap((cell, column) => {
      const width = widths[column] ?? 0;
      const at = cellAt(cell, x, y, [width, height]);
      x += width;
      return cell.matches(".blank") ? [] : at;
    });
    y += height;
    return row;
  });
  const figure = table.closest(".chart");
  const caption = figure?.querySelector("figcaption");
  const width = Math.max(widths.reduce((sum, width) => sum + width, 0), NOTE_WIDTH, title.length * CHARACTER);
  const lines = caption ? linesIn(caption.textContent ?? "", Math.floor(width / CHARACTER)) : [];
  const note = caption ? lines.map((line, place) => textAt(0, y + 18 + place * ROW_LINE, line, caption, "400")) : [];
  return sheet(title, figure ?? document.body, [width, y + (note.length > 0 ? 7 + note.length * ROW_LINE : 0)], [...parts, ...note]);
}

/** Pixels of a saved picture per pixel of the page: sharp on paper and on high-resolution screens. */
const SHARPNESS = 2;

/** A standalone picture, as PNG. */
export async function png(picture: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth * SHARPNESS, image.naturalHeight * SHARPNESS];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("the browser can't create a PNG"))), "image/png"));
}
