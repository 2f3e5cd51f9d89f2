// The list of runs, newest first; two of them can be compared.

import { useState } from "preact/hooks";
import { type RunListed, api } from "../api";
import { useAnswer } from "../parts/answer";
import { Pick } from "../parts/choices";
import { Nothing, Problem, Sure, Waiting, When, count, span, useDeed } from "../parts/words";
import { choose, here } from "../router";

/** Runs on a page of the list. */
const ON_PAGE = 50;

export default function Runs(): preact.JSX.Element {
  const asked = here.value.searchParams;
  const [study, search, offset] = [asked.get("study") ?? "", asked.get("search") ?? "", Number(asked.get("from") ?? 0) || 0];
  const [changes, changed] = useState(0);
  const { value, error } = useAnswer((signal) => api.runs(signal, { study, search, offset, limit: ON_PAGE }), [study, search, offset, changes]);
  const [marked, mark] = useState<RunListed[]>([]);
  const deed = useDeed();
  if (error) return <Problem error={error} />;
  if (!value) return <Waiting />;
  const { runs: shown, total } = value;
  const studies = Object.entries(value.studies);
  const isMarked = ({ id }: RunListed): boolean => marked.some((one) => one.id === id);
  const toggle = (run: RunListed): void => mark(isMarked(run) ? marked.filter(({ id }) => id !== run.id) : [...marked, run].slice(-2));
  // The newer run is compared with the older one.
  const [newer, older] = [...marked].sort((a, b) => b.started.localeCompare(a.started));
  const act = (doing: () => Promise<unknown>): void => deed.run(async () => {
    await doing();
    changed((before) => before + 1);
  });
  return (
    <div class="runs">
      <h1>Runs</h1>
      <div class="row">
        <Pick label="Study" value={study} change={(next) => choose({ study: next, from: null })} options={[{ value: "", label: "all" }, ...studies.map(([value, number]) => ({ value, label: `${value} (${number})` }))]} />
        <label class="pick">Search <input type="search" value={search} placeholder="question, id, machine" onChange={({ currentTarget }) => choose({ search: currentTarget.value, from: null })} /></label>
        {study ? <a class="button" href={`/compare?study=${encodeURIComponent(study)}`}>Its history</a> : null}
        {newer && older
          ? <a class="button" href={`/compare?base=${encodeURIComponent(older.id)}&new=${encodeURIComponent(newer.id)}`}>Compare these two</a>
          : <span class="hint">Mark two runs to compare them.</span>}
      </div>
      {deed.error ? <Problem error={deed.error} /> : null}
      {shown.length === 0 ? <Nothing>{study || search ? <>No run matches. <a href="/runs">Show all.</a></> : <>No run yet. <a href="/new">Set up a test.</a></>}</Nothing> : (
        <>
        <div class="table" role="region" aria-label="Runs" tabIndex={0}>
          <table class="past">
            <thead><tr><th scope="col"><span class="hidden">compare</span></th><th scope="col">run</th><th scope="col">question and answer</th><th scope="col">extent</th><th scope="col"><span class="hidden">what to do</span></th></tr></thead>
            <tbody>
              {shown.map((run) => (
                <tr key={run.id}>
                  <td><input type="checkbox" aria-label={`Compare ${run.id}`} checked={isMarked(run)} onChange={() => toggle(run)} /></td>
                  <td><a href={`/runs/${encodeURIComponent(run.id)}`}>{run.study}</a><small>{run.id}</small><small><When at={run.started} /></small></td>
                  <td class="why">{run.why}<span class="said">{run.answer}</span><small class={`badge ${run.fitness.replace(" ", "-")}`}><strong>{run.fitness}</strong> {run.sure}</small></td>
                  <td class="extent">{[...(run.cells ? [count(run.cells, "combination")] : []), ...(run.codecs ? [count(run.codecs, "codec")] : [])].join(", ")}{run.cells + run.codecs > 0 ? ", " : ""}<span class="short">{span(run.duration_ns)}</span>{run.complete ? "" : ", not finished"}<small>{run.machine}</small><small>Wiredyno {run.version}{run.commit ? ` ${run.commit.slice(0, 9)}` : ""}</small></td>
                  <td class="deeds">
                    <button type="button" class="quiet" aria-pressed={run.pinned} aria-label={`Pin ${run.id}`} disabled={deed.busy} title="Pinned runs are never deleted" onClick={() => act(() => api.pin(run.id, !run.pinned))}>{run.pinned ? "Pinned" : "Pin"}</button>
                    {run.pinned ? null : <Sure label="Delete" about={run.id} busy={deed.busy} act={() => act(async () => { await api.deleteRun(run.id); mark(marked.filter(({ id }) => id !== run.id)); })} />}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p class="row pages">
          <span class="hint">{offset + 1} to {offset + shown.length} of {count(total, "run")}</span>
          {offset > 0 ? <button type="button" onClick={() => choose({ from: String(Math.max(0, offset - ON_PAGE)) })}>Newer</button> : null}
          {offset + shown.length < total ? <button type="button" onClick={() => choose({ from: String(offset + ON_PAGE) })}>Older</button> : null}
        </p>
        </>
      )}
    </div>
  );
}
