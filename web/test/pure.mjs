// Tests that need no page: state in addresses, the front, places of labels. `npm test`
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";

/** A module of src/. */
async function load(path) {
  const options = { entryPoints: [new URL(`../src/${path}`, import.meta.url).pathname], bundle: true, format: "esm", write: false };
  const { outputFiles } = await build(options);
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const { parse, print } = await load("state.ts");
const { frontOf, mayLead, stepsOf } = await load("charts/front.ts");
const { apart, places, shortened } = await load("charts/labels.ts");
const { csvOf } = await load("files.ts");
const { logTicks, quantity, tick, useScales } = await load("quantity.ts");
const { axesOf } = await load("filters.ts");
const { conditions, inWords, valueOf, withCodings } = await load("model.ts");

/** Numbers that look random and are the same each time. */
function random(seed) {
  return () => (seed = (seed * 16807) % 2147483647) / 2147483647;
}

test("an address says a section and lists of values", () => {
  const address = "#latency&mode=-udp,-coap:con&sort=results-table:3:desc&words=json,c%2B%2B";
  const state = { section: "latency", values: { mode: ["-udp", "-coap:con"], sort: ["results-table:3:desc"], words: ["json", "c++"] } };
  assert.deepEqual(parse(address), state);
  assert.equal(print(state), address);
});

test("a plain anchor is a section without values, and nothing is nothing", () => {
  assert.deepEqual(parse("#latency"), { section: "latency", values: {} });
  assert.deepEqual(parse(""), { section: "", values: {} });
  assert.equal(print({ section: "", values: { mode: [] } }), "");
});

test("values without a section keep their names", () => {
  assert.equal(print({ section: "", values: { loss: ["-0.05"] } }), "#&loss=-0.05");
  assert.deepEqual(parse("#&loss=-0.05"), { section: "", values: { loss: ["-0.05"] } });
  assert.deepEqual(parse("#loss=-0.05"), { section: "", values: { loss: ["-0.05"] } });
});

test("any text survives an address", () => {
  for (const text of ["a,b", "a&b=c", "50 %", "#", "\u00b5s, exi/wiredyno:strict", "-", "%zz"]) {
    const state = { section: text, values: { [text]: [text, "x"] } };
    assert.deepEqual(parse(print(state)), state);
  }
});

test("what is no address of the page is read as far as it goes", () => {
  assert.deepEqual(parse("#a&&x&=1&y=&z=%E0%A4%A,2"), { section: "a", values: { z: ["%E0%A4%A", "2"] } });
});

test("the front holds what none beats, in all directions, and its line leaves no point behind", () => {
  const next = random(11);
  for (const signs of [[-1, -1], [-1, 1], [1, -1], [1, 1]]) {
    const points = Array.from({ length: 60 }, () => [Math.round(next() * 20), Math.round(next() * 20)]);
    const [sx, sy] = signs;
    const front = frontOf(points, (point) => point, signs);
    for (const point of points) {
      const beaters = points.filter(
        ([x, y]) => sx * x >= sx * point[0] && sy * y >= sy * point[1] && (x !== point[0] || y !== point[1]),
      );
      assert.equal(front.includes(point), beaters.length === 0);
    }
    const worst = [sx < 0 ? 100 : -100, sy < 0 ? 100 : -100];
    const steps = stepsOf(front, signs, worst);
    for (const [place, [x, y]] of steps.slice(1).entries()) assert.ok(x === steps[place][0] || y === steps[place][1]);
    for (const corner of steps) {
      assert.ok(!points.some(([x, y]) => sx * x > sx * corner[0] && sy * y > sy * corner[1]), `${corner} is behind a point`);
    }
  }
});

test("what lost messages stands on no front beside what lost none, unless losses are what is looked at", () => {
  const marks = [{ name: "udp", lossy: true }, { name: "tcp", lossy: false }];
  const names = (all, lossIsShown) => mayLead(all, ({ lossy }) => lossy, lossIsShown).map(({ name }) => name);
  assert.deepEqual(names(marks, false), ["tcp"]);
  assert.deepEqual(names(marks, true), ["udp", "tcp"]);
  assert.deepEqual(names(marks.slice(0, 1), false), ["udp"]);
});

test("names of curves that end together stand apart, in the order of the ends, inside the frame", () => {
  const next = random(5);
  for (const count of [1, 2, 7, 30]) {
    const wanted = Array.from({ length: count }, () => 40 + 60 * next());
    const found = apart(wanted, 12, [10, 218]);
    const order = wanted.map((_, place) => place).sort((a, b) => wanted[a] - wanted[b]);
    const step = Math.min(12, 208 / Math.max(1, count - 1));
    order.slice(1).forEach((of, rank) => assert.ok(found[of] - found[order[rank]] >= step - 1e-9, `${count}: ${found}`));
    assert.ok(found.every((place) => place >= 10 - 1e-9 && place <= 218 + 1e-9), `${found}`);
  }
  assert.deepEqual(apart([50, 100], 12, [10, 218]), [50, 100]);
});

test("names of curves say what differs, and the format for the codec where there is no room", () => {
  assert.deepEqual(shortened(["json/a over tcp", "json/a over udp"], 40), ["tcp", "udp"]);
  assert.deepEqual(shortened(["json/a over tcp", "bson/b over tcp"], 40), ["json/a", "bson/b"]);
  const all = ["json/serde-json over tcp", "protobuf/prost over udp"];
  assert.deepEqual(shortened(all, 40), all);
  assert.deepEqual(shortened(all, 20), ["json tcp", "protobuf udp"]);
  const ofOneFormat = ["json/serde-json over tcp", "json/sonic-rs over udp"];
  assert.deepEqual(shortened(ofOneFormat, 20), ofOneFormat);
});

test("a logarithmic axis has round ticks, at least three however little it spans, and no more than fit", () => {
  assert.deepEqual(logTicks([1, 1000], 6), [1, 10, 100, 1000]);
  assert.deepEqual(logTicks([9, 110], 8), [10, 20, 50, 100]);
  assert.deepEqual(logTicks([60, 170], 6), [60, 80, 100, 150]);
  assert.deepEqual(logTicks([1235, 1245], 5), [1236, 1238, 1240, 1242, 1244]);
  const next = random(3);
  for (let tries = 0; tries < 200; tries += 1) {
    const low = 10 ** (6 * next());
    const range = [low, low * (1.01 + 10 ** (4 * next() - 1))];
    const ticks = logTicks(range, 6);
    assert.ok(ticks.length >= 2 && ticks.length <= 6 && ticks.every((tick) => tick >= range[0] && tick <= range[1]), `${range}: ${ticks}`);
  }
});

test("a rate's unit stands right behind its number, as in the tables, others after a space", () => {
  useScales({ per_s: [{ least: 0, divisor: 1, name: "/s" }], bytes: [{ least: 0, divisor: 1, name: "B" }] });
  assert.deepEqual([quantity(40_000, "per_s"), quantity(12, "bytes"), tick(100, "per_s"), tick(0, "bytes")], ["40,000/s", "12 B", "100/s", "0"]);
});

test("the numbers of a picture are CSV with a column for each name that some row has", () => {
  const rows = [{ codec: 'a"b', "mean (ns)": 1.5 }, { codec: "c,d", "mean (ns)": null, lost: 0 }];
  assert.equal(csvOf(rows), 'codec,mean (ns),lost\r\n"a""b",1.5,\r\n"c,d",,0\r\n');
});

test("labels stay inside their frame and off each other where there is room", () => {
  const frame = { x1: 0, x2: 600, y1: 0, y2: 300 };
  const wanted = [[20, 20], [300, 150], [306, 152], [590, 290]].map((at) => ({ lines: ["protobuf/prost", "tcp"], at, must: true }));
  const labels = places(wanted, [], [-1, 1], frame);
  const boxes = labels.map(({ x, y, anchor, lines }) => {
    const width = Math.max(...lines.map((line) => line.length)) * 6.1;
    const left = { start: x, middle: x - width / 2, end: x - width }[anchor];
    return { x1: left, x2: left + width, y1: y - 13, y2: y + 13 };
  });
  assert.equal(boxes.length, 4);
  for (const [place, box] of boxes.entries()) {
    assert.ok(box.x1 >= 0 && box.x2 <= 600 && box.y1 >= 0 && box.y2 <= 300, `label ${place} leaves the frame`);
    const meets = (other) => box.x1 < other.x2 && other.x1 < box.x2 && box.y1 < other.y2 && other.y1 < box.y2;
    assert.ok(!boxes.slice(0, place).some(meets), `label ${place} covers another`);
  }
});

test("a label that nobody needs gives way", () => {
  const crowded = Array.from({ length: 40 }, (_, place) => ({ lines: ["mqtt:qos0"], at: [50 + place, 50], must: place === 0 }));
  assert.ok(places(crowded, [], [-1, 1], { x1: 0, x2: 200, y1: 0, y2: 100 }).length < 10);
});

test("every axis with more than one value can be filtered, options of protocols too", () => {
  const axes = { payload: ["opaque@16"], codec: ["raw/wiredyno"], mode: ["tcp", "kafka:acks-1"], link: ["lan"], loss: [] };
  const cells = [{ mode: "tcp", publishers: 1 }, { mode: "tcp", publishers: 16 }, { mode: "kafka:acks-1", publishers: 1, broker: "kafka", options: { "kafka.linger": "0ms" } }, { mode: "kafka:acks-1", publishers: 16, broker: "kafka", options: { "kafka.linger": "5ms" } }];
  const summary = { study: { axes }, cells: cells.map((one) => ({ axes: { payload: "opaque@16", codec: "raw/wiredyno", link: "lan", ...one } })), codecs: [] };
  const found = axesOf({ families: [], summary }).map(({ name, values }) => [name, values]);
  assert.deepEqual(found, [["mode", ["tcp", "kafka:acks-1"]], ["publishers", ["1", "16"]], ["kafka.linger", ["0ms", "5ms"]]]);
  assert.equal(valueOf(summary.cells[0].axes, "kafka.linger"), undefined);
  assert.equal(valueOf(summary.cells[3].axes, "kafka.linger"), "5ms");
});

test("an axis that nobody has seen goes by its row alone: conditions part rivals, what a sender chooses names them", () => {
  const row = (name, part, more = {}) => ({ name, kind: "category", part, words: "{}", one: null, spoken: [], ...more });
  const rows = [
    row("payload", "condition"), row("codec", "coding"), row("mode", "sending"), row("broker", "sending"), row("security", "sending"), row("link", "condition"),
    row("share", "condition", { kind: { number: "ratio" }, words: "{} of it" }),
    row("masts", "condition", { kind: { number: "count" }, words: "{} masts", one: "{} mast" }),
    row("antenna", "sending", { words: "antenna {}", spoken: [["none", "without antenna"]] }),
  ];
  const cell = (more) => ({ axes: { payload: "small", codec: "json/serde-json", mode: "tcp", link: "lan", ...more } });
  const cells = [cell({ masts: 1, antenna: "none" }), cell({ masts: 3, antenna: "long" }), cell({ masts: 3, antenna: "short", share: 0.05 }), cell({ masts: 3, antenna: "short" })];
  const found = conditions(rows, cells).map(({ name, cells }) => [name, cells.length]);
  assert.deepEqual(found, [["small, lan, 1 mast", 1], ["small, lan, 3 masts", 2], ["small, lan, 5 % of it, 3 masts", 1]]);
  assert.deepEqual(conditions(rows, cells, "masts").map(({ name }) => name), ["small, lan", "small, lan, 5 % of it"]);
  const named = withCodings(rows, { study: { axes: { codec: ["json/serde-json"], mode: ["tcp"] } }, cells, codecs: [] });
  assert.deepEqual(named.cells.map(({ axes }) => axes.mode), ["tcp", "tcp antenna long", "tcp antenna short", "tcp antenna short"]);
  assert.deepEqual(named.study.axes.mode, ["tcp", "tcp antenna long", "tcp antenna short"]);
  assert.deepEqual([inWords(rows, "antenna", "none"), inWords(rows, "kafka.linger", "5ms")], ["without antenna", "linger=5ms"]);
});
