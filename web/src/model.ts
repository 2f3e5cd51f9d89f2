// What the page carries: the summary, whose types `npm run types` makes from its published schema, and what
// crates/report/src/html.rs adds.

import type { CellSummary, CodecCell, Summary } from "./schema";

export type { CellSummary, CodecCell, CodecSummary, Metric, RatioInterval, Summary } from "./schema";

/** What the page says of a metric; `MetricInfo` in crates/model/src/metric.rs, of which only this much is read here. */
export interface MetricInfo {
  name: string;
  scope: "message" | "codec";
  unit: string;
  better: "lower" | "higher" | "neither";
  title: string;
}

/** How a unit of the summary is written from a magnitude on; crates/report/src/quantity.rs has them all. */
export interface Scale {
  least: number;
  /** What the number is divided by. */
  divisor: number;
  /** What stands behind it. */
  name: string;
}

/** `PageData` in crates/report/src/html.rs. */
export interface PageData {
  summary: Summary;
  metrics: MetricInfo[];
  /** Families of formats that occur, in the order in which they are shown. */
  families: { name: string; title: string }[];
  /** The family of each format. */
  formats: Record<string, string>;
  /** Of each unit, from the largest on. */
  scales: Record<string, Scale[]>;
}

/** The format of a codec. */
export function formatOf(codec: string): string {
  return codec.split("/")[0] ?? codec;
}

/** The place of a codec's family among those that occur. */
export function familyOf(data: PageData, codec: string): number {
  const name = data.formats[formatOf(codec)];
  return Math.max(0, data.families.findIndex((family) => family.name === name));
}

/** Codecs as reports group them: by family, within it by format. */
export function byFormat(data: PageData, codecs: string[]): string[] {
  const key = (codec: string): string => `${familyOf(data, codec)} ${codec}`;
  return [...new Set(codecs)].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

const NONE = "none";

function coding(codec: string, compression: string = NONE): string {
  return compression === NONE ? codec : `${codec} + ${compression}`;
}

/** The codec of a coding, which charts and palette take as one. */
export function codecOf(codings: string): string {
  return codings.split(" + ")[0] ?? codings;
}

/** A mode with its broker where the study names one, with how it is secured, with the options that are axes, and with the window that is one:
 * `kafka:acks-1 by kafka@3 with tls linger=5ms window 8`. */
function sending({ mode, broker, security, options = {}, window }: CellSummary["axes"]): string {
  const named = Object.entries(options).map(([axis, value]) => `${axis.split(".")[1]}=${value}`);
  return [mode, ...(broker == null ? [] : [`by ${broker}`]), ...(security == null || security === NONE ? [] : [`with ${security}`]), ...named, ...(window == null ? [] : [`window ${window}`])].join(" ");
}

/**
 * The summary with every codec named together with its compression, and every mode together with its broker, security, options and
 * window, so that charts have one row for each of these. Without compression, brokers, security, options and windows nothing changes.
 */
export function withCodings(summary: Summary): Summary {
  const { codec, compression = [NONE], mode } = summary.study.axes;
  const named = <T extends { axes: CodecCell }>(entry: T): T => ({
    ...entry, axes: { ...entry.axes, codec: coding(entry.axes.codec, entry.axes.compression) },
  });
  const sent = (cell: CellSummary): CellSummary => ({ ...cell, axes: { ...cell.axes, mode: sending(cell.axes) } });
  // In the order of the study's modes.
  const sendings = mode.flatMap((id) => {
    const of = summary.cells.filter((cell) => cell.axes.mode === id).map((cell) => sending(cell.axes));
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

/** The cells that share payload, link, loss and rate, and so may be compared; or what codec trials gave, by payload alone. */
export interface Condition<T = CellSummary> {
  payload: string;
  name: string;
  cells: T[];
}

type OfCondition = { axes: Pick<CellSummary["axes"], "payload"> & Partial<Pick<CellSummary["axes"], "link" | "loss" | "rate">> };

export function conditions<T extends OfCondition>(cells: T[]): Condition<T>[] {
  const found = new Map<string, Condition<T>>();
  for (const cell of cells) {
    const { payload, link, loss, rate } = cell.axes;
    const name = [payload, link, loss == null ? null : `${+(loss * 100).toFixed(4)} % loss`, rate]
      .filter((part) => part != null)
      .join(", ");
    const condition = found.get(name) ?? { payload, name, cells: [] };
    condition.cells.push(cell);
    found.set(name, condition);
  }
  return [...found.values()];
}

/** The metric table's title of a metric, or the name as it stands. */
export function titleOf(data: PageData, scope: MetricInfo["scope"], name: string): string {
  return data.metrics.find((info) => info.scope === scope && info.name === name)?.title ?? name;
}
