// The server's pages in Chromium against the real server with real trials: `WIREDYNO_SERVER=http://127.0.0.1:8080 node --test browser/`.
// crates/programs/server/tests/browser.rs starts the server. One file because all tests use one server with the trials that earlier ones ordered.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { ANY_MACHINE, BASE, PHONE, WIDE, api, browser, ended, squeezed, study } from "./stand.mjs";

const AXE = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** The longest wait for anything that must happen, on a busy machine, in milliseconds. */
const PATIENCE = 480_000;

let chrome;
/** Messages of consoles and errors of scripts: there must be none. */
const complaints = [];

async function page(options = {}) {
  const context = await chrome.newContext({ viewport: WIDE, reducedMotion: "reduce", ...options });
  const opened = await context.newPage();
  opened.setDefaultTimeout(PATIENCE);
  opened.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !expected(message.text())) complaints.push(`${opened.url()}: ${message.text()}`);
  });
  opened.on("pageerror", (error) => complaints.push(`${opened.url()}: ${error}`));
  return opened;
}

/** The browser itself reports refused studies and an unreachable server on the console. */
function expected(text) {
  return /status of (401|409|422|503)|ERR_INTERNET_DISCONNECTED|ERR_NETWORK_IO_SUSPENDED/.test(text);
}

/** Orders of a page get limits under which no load on the machine makes their trials invalid: without a figure a test is not done. */
function onAnyMachine(here) {
  return here.route("**/api/tests", async (route) => {
    const order = route.request().postDataJSON();
    if (!order) return route.continue();
    return route.continue({ postData: JSON.stringify({ ...order, study: order.study + ANY_MACHINE }) });
  });
}

before(async () => {
  chrome = await browser();
});

after(async () => {
  await chrome?.close();
});

/** The longest wait for runners to be compiled for the first time, in milliseconds. */
const COMPILED = 300_000;

/** Whether slow tests run, too: a self-test takes minutes. */
const FULL = process.env["WIREDYNO_TEST_FULL"] !== undefined;

/** A test that is done. */
let first;

test("the IoT study's own order goes from an empty page to a result in five clicks", async () => {
  const here = await page();
  await onAnyMachine(here);
  await here.goto(BASE);
  let clicks = 0;
  const click = async (locator) => {
    await locator.click();
    clicks += 1;
  };
  const chip = (group, text) => here.getByRole("group", { name: group, exact: true }).locator("label", { hasText: new RegExp(`^${text}$`) });
  await click(chip("tcp", "as it is"));
  await click(chip("Payload size", "100 B"));
  await click(chip("Frequency", "100/s"));
  await click(chip("Number of messages", "10"));
  const start = here.getByRole("button", { name: "Start the test" });
  await here.waitForFunction(() => !document.querySelector(".plan .start .main").disabled);
  await click(start);
  await here.waitForURL(/\/tests\/\d+/);
  first = Number(here.url().split("/").at(-1));
  // The result appears by itself, on the same page.
  await here.locator(".explore .sections[data-ready]").waitFor({ timeout: COMPILED });
  assert.ok(clicks <= 5, `${clicks} clicks`);
  assert.match(await here.locator("#results-table tbody tr").first().textContent(), /raw\/wiredyno.*tcp/s);
  const made = await api("GET", `/tests/${first}`);
  assert.equal(made.state, "done");
  assert.equal(made.study.match(/rate = "100\/s"/)?.length, 1);
  await here.context().close();
});

