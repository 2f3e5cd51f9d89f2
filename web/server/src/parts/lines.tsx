// Small graphics: a line over time, a mark on a scale shared by many rows.

/** A line over the last samples, from zero, filled below. */
export function Line({ values, most, label }: { values: number[]; most: number; label: string }): preact.JSX.Element {
  const width = 240;
  const height = 44;
  const step = width / Math.max(1, values.length - 1);
  const at = (value: number, place: number): string => `${(place * step).toFixed(1)},${(height - 2 - (height - 4) * Math.min(1, value / (most || 1))).toFixed(1)}`;
  const points = values.map(at).join(" ");
  return (
    <svg class="line" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <line class="ground" x1="0" x2={width} y1={height - 1} y2={height - 1} />
      {values.length > 1 ? <><polygon points={`0,${height} ${points} ${width},${height}`} /><polyline points={points} /></> : null}
    </svg>
  );
}

/** The position of a value between the minimum and the maximum of all rows, on a logarithmic scale. */
export function Mark({ value, of: [least, most] }: { value: number | null | undefined; of: [number, number] }): preact.JSX.Element {
  const share = value == null || value <= 0 ? null : most > least ? Math.log(value / least) / Math.log(most / least) : 0;
  return (
    <svg class="mark" viewBox="0 0 108 12" aria-hidden="true">
      <line x1="4" x2="104" y1="6" y2="6" />
      {share === null ? null : <circle cx={4 + 100 * share} cy="6" r="4" />}
    </svg>
  );
}

/** Shares of a whole, by class. */
export function Shares({ parts, label }: { parts: { name: string; value: number }[]; label: string }): preact.JSX.Element {
  const total = parts.reduce((sum, { value }) => sum + value, 0) || 1;
  let reached = 0;
  return (
    <svg class="shares" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="none" width="100" height="8" />
      {parts.map(({ name, value }) => {
        const x = (100 * reached) / total;
        reached += value;
        return <rect key={name} class={name} x={x} width={(100 * value) / total} height="8" />;
      })}
    </svg>
  );
}
