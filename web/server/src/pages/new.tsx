// A new test: the form, generated from the registries, the same as text, and beside it the plan.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { api } from "../api";
import { loadOptions, options } from "../live";
import { useAnswer } from "../parts/answer";
import { lazy } from "../parts/lazy";
import { PlanBox } from "../parts/plan";
import { StudyForm } from "../parts/form";
import { Problem, Sure, useDeed } from "../parts/words";
import { here } from "../router";
import { EMPTY, STRUCTURED, named, read, withPayloads, values, write } from "../study";

const Message = lazy<{ kept(payload: string): void }>(() => import("../parts/message"));

type View = "choose" | "text" | "message";
const VIEWS: [View, string][] = [["choose", "Choose"], ["text", "As text"], ["message", "A message of your own"]];

const PREFIX = "#study=";

/** The study in the address: as text in its fragment, or by name in its query. */
function brought(): string | null {
  if (location.hash.startsWith(PREFIX)) {
    try {
      return decodeURIComponent(location.hash.slice(PREFIX.length));
    } catch {
      // Half a character: the address was cut or mistyped.
      return null;
    }
  }
  const { searchParams } = here.value;
  const known = options.value;
  const study = known?.studies.find(({ id }) => id === searchParams.get("study"));
  return study?.text ?? known?.questions.find(({ id }) => id === searchParams.get("question"))?.study ?? null;
}

export function NewTest(): preact.JSX.Element {
  const text = useSignal(brought() ?? write(EMPTY));
  const view = useSignal<View>("choose");
  const again = here.value.searchParams.get("again");
  const again_of = again === null ? null : Number(again);
  const fleet = useSignal<string | null>(null);
  const unknown = useSignal<Error | null>(null);
  const set = (study: string, keep = true): void => {
    text.value = study;
    // The address contains the choices, so that it can be shared.
    if (keep) history.replaceState(null, "", `${location.pathname}${location.search}${PREFIX}${encodeURIComponent(study)}`);
  };
  useEffect(() => {
    if (again_of === null) return;
    api.test(again_of).then(
      ({ study, fleet: on }) => {
        if (!location.hash.startsWith(PREFIX)) set(study, false);
        fleet.value = on ?? null;
      },
      (error: Error) => (unknown.value = error),
    );
  }, [again_of]);
  const study = useMemo(() => read(text.value), [text.value]);
  // A study with a name and a question is submitted as it was written.
  const plan = typeof study === "string" || (study["name"] && study["why"]) ? text.value : write(named(study));
  return (
    <div class="new">
      <div class="form">
        <h1>New test</h1>
        {unknown.value ? <Problem error={unknown.value} /> : null}
        <Starts set={set} again={unknown.value ? null : again_of} text={plan} />
        <div class="views" role="group" aria-label="How to set up the test">
          {VIEWS.map(([id, title]) => (
            <button key={id} type="button" aria-pressed={view.value === id} onClick={() => (view.value = id)}>{title}</button>
          ))}
        </div>
        {view.value === "message" ? (
          <Message kept={(payload) => {
            void loadOptions();
            if (typeof study !== "string") set(write(withPayloads(study, [...values(study, "payload"), payload], STRUCTURED)));
            view.value = "choose";
          }} />
        ) : view.value === "text" || typeof study === "string" ? (
          <StudyText text={typeof study === "string" || text.value !== write(EMPTY) ? text.value : plan} set={set} problem={typeof study === "string" ? study : null} />
        ) : (
          <StudyForm study={study} change={(changed) => set(write(changed))} />
        )}
      </div>
      <PlanBox study={study} text={plan} again={unknown.value ? null : again_of} fleet={fleet} chosen={view.value !== "text"} />
    </div>
  );
}

/** Starting points: a question, a bundled study, a file. */
function Starts({ set, again, text }: { set(study: string): void; again: number | null; text: string }): preact.JSX.Element {
  const known = options.value;
  const kept = known?.studies.filter(({ uploaded }) => uploaded) ?? [];
  const upload = async (file: File | undefined): Promise<void> => {
    if (file) set(await file.text());
  };
  return (
    <div class="starts">
      {again === null ? null : <p class="hint">Test {again} again: change what you like, then start it.</p>}
      <ul class="questions" aria-label="Questions to start from">
        {known?.questions.map(({ id, title, why, study }) => (
          <li key={id}><button type="button" onClick={() => set(study)}><strong>{title}</strong><span>{why}</span></button></li>
        ))}
      </ul>
      <div class="row">
        <label class="pick">
          A study
          <select value="" onChange={(event) => {
            const study = known?.studies.find(({ id }) => id === event.currentTarget.value);
            if (study) set(study.text);
          }}>
            <option value="">choose one&hellip;</option>
            {kept.length > 0 ? <optgroup label="kept here">{kept.map(({ id, why }) => <option key={id} value={id} title={why}>{id}</option>)}</optgroup> : null}
            <optgroup label="of Wiredyno">{known?.studies.filter(({ uploaded }) => !uploaded).map(({ id, why }) => <option key={id} value={id} title={why}>{id}</option>)}</optgroup>
          </select>
        </label>
        <label class="pick file">
          or a file
          <input type="file" accept=".toml,text/plain" onChange={(event) => void upload(event.currentTarget.files?.[0])} />
        </label>
        <Keep text={text} kept={kept.map(({ id }) => id)} />
      </div>
    </div>
  );
}

/** Keeps the study under a name, for everyone who uses this server. */
function Keep({ text, kept }: { text: string; kept: string[] }): preact.JSX.Element {
  const id = useSignal("");
  const deed = useDeed();
  const act = (doing: () => Promise<unknown>): void => deed.run(async () => {
    await doing();
    await loadOptions();
    id.value = "";
  });
  const isKept = kept.includes(id.value);
  return (
    <details class="keep">
      <summary>Keep this one</summary>
      <p class="row">
        <label class="pick">under the name <input value={id.value} list="kept-studies" placeholder="our-usual-test" onInput={({ currentTarget }) => (id.value = currentTarget.value.trim())} /></label>
        <datalist id="kept-studies">{kept.map((one) => <option key={one} value={one} />)}</datalist>
        <button type="button" disabled={deed.busy || id.value === ""} onClick={() => act(() => api.keepStudy(id.value, text))}>{isKept ? "Replace" : "Keep"}</button>
        {isKept ? <Sure label="Delete" about={id.value} busy={deed.busy} act={() => act(() => api.deleteStudy(id.value))} /> : null}
      </p>
      {deed.error ? <Problem error={deed.error} /> : null}
    </details>
  );
}

function StudyText({ text, set, problem }: { text: string; set(study: string): void; problem: string | null }): preact.JSX.Element {
  const { value } = useAnswer(() => Promise.resolve(text.split("\n").length), [text]);
  return (
    <div class="card">
      <label class="stack">
        The study, as a file of TOML
        <textarea class="code" spellcheck={false} rows={Math.min(40, Math.max(16, value ?? 16))} value={text} aria-invalid={problem !== null} onInput={(event) => set(event.currentTarget.value)} />
      </label>
      {problem === null ? null : <p class="problem" role="alert">{problem}</p>}
    </div>
  );
}
