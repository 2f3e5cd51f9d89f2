// Places labels beside marks, so that they cover neither each other nor the marks.

export interface Box {
  x1: number;
  x2: number;
  y1: number;
  y2: number;
}

type Point = [number, number];

/** To the right or left, down or up; 0 for neither. */
export type Direction = [-1 | 0 | 1, -1 | 0 | 1];

export interface Label {
  /** The index of its mark. */
  of: number;
  lines: string[];
  anchor: "start" | "middle" | "end";
  /** The offset from the mark to the text's anchor. */
  dx: number;
  dy: number;
  /** The same place in the frame. */
  x: number;
  y: number;
  /** Whether a line must connect it to the mark. */
  far: boolean;
}

const CHARACTER = 6.1;
const LINE = 13;
const DISTANCES = [9, 24, 44];

function overlap(a: Box, b: Box): number {
  const [x, y] = [Math.min(a.x2, b.x2) - Math.max(a.x1, b.x1), Math.min(a.y2, b.y2) - Math.max(a.y1, b.y1)];
  return x > 0 && y > 0 ? x * y : 0;
}

function around([x, y]: Point, size: number): Box {
  return { x1: x - size, x2: x + size, y1: y - size, y2: y + size };
}

function outside(box: Box, frame: Box): number {
  return Math.max(0, frame.x1 - box.x1) + Math.max(0, box.x2 - frame.x2) + Math.max(0, frame.y1 - box.y1) + Math.max(0, box.y2 - frame.y2);
}

const ANCHORS = { "-1": "end", "0": "middle", "1": "start" } as const;

/** The label of one mark in a direction and at a distance, with the room that it takes. */
function candidate(of: number, lines: string[], [x, y]: Point, [right, down]: Direction, distance: number): { label: Label; box: Box } {
  const [width, height] = [Math.max(...lines.map((line) => line.length)) * CHARACTER, lines.length * LINE];
  const [dx, dy] = [right * distance, down * (distance + (right === 0 ? height / 2 : height / 4))];
  const left = x + dx - (right < 0 ? width : right === 0 ? width / 2 : 0);
  const top = y + dy - height / 2;
  const label = { of, lines, anchor: ANCHORS[right], dx, dy, x: x + dx, y: y + dy, far: distance > (DISTANCES[0] ?? 0) };
  return { label, box: { x1: left, x2: left + width, y1: top, y2: top + height } };
}

/** A mark with its label; without lines of text it is only an obstacle for others. */
export interface Wanted {
  lines: string[];
  at: Point;
  /** Whether it is placed even if no place is free. */
  must: boolean;
}

/** A place for each label, tried first in the direction `better`, where there is most room, and off the `lines`. */
export function places(wanted: Wanted[], lines: Box[], [x, y]: Direction, frame: Box): Label[] {
  const directions = [[x, y], [x, 0], [0, y], [-x, y], [x, -y], [-x, 0], [0, -y], [-x, -y]] as Direction[];
  const marks = wanted.map(({ at, must }) => around(at, must ? 7 : 5));
  const taken: Box[] = [];
  return wanted.flatMap(({ lines: text, at, must }, of) => {
    if (text.length === 0) return [];
    const distances = must ? DISTANCES : DISTANCES.slice(0, 1);
    const candidates = distances.flatMap((distance) => directions.map((direction) => candidate(of, text, at, direction, distance)));
    const cost = (box: Box): number =>
      100 * outside(box, frame) +
      10 * taken.reduce((sum, other) => sum + overlap(box, other), 0) +
      2 * marks.reduce((sum, other) => sum + overlap(box, other), 0) +
      lines.reduce((sum, other) => sum + overlap(box, other), 0);
    const costs = candidates.map(({ box }) => cost(box));
    // The first of the cheapest: directions and distances are tried in order.
    const best = candidates[costs.indexOf(Math.min(...costs))];
    if (!best || (!must && cost(best.box) > 0)) return [];
    taken.push(best.box);
    return [best.label];
  });
}

/** Places at least `gap` apart, in the order of those wanted and as near to them as that allows, between `low` and `high` if there is room. */
export function apart(wanted: number[], gap: number, [low, high]: [number, number]): number[] {
  const order = wanted.map((_, place) => place).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const step = Math.min(gap, (high - low) / Math.max(1, wanted.length - 1));
  // Without the gaps before it, a place must only not decrease: those that would are pooled at their mean.
  const pools: { sum: number; count: number }[] = [];
  order.forEach((of, rank) => {
    let pool = { sum: (wanted[of] ?? 0) - rank * step, count: 1 };
    for (let last = pools.at(-1); last && last.sum / last.count > pool.sum / pool.count; last = pools.at(-1)) {
      pools.pop();
      pool = { sum: pool.sum + last.sum, count: pool.count + last.count };
    }
    pools.push(pool);
  });
  const most = high - (wanted.length - 1) * step;
  const found = pools.flatMap(({ sum, count }) => Array.from({ length: count }, () => Math.max(low, Math.min(most, sum / count))));
  const placed = wanted.map(() => 0);
  order.forEach((of, rank) => (placed[of] = (found[rank] ?? low) + rank * step));
  return placed;
}

/**
 * Names of curves, `codec over mode`: parts common to all are omitted; if a name is longer than `most` characters, the format
 * replaces the codec if no other codec here has it.
 */
export function shortened(names: string[], most: number): string[] {
  const parts = names.map((name) => name.split(" over "));
  const differ = [0, 1].filter((place) => new Set(parts.map((part) => part[place])).size > 1);
  if (differ.length === 1) return parts.map((part, at) => part[differ[0] ?? 0] ?? names[at] ?? "");
  if (names.every((name) => name.length <= most)) return names;
  const codecs = new Set(parts.map(([codec = ""]) => codec));
  const formatOf = (codec: string): string => codec.split("/")[0] ?? codec;
  const isClear = new Set([...codecs].map(formatOf)).size === codecs.size;
  return isClear ? parts.map(([codec = "", ...mode]) => [formatOf(codec), ...mode].join(" ")) : names;
}
