// The single-file report: takes the data that the page carries.

import "./style.css";
import type { PageData } from "./model";
import { report } from "./report";

function start(): void {
  const text = document.getElementById("wiredyno-data")?.textContent;
  const root = document.querySelector("main");
  if (!text || !root) return;
  report(root, JSON.parse(text) as PageData);
  document.documentElement.dataset["ready"] = "true";
}

start();
