//! Tables, charts and sentences from a run, as HTML, Markdown or JSON.
