// Queries on a run's Parquet files, answered by DuckDB in the browser: it requests from the server the parts of the files that a
// query needs, writes nothing, and accesses nothing else.

import { outer } from "../base";
import { AsyncDuckDB, type AsyncDuckDBConnection, DuckDBDataProtocol, VoidLogger } from "@duckdb/duckdb-wasm";
import { useEffect, useRef, useState } from "preact/hooks";
import { commaSeparated } from "../../../src/files";
import { save } from "../../../src/tools";
import { fileOf } from "../api";
import { choose, here } from "../router";
import { Problem, Waiting, count } from "./words";

const MOST_ROWS = 1000;
const SAVED = "wiredyno-queries";

interface Example { name: string; sql: string; needs: string }

const EXAMPLES: Example[] = [
  {
    name: "Latency by combination", needs: "messages",
    sql: `select payload, codec, compression, mode, broker, security, options, link, loss, rate, "window",
  count(*) as sent, count(*) filter (where received_ns is null) as lost,
  quantile_cont(received_ns - intended_send_ns, 0.5) / 1e6 as median_ms,
  quantile_cont(received_ns - intended_send_ns, 0.99) / 1e6 as p99_ms
from messages join trials using (trial)
where kind = 'message' and outcome = 'complete'
group by all order by lost / sent, median_ms`,
  },
  {
    name: "The slowest messages", needs: "messages",
    sql: `select (received_ns - intended_send_ns) / 1e6 as latency_ms, payload, codec, mode, link, loss, repeat, trial, sequence
from messages join trials using (trial)
where kind = 'message' and received_ns is not null
order by latency_ms desc limit 20`,
  },
  {
    name: "Lost by place in the trial", needs: "messages",
    sql: `select sequence, count(*) filter (where received_ns is null) as lost, count(*) as sent
from messages group by all having lost > 0 order by sequence`,
  },
  { name: "Trials by outcome", needs: "trials", sql: "select kind, outcome, count(*) as trials from trials group by all order by trials desc" },
  {
    name: "Time of each phase", needs: "samples",
    sql: `select payload, codec, phase, sum(elapsed_ns) / sum(iterations) as ns
from samples group by all order by payload, codec, ns desc`,
  },
];

let engine: Promise<AsyncDuckDB> | null = null;

/** Started once, when the first box is opened. */
function start(): Promise<AsyncDuckDB> {
  engine ??= (async () => {
    const { engine: module = "", engineWorker: worker = "" } = document.body.dataset;
    const database = new AsyncDuckDB(new VoidLogger(), new Worker(worker));
    await database.instantiate(new URL(module, location.href).href);
    return database;
  })();
  return engine;
}

const nameOf = (path: string): string => path.split("/").at(-1)?.replace(/\.parquet$/, "") ?? path;

interface Table { name: string; columns: string[] }

async function open(run: string, files: string[]): Promise<{ connection: AsyncDuckDBConnection; tables: Table[] }> {
  const database = await start();
  const connection = await database.connect();
  const tables: Table[] = [];
  for (const path of files) {
    const [name, file] = [nameOf(path), `${run}/${path}`];
    await database.registerFileURL(file, new URL(outer(fileOf(run, path)), location.href).href, DuckDBDataProtocol.HTTP, false);
    await connection.query(`create or replace view "${name}" as select * from parquet_scan('${file.replaceAll("'", "''")}')`);
    const columns = await connection.query(`describe "${name}"`);
    tables.push({ name, columns: columns.toArray().map((row: Record<string, unknown>) => String(row["column_name"])) });
  }
  return { connection, tables };
}

interface Result { columns: string[]; rows: unknown[][]; cut: boolean; ms: number }

function isNumber(value: unknown): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "bigint") return value.toLocaleString("en-US");
  if (typeof value === "number") return value.toLocaleString("en-US", { maximumSignificantDigits: 6 });
  return String(value);
}

