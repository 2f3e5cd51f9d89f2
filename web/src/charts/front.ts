// The Pareto front of points in two metrics. Pure.

export type Point = [number, number];

/** -1 where less is better. */
export type Sign = 1 | -1;

/** The points that no other beats, from left to right: to beat is to be as good in both and better in one. */
export function frontOf<T>(all: T[], at: (one: T) => Point, [sx, sy]: [Sign, Sign]): T[] {
  const beats = (a: Point, b: Point): boolean => {
    const [dx, dy] = [sx * (a[0] - b[0]), sy * (a[1] - b[1])];
    return dx >= 0 && dy >= 0 && dx + dy > 0;
  };
  return all.filter((one) => !all.some((other) => beats(at(other), at(one)))).sort((a, b) => at(a)[0] - at(b)[0]);
}

/** The corners of the line between what is reached and what is not, which ends at the worst values: everything beyond it is beaten. */
export function stepsOf(front: Point[], [sx]: [Sign, Sign], [worstX, worstY]: Point): Point[] {
  const [first, last] = [front[0], front.at(-1)];
  if (!first || !last) return [];
  const all: Point[] = sx < 0 ? [[first[0], worstY], ...front, [worstX, last[1]]] : [[worstX, first[1]], ...front, [last[0], worstY]];
  return all.flatMap((point, place): Point[] => {
    const next = all[place + 1];
    return next ? [point, sx < 0 ? [next[0], point[1]] : [point[0], next[1]]] : [point];
  });
}

/** Points that may be on a front: one that lost messages may not if another lost none, unless losses are an axis. */
export function mayLead<T>(all: T[], isLossy: (one: T) => boolean, lossIsShown: boolean): T[] {
  const lossless = all.filter((one) => !isLossy(one));
  return lossIsShown || lossless.length === 0 ? all : lossless;
}
