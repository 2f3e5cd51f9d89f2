// The list of runs, newest first; two of them can be compared.

import { useState } from "preact/hooks";
import { api } from "../api";
import { useAnswer } from "../parts/answer";
import { Pick } from "../parts/choices";
import { Nothing, Problem, Waiting, When, count, span } from "../parts/words";
import { choose, here } from "../router";

export default function Runs(): preact.JSX.Element {
  const { value, error } = useAnswer((signal) => api.runs(signal), []);
  const [marked, mark] = useState<string[]>([]);
  if (error) return <Problem error={error} />;
  if (!value) return <Waiting />;
  const study = here.value.searchParams.get("study") ?? "";
  const studies = [...new Set(value.runs.map((run) => run.study))].sort();
  const shown = value.runs.filter((run) => !study || run.study === study);
  const toggle = (run: string): void => mark(marked.includes(run) ? marked.filter((one) => one !== run) : [...marked, run].slice(-2));
  // The newer run is compared with the older one.
  const [newer, older] = value.runs.filter(({ id }) => marked.includes(id));
  return (
    <div class="runs">
      <h1>Runs</h1>
      <div class="row">
        <Pick label="Study" value={study} change={(next) => choose({ study: next })} options={[{ value: "", label: "all" }, ...studies.map((one) => ({ value: one }))]} />
        {study ? <a class="button" href={`/compare?study=${encodeURIComponent(study)}`}>Its history</a> : null}
        {newer && older
          ? <a class="button" href={`/compare?base=${encodeURIComponent(older.id)}&new=${encodeURIComponent(newer.id)}`}>Compare these two</a>
          : <span class="hint">Mark two runs to compare them.</span>}
      </div>
      {shown.length === 0 ? <Nothing>No run yet. <a href="/new">Set up a test.</a></Nothing> : (
        <div class="table" role="region" aria-label="Runs" tabIndex={0}>
          <table class="past">
            <thead><tr><th scope="col"><span class="hidden">compare</span></th><th scope="col">study</th><th scope="col">question</th><th scope="col">started</th><th scope="col">took</th><th scope="col">extent</th><th scope="col">version</th><th scope="col">machine</th></tr></thead>
            <tbody>
              {shown.map((run) => (
                <tr key={run.id}>
                  <td><input type="checkbox" aria-label={`Compare ${run.id}`} checked={marked.includes(run.id)} onChange={() => toggle(run.id)} /></td>
                  <td><a href={`/runs/${encodeURIComponent(run.id)}`}>{run.study}</a><small class="short">{run.id}</small></td>
                  <td class="why">{run.why}</td>
                  <td><When at={run.started} /></td>
                  <td class="short">{span(run.duration_ns)}{run.complete ? "" : <small>not finished</small>}</td>
                  <td>{[...(run.cells ? [count(run.cells, "combination")] : []), ...(run.codecs ? [count(run.codecs, "codec")] : [])].join(", ")}</td>
                  <td>{run.version}{run.commit ? <small>{run.commit.slice(0, 9)}</small> : null}</td>
                  <td>{run.machine}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
