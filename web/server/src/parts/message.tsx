// A user's own message: samples or a definition, with its size in every format while they are being written.

import { useEffect, useState } from "preact/hooks";
import { quantity } from "../../../src/quantity";
import { type Own, type Spread, type Weighed, messages } from "../api";
import { useAnswer } from "./answer";
import { Pick } from "./choices";
import { Problem, count, useDeed } from "./words";

const EXAMPLE = `{"id": "b1c9", "speed_kmh": 87.5, "heading": 271, "doors": [false, false], "position": {"lat": 57.7089, "lon": 11.9746}}
{"id": "b1c9", "speed_kmh": 88.1, "heading": 270, "doors": [false, false], "position": {"lat": 57.7091, "lon": 11.9741}}`;

const KINDS: { value: Own["kind"]; label: string }[] = [
  { value: "samples", label: "samples, JSON" },
  { value: "proto", label: "a definition, .proto" },
  { value: "avsc", label: "a definition, Avro" },
  { value: "json-schema", label: "a definition, JSON Schema" },
];

/** By the file's extension, else by its beginning. */
function kindOf(file: string, text: string): Own["kind"] {
  if (file.endsWith(".proto")) return "proto";
  if (file.endsWith(".avsc")) return "avsc";
  return /"\$schema"|"properties"\s*:/.test(text.slice(0, 2000)) ? "json-schema" : "samples";
}

const PAUSE_MS = 200;

export default function Message({ kept }: { kept(payload: string): void }): preact.JSX.Element {
  const [kind, setKind] = useState<Own["kind"]>("samples");
  const [text, setText] = useState(EXAMPLE);
  const [samples, setSamples] = useState("");
  const own: Own = { kind, text, ...(kind !== "samples" && samples.trim() ? { samples } : {}), compressions: ["zstd:3"] };
  const { value, error } = useAnswer(async (signal) => (text.trim() ? await messages.size(own, signal) : undefined), [kind, text, samples], PAUSE_MS);
  const load = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    const read = await file.text();
    setKind(kindOf(file.name, read));
    setText(read);
  };
  return (
    <div class="message">
      <div class="card">
        <div class="row">
          <Pick label="What it is" value={kind} options={KINDS} change={(next) => setKind(next as Own["kind"])} />
          <label class="pick file">a file <input type="file" accept=".json,.jsonl,.ndjson,.proto,.avsc,text/plain" onChange={(event) => void load(event.currentTarget.files?.[0])} /></label>
        </div>
        <label class="stack">
          {kind === "samples" ? "Samples: one JSON object per line, as your program sends them" : "The definition"}
          <textarea class="code" spellcheck={false} rows={9} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        {kind === "samples" ? null : (
          <label class="stack">Samples, JSON lines; invented if there are none
            <textarea class="code" spellcheck={false} rows={4} value={samples} onInput={(event) => setSamples(event.currentTarget.value)} />
          </label>
        )}
        {error ? <Problem error={error} /> : null}
      </div>
      {value ? <Found weighed={value} own={own} kept={kept} stale={error !== undefined} /> : null}
    </div>
  );
}

function mean(spread: Spread, of: number): number {
  return spread.mean_bytes ?? (spread.sum_bytes ?? 0) / Math.max(1, spread.count ?? of);
}

function Found({ weighed, own, kept, stale }: { weighed: Weighed; own: Own; kept(payload: string): void; stale: boolean }): preact.JSX.Element {
  const { sizes } = weighed;
  const [name, setName] = useState("my-message");
  const deed = useDeed();
  const { count: of, invented } = sizes.samples;
  const rows = sizes.codecs.filter(({ same_bytes_as }) => !same_bytes_as).map((codec) => ({ ...codec, mean: mean(codec.plain, of) })).sort((a, b) => a.mean - b.mean);
  const most = Math.max(1, ...rows.map((row) => row.mean));
  const [definition, setDefinition] = useState(weighed.definition);
  useEffect(() => setDefinition(weighed.definition), [weighed.definition]);
  const keepIt = (): void =>
    deed.run(async () => {
      // If the inferred definition was edited, the edited one counts.
      const changed = definition !== weighed.definition;
      const samples = own.kind === "samples" ? own.text : own.samples;
      const { id } = await messages.keep(name.trim(), changed ? { kind: "proto", text: definition, ...(samples ? { samples } : {}) } : own);
      kept(id);
    });
  return (
    <>
      <section class={`card${stale ? " stale" : ""}`} aria-labelledby="sizes-title">
        <h2 id="sizes-title">Bytes in each format</h2>
        <p class="lead">{invented ? "Of invented samples" : `Mean of ${count(of, "sample")}`}; codecs with the same bytes are listed once.</p>
        <div class="table" role="region" aria-label="Bytes in each format" tabIndex={0}>
          <table class="sizes">
            <thead><tr><th scope="col">codec</th><th scope="col" class="number">bytes</th><th scope="col" class="bar-head"><span class="hidden">as a bar</span></th>{sizes.compressions.map((id) => <th key={id} scope="col" class="number">{id}</th>)}</tr></thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id}>
                  <td>{row.id}</td>
                  <td class="number">{quantity(row.mean, "bytes")}</td>
                  <td class="bar-cell"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width={(100 * row.mean) / most} height="8" /></svg></td>
                  {sizes.compressions.map((id) => { const squeezed = row.compressed[id]; return <td key={id} class="number">{squeezed ? quantity(mean(squeezed, of), "bytes") : "\u2013"}</td>; })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {sizes.refused.length + sizes.partly.length > 0 ? (
          <details class="inner"><summary>{count(sizes.refused.length + sizes.partly.length, "codec")} can{"\u2019"}t carry it</summary>
            <ul>{[...sizes.refused, ...sizes.partly].map(({ id, reason }) => <li key={id}><strong>{id}</strong>: {reason}</li>)}</ul></details>
        ) : null}
      </section>
      <section class="card" aria-labelledby="definition-title">
        <h2 id="definition-title">{own.kind === "samples" ? "The definition, as inferred" : "The definition, as read"}</h2>
        <p class="lead">Review it: types and ranges determine the sizes above.</p>
        {weighed.remarks.length > 0 ? <ul>{weighed.remarks.map((remark) => <li key={remark}>{remark}</li>)}</ul> : null}
        <label class="stack"><span class="hidden">Definition</span><textarea class="code" spellcheck={false} rows={Math.min(24, definition.split("\n").length + 1)} value={definition} onInput={(event) => setDefinition(event.currentTarget.value)} /></label>
        <div class="row end">
          <label class="pick">Keep it as <input value={name} pattern="[a-z0-9-]+" onInput={(event) => setName(event.currentTarget.value)} /></label>
          <button type="button" class="main" disabled={deed.busy || !name.trim()} onClick={keepIt}>Test it</button>
        </div>
        {deed.error ? <Problem error={deed.error} /> : null}
      </section>
    </>
  );
}
