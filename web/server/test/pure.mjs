// Tests that need no page: studies as the form writes them, a test as events change it. `npm test`
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";

/** A module of src/. */
async function load(path) {
  const options = { entryPoints: [new URL(`../src/${path}`, import.meta.url).pathname], bundle: true, format: "esm", write: false };
  const { outputFiles } = await build(options);
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const { EMPTY, counts, missing, named, read, toggled, values, withCounts, withKind, withPayloads, withRates, withSetting, write } = await load("study.ts");
/** Tables with a prototype: the TOML parser creates them without one. */
const plain = (value) => JSON.parse(JSON.stringify(value));
const { after, underWay } = await load("watching.ts");

test("four choices make a study, and until then it is said what is missing", () => {
  assert.deepEqual(missing(EMPTY), ["a protocol", "a payload", "a frequency", "a number of messages"]);
  let study = toggled(EMPTY, "mode", "mqtt:qos1");
  study = withPayloads(study, ["opaque@100"], ["json/serde-json"]);
  study = withRates(study, ["10/s"]);
  study = withSetting(study, "load", "messages", 100);
  assert.deepEqual(missing(study), []);
  const { name, axes, load, codec_trials } = plain(read(write(named(study))));
  assert.equal(name, "mqtt-qos1-100-bytes-10-per-s");
  assert.deepEqual(axes, { mode: ["mqtt:qos1"], payload: ["opaque@100"], codec: ["raw/wiredyno"] });
  assert.deepEqual([load.kind, load.rate, load.messages], ["open", "10/s", 100]);
  assert.deepEqual(codec_trials, { enabled: false });
});

test("several numbers of messages are an axis, one is the load's", () => {
  const several = withCounts(EMPTY, ["10", "100"]);
  assert.deepEqual(counts(several), ["10", "100"]);
  const written = plain(read(write(several)));
  assert.deepEqual([written.load.messages, written.axes.messages], [10, [10, 100]]);
  const one = withCounts(several, ["100"]);
  assert.deepEqual([counts(one), plain(read(write(one))).axes.messages], [["100"], undefined]);
  assert.deepEqual(counts(withCounts(one, [])), []);
});

test("several rates are an axis, one is the load's, and neither stands beside a closed loop", () => {
  const several = withRates(EMPTY, ["10/s", "100/s"]);
  assert.deepEqual([values(several, "rate"), several.load.rate], [["10/s", "100/s"], undefined]);
  const one = withRates(several, ["10/s"]);
  assert.deepEqual([values(one, "rate"), one.load.rate], [[], "10/s"]);
  const closed = read(write(withKind(several, "closed")));
  assert.deepEqual([closed.load.kind, closed.load.rate, closed.axes.rate], ["closed", undefined, undefined]);
});

test("payloads with fields bring codecs along, bytes alone have just one", () => {
  const both = withPayloads(EMPTY, ["opaque@10", "person"], ["json/serde-json", "protobuf/prost"]);
  assert.deepEqual(values(both, "codec"), ["raw/wiredyno", "json/serde-json", "protobuf/prost"]);
  assert.deepEqual(values(withPayloads(both, ["opaque@10"], []), "codec"), ["raw/wiredyno"]);
  const chosen = toggled(both, "codec", "json/serde-json");
  assert.deepEqual(values(withPayloads(chosen, ["person"], ["json/serde-json"]), "codec"), ["protobuf/prost"]);
});

test("what the form can't say stays as it was written", () => {
  const text = 'name = "a"\nwhy = "b?"\n[axes]\npayload = ["small"]\nloss = [0.0, 0.05]\n"kafka.linger" = ["0ms"]\n[[threshold]]\nmetric = "latency"\nbelow = "10ms"\n';
  const study = plain(read(write(toggled(read(text), "mode", "tcp"))));
  assert.deepEqual(study.threshold, [{ metric: "latency", below: "10ms" }]);
  assert.deepEqual(study.axes, { payload: ["small"], loss: [0, 0.05], "kafka.linger": ["0ms"], mode: ["tcp"] });
  assert.match(read("name = \"a\"\nwhy = "), /^line 2, column \d+: /);
});

const WATCHED = { id: 1, state: "processing", lines: [], last_event: "1" };
const CELL = { name: "a", axes: {}, kind: "message", wanted: 2 };

test("a test that is watched follows its events, and invalid trials enter no figure", () => {
  const trial = { type: "trial", name: "a", kind: "message", attempt: 0, left_ns: 5, total: 2, before: false, roles: [] };
  const events = [
    { type: "plan", lanes: 1, estimate_ns: 10, total: 2, done: 0, cells: [CELL] },
    { type: "started", name: "a", kind: "message", repeat: 0, attempt: 0, lane: 0 },
    { ...trial, number: 1, repeat: 0, outcome: "invalid", latency_ns: 9e9, sent: 10, delivered: 0, lost: 10, done: 0 },
    { type: "started", name: "a", kind: "message", repeat: 0, attempt: 1, lane: 0 },
    { ...trial, number: 2, repeat: 0, attempt: 1, outcome: "complete", latency_ns: 100, sent: 10, delivered: 9, lost: 1, done: 1 },
    { type: "log", line: "one" },
  ];
  const test = events.reduce(after, WATCHED);
  const [cell] = test.watch.cells;
  assert.deepEqual(cell.trials.map(({ outcome }) => outcome), ["invalid", "complete"]);
  assert.deepEqual([cell.latency_ns, cell.sent, cell.delivered, cell.lost, cell.made, underWay(test.watch, cell)], [100, 10, 9, 1, 2, 0]);
  assert.deepEqual([test.watch.progress.done, test.watch.running.length, test.lines], [1, 0, ["one"]]);
  const over = after(test, { type: "ended", state: "done", run: "r" });
  assert.deepEqual([over.state, over.run, over.watch.phase], ["done", "r", "ended"]);
});

const { Hub } = await load("hub.ts");

/** A stream that the test itself feeds. */
class Source {
  static all = [];
  static CLOSED = 2;
  constructor(url) {
    this.url = url;
    this.readyState = 1;
    Source.all.push(this);
  }
  send(id, of, event, queue = false) {
    this.onmessage({ lastEventId: String(id), data: JSON.stringify({ of, queue, event }) });
  }
  close() {
    this.readyState = Source.CLOSED;
  }
}

test("all followers of a browser share one stream, and each gets its own events once", () => {
  globalThis.EventSource = Source;
  Source.all = [];
  const hub = new Hub("/api/events?all=true");
  const told = { queue: [], seven: [], late: [] };
  const by = (list) => (what) => list.push("open" in what ? what : `${what.id} ${what.event.type}`);
  const leave = [hub.follow("queue", "10", by(told.queue)), hub.follow(7, "10", by(told.seven))];
  assert.equal(Source.all.length, 1);
  assert.equal(Source.all[0].url, "/api/events?all=true&after=10");
  const [source] = Source.all;
  source.send(11, 7, { type: "trial" });
  source.send(12, 8, { type: "trial" });
  source.send(13, 7, { type: "queue_changed" }, true);
  source.send(14, null, { type: "progress" }, true);
  assert.deepEqual(told.queue, ["13 queue_changed", "14 progress"]);
  assert.deepEqual(told.seven, ["11 trial", "13 queue_changed"]);
  // A page that was opened later, with an answer of the API that is older than the stream's last event.
  leave.push(hub.follow(7, "12", by(told.late)));
  assert.deepEqual(told.late, ["13 queue_changed"]);
  // One whose answer is older than the stream has to ask again.
  const old = [];
  leave.push(hub.follow("queue", "9", by(old)));
  assert.deepEqual(old, ["14 reset"]);
  source.onerror();
  source.onopen();
  assert.deepEqual(told.late.slice(1), [{ open: false }, { open: true }]);
  for (const end of leave) end();
  assert.equal(source.readyState, Source.CLOSED);
  hub.follow("queue", "20", by([]));
  assert.equal(Source.all.length, 2);
});

test("a stream that was closed for good is opened again after its last event, and a reset tells everybody", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.EventSource = Source;
  Source.all = [];
  const hub = new Hub("/e?all=true");
  const told = [];
  const leave = hub.follow(3, "1", (what) => told.push("open" in what ? what : what.event.type));
  Source.all[0].send(5, 3, { type: "log" });
  Source.all[0].readyState = Source.CLOSED;
  Source.all[0].onerror();
  t.mock.timers.tick(3_000);
  assert.equal(Source.all[1].url, "/e?all=true&after=5");
  Source.all[1].onopen();
  Source.all[1].send(90, null, { type: "reset" }, true);
  assert.deepEqual(told, ["log", { open: false }, { open: true }, "reset"]);
  leave();
});

