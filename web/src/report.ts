// Adds filters, tables and charts to the parts of a report that a page contains, by its markup alone. Used by the
// single-file report and by the server's page of a run.

import { address } from "./address";
import type { View } from "./charts/drawing";
import { filters } from "./filters";
import { folds } from "./folds";
import { type PageData, withCodings } from "./model";
import { palette } from "./palette";
import { useScales } from "./quantity";
import { charts, navigation } from "./sections";
import { filterTables, stack, tables } from "./tables";
import { drawingTools, tools } from "./tools";

/** Activates the sections inside `root`, until `signal` says that the page shows something else; `gradually` draws charts as they come near. */
export function report(root: ParentNode, read: PageData, { signal = new AbortController().signal, gradually = false } = {}): void {
  useScales(read.scales);
  const data = { ...read, summary: withCodings(read.axes, read.summary) };
  const { summary } = data;
  let keep = (): void => {};
  const place = document.getElementById("filters") ?? document.createElement("div");
  const selection = filters(place, data, () => {
    show();
    keep();
  });
  const colours = palette(data);
  const view = (): View => ({
    data,
    palette: colours,
    cells: summary.cells.filter((cell) => cell.valid_trials > 0 && selection.cell(cell)),
    codecs: summary.codecs.filter((codec) => codec.valid_trials > 0 && selection.codec(codec)),
  });
  const written = [...root.querySelectorAll<HTMLTableElement>("table")];
  const ordered = tables(written.filter((table) => !table.matches(".matrix")), selection.together, () => keep());
  for (const table of written) stack(table, data.axes, summary.study);
  tools(written, summary.run.id);
  drawingTools(root);
  const drawn = charts(view, () => keep(), signal, gradually);
  const show = (): void => {
    filterTables(summary, selection);
    ordered.arrange();
    drawn.redraw();
  };
  const folded = folds(() => {
    drawn.unfolded();
    keep();
  }, signal);
  keep = address([selection, ordered, drawn, folded], show, signal);
  navigation(signal);
}
