// What the running trials do now: small pictures of the last seconds, with the numbers beside them.

import { useState } from "preact/hooks";
import { quantity } from "../../../src/quantity";
import type { Running, Watch } from "../api";
import { type Curve, type Picture, type Series, inWords, latest, pictures } from "./series";
import { span } from "./words";

const WIDTH = 240;
const HEIGHT = 64;
/** With more lanes than this, the pictures of one trial are shown at a time. */
const FEW = 2;

const PHASES: Record<string, string> = { warm_up: "warming up", sending: "sending", draining: "waiting for what is on its way" };

/** The points of a curve, in runs without gaps. */
function runs(values: (number | null)[], times: number[], most: number, last: number): string[] {
  const all: string[][] = [[]];
  values.forEach((value, place) => {
    if (value === null) return void all.push([]);
    const x = WIDTH * (1 - (last - (times[place] ?? last)) / Math.max(1, last - (times[0] ?? last)));
    all.at(-1)?.push(`${x.toFixed(1)},${(HEIGHT - 1 - (HEIGHT - 6) * (value / most)).toFixed(1)}`);
  });
  return all.filter((points) => points.length > 0).map((points) => (points.length > 1 ? points : [points[0] ?? "", points[0] ?? ""]).join(" "));
}

function Small({ picture, times }: { picture: Picture; times: number[] }): preact.JSX.Element {
  const { title, unit, curves, now } = picture;
  const known = curves.flatMap(({ values }) => values.filter((value): value is number => value !== null));
  const top = Math.max(...known, 0);
  const most = top || 1;
  const last = times.at(-1) ?? 0;
  return (
    <figure class="small">
      <figcaption>
        <span class="title">{title}</span>
        {curves.map(({ name, values }, place) => <span key={name} class="is"><i class={`swatch curve-${place}`} aria-hidden="true" />{name} <strong>{latest(values, unit, quantity)}</strong></span>)}
      </figcaption>
      <div class="drawn">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${title}, the last ${span(Math.max(1e9, (last - (times[0] ?? last)) * 1e6))}: at most ${inWords(top, unit, quantity)}; now ${now}`}>
          <line class="ground" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
          {curves.map(({ name, values }: Curve, place) => runs(values, times, most, last).map((points, run) => <polyline key={`${name} ${run}`} class={`curve-${place}`} points={points} />))}
        </svg>
        <span class="most" aria-hidden="true">{top > 0 ? inWords(top, unit, quantity) : ""}</span>
      </div>
    </figure>
  );
}

/** The last seconds as numbers, for those who don't see pictures. */
function Numbers({ series }: { series: Series }): preact.JSX.Element {
  const all = pictures({ ...series, seconds: series.seconds.slice(-10) }, quantity);
  const times = series.seconds.slice(-10).map(({ at_ms }) => at_ms);
  const last = times.at(-1) ?? 0;
  return (
    <div class="table" role="region" aria-label="The last seconds as numbers" tabIndex={0}>
      <table>
        <thead><tr><th scope="col">seconds ago</th>{all.flatMap(({ title, curves }) => curves.map(({ name }) => <th key={`${title} ${name}`} scope="col" class="number">{title}, {name}</th>))}</tr></thead>
        <tbody>{times.map((at, place) => (
          <tr key={at}><th scope="row">{Math.round((last - at) / 1000)}</th>{all.flatMap(({ title, unit, curves }) => curves.map(({ name, values }) => <td key={`${title} ${name}`} class="number">{values[place] == null ? "\u2013" : inWords(values[place] as number, unit, quantity)}</td>))}</tr>
        ))}</tbody>
      </table>
    </div>
  );
}

function soFar({ so_far: { sent, received, timed, judged, missing, p50_ns, p99_ns, up_bytes, down_bytes } }: Series): string {
  const parts = [
    sent == null ? "" : `${sent.toLocaleString("en-US")} sent`,
    received == null ? "" : `${received.toLocaleString("en-US")} received`,
    timed > 0 && p50_ns != null ? `p50 ${quantity(p50_ns, "ns")}, p99 ${quantity(p99_ns ?? p50_ns, "ns")}` : "",
    judged > 0 ? `${inWords(missing / judged, "ratio", quantity)} missing` : "",
    up_bytes == null || down_bytes == null ? "" : `${quantity(up_bytes + down_bytes, "bytes")} on the link`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function One({ trial, series }: { trial: Running; series: Series }): preact.JSX.Element {
  const [numbers, show] = useState(false);
  const last = series.seconds.at(-1);
  const isBlind = last !== undefined && last.phase !== "warm_up" && (last.sent == null || last.received == null);
  const times = series.seconds.map(({ at_ms }) => at_ms);
  return (
    <article class="one" aria-label={`${trial.name}, repeat ${trial.repeat + 1}`}>
      <h3>{trial.name} <small>repeat {trial.repeat + 1}, {PHASES[last?.phase ?? ""] ?? ""}</small></h3>
      <p class="hint">{soFar(series)}{isBlind ? `${soFar(series) ? "; " : ""}its runner does not report what it sends and receives while it runs` : ""}</p>
      <div class="smalls">{pictures(series, quantity).map((picture) => <Small key={picture.title} picture={picture} times={times} />)}</div>
      <details onToggle={({ currentTarget }) => show(currentTarget.open)}><summary>The last seconds as numbers</summary>{numbers ? <Numbers series={series} /> : null}</details>
    </article>
  );
}

/** The curves of the trials that are running; nothing while none has any. */
export function Now({ watch }: { watch: Watch }): preact.JSX.Element | null {
  const [chosen, choose] = useState<string | null>(null);
  const told = watch.running.filter((one) => one.live && one.live.seconds.length > 0);
  if (told.length === 0) return null;
  const keyOf = ({ name, repeat, lane }: Running): string => `${lane ?? ""} ${name} ${repeat}`;
  const isOne = told.length > FEW;
  const picked = told.find((one) => keyOf(one) === chosen) ?? told[0];
  const shown = isOne && picked ? [picked] : told;
  return (
    <section class="card going" aria-labelledby="now-title">
      <h2 id="now-title">Now</h2>
      <p class="hint">As they run, second by second; provisional. Results are computed from the records of all messages.</p>
      {isOne ? (
        <label class="pick">Trial <select value={picked ? keyOf(picked) : ""} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {told.map((one) => <option key={keyOf(one)} value={keyOf(one)}>{one.name}, repeat {one.repeat + 1}</option>)}
        </select></label>
      ) : null}
      {shown.map((one) => <One key={keyOf(one)} trial={one} series={one.live as Series} />)}
    </section>
  );
}
