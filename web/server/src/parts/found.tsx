// The results of a self-test: planted differences, and the smallest that studies detect.

interface Difference { mean: number; low: number; high: number }
interface Finding {
  control: string; not_judged?: string; made: number; difference: Difference; found: boolean; power: number; smallest: [number, number][]; between_equal: Difference; false_alarm: boolean;
}

const NAMES: Record<string, string> = { bytes: "bytes on the wire", loss: "messages lost", delay: "latency", work: "time to encode", cost: "CPU time of a message" };

export function Found({ of }: { of: unknown }): preact.JSX.Element {
  const all = Array.isArray(of) ? (of as Finding[]) : [];
  const judged = all.filter(({ not_judged }) => not_judged === undefined);
  const repeats = judged[0]?.smallest.map(([count]) => count) ?? [];
  const per = (control: string, value: number | undefined): string => (value === undefined ? "\u2013" : `${+(100 * value).toPrecision(3)} ${control === "loss" ? "points" : "%"}`);
  return (
    <>
      <div class="table" role="region" aria-label="What the self-test found" tabIndex={0}>
        <table>
          <thead><tr><th scope="col">planted in</th><th scope="col" class="number">by</th><th scope="col">found</th><th scope="col">equal cells</th>{repeats.map((count) => <th key={count} scope="col" class="number">{count} repeats detect</th>)}</tr></thead>
          <tbody>{judged.map(({ control, made, difference, found, false_alarm, smallest }) => (
            <tr key={control}>
              <th scope="row">{NAMES[control] ?? control}</th><td class="number">{per(control, made)}</td><td>{found ? "" : "not found: "}{per(control, difference.mean)}</td><td>{false_alarm ? "differ" : "same"}</td>
              {repeats.map((count, place) => <td key={count} class="number">{per(control, smallest[place]?.[1])}</td>)}
            </tr>
          ))}</tbody>
        </table>
      </div>
      {all.filter(({ not_judged }) => not_judged).map(({ control, not_judged }) => <p key={control} class="hint">{NAMES[control] ?? control}: not judged, {not_judged}</p>)}
    </>
  );
}
