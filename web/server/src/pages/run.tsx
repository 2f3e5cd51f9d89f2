// A run: its report on live data, its files, queries on its tables.

import { useState } from "preact/hooks";
import { quantity } from "../../../src/quantity";
import { api, fileOf } from "../api";
import { useAnswer } from "../parts/answer";
import Explore from "../parts/explore";
import { lazy } from "../parts/lazy";
import { Problem } from "../parts/words";
import { here } from "../router";

const Messages = lazy<{ run: string }>(() => import("../parts/messages"));
const Query = lazy<{ run: string; files: string[] }>(() => import("../parts/query"));

export default function Run({ run }: { run: string }): preact.JSX.Element {
  const { value, error } = useAnswer((signal) => api.files(run, signal), [run]);
  const [asks, ask] = useState(here.value.searchParams.has("sql"));
  const [looks, look] = useState(here.value.searchParams.has("time"));
  const study = here.value.searchParams.get("study");
  return (
    <div class="run">
      <div class="head row">
        <h1>{run}</h1>
        <a class="button" href={`/compare?recommend=${encodeURIComponent(run)}`}>Recommend from this run</a>
        <a class="button" href={`/runs${study ? `?study=${encodeURIComponent(study)}` : ""}`}>All runs</a>
      </div>
      <Explore run={run} />
      <section class="raw" id="raw">
        <h2>Raw data</h2>
        <p class="lead">Everything that was measured, to download or to query.</p>
        {error ? <Problem error={error} /> : null}
        <ul class="files">
          <li><a href={`/api/runs/${encodeURIComponent(run)}/report`} download={`${run}.html`}>report.html</a> <small>the report in one file</small></li>
          <li><a href={`/api/runs/${encodeURIComponent(run)}/figures?format=csv`} download={`${run}.csv`}>figures.csv</a> <small>every figure, as CSV</small></li>
          {value?.files.filter(({ kind }) => kind !== "html").map(({ path, bytes }) => <li key={path}><a href={fileOf(run, path)} download={path.split("/").at(-1)}>{path}</a> <small>{quantity(bytes, "bytes")}</small></li>)}
        </ul>
        {value?.files.some(({ path }) => path.endsWith("messages.parquet")) ? (
          <details class="card" open={looks} onToggle={(event) => event.currentTarget.open && look(true)}>
            <summary>Distribution of message times</summary>
            {looks ? <Messages run={run} /> : null}
          </details>
        ) : null}
        <details class="card query-box" open={asks} onToggle={(event) => event.currentTarget.open && ask(true)}>
          <summary>Query its tables with SQL</summary>
          {asks && value ? <Query run={run} files={value.files.filter(({ kind }) => kind === "parquet").map(({ path }) => path)} /> : null}
        </details>
      </section>
    </div>
  );
}
