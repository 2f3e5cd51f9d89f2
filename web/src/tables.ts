// Tables come from the server side complete; this adds sorting by column, hides what the filters hide, and says what a row
// has in common with the one above only once.

import type { Selection } from "./filters";
import type { Summary } from "./model";

export interface Sortable {
  /** Sorts anew by the column chosen, and shows anew what rows have in common; `together` keeps groups in one piece. */
  arrange(together: boolean): void;
}

type Row = HTMLTableRowElement;

/** What keeps rows together: columns that sorting never mixes, and one that it mixes on demand. */
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

/** Makes the columns of a table sortable: numbers by `data-sort`, words by their text. */
export function sortable(table: HTMLTableElement): Sortable {
  const body = table.tBodies[0];
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])];
  const hasNumbers = headings.some((heading) => heading.classList.contains("number"));
  if (!body || body.rows.length < 2 || !hasNumbers) return { arrange: () => {} };
  const groups = grouping(headings);
  const asWritten = [...body.rows];
  let chosen: { column: number; ascending: boolean } | null = null;
  let keep = true;
  const arrange = (together: boolean): void => {
    keep = together;
    const rows = chosen ? sorted(asWritten, groups, chosen.column, chosen.ascending, together) : asWritten;
    body.append(...rows);
    markRepeats(rows, [...groups.apart, ...groups.together]);
  };
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const ascending = heading.getAttribute("aria-sort") !== "ascending";
      for (const other of headings) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      chosen = { column, ascending };
      arrange(keep);
    });
  });
  return { arrange };
}

/** Groups by their best row, rows within their group; what has no number comes last either way. */
function sorted(rows: Row[], groups: Grouping, column: number, ascending: boolean, together: boolean): Row[] {
  const order = (a: Row, b: Row): number => compare(a.cells[column], b.cells[column], ascending);
  const apart = [...new Set(rows.map((row) => textOf(row, groups.apart)))];
  return apart.flatMap((value) => {
    const own = rows.filter((row) => textOf(row, groups.apart) === value).sort(order);
    if (!together || groups.together.length === 0) return own;
    const blocks = new Map<string, Row[]>();
    // Hidden rows say nothing about where their group stands.
    for (const row of [...own.filter((row) => !row.hidden), ...own.filter((row) => row.hidden)]) {
      const key = textOf(row, groups.together);
      blocks.set(key, [...(blocks.get(key) ?? []), row]);
    }
    return [...blocks.values()].flat();
  });
}

/** Only the first of the rows that have something in common says it. */
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

/** Shows the rows and the columns that the selection shows. */
export function filterRows(summary: Summary, selection: Selection): void {
  const shown = new Set(summary.codecs.filter((codec) => selection.codec(codec)).map(({ axes }) => axes.codec));
  for (const row of document.querySelectorAll<Row>("tr[data-cell], tr[data-codec], tr[data-any-payload]")) {
    const cell = summary.cells[Number(row.dataset["cell"] ?? NaN)];
    const codec = summary.codecs[Number(row.dataset["codec"] ?? NaN)];
    const any = summary.codecs[Number(row.dataset["anyPayload"] ?? NaN)];
    row.hidden =
      (cell !== undefined && !selection.cell(cell)) ||
      (codec !== undefined && !selection.codec(codec)) ||
      (any !== undefined && !shown.has(any.axes.codec));
  }
  for (const heading of document.querySelectorAll<HTMLTableCellElement>("th[data-payload]")) {
    const hidden = !selection.payload(heading.dataset["payload"] ?? "");
    heading.hidden = hidden;
    for (const row of heading.closest("table")?.tBodies[0]?.rows ?? []) {
      const cell = row.cells[heading.cellIndex];
      if (cell) cell.hidden = hidden;
    }
  }
}
