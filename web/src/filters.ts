// Filters: one group of toggles per axis with more than one value, families of formats, a text search, and the best of
// each format. They act on tables and charts alike, and are kept in the page's address.

import type { Keeper } from "./address";
import { type CellSummary, type CodecCell, type CodecSummary, type PageData, codecOf, familyOf, formatOf, valueOf } from "./model";
import type { Values } from "./state";

/** Axes of the encoding; the others are axes of sending. */
const CODING: readonly string[] = ["payload", "family", "codec", "compression"];

/** With more codecs than this, families and a search select them instead of a toggle each. */
const TOGGLES = 12;

/** The metric that decides the best of a format, and its name. */
const BEST = [["body", "the smallest of each format"], ["total", "the fastest of each format"]] as const;

export interface Selection extends Keeper {
  cell(cell: CellSummary): boolean;
  codec(codec: CodecSummary): boolean;
  payload(payload: string): boolean;
  /** Whether sorting keeps the codecs of a format together. */
  together(): boolean;
}

interface Axis {
  name: string;
  values: string[];
  label(value: string): string;
}

/** The codecs of the study, each once, without compression. */
function codecsOf(data: PageData): string[] {
  return [...new Set(data.summary.study.axes.codec.map(codecOf))];
}

/** The axes that few studies have (brokers, publishers, options, ...), with their values in the order of the cells. */
function furtherAxes({ cells }: PageData["summary"], known: Axis[]): Axis[] {
  const names = new Set(cells.flatMap(({ axes: { options = {}, ...axes } }) => [...Object.keys(axes), ...Object.keys(options)]));
  known.forEach(({ name }) => names.delete(name));
  return [...names].map((name) => {
    const values = new Set(cells.map(({ axes }) => valueOf(axes, name)).filter((value) => value != null).map(String));
    return { name, values: [...values], label: (value) => value };
  });
}

/** What can be filtered: axes with more than one value. */
export function axesOf(data: PageData): Axis[] {
  const { payload, compression = [], mode, link, loss, rate = [] } = data.summary.study.axes;
  const asItIs = (value: string): string => value;
  const titleOf = (family: string): string => data.families.find(({ name }) => name === family)?.title ?? family;
  const codec = codecsOf(data);
  const many = codec.length > TOGGLES;
  const axes: Axis[] = [
    { name: "payload", values: payload, label: asItIs },
    { name: "family", values: many ? data.families.map(({ name }) => name) : [], label: titleOf },
    { name: "codec", values: many ? [] : codec, label: asItIs },
    { name: "compression", values: compression, label: asItIs },
    { name: "mode", values: mode, label: asItIs },
    { name: "link", values: link, label: asItIs },
    { name: "loss", values: loss.map(String), label: (value) => `${+(Number(value) * 100).toFixed(4)} %` },
    { name: "rate", values: rate, label: asItIs },
  ];
  return [...axes, ...furtherAxes(data.summary, axes)].filter((axis) => axis.values.length > 1);
}

/** What the reader has chosen. */
class Choice {
  private readonly hidden = new Map<string, Set<string>>();
  private best: Set<CodecSummary> | null = null;
  words: string[] = [];
  metric = "";
  together = true;

  constructor(
    private readonly data: PageData,
    private readonly axes: Axis[],
  ) {}

  toggle(axis: string, value: string, shown: boolean): void {
    const values = this.hidden.get(axis) ?? new Set<string>();
    if (shown) values.delete(value);
    else values.add(value);
    this.hidden.set(axis, values);
  }

  /** As written in the address: for each axis the hidden values, with a minus. */
  values(): Values {
    const hidden = [...this.hidden].map(([axis, values]) => [axis, [...values].map((value) => `-${value}`)] as const);
    return {
      ...Object.fromEntries(hidden),
      words: this.words,
      best: this.metric ? [this.metric] : [],
      formats: this.together ? [] : ["apart"],
    };
  }

  restore({ words = [], best = [], formats = [], ...hidden }: Values): void {
    this.hidden.clear();
    for (const axis of this.axes) {
      const known = axis.values.filter((value) => hidden[axis.name]?.includes(`-${value}`));
      for (const value of known) this.toggle(axis.name, value, false);
    }
    this.words = words.map((word) => word.toLowerCase());
    this.metric = BEST.find(([metric]) => metric === best[0])?.[0] ?? "";
    this.together = formats[0] !== "apart";
  }

  /** How many restrictions are in force. */
  count(): number {
    const values = [...this.hidden.values()].reduce((sum, values) => sum + values.size, 0);
    return values + (this.words.length > 0 ? 1 : 0) + (this.metric ? 1 : 0);
  }

  shows(axis: string, value: string | number | null | undefined): boolean {
    return value == null || !this.hidden.get(axis)?.has(String(value));
  }

  /** By payload, family, search words, the toggle of its codec, and compression. */
  showsCoding({ payload, codec, compression }: CodecCell): boolean {
    const family = this.data.families[familyOf(this.data, codec)];
    const text = `${codec} ${family?.title ?? ""}`.toLowerCase();
    return (
      this.shows("payload", payload) &&
      this.shows("codec", codecOf(codec)) &&
      this.shows("compression", compression ?? "none") &&
      this.shows("family", family?.name) &&
      this.words.every((word) => text.includes(word))
    );
  }

