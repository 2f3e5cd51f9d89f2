// The single-file report: reads the data embedded in the page.

import "./style.css";
import type { PageData } from "./model";
import { report } from "./report";

/** JSON compressed with gzip and encoded as base64. */
async function unpacked(text: string): Promise<PageData> {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as PageData;
}

async function start(): Promise<void> {
  const text = document.getElementById("wiredyno-data")?.textContent;
  const root = document.querySelector("main");
  if (!text || !root) return;
  report(root, await unpacked(text));
  document.documentElement.dataset["ready"] = "true";
}

void start();
