// A test as it runs, cell by cell and trial by trial; when it is done, its results.

import { useEffect, useRef, useState } from "preact/hooks";
import { quantity } from "../../../src/quantity";
import { type Watch, type Watched, type WatchedCell, api, runOf } from "../api";
import { follow, tests } from "../live";
import { Line, Mark, Shares } from "../parts/lines";
import { Now } from "../parts/now";
import { lazy } from "../parts/lazy";
import { Problem, Progress, StateMark, Waiting, When, count, span, useDeed } from "../parts/words";
import { go } from "../router";
import { type Happened, TYPES, after, underWay } from "../watching";

const Explore = lazy<{ run: string; brief: boolean }>(() => import("../parts/explore"));

/** The test, updated by its events; changes are shown once a frame, however many arrive. */
function useWatched(id: number): { test: Watched | null; error: Error | null } {
  const [test, show] = useState<Watched | null>(null);
  const [error, fail] = useState<Error | null>(null);
  useEffect(() => {
    let [stopped, planned] = [false, 0];
    let stop = (): void => {};
    let now: Watched | null = null;
    const begin = async (): Promise<void> => {
      stop();
      now = await api.test(id);
      if (stopped) return;
      show(now);
      const handle = (event: Happened): void => {
        if (!now) return;
        now = after(now, event);
        // The figures of all trials together, the same in every browser.
        if (event.type === "ended") void api.test(id).then((whole) => stopped || show((now = whole)));
        cancelAnimationFrame(planned);
        planned = requestAnimationFrame(() => show(now));
      };
      stop = follow(id, now.last_event, {
        ...Object.fromEntries(TYPES.map((type) => [type, (data: object) => handle({ ...data, type } as Happened)])),
        reset: () => void begin(),
      });
    };
    begin().catch((problem: Error) => stopped || fail(problem));
    return () => {
      stopped = true;
      cancelAnimationFrame(planned);
      stop();
    };
  }, [id]);
  return { test, error };
}

export default function Watching({ test: id }: { test: number }): preact.JSX.Element {
  const { test, error } = useWatched(id);
  const listed = tests.value?.get(id);
  useEffect(() => {
    if (test) document.title = `${test.name} \u00b7 Wiredyno`;
  }, [test?.name]);
  if (error) return <Problem error={error} />;
  if (!test) return <Waiting />;
  const { watch } = test;
  const isDone = test.state === "done";
  const run = runOf(test);
  const shown = { ...test, place: listed?.place ?? test.place ?? null };
  return (
    <div class="watch">
      <Head test={shown} />
      {test.state === "processing" && watch ? <Ahead watch={watch} since={test.attempts_made.at(-1)?.started_ms ?? test.started_ms ?? null} /> : null}
      {test.state === "processing" && watch ? <Now watch={watch} /> : null}
      {test.state === "failed" ? <Failure test={test} /> : null}
      {isDone && run ? <Explore run={run} brief /> : null}
      {watch && watch.cells.length > 0 ? (
        isDone ? <details class="card"><summary>How its trials went</summary><Cells watch={watch} /></details> : <section class="card" aria-labelledby="cells-title"><h2 id="cells-title">Combinations</h2><Cells watch={watch} /></section>
      ) : null}
      <Log test={test} open={!isDone} />
      <details class="card"><summary>The study, as it was submitted</summary><pre class="code" tabIndex={0}>{test.study}</pre></details>
    </div>
  );
}

function Head({ test }: { test: Watched }): preact.JSX.Element {
  const deed = useDeed();
  const waits = test.state === "submitted";
  const open = waits || test.state === "processing";
  const run = runOf(test);
  return (
    <header class="head">
      <div>
      <p class="kicker"><StateMark state={test.state} /> <span>test {test.id}{test.by ? `, by ${test.by}` : ""}, submitted <When at={test.submitted_ms} /></span></p>
      <h1>{test.name}</h1>
      <p class="lead">{test.why}</p>
      {waits ? <p class="hint">{test.place ? `Number ${test.place} in the queue.` : "In the queue."} {test.reason ? (test.retry_at_ms ? `The previous attempt ended: ${test.reason}.` : `It waits: ${test.reason}.`) : ""}{test.retry_at_ms ? <> Next attempt at <When at={test.retry_at_ms} />.</> : null}</p> : null}
      </div>
      <div class="row">
        {open ? <button type="button" disabled={deed.busy} onClick={() => deed.run(() => api.cancel(test.id))}>Cancel</button> : (
          <>
            <button type="button" disabled={deed.busy} onClick={() => deed.run(async () => go(`/tests/${(await api.again(test.id)).id}`))}>Run again</button>
            <a class="button" href={`/new?again=${test.id}`}>Again with changes</a>
          </>
        )}
        {run && !open ? <a class="button" href={`/runs/${encodeURIComponent(run)}`}>Open the run</a> : null}
      </div>
      {deed.error ? <Problem error={deed.error} /> : null}
    </header>
  );
}