test("the seconds of a running trial are thinned, not repeated, and go with it", async () => {
  const { added, inWords, pictures } = await load("parts/series.ts");
  const second = (number, more = {}) => ({
    name: "c", repeat: 0, attempt: 0, at_ms: number * 1000, span_ns: 1e9, phase: "sending", sent: 10, received: 9, p50_ns: 100, p99_ns: number, timed: 9, judged: 10, missing: 1,
    roles: [{ role: "publisher", cpu_ns: 5e8, memory_bytes: 7 }], so_far: { sent: 10 * number, timed: 9, judged: 1, missing: 0 }, ...more,
  });
  let series = null;
  for (let number = 1; number <= 3600; number += 1) series = added(series, second(number));
  assert.ok(series.seconds.length <= 180 && series.step_s === 32 && series.so_far.sent === 36_000);
  assert.equal(series.seconds.reduce((sum, { sent }) => sum + sent, 0), 36_000);
  assert.deepEqual(added(series, second(3600)).seconds, series.seconds, "the snapshot had it");
  const all = pictures(series, (value, unit) => `${value} ${unit}`);
  assert.deepEqual(all.map(({ title }) => title), ["Rate", "Latency", "Missing", "CPU", "Memory"], "nothing is drawn of a link that is not there");
  assert.equal(all[0].now, "sent 10/s, received 9/s");
  assert.equal(all[3].now, "publisher 50 %");
  assert.deepEqual([inWords(5000, "1/s"), inWords(0.0123, "ratio"), inWords(0, "ratio")], ["5,000/s", "1.2 %", "0 %"]);

  const running = { name: "c", kind: "message", repeat: 0, attempt: 0, lane: 0, since_ms: 0 };
  const test = { lines: [], watch: { phase: "trials", cells: [], machine: [], running: [running], progress: { done: 0, total: 1, left_ns: 0 } } };
  const live = after(test, { type: "live", trials: [second(1), second(1, { name: "other" })] });
  assert.equal(live.watch.running[0].live.seconds.length, 1);
  const blind = pictures(added(null, second(1, { sent: null, received: null, p50_ns: null, p99_ns: null, judged: 0 })), String);
  assert.deepEqual(blind.map(({ title }) => title), ["CPU", "Memory"]);
});

test("of the seconds of running trials a stream keeps the last, and everything else", () => {
  globalThis.EventSource = Source;
  Source.all = [];
  const hub = new Hub("/api/events?all=true");
  const leave = [hub.follow("queue", "0", () => {})];
  const [source] = Source.all;
  for (let second = 1; second <= 200; second += 1) {
    source.send(2 * second, 7, { type: "live" });
    source.send(2 * second + 1, 7, { type: "machine" });
  }
  const late = [];
  leave.push(hub.follow(7, "0", ({ event }) => late.push(event.type)));
  assert.deepEqual(["live", "machine"].map((kind) => late.filter((type) => type === kind).length), [60, 200]);
  for (const end of leave) end();
});
