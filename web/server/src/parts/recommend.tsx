// Recommendations: a slider for each weight, the needs, and the front as a chart.

import { useState } from "preact/hooks";
import { choice } from "../../../src/charts/choice";
import { type Recommendation, type RunListed, answers } from "../api";
import { choose, here } from "../router";
import { useAnswer } from "./answer";
import { Pick, Text } from "./choices";
import { Picture } from "./picture";
import { Problem, Waiting, count } from "./words";

/** The weights offered, by the short names of `wiredyno recommend`. */
const WEIGHED = [["bytes", "Few bytes"], ["time", "Short time"], ["cpu", "Little CPU"], ["memory", "Little memory"]] as const;
const MOST = 5;
/** Metrics that every run has: without a link there are no bytes on the wire, and trials of few messages have no CPU time. */
const EVERY_RUN = "time=1";

function read(text: string): Record<string, number> {
  return Object.fromEntries(text.split(",").filter(Boolean).map((part) => [part.split("=")[0] ?? "", Number(part.split("=")[1] ?? 1)]));
}

export function Recommend({ runs }: { runs: RunListed[] }): preact.JSX.Element {
  const asked = here.value.searchParams;
  const run = asked.get("recommend") ?? "";
  const weights = read(asked.get("weigh") ?? EVERY_RUN);
  const weigh = Object.entries(weights).filter(([, weight]) => weight > 0).map(([name, weight]) => `${name}=${weight}`).join(",");
  const [need, where] = [asked.get("need") ?? "", asked.get("where") ?? ""];
  const { value, error } = useAnswer(async (signal) => (run && weigh ? await answers.recommend(run, { weigh, need, where }, signal) : undefined), [run, weigh, need, where], 150);
  const set = (name: string, weight: number): void => {
    const next = { ...weights, [name]: weight };
    choose({ weigh: Object.entries(next).map(([one, of]) => `${one}=${of}`).join(",") });
  };
  return (
    <>
      <div class="row"><Pick label="From the run" value={run} options={runs.filter(({ complete }) => complete).map(({ id }) => ({ value: id }))} change={(next) => choose({ recommend: next, where: null })} /></div>
      <div class="weighing">
        <form class="card" onSubmit={(event) => event.preventDefault()}>
          <h2>What matters</h2>
          {WEIGHED.map(([name, title]) => (
            <label key={name} class="slider"><span>{title}</span>
              <input type="range" min="0" max={MOST} step="0.5" value={weights[name] ?? 0} aria-valuetext={weights[name] ? `weight ${weights[name]}` : "does not matter"} onInput={(event) => set(name, Number(event.currentTarget.value))} />
              <output>{weights[name] || "\u2013"}</output>
            </label>
          ))}
          <Text label="Must be at most" value={need} hint="latency.p99=200ms,lost=0" size={24} change={(next) => choose({ need: next })} />
          <Text label="Only where" value={where} hint="link=lte" size={24} change={(next) => choose({ where: next })} />
        </form>
        <div aria-live="polite">{!weigh ? <p class="hint">Set at least one weight.</p> : error ? <Problem error={error} /> : !value ? <Waiting what="Weighing" /> : <Chosen answer={value} />}</div>
      </div>
    </>
  );
}

/** The single choice if a test separates it from every other candidate, else the candidates that can't be distinguished. */
function Said({ answer: { choice, conclusion, group, meet, undecided, repeats, repeats_needed } }: { answer: Recommendation }): preact.JSX.Element {
  const others = meet.length + undecided.length - 1;
  if (choice) return <>Choose <strong>{choice}</strong>: {others === 0 ? "the only one that may meet every need" : `a test separates it from the other ${others}`}.</>;
  if (group.length === 1) return <>Not decided: <strong>{group[0]}</strong> is the best of those that could be judged; another may be better.</>;
  if (group.length > 0) return <>Not decided: <strong>{group.join(", ")}</strong> can{"\u2019"}t be distinguished with {count(repeats, "repeat")}{repeats_needed ? `; about ${repeats_needed} would` : ""}.</>;
  if (conclusion === "difference") return <>Nothing meets every need.</>;
  return <>{conclusion === "not-decided" ? "Not decided: some may meet every need." : "Can\u2019t tell: no candidate has data."}</>;
}

