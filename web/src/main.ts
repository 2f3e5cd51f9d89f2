// The report's front end: reads the data that the page carries, then filters, tables and charts.

import "./style.css";
import type { View } from "./charts/drawing";
import { filters } from "./filters";
import { type PageData, withCodings } from "./model";
import { palette } from "./palette";
import { useScales } from "./quantity";
import { charts, navigation } from "./sections";
import { type Sortable, filterRows, sortable } from "./tables";

function start(): void {
  const text = document.getElementById("wiredyno-data")?.textContent;
  if (!text) return;
  const read = JSON.parse(text) as PageData;
  useScales(read.scales);
  const data = { ...read, summary: withCodings(read.summary) };
  const { summary } = data;
  const place = document.getElementById("filters") ?? document.createElement("div");
  let redraw = (): void => {};
  const tables: Sortable[] = [];
  const selection = filters(place, data, (changed) => {
    filterRows(summary, changed);
    for (const table of tables) table.arrange(changed.together());
    redraw();
  });
  const colours = palette(data);
  redraw = charts((): View => ({
    data,
    palette: colours,
    cells: summary.cells.filter((cell) => cell.valid_trials > 0 && selection.cell(cell)),
    codecs: summary.codecs.filter((codec) => codec.valid_trials > 0 && selection.codec(codec)),
  }));
  for (const table of document.querySelectorAll<HTMLTableElement>("main table")) tables.push(sortable(table));
  navigation();
  document.documentElement.dataset["ready"] = "true";
}

start();
