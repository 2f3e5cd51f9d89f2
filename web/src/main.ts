// The report's front end: reads the data that the page carries, then filters, tables and charts.

import "./style.css";
import type { View } from "./charts/drawing";
import { filters } from "./filters";
import { type PageData, withCodings } from "./model";
import { palette } from "./palette";
import { charts, navigation } from "./sections";
import { filterRows, sortable } from "./tables";

function start(): void {
  const text = document.getElementById("wiredyno-data")?.textContent;
  if (!text) return;
  const read = JSON.parse(text) as PageData;
  const data = { ...read, summary: withCodings(read.summary) };
  const { summary } = data;
  const place = document.getElementById("filters") ?? document.createElement("div");
  let redraw = (): void => {};
  const selection = filters(place, summary, (changed) => {
    filterRows(summary, changed);
    redraw();
  });
  const colours = palette(summary.study.axes);
  redraw = charts((): View => ({
    data,
    palette: colours,
    cells: summary.cells.filter((cell) => cell.valid_trials > 0 && selection.cell(cell)),
    codecs: summary.codecs.filter((codec) => codec.valid_trials > 0 && selection.codec(codec)),
  }));
  for (const table of document.querySelectorAll<HTMLTableElement>("main table")) sortable(table);
  navigation();
  document.documentElement.dataset["ready"] = "true";
}

start();
