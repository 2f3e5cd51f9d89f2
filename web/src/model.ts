// The data in the page: the summary, whose types `npm run types` makes from its published schema, and what
// crates/results/report/src/html.rs adds.

import type { CellSummary, CodecCell, Metric, Summary } from "./schema";

export type { CellSummary, CodecCell, CodecSummary, Metric, RatioInterval, Summary } from "./schema";

/** What the page needs of a metric: a part of `MetricInfo` in crates/base/model/src/metric.rs. */
export interface MetricInfo {
  name: string;
  scope: "message" | "codec";
  unit: string;
  better: "lower" | "higher" | "neither";
  title: string;
}

/** How a unit of the summary is written from a magnitude on; crates/results/answers/src/quantity.rs defines them. */
export interface Scale {
  least: number;
  /** The number is divided by this. */
  divisor: number;
  /** The unit's symbol. */
  name: string;
}

/** An axis that any study may have; `AxisInfo` in crates/base/model/src/axis/table.rs, embedded in the page. */
export interface AxisInfo {
  name: string;
  kind: "category" | { number: string };
  /** Whether the sender chooses its value, or it is given. */
  part: "coding" | "sending" | "condition";
  /** A value in words, with `{}` for the value; and the same for a count of 1. */
  words: string;
  one: string | null;
  /** Values that have words of their own. */
  spoken: [value: string, words: string][];
}

/** `PageData` in crates/results/report/src/html.rs. */
export interface PageData {
  summary: Summary;
  metrics: MetricInfo[];
  /** Families of formats that occur, in display order. */
  families: { name: string; title: string }[];
  /** The family of each format. */
  formats: Record<string, string>;
  /** For each unit, the largest first. */
  scales: Record<string, Scale[]>;
  /** In the order in which cells are crossed; options of protocols are further axes. */
  axes: AxisInfo[];
}

type Values = Omit<CellSummary["axes"], "options">;

/** The value of an axis, which may be an option of the cell's protocol. */
export function valueOf(axes: CellSummary["axes"], name: string): string | number | null | undefined {
  const value = axes[name as keyof Values] ?? axes.options?.[name];
  return typeof value === "boolean" ? String(value) : value;
}

/** A value of an axis in words: `5 % loss`, `linger=5ms`, `window 8`; `AxisInfo::in_words`. */
export function inWords(axes: AxisInfo[], name: string, value: string | number): string {
  const axis = axes.find((one) => one.name === name);
  if (!axis) return name.includes(".") ? `${name.split(".")[1]}=${value}` : String(value);
  const spoken = axis.spoken.find(([one]) => one === value);
  if (spoken) return spoken[1];
  const words = Number(value) === 1 && axis.one !== null ? axis.one : axis.words;
  const share = typeof axis.kind === "object" && axis.kind.number === "ratio";
  return words.replace("{}", share ? `${+(Number(value) * 100).toFixed(4)} %` : String(value));
}

/** The format of a codec. */
export function formatOf(codec: string): string {
  return codec.split("/")[0] ?? codec;
}

/** The index of a codec's family among those that occur. */
export function familyOf(data: PageData, codec: string): number {
  const name = data.formats[formatOf(codec)];
  return Math.max(0, data.families.findIndex((family) => family.name === name));
}

/** Codecs as reports group them: by family, then by format. */
export function byFormat(data: PageData, codecs: string[]): string[] {
  const key = (codec: string): string => `${familyOf(data, codec)} ${codec}`;
  return [...new Set(codecs)].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

const NONE = "none";

function coding(codec: string, compression: string = NONE): string {
  return compression === NONE ? codec : `${codec} + ${compression}`;
}

/** The codec of a coding, which charts and palette treat as one. */
export function codecOf(codings: string): string {
  return codings.split(" + ")[0] ?? codings;
}

/** How a cell's messages are sent: its mode, and everything else that the sender chooses:
 * `kafka:acks-1 by kafka@3 with tls linger=5ms window 8`; `Cell::sending`. */
function sending(axes: AxisInfo[], cell: CellSummary["axes"]): string {
  const { mode, broker, options = {} } = cell;
  const own = ["mode", "broker"];
  const chosen = axes.filter(({ name, part }) => part === "sending" && !own.includes(name));
  const names = chosen.flatMap(({ name }) => (name === "security" ? [name, ...Object.keys(options)] : [name]));
  const words = names.flatMap((name) => {
    const value = valueOf(cell, name);
    return value == null || value === NONE ? [] : [inWords(axes, name, value)];
  });
  return [mode, ...(broker == null ? [] : [`by ${broker}`]), ...words].join(" ");
}

/**
 * The summary with every codec named together with its compression, and every mode together with its broker, security, options and
 * window, so that charts have one row for each of these. Without compression, brokers, security, options and windows nothing changes.
 */
export function withCodings(axes: AxisInfo[], summary: Summary): Summary {
  const { codec, compression = [NONE], mode } = summary.study.axes;
  const named = <T extends { axes: CodecCell }>(entry: T): T => ({
    ...entry, axes: { ...entry.axes, codec: coding(entry.axes.codec, entry.axes.compression) },
  });
  const sent = (cell: CellSummary): CellSummary => ({ ...cell, axes: { ...cell.axes, mode: sending(axes, cell.axes) } });
  // In the order of the study's modes.
  const sendings = mode.flatMap((id) => {
    const of = summary.cells.filter((cell) => cell.axes.mode === id).map((cell) => sending(axes, cell.axes));
    return of.length > 0 ? [...new Set(of)] : [id];
  });
  const pairs = codec.flatMap((id) => compression.map((squeezed) => coding(id, squeezed)));
  return {
    ...summary,
    study: { ...summary.study, axes: { ...summary.study.axes, codec: pairs, mode: sendings } },
    cells: summary.cells.map(named).map(sent),
    codecs: summary.codecs.map(named),
  };
}

/** Groups of cells with the same given conditions, which may be compared; or what codec trials gave, by payload alone. */
export interface Condition<T = CellSummary> {
  payload: string;
  name: string;
  cells: T[];
}

type OfCondition = { axes: { payload: string } & Partial<CellSummary["axes"]> };

/** The groups that occur, in the order of the cells; without the values of the axis that a chart draws along. */
export function conditions<T extends OfCondition>(axes: AxisInfo[], cells: T[], along?: string): Condition<T>[] {
  const given = axes.filter(({ name, part }) => part === "condition" && name !== along);
  const found = new Map<string, Condition<T>>();
  for (const cell of cells) {
    const { payload } = cell.axes;
    const words = given.flatMap(({ name }) => {
      const value = valueOf(cell.axes as CellSummary["axes"], name);
      return value == null ? [] : [inWords(axes, name, value)];
    });
    const name = words.join(", ");
    const condition = found.get(name) ?? { payload, name, cells: [] };
    condition.cells.push(cell);
    found.set(name, condition);
  }
  return [...found.values()];
}

/** The title of a metric in the table of metrics, or its name. */
export function titleOf(data: PageData, scope: MetricInfo["scope"], name: string): string {
  return data.metrics.find((info) => info.scope === scope && info.name === name)?.title ?? name;
}

/** Whether a metric covers enough messages to represent all; `Coverage` in crates/base/model/src/summary.rs. */
export function isCovered({ coverage }: Metric): boolean {
  return !coverage || coverage.known >= 0.95 * coverage.of;
}

/** A metric that covers enough: may be drawn beside others, or as a part of a whole. */
export function told({ metrics }: { metrics: Record<string, Metric> }, name: string): Metric | undefined {
  const metric = metrics[name];
  return metric && isCovered(metric) ? metric : undefined;
}