/** How long something has been going on, second by second. */
function Elapsed({ since }: { since: number }): preact.JSX.Element {
  const [now, tick] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <>{span(Math.max(1, Math.round((now - since) / 1000)) * 1e9)}</>;
}

/** Progress, the trials that are running, and the machine's load. */
function Ahead({ watch, since }: { watch: Watch; since: number | null }): preact.JSX.Element {
  const last = watch.machine.at(-1);
  const memory = watch.machine.map(({ memory_bytes }) => memory_bytes);
  const { done, total, left_ns } = watch.progress;
  const isFinishing = watch.phase === "trials" && total > 0 && done >= total && watch.running.length === 0;
  return (
    <section class="ahead card" aria-label="Progress">
      <div class="how-far">
        <p class="big" role="status">
          {watch.phase === "compiling" ? "Getting ready" : isFinishing ? "Computing the results" : <>{done} <small>of {count(total, "trial")}</small></>}
        </p>
        {total > 0 ? <Progress done={done} total={total} label="Trials made" /> : null}
        <p class="hint">{watch.phase === "compiling" ? <>{watch.building ?? "reading the study"}{since ? <>, <Elapsed since={since} /> so far</> : null}</> : left_ns >= 1e9 ? `about ${span(left_ns)} left` : ""}</p>
        <ul class="running">{watch.running.slice(0, 6).map((one) => <li key={`${one.name} ${one.repeat} ${one.attempt} ${one.lane}`}><span class="beat" aria-hidden="true" />{one.name} <small>repeat {one.repeat + 1}{one.attempt > 0 ? `, attempt ${one.attempt + 1}` : ""}</small></li>)}</ul>
      </div>
      <div>
      <dl class="gauges">
        <div><dt>CPU</dt><dd>{last ? `${Math.round(100 * last.cpu)} %` : "\u2013"}</dd><dd class="picture"><Line values={watch.machine.map(({ cpu }) => cpu)} most={1} label="CPU of the machine over the last two minutes" /></dd></div>
        <div><dt>Memory</dt><dd>{last ? quantity(last.memory_bytes, "bytes") : "\u2013"}</dd><dd class="picture"><Line values={memory} most={Math.max(1, ...memory) * 1.15} label="Memory in use over the last two minutes" /></dd></div>
      </dl>
      {watch.roles?.length ? (
        <table class="roles">
          <thead><tr><th scope="col">in the last trial</th>{watch.roles.map(({ role }) => <th key={role} scope="col" class="number">{role}</th>)}</tr></thead>
          <tbody>
            <tr><th scope="row">CPU</th>{watch.roles.map(({ role, cpu_ns }) => <td key={role} class="number">{quantity(cpu_ns, "ns")}</td>)}</tr>
            <tr><th scope="row">memory</th>{watch.roles.map(({ role, memory_bytes }) => <td key={role} class="number">{quantity(memory_bytes, "bytes")}</td>)}</tr>
          </tbody>
        </table>
      ) : null}
      </div>
    </section>
  );
}

const OUTCOMES: Record<string, string> = { complete: "complete", overloaded: "overloaded", failed: "failed", invalid: "not valid, repeated" };

