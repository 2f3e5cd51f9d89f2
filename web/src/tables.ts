// Tables are complete in the page; this adds sorting by column, hides what the filters hide, shows what a row has in
// common with the one above only once, and prepares tables for narrow screens.

import type { Keeper } from "./address";
import type { Selection } from "./filters";
import type { AxisInfo, Summary } from "./model";

interface Sorting {
  column: number;
  ascending: boolean;
}

interface Sortable {
  table: HTMLTableElement;
  /** Absent: the order as written. */
  sorting: Sorting | null;
  /** Sorts, and updates what rows have in common; `together` keeps groups in one piece. */
  arrange(together: boolean): void;
}

type Row = HTMLTableRowElement;

/** What keeps rows together: columns whose groups sorting never mixes, and one whose groups it may mix. */
interface Grouping {
  apart: number[];
  together: number[];
}

function grouping(headings: HTMLTableCellElement[]): Grouping {
  const of = (kind: string): number[] =>
    headings.flatMap((heading, column) => (heading.dataset["groups"] === kind ? [column] : []));
  return { apart: of("apart"), together: of("together") };
}

function textOf(row: Row, columns: number[]): string {
  return columns.map((column) => row.cells[column]?.textContent ?? "").join("\n");
}

/** Makes the columns of a table sortable: numbers by `data-sort`, words by their text. Does nothing where sorting makes no sense. */
function sortable(table: HTMLTableElement, changed: (sorted: Sortable) => void): Sortable[] {
  const body = table.tBodies[0];
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])];
  const hasNumbers = headings.some((heading) => heading.classList.contains("number"));
  if (!body || body.rows.length < 2 || !hasNumbers) return [];
  const groups = grouping(headings);
  const asWritten = [...body.rows];
  const sortable: Sortable = {
    table,
    sorting: null,
    arrange(together) {
      const { sorting } = sortable;
      const rows = sorting ? sorted(asWritten, groups, sorting, together) : asWritten;
      body.append(...rows);
      markRepeats(rows, [...groups.apart, ...groups.together]);
      headings.forEach((heading, column) => {
        if (sorting?.column === column) heading.setAttribute("aria-sort", sorting.ascending ? "ascending" : "descending");
        else heading.removeAttribute("aria-sort");
      });
    },
  };
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.title = `Sort by ${heading.textContent?.trim()}`;
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      sortable.sorting = { column, ascending: heading.getAttribute("aria-sort") !== "ascending" };
      changed(sortable);
    });
  });
  return [sortable];
}

/** The tables' order; `results-table:3:desc` in the address. */
export interface Tables extends Keeper {
  arrange(): void;
}

/** Makes all tables of the page sortable; `changed` is called when the reader sorts one. */
export function tables(all: HTMLTableElement[], together: () => boolean, changed: () => void): Tables {
  const found = all.flatMap((table) =>
    sortable(table, (sorted) => {
      sorted.arrange(together());
      changed();
    }),
  );
  return {
    arrange() {
      for (const sortable of found) sortable.arrange(together());
    },
    values: () => ({
      sort: found.flatMap(({ table: { id }, sorting }) =>
        id && sorting ? [`${id}:${sorting.column}:${sorting.ascending ? "asc" : "desc"}`] : [],
      ),
    }),
    restore({ sort = [] }) {
      const wanted = new Map(sort.map((one) => one.split(":")).map(([id, column, order]) => [id, { column, order }]));
      for (const sortable of found) {
        const { column, order } = wanted.get(sortable.table.id) ?? {};
        const known = sortable.table.tHead?.rows[0]?.cells[Number(column)];
        sortable.sorting = known ? { column: known.cellIndex, ascending: order !== "desc" } : null;
      }
    },
  };
}

/** Groups by their best row, rows within their group; rows without a number come last in either order. */
function sorted(rows: Row[], groups: Grouping, { column, ascending }: Sorting, together: boolean): Row[] {
  const order = (a: Row, b: Row): number => compare(a.cells[column], b.cells[column], ascending);
  const apart = [...new Set(rows.map((row) => textOf(row, groups.apart)))];
  return apart.flatMap((value) => {
    const own = rows.filter((row) => textOf(row, groups.apart) === value).sort(order);
    if (!together || groups.together.length === 0) return own;
    const blocks = new Map<string, Row[]>();
    // Hidden rows don't affect the order of groups.
    for (const row of [...own.filter((row) => !row.hidden), ...own.filter((row) => row.hidden)]) {
      const key = textOf(row, groups.together);
      blocks.set(key, [...(blocks.get(key) ?? []), row]);
    }
    return [...blocks.values()].flat();
  });
}

/** Shows what rows have in common only in the first of them. */
function markRepeats(rows: Row[], columns: number[]): void {
  let above: Row | null = null;
  for (const row of rows) {
    if (row.hidden) continue;
    columns.forEach((column, place) => {
      const upTo = columns.slice(0, place + 1);
      row.cells[column]?.classList.toggle("repeats", above !== null && textOf(above, upTo) === textOf(row, upTo));
    });
    above = row;
  }
}

function compare(a: HTMLTableCellElement | undefined, b: HTMLTableCellElement | undefined, ascending: boolean): number {
  const sign = ascending ? 1 : -1;
  const [x, y] = [a, b].map((cell) => (cell?.dataset["sort"] === undefined ? null : Number(cell.dataset["sort"])));
  if (x != null && y != null) return sign * (x - y);
  if (x != null || y != null) return x == null ? 1 : -1;
  return sign * (a?.textContent ?? "").localeCompare(b?.textContent ?? "", "en", { numeric: true });
}

