// Comparisons: runs with one another, one study over time, and a recommendation by weights.

import { useMemo } from "preact/hooks";
import { type RunListed, api } from "../api";
import { useAnswer } from "../parts/answer";
import { Pick } from "../parts/choices";
import { Changes } from "../parts/changes";
import { Past } from "../parts/past";
import { Recommend } from "../parts/recommend";
import { Nothing, Problem, Waiting } from "../parts/words";
import { choose, go, here } from "../router";

type View = "runs" | "history" | "recommend";
const VIEWS: [View, string][] = [["runs", "Runs"], ["history", "One study over time"], ["recommend", "What to choose"]];

export default function Compare(): preact.JSX.Element {
  const { value, error } = useAnswer((signal) => api.runs(signal), []);
  const asked = here.value.searchParams;
  const view: View = asked.has("recommend") ? "recommend" : asked.has("study") ? "history" : "runs";
  if (error) return <Problem error={error} />;
  if (!value) return <Waiting />;
  const { runs } = value;
  const first = runs.find(({ complete }) => complete);
  const to: Record<View, string> = { runs: "/compare", history: `/compare?study=${encodeURIComponent(mostRun(runs))}`, recommend: `/compare?recommend=${encodeURIComponent(first?.id ?? "")}` };
  return (
    <div class="compare">
      <h1>Compare</h1>
      <div class="views" role="group" aria-label="What to compare">
        {VIEWS.map(([id, title]) => <button key={id} type="button" aria-pressed={view === id} onClick={() => go(to[id])}>{title}</button>)}
      </div>
      {runs.length === 0 ? <Nothing>There is nothing to compare yet. <a href="/new">Set up a test.</a></Nothing> : view === "runs" ? <Several runs={runs} /> : view === "history" ? <Past runs={runs} /> : <Recommend runs={runs} />}
    </div>
  );
}

/** The study with the most runs. */
function mostRun(runs: RunListed[]): string {
  const counts = new Map<string, number>();
  for (const { study } of runs) counts.set(study, (counts.get(study) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";
}

/** Without a choice: the newest run, and the previous one of the same study. Further runs are compared with the same base. */
function Several({ runs }: { runs: RunListed[] }): preact.JSX.Element {
  const asked = here.value.searchParams;
  const [base, newer] = useMemo(() => {
    const last = runs.find((run) => run.complete && runs.some((other) => other !== run && other.complete && other.study === run.study)) ?? runs[0];
    const before = runs.find((run) => run !== last && run.complete && run.study === last?.study && run.started < (last?.started ?? ""));
    return [asked.get("base") ?? before?.id ?? "", asked.get("new") ?? last?.id ?? ""];
  }, [asked.toString(), runs]);
  const also = (asked.get("also") ?? "").split(",").filter((id) => id !== "" && id !== newer && id !== base);
  const list = runs.map(({ id }) => ({ value: id }));
  const others = list.filter(({ value }) => value !== base && value !== newer && !also.includes(value));
  const keep = (ids: string[]): void => choose({ base, new: newer, also: ids.join(",") });
  return (
    <>
      <div class="row">
        <Pick label="Take" value={newer} options={list} change={(next) => choose({ new: next, base })} />
        {others.length > 0 ? <Pick label="and also" value="" options={[{ value: "", label: "no other" }, ...others]} change={(next) => keep([...also, next])} /> : null}
        <Pick label="instead of" value={base} options={[...(base ? [] : [{ value: "", label: "choose one" }]), ...list]} change={(next) => choose({ base: next, new: newer })} />
      </div>
      {base && newer && base !== newer ? [newer, ...also].map((run) => (
        <section key={`${base} ${run}`} aria-label={run}>
          {also.length > 0 ? <h2>{run} {run === newer ? null : <button type="button" onClick={() => keep(also.filter((id) => id !== run))}>Leave out</button>}</h2> : null}
          <Changes base={base} newer={run} />
        </section>
      )) : <Nothing>Choose two runs of the same study.</Nothing>}
    </>
  );
}
