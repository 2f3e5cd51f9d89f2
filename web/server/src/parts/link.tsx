// A link of one's own, by its numbers each way or with a trace of rates.

import { useState } from "preact/hooks";
import { api } from "../api";
import { loadOptions } from "../live";
import { Problem, useDeed } from "./words";

interface Way { delay: string; jitter: string; rate: string; loss: string; trace?: string | undefined }

const NONE: Way = { delay: "", jitter: "", rate: "", loss: "" };
const WAYS = { up: "there", down: "back" } as const;

/** Numbers without a unit get the usual one. */
const withUnit = (text: string, unit: string): string => (/^[\d.]+$/.test(text.trim()) ? `${text.trim()}${unit}` : text.trim());

function sent({ delay, jitter, rate, loss, trace }: Way): object {
  const given = { delay: withUnit(delay, "ms"), jitter: withUnit(jitter, "ms"), rate: withUnit(rate, "mbit") };
  const share = Number(loss.replace(/\s*%$/, "")) / 100;
  return { ...Object.fromEntries(Object.entries(given).filter(([, text]) => text !== "")), ...(share > 0 ? { loss: share } : {}), ...(trace ? { trace } : {}) };
}

/** The numbers in a few words, which every list shows. */
function said(way: Way): string {
  const { delay = "no delay", jitter, rate, loss } = sent(way) as Record<string, string | number>;
  return [delay, ...(jitter ? [`jitter ${jitter}`] : []), way.trace ? "rates of a trace" : rate ?? "no rate limit", ...(loss ? [`${+(100 * Number(loss)).toPrecision(4)} % lost`] : [])].join(", ");
}

export function OwnLink({ made }: { made(id: string): void }): preact.JSX.Element {
  const [id, name] = useState("");
  const [ways, set] = useState({ up: NONE, down: NONE });
  const deed = useDeed();
  const change = (way: keyof typeof WAYS, field: keyof Way, value: string | undefined): void => set((now) => ({ ...now, [way]: { ...now[way], [field]: value } }));
  const keep = (): void => deed.run(async () => {
    await api.keepLink({ id, about: `There: ${said(ways.up)}; back: ${said(ways.down)}`, up: sent(ways.up), down: sent(ways.down) });
    await loadOptions();
    made(id);
    name("");
  });
  const field = (way: keyof typeof WAYS, key: "delay" | "jitter" | "rate" | "loss", unit: string): preact.JSX.Element => (
    <td><input aria-label={`${key} ${WAYS[way]}`} value={ways[way][key]} placeholder={unit} size={9} disabled={key === "rate" && ways[way].trace !== undefined} onInput={({ currentTarget }) => change(way, key, currentTarget.value)} /></td>
  );
  return (
    <details class="inner own-link">
      <summary>A link of your own</summary>
      <div class="table" role="region" aria-label="Its numbers" tabIndex={0}>
        <table>
          <thead><tr><th scope="col"><span class="hidden">direction</span></th><th scope="col">delay</th><th scope="col">jitter</th><th scope="col">rate</th><th scope="col">loss</th><th scope="col">or rates of a trace</th></tr></thead>
          <tbody>
            {(["up", "down"] as const).map((way) => (
              <tr key={way}>
                <th scope="row">{WAYS[way]}</th>
                {field(way, "delay", "25 ms")}{field(way, "jitter", "2 ms")}{field(way, "rate", "5 mbit")}{field(way, "loss", "0 %")}
                <td><input type="file" accept=".csv,.txt,text/*" aria-label={`Trace ${WAYS[way]}`} onChange={({ currentTarget }) => void currentTarget.files?.[0]?.text().then((text) => change(way, "trace", text))} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">Numbers without a unit are milliseconds, Mbit/s and percent. A trace has whole bits per second, one line per second, and restarts at its end.</p>
      <p class="row">
        <label class="pick">Its name <input value={id} placeholder="our-factory" onInput={({ currentTarget }) => name(currentTarget.value.trim())} /></label>
        <button type="button" disabled={deed.busy || id === ""} onClick={keep}>Keep and choose it</button>
      </p>
      {deed.error ? <Problem error={deed.error} /> : null}
    </details>
  );
}
