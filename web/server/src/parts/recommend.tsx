// Recommendations: a slider for each weight, the needs, and the front as a chart.

import { useState } from "preact/hooks";
import { choice } from "../../../src/charts/choice";
import { type Recommendation, type RunListed, answers } from "../api";
import { choose, here } from "../router";
import { useAnswer } from "./answer";
import { Pick, Text } from "./choices";
import { Picture } from "./picture";
import { Problem, Waiting, count } from "./words";
import { Answered } from "./written";

/** The weights offered, by the short names of `wiredyno recommend`. */
const WEIGHED = [["bytes", "Few bytes"], ["time", "Short time"], ["cpu", "Little CPU"], ["memory", "Little memory"]] as const;
const MOST = 5;

function read(text: string): Record<string, number> {
  return Object.fromEntries(text.split(",").filter(Boolean).map((part) => [part.split("=")[0] ?? "", Number(part.split("=")[1] ?? 1)]));
}

export function Recommend({ runs }: { runs: RunListed[] }): preact.JSX.Element {
  const asked = here.value.searchParams;
  const run = asked.get("recommend") ?? "";
  const written = asked.get("weigh");
  const given = read(written ?? "");
  const weigh = Object.entries(given).filter(([, weight]) => weight > 0).map(([name, weight]) => `${name}=${weight}`).join(",");
  const [need, where] = [asked.get("need") ?? "", asked.get("where") ?? ""];
  const { value, error } = useAnswer(async (signal) => (run && (weigh || written === null) ? await answers.recommend(run, { weigh, need, where }, signal) : undefined), [run, weigh, written === null, need, where], 150);
  // Without weights in the address, those that the engine takes for this run.
  const weights = written === null ? read(value?.weighed ?? "") : given;
  const others = Object.keys(weights).filter((name) => WEIGHED.every(([known]) => known !== name));
  const set = (name: string, weight: number): void => {
    const next = { ...weights, [name]: weight };
    choose({ weigh: Object.entries(next).map(([one, of]) => `${one}=${of}`).join(",") });
  };
  return (
    <>
      <div class="row"><Pick label="From the run" value={run} options={runs.filter(({ complete }) => complete).map(({ id }) => ({ value: id }))} change={(next) => choose({ recommend: next, where: null, weigh: null })} /></div>
      <div class="weighing">
        <form class="card" onSubmit={(event) => event.preventDefault()}>
          <h2>What matters</h2>
          {[...WEIGHED, ...others.map((name) => [name, name] as const)].map(([name, title]) => (
            <label key={name} class="slider"><span>{title}</span>
              <input type="range" min="0" max={MOST} step="0.5" value={weights[name] ?? 0} aria-valuetext={weights[name] ? `weight ${weights[name]}` : "does not matter"} onInput={(event) => set(name, Number(event.currentTarget.value))} />
              <output>{weights[name] || "\u2013"}</output>
            </label>
          ))}
          <Text label="Must be at most" value={need} hint="latency.p99=200ms,lost=0" size={24} change={(next) => choose({ need: next })} />
          <Text label="Only where" value={where} hint="link=lte" size={24} change={(next) => choose({ where: next })} />
        </form>
        <div aria-live="polite">{!weigh && written !== null ? <p class="hint">Set at least one weight.</p> : error ? <Problem error={error} /> : !value ? <Waiting what="Weighing" /> : <Chosen answer={value} />}</div>
      </div>
    </>
  );
}

function Chosen({ answer }: { answer: Recommendation }): preact.JSX.Element {
  const names = answer.meet[0]?.ratios.map(([name]) => name) ?? [];
  const [axes, setAxes] = useState<[string, string]>(["", ""]);
  const [across, up] = [names.includes(axes[0]) ? axes[0] : (names[0] ?? ""), names.includes(axes[1]) ? axes[1] : (names[1] ?? names[0] ?? "")];
  const ratio = (ratios: [string, number][], name: string): number => ratios.find(([one]) => one === name)?.[1] ?? 1;
  const marks = answer.meet.map(({ candidate, ratios }) => ({ name: candidate, x: ratio(ratios, across), y: ratio(ratios, up), chosen: answer.group.includes(candidate), meets: true }));
  return (
    <>
      <Answered html={answer.page} />
      {names.length > 1 && marks.length > 1 ? (
        <figure class="chart">
          <h3>The front</h3>
          {names.length > 2 ? <div class="controls"><Pick label="across" value={across} options={names.map((value) => ({ value }))} change={(next) => setAxes([next, up])} /><Pick label="up" value={up} options={names.map((value) => ({ value }))} change={(next) => setAxes([across, next])} /></div> : null}
          <Picture inputs={[answer, across, up]} label={`${across} and ${up} of ${count(marks.length, "candidate")}`} draw={(width) => choice(marks, [across, up], width)} />
          <figcaption>Each as a multiple of the best, geometric mean over {count(answer.conditions.length, "condition")}. The line joins those that no other beats in both.</figcaption>
        </figure>
      ) : null}
    </>
  );
}
