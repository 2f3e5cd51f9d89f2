// Readable numbers, with the scales that the page carries, so that charts write units as the tables do.

import type { Metric, PageData, Scale } from "./model";

let scales: PageData["scales"] = {};

/** Sets the scales, once, before any number is written. */
export function useScales(ofPage: PageData["scales"]): void {
  scales = ofPage;
}

const formats = new Map<string, Intl.NumberFormat>();

/** A number in English. Formats are cached: creating one takes longer than using it a hundred times. */
function written(number: number, options: Intl.NumberFormatOptions = {}): string {
  const key = JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.NumberFormat("en-US", options);
  formats.set(key, format);
  return format.format(number);
}

function scaleOf(value: number, unit: string): Scale {
  return scales[unit]?.find(({ least }) => Math.abs(value) >= least) ?? { least: 0, divisor: 1, name: "" };
}

function scaled(value: number, unit: string): [number, string] {
  const { divisor, name } = scaleOf(value, unit);
  return [value / divisor, name];
}

/** A number with its unit: `/s` follows without a space. */
function joined(text: string, name: string): string {
  return name === "" || name.startsWith("/") ? `${text}${name}` : `${text} ${name}`;
}

/** Three significant digits and a suitable unit. */
export function quantity(value: number, unit: string): string {
  const [number, name] = scaled(value, unit);
  const whole = Math.abs(number) >= 100 || Number.isInteger(number);
  const text = whole
    ? written(Math.round(number))
    : written(number, { maximumSignificantDigits: 3, minimumSignificantDigits: 3 });
  return joined(text, name);
}

/** For ticks: as few digits as the number needs, in the unit of `reference`, the same for a whole axis. */
export function tick(value: number, unit: string, reference = value): string {
  const [shown, name] = scaled(reference, unit);
  const number = reference === 0 ? 0 : (value * shown) / reference;
  const text = written(number, { maximumSignificantDigits: 4 });
  return value === 0 ? text : joined(text, name);
}

/** With fewer ticks than this a scale can't be read. */
const FEWEST = 3;

/** Round numbers at equal distances. */
function evenTicks([low, high]: [number, number], most: number): number[] {
  const least = (high - low) / Math.max(1, most);
  const unit = 10 ** Math.floor(Math.log10(least));
  const step = unit * ([1, 2, 2.5, 5, 10].find((factor) => factor * unit >= least) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, place) => Number(((first + place) * step).toPrecision(12)));
}

/** At most `most` ticks of a logarithmic axis: 1, 2 and 5 of each decade, else whole decades, else every few; if the axis spans so little
 * that hardly any of these lie on it, numbers between. */
export function logTicks([low, high]: [number, number], most: number): number[] {
  const first = Math.floor(Math.log10(low));
  const decades = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, place) => 10 ** (first + place));
  const inside = (ticks: number[]): number[] => ticks.filter((tick) => tick >= low && tick <= high);
  const fine = inside(decades.flatMap((decade) => [decade, 2 * decade, 5 * decade]));
  if (fine.length < FEWEST && most >= FEWEST && high > low) {
    const between = inside(decades.flatMap((decade) => [1, 1.5, 2, 3, 4, 5, 6, 8].map((factor) => factor * decade)));
    const all = between.length >= FEWEST && between.length <= most ? between : evenTicks([low, high], Math.min(most, 5));
    return all.length > fine.length ? all : fine;
  }
  if (fine.length <= most) return fine;
  const whole = inside(decades);
  if (whole.length < 2) return fine.filter((_, place) => place % Math.ceil(fine.length / most) === 0);
  return whole.filter((_, place) => place % Math.ceil(whole.length / most) === 0);
}

/** The power of ten at or below a number. */
function exponent(value: number): number {
  return value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
}

/** `72.3 ms [71.9, 72.7]`: a figure with its interval in one unit, with as many digits as the interval deserves. */
export function withEnds(value: number, interval: [number, number] | null, unit: string): string {
  if (!interval || interval[1] <= interval[0]) return quantity(value, unit);
  const { divisor, name } = scaleOf(value, unit);
  const shown = value / divisor;
  const three = Number.isInteger(shown) ? 0 : 2 - exponent(shown);
  const ofWidth = Math.min(1 - exponent((interval[1] - interval[0]) / divisor), 4 - exponent(shown));
  const decimals = { maximumFractionDigits: Math.min(6, Math.max(0, three, ofWidth)) };
  const [main, low, high] = [value, ...interval].map((number) => written(number / divisor, decimals));
  return `${joined(main ?? "", name)} [${low}, ${high}]`;
}

/** `p99 120 ms [115, 131]`, or the largest value if there are too few observations for it. */
export function tail({ p99, p99_interval_95, max, count, unit }: Metric): string {
  if (p99 !== null) return `p99 ${withEnds(p99, p99_interval_95, unit)}`;
  return `max of ${written(count)} ${quantity(max, unit)}`;
}

/** `72.3 ms [71.9 ms, 72.7 ms]` for tooltips and titles. */
export function withInterval(value: number, interval: [number, number] | null, unit: string): string {
  const main = quantity(value, unit);
  return interval ? `${main} [${quantity(interval[0], unit)}, ${quantity(interval[1], unit)}]` : `${main}, no interval`;
}
