// A run's report on the server: the sections that crates/results/report writes, with the same scripts as a report file.

import { useEffect, useRef } from "preact/hooks";
import { report } from "../../../src/report";
import { api } from "../api";
import { useAnswer } from "./answer";
import { Problem, Waiting } from "./words";
import { fill } from "./written";

export default function Explore({ run, brief = false }: { run: string; brief?: boolean }): preact.JSX.Element {
  const { value: page, error } = useAnswer((signal) => api.page(run, signal), [run]);
  const sections = useRef<HTMLDivElement>(null);
  const places = useRef<HTMLUListElement>(null);
  const asked = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const place = sections.current;
    if (!page || !place) return;
    if (asked.current) fill(asked.current, page.asked);
    if (places.current) fill(places.current, page.navigation);
    fill(place, page.sections.map(({ html }) => html).join(""));
    const stop = new AbortController();
    report(place, page, { signal: stop.signal, gradually: true });
    place.dataset["ready"] = "true";
    return () => {
      stop.abort();
      document.getElementById("filters")?.replaceChildren();
    };
  }, [page]);
  if (error) return <Problem error={error} />;
  if (!page) return <Waiting what="Reading the run" />;
  return (
    <div class="explore">
      <header class="masthead">
        {brief ? null : <h2 class="question">{page.question}</h2>}
        <ul class="facts">{page.facts.map((fact) => <li key={fact}>{fact}</li>)}</ul>
        <details class="fold" id="fold-asked">
          <summary>What was asked, and how to read it</summary>
          <p class="asked" ref={asked} />
          <div class="analysis">{page.analysis.map((text) => <p key={text}>{text}</p>)}</div>
        </details>
      </header>
      <nav aria-label="Sections"><ul ref={places} /><div id="filters" /></nav>
      <div ref={sections} class="sections" />
    </div>
  );
}
