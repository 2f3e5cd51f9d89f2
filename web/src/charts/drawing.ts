// The building blocks of charts: a view of the data, panels, legends, and the frame that horizontal charts share.

import * as Plot from "@observablehq/plot";
import type { Numbers } from "../files";
import type { CellSummary, CodecSummary, Metric, PageData } from "../model";
import type { Palette, SymbolName } from "../palette";
import { logTicks, tick } from "../quantity";
import { apart, shortened } from "./labels";

/** The data that a chart may draw: what the filters leave. */
export interface View {
  data: PageData;
  palette: Palette;
  cells: CellSummary[];
  codecs: CodecSummary[];
}

export interface Panel {
  title: string;
  /** The text alternative. */
  alt?: string;
  /** Its numbers; none if nothing was measured. */
  numbers: Numbers[];
  draw(width: number): HTMLElement | SVGSVGElement;
}

/** Columns of a figure: its mean and interval, in the unit of the summary. */
export function figured(name: string, { mean, interval_95: ends, unit }: Metric): Numbers {
  return { [`${name} (${unit})`]: mean, [`${name} from`]: ends?.[0] ?? null, [`${name} to`]: ends?.[1] ?? null };
}

export interface LegendEntry {
  label: string;
  /** Absent for a remark. */
  mark?(): Element;
}

/** A choice that a chart offers to the reader. */
export interface Control {
  label: string;
  options: { value: string; label: string }[];
  /** The current choice. */
  value: string;
}

export interface Drawing {
  controls?: Control[];
  legend?: LegendEntry[];
  panels: Panel[];
  /** Why there are no panels, if the reason is not that nothing was measured or is shown. */
  instead?: string;
  /** Most panels side by side on a wide screen. */
  columns?: number;
  /** The number of panels shown at first; the others fold away. */
  first?: number;
}

/** Draws a view with the values of the chart's controls, one each; the chart chooses missing or unknown ones itself. */
export type Chart = (view: View, chosen: string[]) => Drawing;

const SVG = "http://www.w3.org/2000/svg";

const SHAPES: Record<SymbolName, string> = {
  circle: "M5,0A5,5,0,1,1,-5,0A5,5,0,1,1,5,0",
  square: "M-4.5,-4.5H4.5V4.5H-4.5Z",
  triangle: "M0,-5.5L5,4H-5Z",
  diamond: "M0,-6L4,0L0,6L-4,0Z",
  star: "M0,-6L1.5,-2L5.7,-1.9L2.3,0.8L3.5,4.9L0,2.5L-3.5,4.9L-2.3,0.8L-5.7,-1.9L-1.5,-2Z",
  wye: "M-1.5,5V0.9L-5,-1.2L-3.5,-3.8L0,-1.7L3.5,-3.8L5,-1.2L1.5,0.9V5Z",
  cross: "M-1.7,-5H1.7V-1.7H5V1.7H1.7V5H-1.7V1.7H-5V-1.7H-1.7Z",
  asterisk: "M-0.8,-6H0.8V6H-0.8ZM-5.6,-2.3L-4.8,-3.7L5.6,2.3L4.8,3.7Z",
};

function swatch(content: (svg: SVGSVGElement) => void): Element {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "-12 -8 24 16");
  svg.setAttribute("width", "24");
  svg.setAttribute("height", "16");
  svg.setAttribute("aria-hidden", "true");
  content(svg);
  return svg;
}

function shape(svg: SVGSVGElement, name: string, attributes: Record<string, string>): void {
  const element = document.createElementNS(SVG, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) {
    // A page may be allowed no style attributes.
    if (key === "style") element.style.cssText = value;
    else element.setAttribute(key, value);
  }
  svg.append(element);
}

/** Legend of the codecs of a view, or their families, with colour and symbol. */
export function codecLegend(view: View, ids: Iterable<string>): LegendEntry[] {
  const meanings = new Map([...ids].map((id) => [view.palette.meaning(id), view.palette.codec(id)]));
  return [...meanings].map(([label, { colour, symbol }]) => {
    return { label, mark: () => swatch((svg) => shape(svg, "path", { d: SHAPES[symbol], style: `fill:${colour}` })) };
  });
}

