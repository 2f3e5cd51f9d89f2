// The distribution of the times of a run's messages, counted by the server from Parquet, however many there are.

import { distribution } from "../../../src/charts/distribution";
import { distributionOf } from "../api";
import { choose, here } from "../router";
import { useAnswer } from "./answer";
import { Pick, Text } from "./choices";
import { Picture } from "./picture";
import { Nothing, Problem, Waiting, count } from "./words";

/** Times between two stamps of a message, as the server names them. */
const TIMES = [
  ["latency", "latency, from the intended send"], ["latency_from_sent", "latency, from the send"], ["schedule_lag", "lag behind the schedule"],
  ["build_time", "build"], ["encode_time", "encode"], ["send_time", "send"], ["decode_time", "decode"], ["ack_time", "until acknowledged"],
] as const;

/** Maximum number of rows drawn; `where` selects others. */
const MOST_ROWS = 40;

export default function Messages({ run }: { run: string }): preact.JSX.Element {
  const asked = here.value.searchParams;
  const [metric, where] = [asked.get("time") ?? "latency", asked.get("where") ?? ""];
  const { value, error } = useAnswer((signal) => distributionOf(run, metric, where, signal), [run, metric, where], 200);
  const rows = value?.cells.filter(({ counts }) => counts.length > 0) ?? [];
  const messages = rows.reduce((sum, { count: own }) => sum + own, 0);
  const negative = rows.reduce((sum, cell) => sum + cell.negative, 0);
  const label = TIMES.find(([name]) => name === metric)?.[1] ?? metric;
  return (
    <>
      <div class="row">
        <Pick label="Time" value={metric} options={TIMES.map(([name, title]) => ({ value: name, label: title }))} change={(time) => choose({ time })} />
        <Text label="Only where" value={where} hint="mode=tcp; loss=0" size={22} change={(text) => choose({ where: text })} />
      </div>
      {error ? <Problem error={error} /> : !value ? <Waiting what="Counting" /> : rows.length === 0 ? <Nothing>No message has this time{where ? " under these conditions" : ""}: choose another one{where ? ", or other conditions" : ""}.</Nothing> : (
        <>
          <Picture inputs={[value]} label={`${label} of ${count(messages, "message")} in ${count(rows.length, "combination")}`} draw={(width) => distribution(rows.slice(0, MOST_ROWS), value.unit, label, width)} />
          <p class="hint">{count(messages, "message")} of complete trials{negative > 0 ? `, ${negative.toLocaleString("en-US")} of them with a negative time, which no row shows` : ""}; each row shows its own shares.{rows.length > MOST_ROWS ? ` ${rows.length - MOST_ROWS} more rows are not drawn: select some under \u201cOnly where\u201d.` : ""}</p>
        </>
      )}
    </>
  );
}
