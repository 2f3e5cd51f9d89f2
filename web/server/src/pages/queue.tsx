// The queue: the running test, the waiting ones in order, and those that have ended.

import { useState } from "preact/hooks";
import { type State, type Test, api, runOf } from "../api";
import { ended, keep, processing, refresh, submitted, tests } from "../live";
import { Choices } from "../parts/choices";
import { Nothing, Problem, Progress, StateMark, Sure, Waiting, When, count, span, useDeed } from "../parts/words";
import { choose, go, here } from "../router";

const STATES: State[] = ["done", "failed", "cancelled"];
/** With more tests that wait, they can be searched and cancelled together. */
const FEW = 3;
/** Waiting tests that are shown before one asks for all. */
const SHOWN = 20;

/** Whether a text is in what is shown of a test. */
function isMeant({ id, name, why, by }: Test, text: string): boolean {
  const words = text.trim().toLowerCase();
  return words === "" || [`#${id}`, name, why, by ?? ""].some((one) => one.toLowerCase().includes(words));
}

export function Queue(): preact.JSX.Element {
  const deed = useDeed();
  if (!tests.value) return <Waiting />;
  const shown = (here.value.searchParams.get("state") ?? "").split(",").filter(Boolean);
  const search = here.value.searchParams.get("search") ?? "";
  const waiting = submitted.value.filter((test) => isMeant(test, search));
  const past = ended.value.filter(({ state }) => shown.length === 0 || shown.includes(state));
  const act = (doing: () => Promise<Test>): void => deed.run(async () => {
    keep(await doing());
    await refresh();
  });
  return (
    <div class="queue">
      <h1>Queue</h1>
      {deed.error ? <Problem error={deed.error} /> : null}
      <section aria-labelledby="processing-title">
        <h2 id="processing-title">Processing</h2>
        {processing.value.length === 0 ? <Nothing>Nothing is being tested. <a href="/new">Set up a test.</a></Nothing> : null}
        {processing.value.map((test) => <NowProcessing key={test.id} test={test} act={act} />)}
      </section>
      <section aria-labelledby="submitted-title">
        <h2 id="submitted-title">Submitted <small>{submitted.value.length > 0 ? count(submitted.value.length, "test") : ""}</small></h2>
        {submitted.value.length > FEW ? (
          <div class="row">
            <label class="pick">Search <input type="search" value={search} placeholder="name, question, user, number" onInput={({ currentTarget }) => choose({ search: currentTarget.value })} /></label>
            <Sure label={search ? `Cancel these ${waiting.length}` : "Cancel all"} about={count(waiting.length, "waiting test")} busy={deed.busy} act={() => deed.run(async () => { await api.cancelAll(waiting.map(({ id }) => id)); await refresh(); })} />
          </div>
        ) : null}
        {submitted.value.length === 0 ? <Nothing>Nothing is waiting. <a href="/new">Set up a test.</a></Nothing> : waiting.length === 0 ? <Nothing>No waiting test matches.</Nothing> : <Order list={waiting} all={submitted.value} act={act} />}
      </section>
      <section aria-labelledby="ended-title">
        <h2 id="ended-title">Ended</h2>
        <Choices
          title="States" options={STATES.map((value) => ({ value, label: `${value} ${ended.value.filter(({ state }) => state === value).length}` }))} chosen={shown}
          toggle={(state) => choose({ state: (shown.includes(state) ? shown.filter((one) => one !== state) : [...shown, state]).join(",") })}
        />
        {past.length === 0 ? <Nothing>{shown.length > 0 ? <>None of these. <a href="/queue">Show all.</a></> : "None yet: tests appear here when they end."}</Nothing> : <Past list={past} act={act} busy={deed.busy} remove={(test) => deed.run(() => api.deleteTest(test.id))} />}
      </section>
    </div>
  );
}

type Act = (doing: () => Promise<Test>) => void;

function NowProcessing({ test, act }: { test: Test; act: Act }): preact.JSX.Element {
  const { progress } = test;
  return (
    <article class="card processing">
      <div class="top">
        <h3><a href={`/tests/${test.id}`}>{test.name}</a> <small>#{test.id}</small></h3>
        <button type="button" aria-label={`Cancel ${test.name}`} onClick={() => act(() => api.cancel(test.id))}>Cancel</button>
      </div>
      <p class="why">{test.why}</p>
      {progress && progress.total > 0 ? <Progress done={progress.done} total={progress.total} label={`Trials of ${test.name}`} /> : null}
      <p class="hint">{test.doing ?? (progress && progress.total > 0 ? `${progress.done} of ${count(progress.total, "trial")}${progress.left_ns >= 1e9 ? `, about ${span(progress.left_ns)} left` : ""}` : "getting ready")}{test.by ? `, for ${test.by}` : ""}{test.failures > 0 ? `, attempt ${test.failures + 1} of ${test.most_attempts}` : ""}</p>
    </article>
  );
}

