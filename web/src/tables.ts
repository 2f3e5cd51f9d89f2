// Tables come from the server side complete; this adds sorting by column and hides what the filters hide.

import type { Selection } from "./filters";
import type { Summary } from "./model";

/** Makes the columns of a table sortable: numbers by `data-sort`, words by their text. */
export function sortable(table: HTMLTableElement): void {
  const body = table.tBodies[0];
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])];
  const hasNumbers = headings.some((heading) => heading.classList.contains("number"));
  if (!body || body.rows.length < 2 || !hasNumbers) return;
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const ascending = heading.getAttribute("aria-sort") !== "ascending";
      for (const other of headings) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      const rows = [...body.rows].sort((a, b) => compare(a.cells[column], b.cells[column]));
      body.append(...(ascending ? rows : rows.reverse()));
    });
  });
}

function compare(a: HTMLTableCellElement | undefined, b: HTMLTableCellElement | undefined): number {
  const [x, y] = [a, b].map((cell) => (cell?.dataset["sort"] === undefined ? null : Number(cell.dataset["sort"])));
  if (x != null && y != null) return x - y;
  if (x != null || y != null) return x == null ? 1 : -1;
  return (a?.textContent ?? "").localeCompare(b?.textContent ?? "", "en", { numeric: true });
}

/** Shows the rows that the selection shows. */
export function filterRows(summary: Summary, selection: Selection): void {
  for (const row of document.querySelectorAll<HTMLTableRowElement>("tr[data-cell], tr[data-codec]")) {
    const cell = summary.cells[Number(row.dataset["cell"] ?? NaN)];
    const codec = summary.codecs[Number(row.dataset["codec"] ?? NaN)];
    row.hidden = (cell !== undefined && !selection.cell(cell)) || (codec !== undefined && !selection.codec(codec));
  }
}