/** Legend of the modes of a view with their line. */
export function modeLegend(view: View, ids: Iterable<string>): LegendEntry[] {
  return [...new Set(ids)].map((label) => {
    const { colour, dash } = view.palette.mode(label);
    return lineEntry(label, colour, dash);
  });
}

/** The colour of a curve: its mode's, or its codec's if all have the same mode. */
export function curveColour({ data, palette }: View, { codec, mode }: CellSummary["axes"]): string {
  return data.summary.study.axes.mode.length > 1 ? palette.mode(mode).colour : palette.codec(codec).colour;
}

/** Legend of curve colours. */
export function curveLegend(view: View, cells: CellSummary[]): LegendEntry[] {
  const { codec, mode } = view.data.summary.study.axes;
  if (mode.length > 1) return modeLegend(view, inOrder(mode, cells.map(({ axes }) => axes.mode)));
  return inOrder(codec, cells.map(({ axes }) => axes.codec)).map((id) => lineEntry(id, view.palette.codec(id).colour));
}

/** A line. */
export function lineEntry(label: string, colour: string, dash = "none"): LegendEntry {
  const style = `stroke:${colour};stroke-width:2.5;stroke-dasharray:${dash}`;
  return { label, mark: () => swatch((svg) => shape(svg, "line", { x1: "-12", x2: "12", y1: "0", y2: "0", style })) };
}

/** A filled area. */
export function areaEntry(label: string, colour: string, opacity = 1): LegendEntry {
  const attributes = { x: "-9", y: "-5", width: "18", height: "10", rx: "2", style: `fill:${colour};fill-opacity:${opacity}` };
  return { label, mark: () => swatch((svg) => shape(svg, "rect", attributes)) };
}

/** A symbol in one colour. */
export function symbolEntry(label: string, colour: string, symbol: SymbolName): LegendEntry {
  return { label, mark: () => swatch((svg) => shape(svg, "path", { d: SHAPES[symbol], style: `fill:${colour}` })) };
}

/** Room for labels at the left: the width of the longest, at most a third of the plot. */
export function labelRoom(labels: string[], width: number): number {
  const longest = Math.max(...labels.map((label) => label.length), 4);
  return Math.min(longest * 6.9 + 12, width * 0.36);
}

/** Whether a panel has room only for the most important words. */
export function isNarrow(width: number): boolean {
  return width < 420;
}

/** With more rows than this, rows are low and labels short. */
const FEW_ROWS = 14;

export function manyRows(rows: string[]): boolean {
  return rows.length > FEW_ROWS;
}

/** A label cut to a number of characters, in its middle, because codecs differ at both ends. */
function fitted(label: string, most: number): string {
  if (label.length <= most) return label;
  const tail = Math.ceil((most - 1) * 0.6);
  return `${label.slice(0, Math.max(1, most - 1 - tail))}\u2026${label.slice(-tail)}`;
}

const ROW = 24;
const LOW_ROW = 16;

export interface Frame {
  width: number;
  unit: string;
  label: string;
  domain: [number, number];
  log?: boolean;
  /** Groups of rows with a label each: modes. Absent: each row has its own label. */
  groups?: string[];
  rows: string[];
  /** Room at the right for direct labels. */
  right?: number;
}

