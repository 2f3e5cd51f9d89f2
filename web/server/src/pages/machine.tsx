// This machine: what it has and lacks, what it can detect, how noisy it was, and the audit log.

import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { quantity } from "../../../src/quantity";
import { type Fleet, api, fleets, machine } from "../api";
import { keep, options } from "../live";
import { useAnswer } from "../parts/answer";
import { Found } from "../parts/found";
import { Line } from "../parts/lines";
import { Command, Problem, Sure, Waiting, When, count, span, useDeed } from "../parts/words";
import { go } from "../router";

const UNITS: [RegExp, string][] = [[/_ns$/, "ns"], [/_bytes$/, "bytes"], [/(?<=^steal|^utilisation)$/, "ratio"]];

/** Without folders: paths of the machine are not shown. */
function withoutFolders(detail: string): string {
  return detail.replace(/\(\/(?:[^/()]+\/)+([^/()]+)\)/g, "($1)").replace(/^\/(?:[^/ ]+\/)+([^/ ]+)$/, "$1");
}

/** The readable name of a field, and its value in the unit that its name ends with. */
function said(name: string, value: unknown): [string, string] {
  const [ending, unit] = UNITS.find(([ending]) => ending.test(name)) ?? [/$/, ""];
  const text = typeof value !== "number" ? String(value) : unit ? quantity(value, unit) : String(+value.toPrecision(4));
  return [name.replace(ending, "").replaceAll("_", " "), text];
}

function Values({ of }: { of: Record<string, unknown> }): preact.JSX.Element {
  const simple = Object.entries(of).filter(([, value]) => value !== null && typeof value !== "object").map(([name, value]) => said(name, value));
  return <dl class="facts-list">{simple.map(([name, value]) => <Fragment key={name}><dt>{name}</dt><dd>{value}</dd></Fragment>)}</dl>;
}

/** The numeric figures of several runs, each as a line. */
function Noise({ rows }: { rows: ({ run: string; started: string } & Record<string, unknown>)[] }): preact.JSX.Element {
  const names = [...new Set(rows.flatMap((row) => Object.entries(row).filter(([, value]) => typeof value === "number").map(([name]) => name)))];
  if (rows.length === 0 || names.length === 0) return <p class="nothing">No run has recorded it yet. <a href="/new">Set up a test.</a></p>;
  return (
    <dl class="gauges">
      {names.map((name) => {
        const values = rows.map((row) => Number(row[name] ?? 0));
        const [words, last] = said(name, values.at(-1) ?? 0);
        return <div key={name}><dt>{words}</dt><dd>{last}</dd><dd class="picture"><Line values={values} most={Math.max(...values) * 1.1} label={`${name} over ${rows.length} runs`} /></dd></div>;
      })}
    </dl>
  );
}

/** Entries of the audit log in one answer. */
const LISTED = 500;
/** How often fleets are looked at while one is brought up or down. */
const LOOK_MS = 2000;

/** The fleets that the operator has set up; nothing where there is none. */
function Fleets(): preact.JSX.Element | null {
  const { value, error, again } = useAnswer((signal) => fleets.list(signal), []);
  const deed = useDeed();
  const all = value?.fleets ?? [];
  const moves = all.some(({ doing }) => doing);
  useEffect(() => {
    if (!moves) return;
    const timer = window.setInterval(again, LOOK_MS);
    return () => clearInterval(timer);
  }, [moves, again]);
  if (error) return <Problem error={error} />;
  if (all.length === 0) return null;
  const act = (act: () => Promise<unknown>) => deed.run(async () => { await act(); again(); });
  return (
    <section aria-labelledby="fleets-title">
      <h2 id="fleets-title">Fleets</h2>
      <p class="hint">A test may run on their agents: choose one beside {"\u201c"}Start the test{"\u201d"}. One that is not up is brought up for the test and taken down after it.</p>
      <div class="table" role="region" aria-label="Fleets" tabIndex={0}><table class="past"><thead><tr><th scope="col">fleet</th><th scope="col">agents</th><th scope="col">hosts</th><th scope="col">state</th><th scope="col">change</th></tr></thead>
        <tbody>{all.map((fleet) => <tr key={fleet.name}>
          <th scope="row">{fleet.name}<small>{fleet.shown?.engine ?? ""}</small></th>
          <td>{fleet.shown?.agents.join(", ") ?? ""}</td>
          <td>{Object.entries(fleet.shown?.hosts ?? {}).map(([host, agents]) => `${host}: ${agents.join(", ")}`).join("; ")}</td>
          <td aria-live="polite">{stateOf(fleet)}{fleet.problem ? <small>{fleet.problem}</small> : null}{fleet.said?.map((line) => <small key={line}>{line}</small>)}</td>
          <td><Change fleet={fleet} busy={deed.busy} act={act} /></td>
        </tr>)}</tbody></table></div>
      {deed.error ? <Problem error={deed.error} /> : null}
    </section>
  );
}