test("a trial moves from its first seconds, on a page that was open and on one that comes later", async () => {
  const { id } = await api("POST", "/tests", { study: study("moving", { modes: ["udp"], messages: 3_000, rate: "150/s", repeats: 2 }) });
  await ended(id, ["processing", "done"], 600);
  const one = await page();
  await one.goto(`${BASE}/tests/${id}`);
  const now = one.getByRole("region", { name: "Now", exact: true });
  const pictures = now.getByRole("img");
  await pictures.first().waitFor();
  const points = () => now.locator("polyline.curve-0").first().getAttribute("points");
  const before = await points();
  await one.waitForFunction((old) => document.querySelector(".going polyline.curve-0")?.getAttribute("points") !== old, before);
  const named = await pictures.evaluateAll((all) => all.map((each) => each.getAttribute("aria-label").split(",")[0]));
  for (const title of ["Rate", "Latency", "Missing", "CPU", "Memory"]) assert.ok(named.includes(title), `${named}`);
  // Seconds before it came.
  await one.waitForFunction(() => document.querySelector(".going polyline.curve-0")?.getAttribute("points").split(" ").length >= 5);
  const later = await page({ viewport: PHONE, colorScheme: "dark" });
  await later.goto(`${BASE}/tests/${id}`);
  await later.getByRole("region", { name: "Now", exact: true }).getByRole("img").first().waitFor();
  assert.ok((await later.locator(".going polyline.curve-0").first().getAttribute("points")).split(" ").length >= 4);
  assert.ok(await later.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is cut on a phone");
  // By keyboard, to the numbers.
  const summary = later.locator(".going summary").first();
  await summary.focus();
  await later.keyboard.press("Enter");
  await later.getByRole("region", { name: "The last seconds as numbers" }).getByRole("columnheader", { name: "Rate, sent" }).waitFor();
  for (const here of [one, later]) {
    await here.evaluate(AXE);
    const { violations } = await here.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    assert.deepEqual(violations.map(({ id: rule, nodes }) => `${rule}: ${nodes.map(({ html }) => html.slice(0, 120))}`), []);
  }
  await ended(id);
  await now.waitFor({ state: "detached" });
  await one.context().close();
  await later.context().close();
});

test("several browsers watch the same test, and one that was cut off takes up where it was", async () => {
  const { id } = await api("POST", "/tests", { study: study("watched", { modes: ["tcp", "udp"], messages: 100, rate: "100/s", repeats: 6 }) });
  const [one, other] = await Promise.all([page(), page()]);
  await Promise.all([one, other].map((each) => each.goto(`${BASE}/tests/${id}`)));
  const made = (each) => each.locator(".trials i.complete, .trials i.overloaded, .trials i.failed").count();
  await one.waitForFunction(() => document.querySelectorAll(".trials i.complete").length >= 2, null, { timeout: COMPILED });
  await other.context().setOffline(true);
  const cutOff = await made(other);
  await one.waitForFunction((before) => document.querySelectorAll(".trials i.complete").length > before + 1, cutOff, { timeout: PATIENCE });
  await other.context().setOffline(false);
  await ended(id);
  for (const each of [one, other]) await each.locator(".explore .sections[data-ready]").waitFor({ timeout: PATIENCE });
  for (const each of [one, other]) await each.getByText("How its trials went").click();
  assert.equal(await made(one), 12);
  assert.equal(await made(other), 12);
  const log = await one.locator(".log pre").textContent();
  assert.equal(await other.locator(".log pre").textContent(), log);
  assert.match(log, /report:/);
  await one.context().close();
  await other.context().close();
});

test("the queue is put in order by keyboard, tests are cancelled, done again and changed", async () => {
  const here = await page();
  // Long enough to make the others wait.
  const long = await api("POST", "/tests", { study: study("holding", { messages: 2000, rate: "100/s" }) });
  await ended(long.id, ["processing"]);
  const waiting = [];
  for (const name of ["one", "two", "three"]) waiting.push((await api("POST", "/tests", { study: study(name) })).id);
  await here.goto(`${BASE}/queue`);
  const order = () => here.locator(".order h3 a").allTextContents();
  const becomes = async (wanted) => {
    await here.waitForFunction((names) => [...document.querySelectorAll(".order h3 a")].map((link) => link.textContent).join() === names, wanted.join());
    assert.deepEqual(await order(), wanted);
  };
  await becomes(["one", "two", "three"]);
  await here.getByRole("button", { name: "Move three up" }).focus();
  await here.keyboard.press("Enter");
  await becomes(["one", "three", "two"]);
  await here.locator(".order > li").nth(2).getByLabel("Priority").fill("5");
  await here.keyboard.press("Tab");
  await becomes(["two", "one", "three"]);
  for (const name of ["one", "two", "three"]) {
    await here.getByRole("button", { name: `Cancel ${name}`, exact: true }).click();
    await here.locator(".past tr", { hasText: name }).getByText("Cancelled").waitFor();
  }
  await here.getByRole("button", { name: "Cancel holding" }).click();
  assert.equal((await ended(long.id)).state, "cancelled");
  await here.getByRole("button", { name: "Again: three" }).click();
  await here.locator(".past tr", { hasText: "Done" }).filter({ hasText: "three" }).waitFor({ timeout: PATIENCE });
  const row = here.locator(".past tr", { hasText: "Done" }).filter({ hasText: "three" });
  await row.getByRole("button", { name: "With changes" }).click();
  await here.waitForURL(/\/new\?again=\d+/);
  await here.getByRole("group", { name: "Payload size", exact: true }).locator("label", { hasText: "1,000 B" }).click();
  await here.waitForFunction(() => !document.querySelector(".plan .start .main").disabled);
  await here.getByRole("button", { name: "Start the test" }).click();
  await here.waitForURL(/\/tests\/\d+/);
  const changed = await ended(Number(here.url().split("/").at(-1)));
  assert.equal(changed.state, "done", changed.reason);
  assert.equal(changed.again_of, Number(waiting[2]) + 1);
  assert.match(changed.study, /opaque@1000/);
  await here.context().close();
});

test("any number of tabs can be open, each with what happens now", async () => {
  const context = await chrome.newContext({ viewport: WIDE, reducedMotion: "reduce" });
  const tabs = [];
  // A browser has six connections to a server, and each of these pages follows its test and the queue.
  for (let number = 0; number < 9; number += 1) {
    const tab = await context.newPage();
    tab.setDefaultTimeout(PATIENCE);
    await tab.goto(`${BASE}/${number % 2 ? "queue" : `tests/${first}`}`);
    await tab.locator("h1").first().waitFor();
    tabs.push(tab);
  }
  const { id } = await api("POST", "/tests", { study: study("seen-in-all-tabs", { modes: ["tcp"], repeats: 2 }) });
  for (const tab of tabs.filter((_, number) => number % 2)) await tab.locator(".past tr", { hasText: "seen-in-all-tabs" }).getByText("Done").waitFor();
  await ended(id);
  // One stream for all of them, and for another browser's one more.
  assert.ok((await api("GET", "/machine")).server.streams <= 1 + (await chrome.contexts()).length);
  await context.close();
});

test("an address that is none has a page that says so", async () => {
  const here = await page();
  for (const broken of ["/runs/%E0%A4%A", "/nothing", "/tests/x"]) {
    await here.goto(BASE + broken);
    await here.getByRole("heading", { name: "Nothing here" }).waitFor();
  }
  await here.context().close();
});

test("an empty payload is chosen like any other, and the plan says what can only be counted", async () => {
  const here = await page();
  await here.goto(`${BASE}/new`);
  for (const [group, text] of [["tcp", "as it is"], ["Frequency", "100/s"], ["Number of messages", "10"]]) {
    await here.getByRole("group", { name: group, exact: true }).locator("label", { hasText: new RegExp(`^${text}$`) }).click();
  }
  const own = here.getByLabel("Another size in bytes");
  await own.fill("0");
  await own.press("Enter");
  await here.getByText("Only counted: 1 combination").click();
  assert.match(await here.locator(".plan").textContent(), /opaque@0 raw\/wiredyno tcp loopback: every message is like the first/);
  await here.context().close();
});

test("what is no longer needed is deleted from its page, after one more question; a pinned run is not", async () => {
  const made = await ended((await api("POST", "/tests", { study: study("to-delete", { modes: ["tcp"], repeats: 1 }) })).id);
  assert.equal(made.state, "done", made.reason);
  const here = await page();
  await here.goto(`${BASE}/runs?search=to-delete`);
  const row = here.locator(".past tbody tr");
  await row.getByRole("button", { name: /^Pin / }).click();
  await row.getByText("Pinned").waitFor();
  assert.equal(await row.getByRole("button", { name: /^Delete/ }).count(), 0);
  await row.getByRole("button", { name: /^Pin / }).click();
  await row.getByRole("button", { name: /^Delete/ }).click();
  await row.getByRole("button", { name: /^Yes, delete/ }).click();
  await here.getByText("No run matches.").waitFor();
  await here.goto(`${BASE}/queue?search=to-delete`);
  const test = here.locator(".past tbody tr", { hasText: "to-delete" });
  await test.getByRole("button", { name: /^Delete/ }).click();
  await test.getByRole("button", { name: /^Yes, delete/ }).click();
  await test.waitFor({ state: "detached" });
  await here.context().close();
});

test("a link by its numbers is kept and chosen, and a study is kept under a name", async () => {
  const here = await page();
  await here.goto(`${BASE}/new`);
  await here.getByText("A link of your own").click();
  await here.getByLabel("delay there").fill("25");
  await here.getByLabel("loss there").fill("1 %");
  await here.getByLabel("rate back").fill("5 mbit");
  await here.getByLabel("Its name").fill("our-factory");
  await here.getByRole("button", { name: "Keep and choose it" }).click();
  // It is offered as soon as anybody kept it, and then chosen.
  await here.getByRole("group", { name: "Network", exact: true }).getByRole("checkbox", { name: "our-factory", checked: true }).waitFor();
  await here.getByText("Keep this one").click();
  await here.getByLabel("under the name").fill("our-usual-test");
  await here.getByRole("button", { name: "Keep", exact: true }).click();
  await here.locator(".keep .problem").waitFor();
  await here.getByRole("group", { name: "tcp", exact: true }).locator("label").first().click();
  await here.getByRole("group", { name: "Payload size", exact: true }).locator("label", { hasText: /^100 B$/ }).click();
  await here.getByRole("group", { name: "Frequency", exact: true }).locator("label", { hasText: "100/s" }).click();
  for (const number of ["10", "100"]) await here.getByRole("group", { name: "Number of messages", exact: true }).locator("label", { hasText: new RegExp(`^${number}$`) }).click();
  await here.waitForFunction(() => /Combinations\s*2/.test(document.querySelector(".plan").textContent));
  await here.getByRole("button", { name: "Keep", exact: true }).click();
  await here.locator("option[value=our-usual-test]").first().waitFor({ state: "attached" });
  const { studies, links } = await api("GET", "/options");
  assert.match(studies.find(({ id }) => id === "our-usual-test").text, /our-factory/);
  assert.ok(links.find(({ id }) => id === "our-factory").uploaded);
  await here.goto(`${BASE}/machine`);
  await here.getByRole("button", { name: "Delete: our-factory" }).click();
  await here.getByRole("button", { name: "Yes, delete our-factory" }).click();
  await here.getByRole("button", { name: "Delete: our-factory" }).waitFor({ state: "detached" });
  await here.context().close();
});

test("a study as text is planned while it is written, and what is wrong is told with its line", async () => {
  const here = await page();
  await here.goto(`${BASE}/new`);
  await here.getByRole("button", { name: "As text" }).click();
  const text = here.locator("textarea.code");
  await text.fill(study("typed", { modes: ["tcp"] }));
  await here.locator(".plan .facts-list").waitFor();
  assert.match(await here.locator(".plan").textContent(), /Combinations\s*1/);
  await text.fill(study("typed").replace("messages = 10", 'mesages = 10'));
  await here.locator(".plan .problem").waitFor();
  assert.match(await here.locator(".plan .problem").textContent(), /Line 10.*mesages.*messages/s);
  assert.ok(await here.getByRole("button", { name: "Start the test" }).isDisabled());
  // Names are shown as text, whatever they contain.
  await text.fill(study("<img src=x onerror=document.title='bad'>", { modes: ["tcp"], why: "<script>document.title='bad'</script>?" }));
  await here.waitForTimeout(600);
  assert.doesNotMatch(await here.title(), /bad/);
  // The form shows what was written, and the address transfers it to another page.
  await text.fill(study("typed", { modes: ["udp"], sizes: [777] }));
  await here.getByRole("button", { name: "Choose" }).click();
  assert.ok(await here.getByRole("group", { name: "udp", exact: true }).getByRole("checkbox").isChecked());
  // Security is offered as the chosen protocols support it.
  await here.locator("details.more > summary").click();
  const security = here.getByRole("group", { name: "Security", exact: true });
  assert.equal(await security.count(), 0);
  await here.getByRole("group", { name: "tcp", exact: true }).locator("label").first().click();
  await security.locator("label", { hasText: /^mtls$/ }).click();
  await here.getByRole("button", { name: "As text" }).click();
  assert.match(await text.inputValue(), /security = \[ "mtls" \]/);
  await here.getByRole("button", { name: "Choose" }).click();
  // DDS and QUIC are listed because the registry has them; a protocol's options are those of all its clients.
  for (const mode of ["dds:reliable", "dds/cyclonedds:reliable", "quic:stream"]) {
    await here.locator("label", { has: here.locator(`input[aria-label="${mode}"]`) }).click();
  }
  const tuned = here.locator("details.inner", { has: here.locator("summary", { hasText: /^Options of dds$/ }) });
  assert.match(await tuned.textContent(), /history_depth[^]*fragment_size/);
  const other = await page();
  await other.goto(here.url());
  assert.ok(await other.getByRole("checkbox", { name: "777" }).isChecked());
  await other.context().close();
  await here.context().close();
});

test("samples of one's own have a definition and every format's size while they are typed, and are tested", async () => {
  const here = await page();
  await here.goto(`${BASE}/new`);
  await here.getByRole("button", { name: "A message of your own" }).click();
  await here.locator("table.sizes tbody tr").first().waitFor();
  const samples = here.locator("textarea.code").first();
  await samples.fill('{"device": "a7", "celsius": 21.5, "count": 1}\n{"device": "a8", "celsius": 22.5, "count": 2}\n');
  await here.waitForFunction(() => document.querySelectorAll("textarea.code")[1]?.value.includes("celsius"));
  const rows = await here.locator("table.sizes tbody tr").allTextContents();
  assert.ok(rows.length > 10 && rows.some((row) => row.startsWith("json/serde-json")), rows.join("\n"));
  await here.getByLabel("Keep it as").fill("reading");
  await here.getByRole("button", { name: "Test it" }).click();
  await here.getByText("Messages with fields: reading").waitFor();
  assert.ok((await api("GET", "/options")).payloads.some(({ id }) => id === "reading"));
  await here.context().close();
});

test("a run is explored: filtered on an axis, taken along by a link, downloaded, asked in SQL", async () => {
  const { run } = await ended((await api("POST", "/tests", { study: study("explored", { modes: ["tcp", "udp"], sizes: [100, 1000] }) })).id);
  const here = await page();
  await here.goto(`${BASE}/runs`);
  await here.getByRole("link", { name: "explored" }).first().click();
  await here.locator(".explore .sections[data-ready]").waitFor();
  const rows = (each) => each.locator("#results-table tbody tr:not([hidden])").count();
  assert.equal(await rows(here), 4);
  await here.locator("#filters summary").click();
  await here.locator("#filters label", { hasText: "udp" }).click();
  assert.equal(await rows(here), 2);
  const other = await page();
  await other.goto(here.url());
  await other.locator(".explore .sections[data-ready]").waitFor();
  assert.equal(await rows(other), 2);
  await other.context().close();
  assert.ok((await here.locator(".explore figure[data-chart] svg").count()) > 4);
  await here.keyboard.press("Escape");
  const [download] = await Promise.all([here.waitForEvent("download"), here.getByRole("link", { name: "messages.parquet" }).click()]);
  assert.equal(readFileSync(await download.path()).subarray(0, 4).toString(), "PAR1");
  const ask = async (sql) => {
    await here.getByLabel("Question in SQL").fill(sql);
    await here.getByRole("button", { name: "Ask", exact: true }).click();
  };
  await here.getByText("Query its tables with SQL").click();
  await here.getByRole("button", { name: "Ask", exact: true }).waitFor({ timeout: PATIENCE });
  await ask("select count(*) as n from messages join trials using (trial) where kind = 'message' and outcome <> 'invalid'");
  await here.getByRole("cell", { name: "200", exact: true }).waitFor();
  await ask("select * from no_such_table");
  await here.locator(".query .problem").waitFor();
  assert.match(await here.locator(".query .problem").textContent(), /no_such_table/);
  assert.equal(run, decodeURIComponent(new URL(here.url()).pathname.split("/").at(-1)));
  await here.context().close();
});

test("runs are compared, a study is looked at over time, a choice follows the sliders", async () => {
  const again = await api("POST", `/tests/${(await api("GET", "/tests")).tests.find(({ name }) => name === "explored").id}/again`);
  await ended(again.id);
  const here = await page();
  await here.goto(`${BASE}/runs?study=explored`);
  await here.getByRole("checkbox").nth(1).waitFor();
  for (const box of await here.getByRole("checkbox").all()) await box.check();
  await here.getByRole("link", { name: "Compare these two" }).click();
  // It opens as a report does, in the engine's words.
  await here.locator(".answered .answer").waitFor();
  const asked = new URL(here.url()).searchParams;
  const { text } = await api("GET", `/compare?base=${asked.get("base")}&new=${asked.get("new")}`);
  assert.equal(plain(await here.locator(".answered .answer").textContent()), plain(text.split("\n")[2].replace(/\*\*|\\/g, "")));
  // A row for each run, of each of two payloads.
  assert.equal(await here.locator(".answered .bars tbody tr").count(), 4);
  await here.locator(".answered table.cards").first().waitFor();
  // A third run is added beside the second, and removed again.
  await here.getByLabel("and also").selectOption({ index: 1 });
  await here.getByRole("button", { name: "Leave out" }).waitFor();
  assert.equal(await here.locator(".compare > section").count(), 2);
  await here.getByRole("button", { name: "Leave out" }).click();
  assert.equal(await here.locator(".compare > section").count(), 1);
  await here.getByRole("button", { name: "One study over time" }).click();
  await here.getByLabel("Study").selectOption("explored");
  await here.locator("figure.chart .panel svg").waitFor();
  assert.equal(await here.locator("figure.chart svg circle").count(), 2);
  await here.getByRole("button", { name: "What to choose" }).click();
  await here.getByLabel("From the run").selectOption({ index: 0 });
  // With so few messages, the assumed limit of 1 % lost is not decided.
  await here.getByLabel("Must be at most").fill("lost=100%");
  await here.keyboard.press("Tab");
  await here.locator(".answered .answer strong", { hasText: /tcp|udp/ }).first().waitFor();
  const slider = here.getByRole("slider", { name: /Little memory/ });
  await slider.focus();
  const weighed = here.waitForResponse((answer) => decodeURIComponent(answer.url()).includes("/recommend?weigh=body=1,time=1,memory=2"));
  for (let presses = 0; presses < 4; presses += 1) await here.keyboard.press("ArrowRight");
  assert.ok((await weighed).ok());
  assert.match(here.url(), /memory%3D2/);
  await here.locator(".answered .bars tbody tr").first().waitFor();
  await here.context().close();
});

/** Without differences of blanks, which HTML does not keep. */
const plain = (text) => text.replace(/\s+/g, " ").trim();

/** What axe finds serious or critical, by rule and element. */
async function serious(here) {
  await here.evaluate(AXE);
  return here.evaluate(async () => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    const found = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    return found.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ target }) => target.join(" ")).join(", ")}`);
  });
}

/** Pages that no link of the bar leads to. */
async function beside() {
  const { runs } = await api("GET", "/runs");
  const { id } = runs.find(({ study }) => study === "explored");
  return [`/tests/${first}`, `/runs/${id}`, "/compare?study=explored", `/compare?recommend=${id}`, "/nowhere"];
}

for (const [theme, colorScheme, viewport] of [["light", "light", WIDE], ["dark", "dark", WIDE], ["light on a phone", "light", PHONE], ["dark on a phone", "dark", PHONE]]) {
  test(`axe finds nothing serious, and nothing is wider than the page: ${theme}`, async () => {
    const here = await page({ colorScheme, viewport });
    await here.goto(BASE);
    // The bar stands once the page has asked who is there.
    await here.locator(".topbar nav a").first().waitFor();
    const links = await here.locator(".topbar nav a").evaluateAll((found) => found.map((link) => link.getAttribute("href")));
    assert.ok(links.length > 1, `the bar leads to ${links}`);
    for (const place of [...links, ...(await beside())]) {
      await here.goto(BASE + place);
      await here.locator("h1").first().waitFor();
      await here.waitForFunction(() => !document.querySelector(".waiting"));
      assert.deepEqual(await serious(here), [], place);
      const wider = await here.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(wider, 0, `${place} is wider than the page`);
      assert.deepEqual(await here.evaluate(squeezed), [], `${place}: letters one below another`);
    }
    await here.context().close();
  });
}

test("on paper there is no bar and nothing to press, and nothing moves where that is unwanted", async () => {
  const here = await page({ reducedMotion: "reduce" });
  for (const place of ["/queue", ...(await beside())]) {
    await here.goto(BASE + place);
    await here.locator("h1").first().waitFor();
    await here.waitForFunction(() => !document.querySelector(".waiting"));
    assert.equal(await here.evaluate(() => document.getAnimations().length), 0, `${place} moves`);
    await here.emulateMedia({ media: "print" });
    assert.equal(await here.locator("button:visible, .button:visible, nav:visible, input:visible").count(), 0, `${place} on paper`);
    await here.emulateMedia({ media: "screen" });
  }
  await here.context().close();
});

test("a test is ordered with the keyboard alone", async () => {
  const here = await page();
  await onAnyMachine(here);
  await here.goto(BASE);
  await here.locator(".plan").waitFor();
  const reach = async (matches) => {
    for (let presses = 0; presses < 150; presses += 1) {
      await here.keyboard.press("Tab");
      if (await here.evaluate(matches)) return;
    }
    assert.fail(`no way by keyboard to ${matches}`);
  };
  const named = (label) => `(document.activeElement.getAttribute("aria-label") ?? document.activeElement.closest("label")?.textContent) === ${JSON.stringify(label)}`;
  for (const label of ["udp", "10 B", "100/s"]) {
    await reach(named(label));
    await here.keyboard.press("Space");
  }
  await reach(named("10"));
  await here.keyboard.press("Space");
  await here.waitForFunction(() => !document.querySelector(".plan .start .main").disabled);
  await reach(`document.activeElement.textContent === "Start the test"`);
  await here.keyboard.press("Enter");
  await here.waitForURL(/\/tests\/\d+/);
  const id = Number(here.url().split("/").at(-1));
  assert.equal((await ended(id)).state, "done");
  await here.context().close();
});

const { WIREDYNO_GUARDED_SERVER: GUARDED, WIREDYNO_TOKEN: TOKEN, WIREDYNO_BELOW: BELOW } = process.env;

test("below a path every page, link, asset and event is found", { skip: !BELOW }, async () => {
  const here = await page();
  await here.goto(`${BELOW}/`);
  await here.getByRole("button", { name: "Start the test" }).waitFor();
  for (const name of ["Queue", "Runs", "Compare", "Machine"]) {
    await here.locator(".topbar").getByRole("link", { name, exact: true }).click();
    await here.locator("h1").first().waitFor();
    assert.ok(here.url().startsWith(`${BELOW}/`), here.url());
  }
  await here.goto(`${BELOW}/queue`);
  await here.getByText("Nothing is waiting.").waitFor();
  await here.locator(".now.away").waitFor({ state: "detached" });
  await here.context().close();
});

test("a server that demands a token lets in who has it, and nobody else", { skip: !GUARDED }, async () => {
  const here = await page();
  await here.goto(`${GUARDED}/queue`);
  await here.getByLabel("Token").fill("wrong");
  await here.getByRole("button", { name: "Log in" }).click();
  await here.locator(".problem").waitFor();
  assert.deepEqual(await serious(here), []);
  await here.getByLabel("Token").fill(TOKEN);
  await here.getByRole("button", { name: "Log in" }).click();
  await here.getByRole("heading", { name: "Queue" }).waitFor();
  await here.reload();
  await here.getByRole("heading", { name: "Queue" }).waitFor();
  await here.getByRole("button", { name: "Log out" }).click();
  await here.getByLabel("Token").waitFor();
  await here.context().close();
});

test("a self-test goes through the queue, and what it finds stands on the machine's page", async () => {
  const here = await page();
  await here.goto(`${BASE}/machine`);
  await here.getByText("Not measured yet").waitFor();
  await here.getByRole("button", { name: "Run a self-test" }).click();
  await here.waitForURL(/\/tests\/\d+/);
  const id = Number(here.url().split("/").at(-1));
  assert.equal((await api("GET", `/tests/${id}`)).kind, "self-test");
  if (FULL) {
    const test = await ended(id, undefined, 1_200);
    assert.equal(test.state, "done", test.reason);
    await here.goto(`${BASE}/machine`);
    const found = here.getByRole("region", { name: "What the self-test found" });
    await found.waitFor();
    // Each of the planted differences is in the table, or reported as not judged.
    const [judged, not] = await Promise.all([found.locator("tbody tr").count(), here.getByText("not judged").count()]);
    assert.equal(judged + not, 4);
  } else {
    await here.getByRole("button", { name: "Cancel" }).click();
    assert.equal((await ended(id)).state, "cancelled");
    await here.goto(`${BASE}/machine`);
    await here.getByText("Not measured yet").waitFor();
  }
  await here.context().close();
});

test("the first view is small, and the console of no page complains", async () => {
  const here = await page();
  let bytes = 0;
  const session = await here.context().newCDPSession(here);
  await session.send("Network.enable");
  session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await here.goto(BASE);
  await here.getByRole("button", { name: "Start the test" }).waitFor();
  await here.waitForTimeout(300);
  assert.ok(bytes > 10_000 && bytes < 200_000, `${bytes} bytes`);
  await here.goto(`${BASE}/machine`);
  await here.locator(".findings-list li").first().waitFor();
  await here.context().close();
  assert.deepEqual(complaints, []);
});
