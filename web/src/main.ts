// The report's front end: reads the data that the page carries, then filters, tables and charts.

import "./style.css";
import { address } from "./address";
import type { View } from "./charts/drawing";
import { filters } from "./filters";
import { folds } from "./folds";
import { type PageData, withCodings } from "./model";
import { palette } from "./palette";
import { useScales } from "./quantity";
import { charts, navigation } from "./sections";
import { filterTables, stack, tables } from "./tables";
import { tools } from "./tools";

function start(): void {
  const text = document.getElementById("wiredyno-data")?.textContent;
  if (!text) return;
  const read = JSON.parse(text) as PageData;
  useScales(read.scales);
  const data = { ...read, summary: withCodings(read.summary) };
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
  const written = [...document.querySelectorAll<HTMLTableElement>("main table")];
  const ordered = tables(written.filter((table) => !table.matches(".matrix")), selection.together, () => keep());
  for (const table of written) stack(table, summary.study);
  tools(written, summary.run.id);
  const drawn = charts(view, () => keep());
  const show = (): void => {
    filterTables(summary, selection);
    ordered.arrange();
    drawn.redraw();
  };
  const folded = folds(() => {
    drawn.unfolded();
    keep();
  });
  keep = address([selection, ordered, drawn, folded], show);
  navigation();
  document.documentElement.dataset["ready"] = "true";
}

start();