/** Horizontal rows over one quantity, grouped by mode where there are groups. */
export function frame(options: Frame, marks: Plot.Markish[]): HTMLElement | SVGSVGElement {
  const { width, unit, domain, log = false, groups, rows, right = 58 } = options;
  const left = labelRoom(groups ?? rows, width);
  const room = Math.max(2, Math.floor((width - left - right) / (log ? 62 : 90)));
  const row = manyRows(rows) ? LOW_ROW : ROW;
  const height = groups ? groups.length * (rows.length * 15 + 9) + 48 : rows.length * row + 48;
  return Plot.plot({
    width,
    height,
    marginLeft: left,
    marginRight: right,
    marginTop: 4,
    marginBottom: 42,
    style: { background: "none", fontSize: "12px", fontFamily: "inherit", overflow: "visible" },
    x: {
      type: log ? "log" : "linear",
      domain,
      ticks: log ? logTicks(domain, room) : room,
      tickFormat: (value: number) => (log ? tick(value, unit) : tick(value, unit, domain[1])),
      label: log ? `${options.label} (logarithmic)` : options.label,
      labelAnchor: "center",
      labelArrow: "none",
      grid: true,
    },
    ...(groups
      ? { fy: { domain: groups, label: null, axis: "left", padding: 0.12, tickFormat: (label: string) => fitted(label, Math.floor((left - 8) / 6.8)) }, y: { type: "band", domain: rows, axis: null, padding: 0.15 } }
      : { y: { type: "band", domain: rows, label: null, tickSize: 0, padding: 0.2, tickFormat: (label: string) => fitted(label, Math.floor((left - 8) / 6.8)) } }),
    color: { type: "identity" },
    symbol: { type: "identity" },
    opacity: { type: "identity" },
    marks,
  });
}

/** Width of a character of a label at a curve's end, and height of its line, in pixels. */
const [END_CHARACTER, END_LINE] = [6.3, 12];

/** The largest share of a plot's width that names of curves take. */
const END_SHARE = 0.42;

/** The last point of a curve. */
export interface End {
  x: number;
  y: number;
  name: string;
  colour: string;
}

/** The names of curves, cut to fit beside them. */
function endNames(ends: { name: string }[], width: number): string[] {
  return shortened(ends.map(({ name }) => name), Math.floor((width * END_SHARE - 16) / END_CHARACTER));
}

/** Room at the right for the names of curves. */
export function endRoom(ends: { name: string }[], width: number): number {
  const longest = Math.max(0, ...endNames(ends, width).map((name) => name.length));
  return Math.min(longest * END_CHARACTER + 16, width * END_SHARE);
}

/** Names at the ends of curves, without overlaps, in a plot whose frame spans these pixels from the top. */
export function endLabels(ends: End[], [low, high]: [number, number], log: boolean, [top, bottom]: [number, number], width: number): Plot.Markish[] {
  const scaled = (value: number): number => (log ? Math.log(value) : value);
  const pixels = ends.map(({ y }) => bottom - ((scaled(y) - scaled(low)) / (scaled(high) - scaled(low))) * (bottom - top));
  const names = endNames(ends, width);
  const most = Math.round((endRoom(ends, width) - 16) / END_CHARACTER);
  return apart(pixels, END_LINE, [top, bottom]).map((place, at) =>
    Plot.text([ends[at]], {
      x: "x", y: "y", text: () => fitted(names[at] ?? "", most), fill: "colour", textAnchor: "start", dx: 9, dy: place - (pixels[at] ?? 0), fontSize: 11,
    }),
  );
}

/** A range from zero to a little beyond the largest value. */
export function fromZero(values: number[]): [number, number] {
  const top = Math.max(0, ...values.filter(Number.isFinite));
  return [0, top > 0 ? top * 1.04 : 1];
}

/** Whether a quantity spans so much that small values vanish on a linear scale. */
export function spansDecades(values: number[]): boolean {
  const positive = values.filter((value) => value > 0);
  return positive.length > 1 && Math.max(...positive) / Math.min(...positive) > 12;
}

/** A range around all values, with some margin. */
export function around(values: number[], log: boolean): [number, number] {
  const finite = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  if (finite.length === 0) return log ? [1, 10] : [0, 1];
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  if (log) return [low / 1.15, high * 1.15];
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
}

/** Distinct values in the order of the study's axis. */
export function inOrder(axis: string[] | undefined, present: Iterable<string>): string[] {
  const there = new Set(present);
  const known = (axis ?? []).filter((value) => there.has(value));
  return [...known, ...[...there].filter((value) => !known.includes(value))];
}