/** What can be done with a fleet now: one that is coming up can be given up. */
function Change({ fleet: { name, shown, doing }, busy, act }: { fleet: Fleet; busy: boolean; act(deed: () => Promise<unknown>): void }): preact.JSX.Element | null {
  if (!shown || doing === "down") return null;
  const [label, deed] = doing === "up" ? ["Give up", fleets.down] as const : shown.is_up ? ["Take down", fleets.down] as const : ["Bring up", fleets.up] as const;
  return <button type="button" aria-label={`${label} ${name}`} disabled={busy} onClick={() => act(() => deed(name))}>{label}</button>;
}

function stateOf({ doing, shown }: Fleet): string {
  if (doing) return doing === "up" ? "coming up" : "going down";
  if (!shown) return "can\u2019t be used";
  return shown.is_up ? "up" : "not up";
}

export default function Machine(): preact.JSX.Element {
  const { value, error } = useAnswer((signal) => machine.get(signal), []);
  const [before, setBefore] = useState<number>();
  const audit = useAnswer((signal) => machine.audit(signal, before), [before]);
  const earliest = audit.value?.entries.at(-1)?.at_ms;
  const deed = useDeed();
  if (error) return <Problem error={error} />;
  if (!value) return <Waiting what="Checking this machine" />;
  const lacking = value.findings.filter(({ here }) => !here);
  const { brokers = [], runners = [], payloads = [], links = [] } = options.value ?? {};
  const own = links.filter((link) => link.uploaded);
  const uploaded = payloads.filter((payload) => payload.uploaded);
  return (
    <div class="machine">
      <h1>This machine</h1>
      <p class="lead">Wiredyno {value.server.version} on {value.server.listen}, up for {span(value.server.uptime_ms * 1e6)}. A test that can{"\u2019"}t be carried out is tried {count(value.server.attempts, "time")}.{value.server.brokers.length > 0 ? ` Tests may use ${value.server.brokers.join(", ")}.` : ""}</p>
      <div class="columns-2">
        <section class="card" aria-labelledby="findings-title">
          <h2 id="findings-title">Doctor findings <small>{lacking.length === 0 ? "nothing missing" : `${lacking.length} missing`}</small></h2>
          <ul class="findings-list">{[...lacking, ...value.findings.filter(({ here }) => here)].map(({ id, here, detail }) => <li key={id} class={here ? "here" : "lacking"}><span aria-hidden="true">{here ? "\u2713" : "\u2715"}</span> <strong>{id}</strong> <span>{here ? "" : "missing: "}{withoutFolders(detail)}</span></li>)}</ul>
        </section>
        <div>
          <section class="card" aria-labelledby="self-title">
            <h2 id="self-title">What it can detect</h2>
            {value.self_test ? <><p class="hint">Measured <When at={value.self_test.at_ms} />.</p><Found of={value.self_test.found} /></> : <p class="hint">Not measured yet. A self-test takes a few minutes and goes through the queue.</p>}
            <button type="button" disabled={deed.busy} onClick={() => deed.run(async () => { const test = await machine.selfTest(); keep(test); go(`/tests/${test.id}`); })}>Run a self-test</button>
            {deed.error ? <Problem error={deed.error} /> : null}
          </section>
          {value.environment ? <section class="card" aria-labelledby="machine-title"><h2 id="machine-title">Environment of the last run</h2><Values of={value.environment as Record<string, unknown>} /></section> : null}
        </div>
      </div>
      <section class="card" aria-labelledby="kept-title">
        <h2 id="kept-title">What is kept here</h2>
        {value.server.free_bytes != null ? <p>{quantity(value.server.free_bytes, "bytes")} are free on the server{"\u2019"}s disk; tests begin from {quantity(value.server.least_free_bytes, "bytes")}. Old runs and tests can be deleted in <a href="/runs">Runs</a> and <a href="/queue">Queue</a>.</p> : null}
        {uploaded.length > 0 ? <ul class="uploaded">{uploaded.map(({ id }) => <li key={id}><code>{id}</code> <small>uploaded payload</small> <Sure label="Delete" about={id} busy={deed.busy} act={() => deed.run(() => api.deletePayload(id))} /></li>)}</ul> : <p class="hint">No uploaded payload. <a href="/new">New test</a> keeps one under {"\u201c"}A message of your own{"\u201d"}.</p>}
        {own.length > 0 ? <ul class="uploaded">{own.map(({ id, about }) => <li key={id}><code>{id}</code> <small>link: {about}</small> <Sure label="Delete" about={id} busy={deed.busy} act={() => deed.run(() => api.deleteLink(id))} /></li>)}</ul> : null}
      </section>
      <section class="card" aria-labelledby="noise-title"><h2 id="noise-title">Noise, run by run</h2><Noise rows={value.noise} /></section>
      <Fleets />
      <section aria-labelledby="brokers-title">
        <h2 id="brokers-title">Brokers</h2>
        <div class="table" role="region" aria-label="Brokers" tabIndex={0}><table class="past"><thead><tr><th scope="col">broker</th><th scope="col">protocols</th><th scope="col">version</th><th scope="col">how to get it</th></tr></thead>
          <tbody>{brokers.map(({ id, about, protocols, installed, version, install }) => <tr key={id}><th scope="row">{id}<small>{about}</small></th><td>{protocols.join(", ")}</td><td>{installed ? (version ?? "installed") : "missing"}</td><td>{installed ? "" : install ? <Command text={install} /> : ""}</td></tr>)}</tbody></table></div>
      </section>
      <section aria-labelledby="runners-title">
        <h2 id="runners-title">Runners</h2>
        <div class="table" role="region" aria-label="Runners" tabIndex={0}><table class="past"><thead><tr><th scope="col">runner</th><th scope="col">language</th><th scope="col">version</th><th scope="col" class="number">codecs</th></tr></thead>
          <tbody>{runners.map(({ id, language, about, here, version, why_not, codecs }) => <tr key={id}><th scope="row">{id}<small>{about}</small></th><td>{language}</td><td>{here ? (version ?? "here") : `missing: ${why_not ?? ""}`}</td><td class="number">{codecs}</td></tr>)}</tbody></table></div>
      </section>
      <details class="card"><summary>Runners already compiled <small>{count(value.cache.length, "line")}</small></summary><pre class="code" tabIndex={0}>{value.cache.join("\n")}</pre></details>
      <details class="card"><summary>Audit log</summary>
        {audit.value ? <div class="table" role="region" aria-label="Audit log" tabIndex={0}><table><thead><tr><th scope="col">when</th><th scope="col">who</th><th scope="col">from</th><th scope="col">what</th><th scope="col" class="number">answer</th></tr></thead><tbody>{audit.value.entries.map((entry, place) => <tr key={place}><td><When at={entry.at_ms} /></td><td>{entry.who ?? "\u2013"}</td><td>{entry.address}</td><td>{entry.action}{entry.subject ? <small>{entry.subject}</small> : null}</td><td class="number">{entry.status}{entry.times > 1 ? ` (${count(entry.times, "time")} in a minute)` : ""}</td></tr>)}</tbody></table></div> : audit.error ? <Problem error={audit.error} /> : <Waiting />}
        <p class="row">
          {before !== undefined ? <button type="button" onClick={() => setBefore(undefined)}>Newest entries</button> : null}
          {earliest !== undefined && audit.value && audit.value.entries.length >= LISTED ? <button type="button" onClick={() => setBefore(earliest)}>Earlier entries</button> : null}
        </p>
      </details>
    </div>
  );
}
