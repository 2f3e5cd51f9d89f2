// What one run does in place of another.

import type { Effect } from "../../../src/schema";
import { answers } from "../api";
import { options } from "../live";
import { useAnswer } from "./answer";
import { Problem, Waiting, count } from "./words";

const WORDS: Record<string, string> = { better: "better", worse: "worse", "no-difference": "no difference shown", undecided: "can\u2019t tell", "no-interval": "no interval" };

function size({ scale, estimate, text }: Effect): string {
  return scale === "factor" ? `\u00d7 ${estimate.toPrecision(3)}` : text;
}

function titleOf(effect: Effect): string {
  return options.value?.metrics.find(({ name, scope }) => name === effect.metric && scope === effect.scope)?.title ?? effect.metric;
}

function Table({ rows, about }: { rows: [string, Effect][]; about: string }): preact.JSX.Element {
  return (
    <div class="table" role="region" aria-label={about} tabIndex={0}>
      <table class="changes">
        <thead><tr><th scope="col">{about}</th><th scope="col">figure</th><th scope="col" class="number">change</th><th scope="col">what is known</th><th scope="col">in words</th></tr></thead>
        <tbody>{rows.map(([what, effect], place) => (
          <tr key={place} class={effect.verdict}>
            <th scope="row">{what}</th><td>{titleOf(effect)}</td><td class="number">{size(effect)}</td><td class="verdict">{WORDS[effect.verdict] ?? effect.verdict}</td><td>{effect.text}</td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

export function Changes({ base, newer }: { base: string; newer: string }): preact.JSX.Element {
  const { value, error } = useAnswer((signal) => answers.compare(base, newer, {}, signal), [base, newer]);
  if (error) return <Problem error={error} />;
  if (!value) return <Waiting what="Comparing" />;
  const shown = value.effects.filter(({ verdict }) => verdict === "better" || verdict === "worse");
  return (
    <>
      <p class="conclusion">{shown.length === 0 ? "No difference is shown." : `${count(shown.length, "difference")} shown among ${count(value.effects.length, "figure")}.`}</p>
      {value.differs.length > 0 ? <ul class="differs">{value.differs.map((line) => <li key={line}>{line}</li>)}</ul> : null}
      {value.refused.map(({ why, metrics }) => <p key={why} class="hint warn">Not compared, {metrics.join(", ")}: {why}</p>)}
      {value.effects.length > 0 ? <Table about="payload" rows={value.effects.map((effect) => [effect.payload, effect])} /> : null}
      {value.cells.length > 0 ? <><h2>Combinations that differ</h2><Table about="combination" rows={value.cells.map(({ cell, effect }) => [cell, effect])} /></> : null}
      {value.unmatched.length > 0 ? <details class="inner"><summary>{count(value.unmatched.length, "combination")} in one of them only</summary><ul>{value.unmatched.map((line) => <li key={line}>{line}</li>)}</ul></details> : null}
    </>
  );
}
