// What changes when one run replaces another.

import { quantity } from "../../../src/quantity";
import type { Effect } from "../../../src/schema";
import { answers } from "../api";
import { options } from "../live";
import { useAnswer } from "./answer";
import { Problem, Waiting, count } from "./words";

const WORDS: Record<string, string> = { better: "better", worse: "worse", "no-difference": "no difference", different: "different", undecided: "not decided", "no-interval": "not decided" };

function size({ scale, estimate, unit }: Effect): string {
  if (scale === "factor") return `\u00d7 ${estimate.toPrecision(3)}`;
  const sign = estimate > 0 ? "+" : "";
  return unit === "ratio" ? `${sign}${+(100 * estimate).toPrecision(3)} points` : `${sign}${quantity(estimate, unit)}`;
}

/** The logarithm of the factor that fills half of a bar. */
const FULL = Math.log(4);

/** A factor as a logarithmic bar, from the line in the middle, which means no change. */
function Bar({ scale, estimate, interval }: Effect): preact.JSX.Element | null {
  if (scale !== "factor" || estimate <= 0) return null;
  const at = (value: number): number => 50 + 48 * Math.max(-1, Math.min(1, Math.log(value) / FULL));
  const [low, high] = interval && interval[0] > 0 ? interval.map(at) : [at(estimate), at(estimate)];
  return (
    <svg class="change" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <line x1="50" x2="50" y1="0" y2="10" />
      <rect x={Math.min(50, at(estimate))} width={Math.abs(at(estimate) - 50)} y="3.5" height="3" />
      <rect x={low} width={Math.max(1, (high ?? 0) - (low ?? 0))} y="1.5" height="7" />
    </svg>
  );
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
            <th scope="row">{rows[place - 1]?.[0] === what ? <span class="hidden">{what}</span> : what}</th><td>{titleOf(effect)}</td><td class="number">{size(effect)}<Bar {...effect} /></td><td class="verdict">{WORDS[effect.verdict] ?? effect.verdict}</td><td>{effect.text}</td>
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
  const shown = value.effects.filter(({ verdict }) => verdict === "better" || verdict === "worse" || verdict === "different");
  const open = { "not-decided": "Not decided: more repeats would tell.", "cant-tell": "Can\u2019t tell: data are missing, or can\u2019t be compared." };
  return (
    <>
      <p class="conclusion">{value.conclusion === "not-decided" || value.conclusion === "cant-tell" ? open[value.conclusion] : shown.length === 0 ? "No significant difference." : `${count(shown.length, "significant difference")} among ${count(value.effects.length, "figure")}.`}</p>
      {value.differs.length > 0 ? <ul class="differs">{value.differs.map((line) => <li key={line}>{line}</li>)}</ul> : null}
      {value.untold.length > 0 ? <ul class="differs">{value.untold.map(({ what, metric, why }) => <li key={what + (metric ?? "")}>Can{"\u2019"}t tell, {what}{metric ? `, ${metric}` : ""}: {why}</li>)}</ul> : null}
      {value.refused.map(({ why, metrics }) => <p key={why} class="hint warn">Not compared, {metrics.join(", ")}: {why}</p>)}
      {value.effects.length > 0 ? <Table about="payload" rows={value.effects.map((effect) => [effect.payload, effect])} /> : null}
      {value.cells.length > 0 ? <><h2>Combinations that differ</h2><Table about="combination" rows={value.cells.map(({ cell, effect }) => [cell, effect])} /></> : null}
      {value.unmatched.length > 0 ? <details class="inner"><summary>{count(value.unmatched.length, "combination")} in only one of them</summary><ul>{value.unmatched.map((line) => <li key={line}>{line}</li>)}</ul></details> : null}
    </>
  );
}
