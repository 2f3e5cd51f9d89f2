// What the page carries: the summary as `crates/model` writes it, and the metric table of `crates/report`.
// Only what the front end reads is named here.

export interface Metric {
  unit: string;
  count: number;
  mean: number;
  interval_95: [number, number] | null;
  median: number;
  median_interval_95: [number, number] | null;
  /** Absent with fewer than 100 observations. */
  p90: number | null;
  /** Absent with fewer than 1,000 observations. */
  p99: number | null;
  p99_interval_95: [number, number] | null;
  min: number;
  max: number;
}

export interface CellAxes {
  payload: string;
  /** The codec with its compression, as the report names the two: see `withCodings`. */
  codec: string;
  compression?: string;
  mode: string;
  link: string;
  loss?: number | null;
}

export interface CodecAxes {
  payload: string;
  codec: string;
  compression?: string;
}

export interface Delivery {
  sent: number;
  delivered: number;
  lost: number;
  superseded: number;
  /** Absent where messages were only counted. */
  late?: number;
}

export interface BoxPlot {
  low: number;
  q1: number;
  median: number;
  q3: number;
  high: number;
  outliers: number;
}

/** Of all sent messages. */
export interface Share {
  ratio: number;
  interval_95: [number, number];
}

export interface CellSummary {
  axes: CellAxes;
  trials: number;
  valid_trials: number;
  metrics: Record<string, Metric>;
  delivery: Delivery;
  lost_ratio: Share | null;
  late_ratio: Share | null;
  /** Points of the cumulative distribution: nanoseconds and share. */
  latency_ecdf: [number, number][];
  latency_box: BoxPlot | null;
}

export interface CodecSummary {
  axes: CodecAxes;
  trials: number;
  valid_trials: number;
  metrics: Record<string, Metric>;
}

export interface Axes {
  payload: string[];
  codec: string[];
  compression?: string[];
  mode?: string[];
  link: string[];
  loss?: number[];
}

export interface Summary {
  study: { name: string; axes: Axes };
  cells: CellSummary[];
  codecs: CodecSummary[];
}

export interface MetricInfo {
  name: string;
  scope: "message" | "codec";
  title: string;
}

export interface PageData {
  summary: Summary;
  metrics: MetricInfo[];
  /** Families of formats that occur, in the order in which they are shown. */
  families: { name: string; title: string }[];
  /** The family of each format. */
  formats: Record<string, string>;
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

/**
 * The summary with every codec named together with its compression, so that charts have one row for each pair. Without
 * compression nothing changes.
 */
export function withCodings(summary: Summary): Summary {
  const { codec, compression = [NONE] } = summary.study.axes;
  const named = <T extends { axes: CodecAxes }>(entry: T): T => ({
    ...entry, axes: { ...entry.axes, codec: coding(entry.axes.codec, entry.axes.compression) },
  });
  const pairs = codec.flatMap((id) => compression.map((squeezed) => coding(id, squeezed)));
  return {
    ...summary,
    study: { ...summary.study, axes: { ...summary.study.axes, codec: pairs } },
    cells: summary.cells.map(named),
    codecs: summary.codecs.map(named),
  };
}

/** The cells that share payload, link and loss, and so may be compared. */
export interface Condition {
  payload: string;
  name: string;
  cells: CellSummary[];
}

export function conditions(cells: CellSummary[]): Condition[] {
  const found = new Map<string, Condition>();
  for (const cell of cells) {
    const { payload, link, loss } = cell.axes;
    const name = [payload, link, loss == null ? null : `${+(loss * 100).toFixed(4)} % loss`]
      .filter((part) => part !== null)
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