export default function Query({ run, files }: { run: string; files: string[] }): preact.JSX.Element {
  const [opened, setOpened] = useState<Awaited<ReturnType<typeof open>> | null>(null);
  const [error, fail] = useState<Error | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const [busy, setBusy] = useState(false);
  const [saved, setSaved] = useState<string[]>(() => JSON.parse(localStorage.getItem(SAVED) ?? "[]") as string[]);
  const names = files.map(nameOf);
  const examples = EXAMPLES.filter(({ needs }) => names.includes(needs));
  const [sql, setSql] = useState(here.value.searchParams.get("sql") ?? examples[0]?.sql ?? "");
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    open(run, files).then(setOpened, (problem: Error) => fail(problem));
  }, [run]);
  const ask = async (text: string): Promise<void> => {
    if (!opened) return;
    setBusy(true);
    fail(null);
    choose({ sql: text });
    const begun = performance.now();
    try {
      // One row more than is shown, to know whether there are more.
      const answer = await opened.connection.query(`select * from (${text.trim().replace(/;$/, "")}\n) limit ${MOST_ROWS + 1}`);
      const columns = answer.schema.fields.map(({ name }: { name: string }) => name);
      const rows: unknown[][] = answer.toArray().map((row: Iterable<[string, unknown]>) => [...row].map(([, value]) => value));
      setResult({ columns, rows: rows.slice(0, MOST_ROWS), cut: rows.length > MOST_ROWS, ms: performance.now() - begun });
    } catch (problem) {
      fail(problem instanceof Error ? problem : new Error(String(problem)));
    }
    setBusy(false);
  };
  const keep = (list: string[]): void => {
    localStorage.setItem(SAVED, JSON.stringify(list));
    setSaved(list);
  };
  if (!opened) return error ? <Problem error={error} /> : <Waiting what="Starting DuckDB" />;
  return (
    <div class="query">
      <p class="hint">DuckDB runs in this page and reads the run{"\u2019"}s files in parts. Tables: {opened.tables.map(({ name, columns }) => (
        <details key={name} class="columns"><summary><code>{name}</code></summary><span>{columns.map((column) => <button key={column} type="button" class="quiet" onClick={() => setSql(`${sql} ${column}`)}>{column}</button>)}</span></details>
      ))}</p>
      <div class="row">
        {[...examples, ...saved.map((text) => ({ name: text.split("\n")[0]?.slice(0, 40) ?? "", sql: text }))].map((example) => (
          <button key={example.sql} type="button" class="quiet" onClick={() => { setSql(example.sql); void ask(example.sql); }}>{example.name}</button>
        ))}
      </div>
      <label class="stack"><span class="hidden">Question in SQL</span>
        <textarea class="code" spellcheck={false} rows={5} value={sql} onInput={(event) => setSql(event.currentTarget.value)} onKeyDown={(event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void ask(sql); }} />
      </label>
      <div class="row">
        <button type="button" class="main" disabled={busy || !sql.trim()} onClick={() => void ask(sql)}>Ask</button>
        {saved.includes(sql) ? <button type="button" class="quiet" onClick={() => keep(saved.filter((one) => one !== sql))}>Forget it</button> : <button type="button" class="quiet" disabled={!sql.trim()} onClick={() => keep([...saved, sql])}>Keep this question</button>}
        {result ? <span class="hint" role="status">{count(result.rows.length, "row")}{result.cut ? ", more not shown" : ""}, {Math.round(result.ms)} ms</span> : null}
        {result ? <button type="button" class="quiet" onClick={() => table.current && save(`${run}-query.csv`, "text/csv", commaSeparated(table.current))}>CSV</button> : null}
      </div>
      {error ? <Problem error={error} /> : null}
      {result ? (
        <div class="table" role="region" aria-label="Answer" tabIndex={0}>
          <table ref={table}>
            <thead><tr>{result.columns.map((column, at) => <th key={column} scope="col" class={isNumber(result.rows[0]?.[at]) ? "number" : undefined}>{column}</th>)}</tr></thead>
            <tbody>{result.rows.map((row, at) => <tr key={at}>{row.map((value, column) => <td key={column} class={isNumber(value) ? "number" : undefined} data-sort={isNumber(value) ? String(value) : undefined}>{shown(value)}</td>)}</tr>)}</tbody>
          </table>
        </div>
      ) : null}
    </div>
  );
}
