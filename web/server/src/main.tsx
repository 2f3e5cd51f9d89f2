// The server's pages: login, routing, and the bar above all pages.

import "../../src/style.css";
import "./server.css";
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { begin, connected, loadOptions, options, processing, session, submitted } from "./live";
import { api } from "./api";
import { Login } from "./pages/login";
import { NewTest } from "./pages/new";
import { Queue } from "./pages/queue";
import { lazy } from "./parts/lazy";
import { Problem, Waiting, span } from "./parts/words";
import { path as shown, visits } from "./router";
import { signal } from "@preact/signals";

const Watch = lazy<{ test: number }>(() => import("./pages/watch"));
const Runs = lazy(() => import("./pages/runs"));
const Run = lazy<{ run: string }>(() => import("./pages/run"));
const Compare = lazy(() => import("./pages/compare"));
const Machine = lazy(() => import("./pages/machine"));

const failure = signal<Error | null>(null);

/** `bar` is a link in the bar: its target and its text. */
interface Place { path: RegExp; title: string; bar?: [string, string]; page(found: string[]): preact.JSX.Element }

const PLACES: Place[] = [
  { path: /^\/(?:new)?$/, title: "New test", bar: ["/new", "New test"], page: () => <NewTest key={visits.value} /> },
  { path: /^\/queue$/, title: "Queue", bar: ["/queue", "Queue"], page: () => <Queue /> },
  { path: /^\/tests\/(\d{1,15})$/, title: "Test", page: ([test]) => <Watch key={test} test={Number(test)} /> },
  { path: /^\/runs$/, title: "Runs", bar: ["/runs", "Runs"], page: () => <Runs /> },
  { path: /^\/runs\/([^/]+)$/, title: "Run", page: ([run = ""]) => <Run key={run} run={run} /> },
  { path: /^\/compare$/, title: "Compare", bar: ["/compare", "Compare"], page: () => <Compare /> },
  { path: /^\/machine$/, title: "This machine", bar: ["/machine", "Machine"], page: () => <Machine /> },
];

const LINKS = PLACES.flatMap(({ bar }) => (bar ? [bar] : []));

/** The current activity of the stand, on every page. */
function Now(): preact.JSX.Element {
  const [test] = processing.value;
  if (!connected.value) return <p class="now away" role="status">Connection lost, trying again</p>;
  if (!test) return <p class="now">{submitted.value.length > 0 ? "Waiting" : "Idle"}</p>;
  const left = test.progress?.left_ns;
  return (
    <p class="now">
      <a href={`/tests/${test.id}`}><span class="beat" aria-hidden="true" />{test.name}</a>
      {left && options.value ? <span class="left"> {span(left)} left</span> : null}
    </p>
  );
}

function Bar(): preact.JSX.Element {
  const path = shown.value;
  const isHere = (to: string): boolean => path.startsWith(to) || (to === "/new" && path === "/") || (to === "/queue" && path.startsWith("/tests/"));
  const waiting = submitted.value.length + processing.value.length;
  return (
    <header class="topbar">
      <a class="skip" href="#main">Skip to content</a>
      <p class="brand"><a href="/">Wiredyno</a></p>
      <nav aria-label="Pages">
        <ul>
          {LINKS.map(([to, title]) => (
            <li key={to}>
              <a href={to} aria-current={isHere(to) ? "page" : undefined}>
                {title}{to === "/queue" && waiting > 0 ? <span class="tally" aria-label={`, ${waiting} waiting or processing`}>{waiting}</span> : null}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Now />
      {session.value?.has_session ? (
        <button type="button" class="quiet" onClick={() => void api.logout().then((now) => (session.value = now))}>Log out</button>
      ) : null}
    </header>
  );
}

/** Whether a path is one: `%E0%A4%A` is half a character. */
function isWhole(path: string): boolean {
  try {
    return decodeURIComponent(path) !== "";
  } catch {
    return false;
  }
}

function Page(): preact.JSX.Element {
  const path = shown.value;
  const first = useRef(true);
  const found = isWhole(path) ? PLACES.find((place) => place.path.test(path)) : undefined;
  useEffect(() => {
    document.title = `${found?.title ?? "Not found"} \u00b7 Wiredyno`;
    // The focus tells screen readers that the page has changed.
    if (!first.current) document.getElementById("main")?.focus({ preventScroll: true });
    first.current = false;
  }, [path]);
  if (!found) return <section><h1>Nothing here</h1><p>There is no page at {path}. <a href="/">Set up a test</a> or look at the <a href="/queue">queue</a>.</p></section>;
  return found.page((found.path.exec(path)?.slice(1) ?? []).map(decodeURIComponent));
}

function App(): preact.JSX.Element {
  const now = session.value;
  const needsLogin = now?.is_in === false;
  useEffect(() => {
    if (!now || needsLogin) return;
    Promise.all([loadOptions(), begin()]).catch((error: Error) => (failure.value = error));
  }, [now, needsLogin]);
  if (failure.value) return <main class="page"><Problem error={failure.value} /></main>;
  if (!now) return <main class="page"><Waiting /></main>;
  if (needsLogin) return <main class="page"><Login /></main>;
  return (
    <>
      <Bar />
      <main id="main" class="page" tabIndex={-1}>{options.value ? <Page /> : <Waiting />}</main>
    </>
  );
}

api.session().then((now) => (session.value = now), (error: Error) => (failure.value = error));
render(<App />, document.body);
