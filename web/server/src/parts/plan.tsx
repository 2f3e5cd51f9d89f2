// The plan of the study that is being written, and the button that submits it.

import type { Signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { type Plan, api, fleets } from "../api";
import { keep } from "../live";
import { go } from "../router";
import { missing } from "../study";
import { useAnswer } from "./answer";
import { Command, Problem, count, span, useDeed } from "./words";

interface Props {
  study: Record<string, unknown> | string;
  text: string;
  again: number | null;
  /** The fleet on whose agents it is to run; null for this machine. */
  fleet: Signal<string | null>;
  /** Whether the study is set up by the form, so that missing parts are still to be chosen; otherwise the server reports what is wrong. */
  chosen: boolean;
}

/** Changes come in bursts; the server is asked when they pause. */
const PAUSE_MS = 250;

export function PlanBox({ study, text, again, fleet: on, chosen }: Props): preact.JSX.Element {
  const open = typeof study === "string" || !chosen ? [] : missing(study);
  const ready = typeof study !== "string" && open.length === 0;
  const known = useAnswer((signal) => fleets.list(signal), []).value?.fleets ?? [];
  const fleet = on.value;
  const { value: plan, error } = useAnswer(async (signal) => (ready ? { text, fleet, ...(await api.plan(text, fleet, signal)) } : undefined), [text, fleet, ready], PAUSE_MS);
  const [priority, setPriority] = useState(0);
  const [capture, setCapture] = useState(false);
  const deed = useDeed();
  const start = (): void =>
    deed.run(async () => {
      const test = await api.submit(text, { ...(priority === 0 ? {} : { priority }), ...(capture ? { capture } : {}), ...(fleet === null ? {} : { fleet }), ...(again === null ? {} : { again_of: again }) });
      keep(test);
      go(`/tests/${test.id}`);
    });
  const stale = ready && (plan?.text !== text || plan.fleet !== fleet) && !error;
  const nothing = plan !== undefined && plan.trials + plan.codec_trials === 0;
  return (
    <aside class="plan card" aria-labelledby="plan-title">
      <h2 id="plan-title">What this test does</h2>
      <div aria-live="polite" aria-busy={stale}>
        {typeof study === "string" ? <p class="hint">The text is not valid TOML yet: {study}</p> : null}
        {open.length > 0 ? <p class="hint">Still to choose: {open.join(", ")}.</p> : null}
        {ready && error ? <Problem error={error} /> : null}
        {ready && !error && plan ? <Planned plan={plan} /> : null}
      </div>
      <div class="start">
        {known.length > 0 ? (
          <label class="pick">On <select value={fleet ?? ""} onChange={(event) => (on.value = event.currentTarget.value || null)}>
            <option value="">this machine</option>
            {known.map(({ name, shown }) => <option key={name} value={name} disabled={!shown}>{name}{shown ? `: ${count(shown.agents.length, "agent")} by ${shown.engine}${shown.is_up ? ", up" : ""}` : ": can\u2019t be used"}</option>)}
          </select></label>
        ) : null}
        <button type="button" class="main" disabled={!ready || deed.busy || error !== undefined || nothing} onClick={start}>Start the test</button>
        <details class="inner">
          <summary>Priority, packets</summary>
          <label class="pick">Priority <input type="number" min={-100} max={100} value={priority} onInput={(event) => setPriority(Number(event.currentTarget.value) || 0)} /></label>
          <label class="check"><input type="checkbox" checked={capture} onChange={(event) => setCapture(event.currentTarget.checked)} /> keep every packet (pcapng)</label>
        </details>
        {deed.error ? <Problem error={deed.error} /> : null}
      </div>
    </aside>
  );
}

function Planned({ plan }: { plan: Plan }): preact.JSX.Element {
  const cells = plan.cells.length + plan.codec_cells;
  const waits = plan.compile_estimate_ns > 0;
  return (
    <>
      <p class="total"><strong>{waits ? span(plan.estimate_ns + plan.compile_estimate_ns) : span(plan.estimate_ns)}</strong> <span>about</span></p>
      <dl class="facts-list">
        <dt>Combinations</dt><dd>{cells.toLocaleString("en-US")}</dd>
        <dt>Trials</dt><dd>{(plan.trials + plan.codec_trials).toLocaleString("en-US")}{plan.lanes > 1 ? `, ${plan.lanes} at a time` : ""}</dd>
        <dt>To compile</dt><dd>{plan.compile.length === 0 ? "nothing, all compiled" : `${count(plan.compile.length, "runner")}, about ${span(plan.compile_estimate_ns)}`}</dd>
        {plan.to_make_ready.length > 0 ? <><dt>To prepare</dt><dd>{plan.to_make_ready.join(", ")}</dd></> : null}
      </dl>
      {plan.cells.length > 1 ? (
        <details class="inner"><summary>The combinations</summary><ol class="cells">{plan.cells.slice(0, 200).map(({ name }) => <li key={name}>{name}</li>)}</ol>{plan.cells.length > 200 ? <p class="hint">and {plan.cells.length - 200} more</p> : null}</details>
      ) : null}
      {plan.counted_only.length > 0 ? (
        <details class="inner"><summary>Only counted: {count(plan.counted_only.length, "combination")}</summary><ul class="cells">{plan.counted_only.map(({ what, why }) => <li key={what}><strong>{what}</strong>: {why}</li>)}</ul></details>
      ) : null}
      {plan.not_run.length > 0 ? (
        <div class="not-run">
          <h3>Not run</h3>
          <ul>{plan.not_run.map(({ what, why, install }) => <li key={what}><strong>{what}</strong>: {why}{install ? <> <Command text={install} /></> : null}</li>)}</ul>
        </div>
      ) : null}
    </>
  );
}