function Chosen({ answer }: { answer: Recommendation }): preact.JSX.Element {
  const names = answer.meet[0]?.ratios.map(([name]) => name) ?? [];
  const [axes, setAxes] = useState<[string, string]>(["", ""]);
  const [across, up] = [names.includes(axes[0]) ? axes[0] : (names[0] ?? ""), names.includes(axes[1]) ? axes[1] : (names[1] ?? names[0] ?? "")];
  const ratio = (ratios: [string, number][], name: string): number => ratios.find(([one]) => one === name)?.[1] ?? 1;
  const marks = answer.meet.map(({ candidate, ratios }) => ({ name: candidate, x: ratio(ratios, across), y: ratio(ratios, up), chosen: answer.group.includes(candidate), meets: true }));
  return (
    <>
      <p class="conclusion"><Said answer={answer} /></p>
      {answer.needs.length > 0 ? <p class="hint">Needed: {answer.needs.join("; ")}.</p> : null}
      {names.length > 1 && marks.length > 1 ? (
        <figure class="chart">
          <h3>The front</h3>
          {names.length > 2 ? <div class="controls"><Pick label="across" value={across} options={names.map((value) => ({ value }))} change={(next) => setAxes([next, up])} /><Pick label="up" value={up} options={names.map((value) => ({ value }))} change={(next) => setAxes([across, next])} /></div> : null}
          <Picture inputs={[answer, across, up]} label={`${across} and ${up} of ${marks.length} candidates; the choice is ${answer.choice ?? "not decided"}`} draw={(width) => choice(marks, [across, up], width)} />
          <figcaption>Each as a multiple of the best, geometric mean over {count(answer.conditions.length, "condition")}. The line joins those that no other beats in both.</figcaption>
        </figure>
      ) : null}
      <div class="table" role="region" aria-label="Candidates, best first" tabIndex={0}>
        <table>
          <thead><tr><th scope="col">candidate</th>{names.map((name) => <th key={name} scope="col" class="number">{name}</th>)}<th scope="col" class="number">score</th><th scope="col">on the front</th></tr></thead>
          <tbody>{answer.meet.slice(0, 60).map(({ candidate, ratios, score, on_front }) => <tr key={candidate} class={answer.group.includes(candidate) ? "chosen" : undefined}><th scope="row">{candidate}</th>{names.map((name) => <td key={name} class="number">{"\u00d7"} {ratio(ratios, name).toPrecision(3)}</td>)}<td class="number">{score.toFixed(3)}</td><td>{on_front ? "yes" : ""}</td></tr>)}</tbody>
        </table>
      </div>
      {answer.weights.some(({ below, above }) => below ?? above) ? (
        <ul>{answer.weights.map(({ name, weight, below, above }) => <li key={name}>{name}, now {weight}: {[...(below ? [`below ${below[0].toPrecision(2)} it would be ${below[1]}`] : []), ...(above ? [`above ${above[0].toPrecision(2)} it would be ${above[1]}`] : [])].join("; ") || "the choice does not depend on it"}.</li>)}</ul>
      ) : null}
      {answer.miss.length + answer.undecided.length + answer.left_out.length > 0 ? <details class="inner"><summary>{count(answer.miss.length + answer.undecided.length + answer.left_out.length, "candidate")} left out</summary><ul>{[...answer.miss, ...answer.undecided, ...answer.left_out].map(({ candidate, why }) => <li key={candidate}><strong>{candidate}</strong>: {why.join("; ")}</li>)}</ul></details> : null}
    </>
  );
}