/** A square for each trial: done, running, or planned. */
function Trials({ cell, running }: { cell: WatchedCell; running: number }): preact.JSX.Element {
  const valid = cell.trials.filter(({ outcome }) => outcome !== "invalid").length;
  const coming = Math.max(0, cell.wanted - valid - running);
  const words = [`${valid} of ${cell.wanted} made`, ...(running ? [`${running} running`] : [])].join(", ");
  const squares = cell.wanted + cell.trials.length > 80 ? [] : [
    ...cell.trials.map(({ outcome, number, reason }) => <i key={number} class={outcome} title={`trial ${number}: ${OUTCOMES[outcome]}${reason ? `: ${reason}` : ""}`} />),
    ...Array.from({ length: running }, (_, place) => <i key={`running ${place}`} class="now" />),
    ...Array.from({ length: coming }, (_, place) => <i key={`coming ${place}`} />),
  ];
  return <span class="trials" role="img" aria-label={words} data-made={`${valid} of ${cell.wanted}`}>{squares.length > 0 ? squares : words}</span>;
}

function Cells({ watch }: { watch: Watch }): preact.JSX.Element {
  const { cells } = watch;
  const figure = ({ kind, latency_ns, encode_ns, decode_ns }: WatchedCell): number | null => (kind === "message" ? (latency_ns ?? null) : encode_ns == null ? null : encode_ns + (decode_ns ?? 0));
  const groups = (["message", "codec"] as const).map((kind) => ({ kind, own: cells.filter((cell) => cell.kind === kind) })).filter(({ own }) => own.length > 0);
  return (
    <>
      {groups.map(({ kind, own }) => {
        const known = own.map(figure).filter((value): value is number => value !== null && value > 0);
        const range: [number, number] = [Math.min(...known), Math.max(...known)];
        const isMessage = kind === "message";
        return (
          <div key={kind} class="table" role="region" aria-label={isMessage ? "Messages" : "Codecs alone"} tabIndex={0}>
            <table class="watched">
              <thead><tr><th scope="col">{isMessage ? "messages" : "codecs alone"}</th><th scope="col">trials</th><th scope="col" class="number">{isMessage ? "latency so far" : "encode and decode so far"}</th><th scope="col"><span class="hidden">on one scale</span></th>{isMessage ? <><th scope="col" class="number">delivered</th><th scope="col"><span class="hidden">as a bar</span></th></> : null}</tr></thead>
              <tbody>
                {own.map((cell) => {
                  const value = figure(cell);
                  const { sent, delivered, lost } = cell;
                  return (
                    <tr key={cell.name}>
                      <th scope="row">{cell.name}</th>
                      <td><Trials cell={cell} running={underWay(watch, cell)} /></td>
                      <td class="number">{value === null ? "\u2013" : quantity(value, "ns")}</td>
                      <td><Mark value={value} of={range} /></td>
                      {isMessage ? <><td class="number">{sent ? `${delivered.toLocaleString("en-US")} of ${sent.toLocaleString("en-US")}` : "\u2013"}</td><td><Shares parts={[{ name: "delivered", value: delivered }, { name: "lost", value: lost }]} label={lost ? `${lost} lost` : "none lost"} /></td></> : null}
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        );
      })}
    </>
  );
}

function Failure({ test }: { test: Watched }): preact.JSX.Element {
  return (
    <section class="card problem" aria-labelledby="failure-title">
      <h2 id="failure-title">{runOf(test) ? "It has no figure" : "It could not be carried out"}</h2>
      <p>{test.reason ?? "No reason is known; its log may say more."}</p>
      <p class="hint">{runOf(test) ? "Its report says what happened in each trial." : "Its log, below, says more."} {count(test.attempts_made.length, "attempt")}, of at most {test.most_attempts}:</p>
      <ol>{test.attempts_made.map(({ number, started_ms, reason }) => <li key={number}><When at={started_ms} />: {reason ?? "no reason known"}</li>)}</ol>
    </section>
  );
}

function Log({ test, open }: { test: Watched; open: boolean }): preact.JSX.Element {
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [test.lines]);
  return (
    <details class="card log" open={open}>
      <summary>Log</summary>
      <pre
        ref={box} class="code" tabIndex={0} aria-label="Log"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => (atEnd.current = scrollHeight - scrollTop - clientHeight < 30)}
      >{test.lines.length > 0 ? test.lines.join("\n") : "Nothing yet."}</pre>
      <p class="hint"><a href={`/api/tests/${test.id}/log`} download={`test-${test.id}.log`}>Download the whole log</a></p>
    </details>
  );
}
