// Filters: one group of toggles per axis with more than one value, families of formats, words to look for, and the best of
// each format. They act on tables and charts alike.

import { type CellSummary, type CodecCell, type CodecSummary, type PageData, codecOf, familyOf, formatOf } from "./model";

const LINK_AXES = ["mode", "link", "loss"] as const;

type AxisName = "payload" | "family" | "codec" | "compression" | (typeof LINK_AXES)[number];

/** With more codecs than this, families and words choose among them rather than a toggle each. */
const TOGGLES = 12;

/** What the best of a format is: the metric, and what it is called. */
const BEST = [["body", "the smallest of each format"], ["total", "the quickest of each format"]] as const;

export interface Selection {
  cell(cell: CellSummary): boolean;
  codec(codec: CodecSummary): boolean;
  payload(payload: string): boolean;
  /** Whether sorting keeps the codecs of a format together. */
  together(): boolean;
}

interface Axis {
  name: AxisName;
  values: string[];
  label(value: string): string;
}

/** The codecs of the study, each once, whatever is done to their bytes. */
function codecsOf(data: PageData): string[] {
  return [...new Set(data.summary.study.axes.codec.map(codecOf))];
}

function axesOf(data: PageData): Axis[] {
  const { payload, compression = [], mode, link, loss } = data.summary.study.axes;
  const asItIs = (value: string): string => value;
  const codec = codecsOf(data);
  const many = codec.length > TOGGLES;
  const axes: Axis[] = [
    { name: "payload", values: payload, label: asItIs },
    { name: "family", values: many ? data.families.map(({ title }) => title) : [], label: asItIs },
    { name: "codec", values: many ? [] : codec, label: asItIs },
    { name: "compression", values: compression, label: asItIs },
    { name: "mode", values: mode, label: asItIs },
    { name: "link", values: link, label: asItIs },
    { name: "loss", values: loss.map(String), label: (value) => `${+(Number(value) * 100).toFixed(4)} %` },
  ];
  return axes.filter((axis) => axis.values.length > 1);
}

/** What is chosen. */
class Choice {
  private readonly hidden = new Map<AxisName, Set<string>>();
  private best: Set<CodecSummary> | null = null;
  words: string[] = [];
  metric = "";
  together = true;

  constructor(private readonly data: PageData) {}

  toggle(axis: AxisName, value: string, shown: boolean): void {
    const values = this.hidden.get(axis) ?? new Set<string>();
    if (shown) values.delete(value);
    else values.add(value);
    this.hidden.set(axis, values);
  }

  clear(): void {
    this.hidden.clear();
    this.words = [];
    this.metric = "";
    this.together = true;
  }

  /** How many restrictions are in force. */
  count(): number {
    const values = [...this.hidden.values()].reduce((sum, values) => sum + values.size, 0);
    return values + (this.words.length > 0 ? 1 : 0) + (this.metric ? 1 : 0);
  }

  shows(axis: AxisName, value: string | number | null | undefined): boolean {
    return value == null || !this.hidden.get(axis)?.has(String(value));
  }

  /** By payload, by family, words and the toggle of its codec, and by compression. */
  showsCoding({ payload, codec, compression }: CodecCell): boolean {
    const family = this.data.families[familyOf(this.data, codec)]?.title ?? "";
    const text = `${codec} ${family}`.toLowerCase();
    return (
      this.shows("payload", payload) &&
      this.shows("codec", codecOf(codec)) &&
      this.shows("compression", compression ?? "none") &&
      this.shows("family", family) &&
      this.words.every((word) => text.includes(word))
    );
  }

  /** Finds the best of each format again: those that are shown compete. */
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

/** A toggle for each value, and what sets all of them back. */
function toggles(axis: Axis, choice: Choice, change: () => void): { content: HTMLElement; reset(): void } {
  const boxes: HTMLInputElement[] = [];
  const labels = axis.values.map((value) => {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => {
      choice.toggle(axis.name, value, box.checked);
      change();
    });
    boxes.push(box);
    return labelled(box, axis.label(value));
  });
  const reset = (): void => boxes.forEach((box) => (box.checked = true));
  return { content: group(axis.name, labels), reset };
}

/** Words to look for, the best of each format, and whether formats stay together. */
function amongMany(choice: Choice, change: () => void): { content: HTMLElement; reset(): void } {
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
  together.checked = true;
  together.addEventListener("change", () => {
    choice.together = together.checked;
    change();
  });
  const reset = (): void => {
    words.value = "";
    best.value = "";
    together.checked = true;
  };
  return { content: group("codecs", [words, best, labelled(together, "sort formats as one")]), reset };
}

/** Builds the filters inside `place`; `changed` is called with every new selection. */
export function filters(place: HTMLElement, data: PageData, changed: (selection: Selection) => void): Selection {
  const choice = new Choice(data);
  const selection: Selection = {
    cell: ({ axes }) => choice.showsCoding(axes) && LINK_AXES.every((axis) => choice.shows(axis, axes[axis])),
    codec: (codec) => choice.isShown(codec),
    payload: (payload) => choice.shows("payload", payload),
    together: () => choice.together,
  };
  const details = document.createElement("details");
  const heading = document.createElement("summary");
  const reset = document.createElement("button");
  const describe = (): void => {
    const count = choice.count();
    heading.textContent = count === 0 ? "Filter" : `Filter (${count})`;
    reset.disabled = count === 0 && choice.together;
  };
  const change = (): void => {
    choice.settle();
    describe();
    changed(selection);
  };
  const axes = axesOf(data);
  const parts = axes.map((axis) => toggles(axis, choice, change));
  if (data.summary.codecs.length > 0 && codecsOf(data).length > TOGGLES) parts.unshift(amongMany(choice, change));
  if (parts.length === 0) return selection;

  const panel = document.createElement("div");
  panel.className = "filter-panel";
  reset.type = "button";
  reset.textContent = "Show all";
  reset.addEventListener("click", () => {
    choice.clear();
    for (const part of parts) part.reset();
    change();
  });
  panel.append(...parts.map(({ content }) => content), reset);
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    details.open = false;
    heading.focus();
  });
  describe();
  details.append(heading, panel);
  place.append(details);
  return selection;
}