/** The order can be changed by buttons, so that a keyboard is enough, and by dragging. */
function Order({ list, all, act }: { list: Test[]; all: Test[]; act: Act }): preact.JSX.Element {
  const [dragged, drag] = useState<number | null>(null);
  const [whole, showAll] = useState(false);
  const move = (test: Test, before: number, priority: number): void => act(() => api.move(test.id, { before, priority }));
  const up = (test: Test, at: number): void => move(test, all[at - 1]?.id ?? 0, all[at - 1]?.priority ?? 0);
  const down = (test: Test, at: number): void => move(test, all[at + 2]?.id ?? 0, all[at + 1]?.priority ?? 0);
  const shown = whole ? list : list.slice(0, SHOWN);
  const drop = (target: Test): void => {
    if (dragged !== null && dragged !== target.id) act(() => api.move(dragged, { before: target.id, priority: target.priority }));
    drag(null);
  };
  return (
    <>
    <ol class="order">
      {shown.map((test) => ({ test, at: all.indexOf(test) })).map(({ test, at }) => (
        <li
          key={test.id} class={`card${dragged === test.id ? " dragged" : ""}`} draggable onDragStart={() => drag(test.id)} onDragEnd={() => drag(null)}
          onDragOver={(event) => event.preventDefault()} onDrop={() => drop(test)}
        >
          <span class="place">{at + 1}</span>
          <div class="what">
            <h3><a href={`/tests/${test.id}`}>{test.name}</a> <small>#{test.id}</small></h3>
            <p class="hint">
              {test.cells ? `${count(test.cells, "combination")}, ` : ""}{test.estimate_ns ? `about ${span(test.estimate_ns)}, ` : ""}{test.by ? `by ${test.by}, ` : ""}<When at={test.submitted_ms} />
              {test.retry_at_ms ? <>; waits until <When at={test.retry_at_ms} />{test.reason ? `: ${test.reason}` : ""}</> : test.reason ? `; waits: ${test.reason}` : null}
            </p>
          </div>
          <label class="pick">Priority <input type="number" min={-100} max={100} value={test.priority} onChange={(event) => { const priority = Number(event.currentTarget.value); act(() => api.move(test.id, { priority })); }} /></label>
          <span class="moves">
            <button type="button" aria-label={`Move ${test.name} up`} disabled={at === 0} onClick={() => up(test, at)}>{"\u2191"}</button>
            <button type="button" aria-label={`Move ${test.name} down`} disabled={at === all.length - 1} onClick={() => down(test, at)}>{"\u2193"}</button>
            <button type="button" aria-label={`Cancel ${test.name}`} onClick={() => act(() => api.cancel(test.id))}>Cancel</button>
          </span>
        </li>
      ))}
    </ol>
    {shown.length < list.length ? <button type="button" onClick={() => showAll(true)}>Show the other {list.length - shown.length}</button> : null}
    </>
  );
}

function Past({ list, act, busy, remove }: { list: Test[]; act: Act; busy: boolean; remove(test: Test): void }): preact.JSX.Element {
  return (
    <div class="table" role="region" aria-label="Tests that have ended" tabIndex={0}>
      <table class="past">
        <thead><tr><th scope="col">state</th><th scope="col">test</th><th scope="col">ended</th><th scope="col">took</th><th scope="col">who</th><th scope="col"><span class="hidden">what to do</span></th></tr></thead>
        <tbody>
          {list.map((test) => (
            <tr key={test.id}>
              <td><StateMark state={test.state} /></td>
              <td><a href={`/tests/${test.id}`}>{test.name}</a> <small class="inline">#{test.id}</small>{test.reason ? <small>{test.reason}</small> : null}</td>
              <td>{test.ended_ms ? <When at={test.ended_ms} /> : "\u2013"}</td>
              <td class="short">{test.started_ms && test.ended_ms ? span((test.ended_ms - test.started_ms) * 1e6) : "\u2013"}</td>
              <td>{test.by ?? "\u2013"}</td>
              <td class="deeds">
                {runOf(test) ? <a href={`/runs/${encodeURIComponent(runOf(test) ?? "")}`} aria-label={`Results of ${test.name}`}>Results</a> : null}
                <button type="button" class="quiet" aria-label={`Again: ${test.name}`} onClick={() => act(() => api.again(test.id))}>Again</button>
                <button type="button" class="quiet" aria-label={`With changes: ${test.name}`} onClick={() => go(`/new?again=${test.id}`)}>With changes</button>
                <Sure label="Delete" about={`${test.name} #${test.id}`} busy={busy} act={() => remove(test)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