  /** Finds the best of each format again, among those that are shown. */
  settle(): void {
    this.best = null;
    if (!this.metric) return;
    const best = new Map<string, CodecSummary>();
    const value = (codec: CodecSummary | undefined): number => codec?.metrics[this.metric]?.mean ?? Infinity;
    for (const codec of this.data.summary.codecs) {
      if (!this.isShown(codec)) continue;
      const key = `${codec.axes.payload} ${formatOf(codec.axes.codec)}`;
      if (!best.has(key) || value(codec) < value(best.get(key))) best.set(key, codec);
    }
    this.best = new Set(best.values());
  }

  isShown(codec: CodecSummary): boolean {
    return this.showsCoding(codec.axes) && (this.best?.has(codec) ?? true);
  }
}

function labelled(box: HTMLElement, text: string): HTMLLabelElement {
  const label = document.createElement("label");
  label.append(box, text);
  return label;
}

function group(title: string, content: HTMLElement[]): HTMLFieldSetElement {
  const fieldset = document.createElement("fieldset");
  const legend = document.createElement("legend");
  legend.textContent = title;
  fieldset.append(legend, ...content);
  return fieldset;
}

/** A part of the panel; `show` sets it to the current choice. */
interface Part {
  content: HTMLElement;
  show(): void;
}

/** A toggle for each value. */
function toggles(axis: Axis, choice: Choice, change: () => void): Part {
  const boxes = axis.values.map((value) => {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.addEventListener("change", () => {
      choice.toggle(axis.name, value, box.checked);
      change();
    });
    return { box, value };
  });
  const show = (): void => boxes.forEach(({ box, value }) => (box.checked = choice.shows(axis.name, value)));
  return { content: group(axis.name, boxes.map(({ box, value }) => labelled(box, axis.label(value)))), show };
}

/** The text search, the best of each format, and whether formats stay together. */
function amongMany(choice: Choice, change: () => void): Part {
  const words = document.createElement("input");
  words.type = "search";
  words.placeholder = "json, wiredyno, zero-copy \u2026";
  words.setAttribute("aria-label", "codecs whose name or family has these words");
  words.addEventListener("input", () => {
    choice.words = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    change();
  });
  const best = document.createElement("select");
  best.setAttribute("aria-label", "codecs of a format");
  best.append(new Option("all of each format", ""), ...BEST.map(([metric, title]) => new Option(title, metric)));
  best.addEventListener("change", () => {
    choice.metric = best.value;
    change();
  });
  const together = document.createElement("input");
  together.type = "checkbox";
  together.addEventListener("change", () => {
    choice.together = together.checked;
    change();
  });
  const show = (): void => {
    words.value = choice.words.join(" ");
    best.value = choice.metric;
    together.checked = choice.together;
  };
  return { content: group("codecs", [words, best, labelled(together, "sort formats as one")]), show };
}

/** `36 of 44 combinations`: of messages, or of payload and codec if no messages were sent. */
function extent({ cells, codecs }: PageData["summary"], selection: Selection): string {
  const [shown, all] = cells.length > 0
    ? [cells.filter(selection.cell).length, cells.length]
    : [codecs.filter(selection.codec).length, codecs.length];
  return `${shown.toLocaleString("en-US")} of ${all.toLocaleString("en-US")} combinations`;
}

/** Builds the filters inside `place`; `changed` is called when the reader changes one. */
export function filters(place: HTMLElement, data: PageData, changed: () => void): Selection {
  const axes = axesOf(data);
  const sending = axes.filter(({ name }) => !CODING.includes(name));
  const choice = new Choice(data, axes);
  const details = document.createElement("details");
  const heading = document.createElement("summary");
  const status = document.createElement("p");
  const reset = document.createElement("button");
  const settle = (): void => {
    choice.settle();
    const count = choice.count();
    heading.textContent = count === 0 ? "Filter" : `Filter (${count})`;
    reset.disabled = count === 0 && choice.together;
    status.textContent = extent(data.summary, selection);
  };
  const change = (): void => {
    settle();
    changed();
  };
  const parts = axes.map((axis) => toggles(axis, choice, change));
  if (data.summary.codecs.length > 0 && codecsOf(data).length > TOGGLES) parts.unshift(amongMany(choice, change));
  const selection: Selection = {
    cell: (cell) => choice.showsCoding(cell.axes) && sending.every(({ name }) => choice.shows(name, valueOf(cell.axes, name))),
    codec: (codec) => choice.isShown(codec),
    payload: (payload) => choice.shows("payload", payload),
    together: () => choice.together,
    values: () => choice.values(),
    restore(values) {
      choice.restore(values);
      for (const part of parts) part.show();
      settle();
    },
  };
  selection.restore({});
  if (parts.length === 0) return selection;

  const panel = document.createElement("div");
  panel.className = "filter-panel";
  status.setAttribute("role", "status");
  reset.type = "button";
  reset.textContent = "Show all";
  reset.addEventListener("click", () => {
    selection.restore({});
    changed();
  });
  const foot = document.createElement("div");
  foot.className = "foot";
  foot.append(reset, status);
  panel.append(...parts.map(({ content }) => content), foot);
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    details.open = false;
    heading.focus();
  });
  details.append(heading, panel);
  place.append(details);
  return selection;
}
