// One figure of one study over its runs, with the places where it changed and the other changes there.

import { history } from "../../../src/charts/history";
import { quantity } from "../../../src/quantity";
import { type RunListed, answers } from "../api";
import { options } from "../live";
import { choose, here } from "../router";
import { useAnswer } from "./answer";
import { Pick, Text } from "./choices";
import { Picture } from "./picture";
import { Nothing, Problem, Waiting, When } from "./words";

export function Past({ runs }: { runs: RunListed[] }): preact.JSX.Element {
  const asked = here.value.searchParams;
  const study = asked.get("study") ?? "";
  const own = runs.filter((run) => run.study === study);
  const scopes = [...(own.some(({ cells }) => cells > 0) ? ["message"] : []), ...(own.some(({ codecs }) => codecs > 0) ? ["codec"] : [])];
  const metrics = (options.value?.metrics ?? []).filter((info) => scopes.includes(info.scope) && info.better !== "neither");
  const metric = asked.get("metric") ?? (scopes[0] === "codec" ? "total" : "latency");
  const where = asked.get("where") ?? "";
  const { value, error } = useAnswer((signal) => answers.history(study, metric, { where }, signal), [study, metric, where], 150);
  const title = metrics.find(({ name }) => name === metric)?.title ?? metric;
  const points = (value?.runs ?? []).flatMap((run, place) => {
    const change = value?.changes.find(({ at }) => at === place);
    if (run.value == null) return [];
    return [{ id: run.id, at: new Date(run.started), value: run.value, interval: run.interval_95 as [number, number] | undefined ?? null, changed: change !== undefined, words: change?.changed.join("\n") ?? "" }];
  });
  return (
    <>
      <div class="row">
        <Pick label="Study" value={study} options={[...new Set(runs.map((run) => run.study))].sort().map((one) => ({ value: one }))} change={(next) => choose({ study: next, metric: null, where: null })} />
        <Pick label="Figure" value={metric} options={metrics.map(({ name, title, scope }) => ({ value: name, label: scopes.length > 1 && scope === "codec" ? `${title} (codecs alone)` : title }))} change={(next) => choose({ metric: next })} />
        <Text label="Only where" value={where} hint="mode=tcp;link=lan" size={22} change={(next) => choose({ where: next })} />
      </div>
      {error ? <Problem error={error} /> : !value ? <Waiting /> : points.length === 0 ? <Nothing>No run of {study} has this figure{where ? " under these conditions" : ""}: choose another one{where ? ", or other conditions" : ""}.</Nothing> : (
        <>
          <p class="conclusion">{value.text}</p>
          <figure class="chart">
            <h3>{title}, geometric mean over {where ? "these" : "all"} combinations</h3>
            <Picture inputs={[value]} label={`${title} of ${study} over ${points.length} runs; ${value.changes.length} changes`} draw={(width) => history(points, value.unit, title, width)} />
            <figcaption>Runs in order, each with its 95 % interval. A dashed line marks a change larger than the variation between previous runs.</figcaption>
          </figure>
          {value.changes.length === 0 ? null : (
            <ul class="change-points">{value.changes.map((change) => {
              const run = value.runs[change.at];
              if (!run) return null;
              return <li key={change.at} class="card"><strong>{"\u00d7"} {change.ratio.toPrecision(3)}</strong> from <a href={`/runs/${encodeURIComponent(run.id)}`}>{run.id}</a> on (<When at={run.started} />). {change.changed.length > 0 ? <>What else changed there: {change.changed.join("; ")}.</> : "No other recorded property changed."}</li>;
            })}</ul>
          )}
          <details class="inner"><summary>As a table</summary>
            <div class="table" role="region" aria-label="Runs of the study" tabIndex={0}><table>
              <thead><tr><th scope="col">run</th><th scope="col" class="number">{title}</th><th scope="col">version</th><th scope="col">commit</th><th scope="col">machine</th></tr></thead>
              <tbody>{value.runs.map((run) => <tr key={run.id}><td><a href={`/runs/${encodeURIComponent(run.id)}`}>{run.id}</a></td><td class="number">{run.value == null ? "\u2013" : quantity(run.value, value.unit)}</td><td>{run.version}</td><td>{run.commit.slice(0, 9) || "\u2013"}</td><td>{run.machine}</td></tr>)}</tbody>
            </table></div>
          </details>
        </>
      )}
    </>
  );
}