/** Shows the rows and columns that the selection includes. */
export function filterTables(summary: Summary, selection: Selection): void {
  const shown = new Set(summary.codecs.filter((codec) => selection.codec(codec)).map(({ axes }) => axes.codec));
  for (const row of document.querySelectorAll<Row>("tr[data-cell], tr[data-codec], tr[data-any-payload], tr[data-payload]")) {
    const { cell: atCell, codec: atCodec, anyPayload, payload } = row.dataset;
    const cell = summary.cells[Number(atCell ?? NaN)];
    const codec = summary.codecs[Number(atCodec ?? NaN)];
    const any = summary.codecs[Number(anyPayload ?? NaN)];
    row.hidden =
      (cell !== undefined && !selection.cell(cell)) ||
      (codec !== undefined && !selection.codec(codec)) ||
      (any !== undefined && !shown.has(any.axes.codec)) ||
      (payload !== undefined && !selection.payload(payload));
  }
  for (const heading of document.querySelectorAll<HTMLTableCellElement>("th[data-payload]")) {
    const table = heading.closest("table");
    if (table) hideColumn(table, heading.cellIndex, !selection.payload(heading.dataset["payload"] ?? ""));
  }
  for (const { tBodies } of document.querySelectorAll<HTMLTableElement>("table.effects")) markRepeats([...(tBodies[0]?.rows ?? [])], [0]);
  for (const matrix of document.querySelectorAll<HTMLTableElement>("table.matrix")) filterMatrix(matrix, summary, selection);
  tellUnprinted();
}

/** Notes how many of a long table's rows printing leaves out (style.css). */
function tellUnprinted(): void {
  for (const note of document.querySelectorAll<HTMLElement>(".unprinted")) {
    const rows = note.closest(".table")?.querySelectorAll("tbody > tr:not([hidden])").length ?? 0;
    const more = rows - Number(note.dataset["printed"]);
    note.hidden = more <= 0;
    note.textContent = `${more.toLocaleString("en-US")} more in the file`;
  }
}

function hideColumn(table: HTMLTableElement, column: number, hidden: boolean): void {
  for (const row of table.rows) {
    const cell = row.cells[column];
    if (cell) cell.hidden = hidden;
  }
}

/** Blanks filtered cells, and hides rows and columns of which nothing else is left. */
function filterMatrix(matrix: HTMLTableElement, summary: Summary, selection: Selection): void {
  const rows = [...matrix.rows];
  const shows = (cell: HTMLTableCellElement | undefined): boolean => {
    const found = summary.cells[Number(cell?.dataset["cell"] ?? NaN)];
    return found !== undefined && selection.cell(found);
  };
  const holds = (cells: (HTMLTableCellElement | undefined)[]): boolean => cells.some((cell) => cell?.dataset["cell"]);
  for (const cell of matrix.querySelectorAll<HTMLTableCellElement>("td[data-cell]")) cell.classList.toggle("blank", !shows(cell));
  for (const row of rows) row.hidden = holds([...row.cells]) && ![...row.cells].some(shows);
  [...(rows[0]?.cells ?? [])].forEach((_, column) => {
    const cells = rows.map((row) => row.cells[column]);
    if (holds(cells)) hideColumn(matrix, column, !cells.some(shows));
  });
  const empty = (part: Element): boolean => ![...part.querySelectorAll<HTMLTableCellElement>("td[data-cell]")].some(shows);
  for (const part of [matrix.closest<HTMLElement>(".tooled"), matrix.closest("figure")]) if (part) part.hidden = empty(part);
}

/** The texts of several columns joined, for narrow screens. */
function inOne(texts: string[][], columns: number[]): (row: number) => string {
  const text = (row: number, column: number): string => texts[row]?.[column] ?? "";
  // The codec's name includes the format.
  const repeated = (column: number): boolean =>
    columns.some((other) => texts.every((_, row) => text(row, other).startsWith(`${text(row, column)}/`)));
  const told = columns.filter((column) => !repeated(column));
  return (row) => told.map((column) => text(row, column)).join(" \u00b7 ");
}

/** The column of hops, among the axes: `axis_columns` in `crates/results/report/src/tables.rs`. */
const HOPS = "hops";

/**
 * Prepares a table whose first columns say what a row is about: on a narrow screen the first column has all of it, in
 * `data-axes`, and the others, `.axis`, give way to figures (see style.css). An axis with one value is not repeated in every row.
 */
export function stack(table: HTMLTableElement, known: AxisInfo[], { axes }: Summary["study"]): void {
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])];
  const nameOf = (heading: HTMLElement): string => heading.textContent?.trim() ?? "";
  const numbers = [HOPS, ...known.map(({ name }) => name)];
  const isAxis = (heading: HTMLElement): boolean => !heading.classList.contains("number") || numbers.includes(nameOf(heading));
  const end = headings.findIndex((heading) => !isAxis(heading));
  const rows = [...(table.tBodies[0]?.rows ?? [])];
  if (end < 2 || rows.length === 0) return;
  table.classList.add("stacks");
  const leading = headings.slice(0, end);
  const values: Record<string, unknown> = { ...axes };
  const hasOne = (heading: HTMLElement): boolean => {
    const found = values[nameOf(heading)];
    return Array.isArray(found) && found.length === 1;
  };
  const many = leading.filter((heading) => !hasOne(heading));
  const columns = (many.length > 0 ? many : leading).map((heading) => heading.cellIndex);
  const said = inOne(rows.map((row) => leading.map((_, column) => row.cells[column]?.textContent ?? "")), columns);
  rows.forEach((row, place) => row.cells[0]?.setAttribute("data-axes", said(place)));
  (headings[0]?.querySelector("button") ?? headings[0])?.setAttribute("data-axes", "combination");
  for (const row of table.rows) [...row.cells].slice(1, end).forEach((cell) => cell.classList.add("axis"));
}
