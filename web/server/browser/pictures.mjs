// Pictures of the server's pages for docs/images: `node browser/pictures.mjs FOLDER [RUN]`, of the server at WIREDYNO_SERVER, which needs
// no login. RUN is the id of the run to show, by default the newest. All tests that it submits are run or cancelled.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import UPNG from "upng-js";
import { BASE, PHONE, WIDE, api, browser, ended, study } from "./stand.mjs";

const [folder, wanted] = process.argv.slice(2);
if (!folder) throw new Error("node browser/pictures.mjs FOLDER [RUN]");

/** Enough for images of few colours, at a third of the bytes. */
const COLOURS = 160;

const chrome = await browser();

async function open(path, { viewport = WIDE, colorScheme = "light" } = {}) {
  const context = await chrome.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(BASE + path);
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(() => !document.querySelector(".waiting"));
  return page;
}

async function take(name, page) {
  await page.waitForTimeout(400);
  const picture = UPNG.decode(await page.screenshot());
  const small = UPNG.encode(UPNG.toRGBA8(picture), picture.width, picture.height, COLOURS);
  writeFileSync(join(folder, `server-${name}.png`), Buffer.from(small));
  await page.context().close();
}

async function choose(page, choices) {
  for (const [group, text] of choices) {
    await page.getByRole("group", { name: group, exact: true }).locator("label", { hasText: new RegExp(`^${text}`) }).click();
  }
  await page.locator(".plan .facts-list").waitFor();
  await page.evaluate(() => scrollTo(0, 0));
}

const CHOICES = [["tcp", "as it is"], ["mqtt", "qos1"], ["coap", "con$"], ["Payload size", "100 B"], ["Payload size", "1,000 B"], ["Frequency", "100/s"], ["Number of messages", "100"]];

// A study with some history, for the pages that compare.
for (let run = 0; run < 3; run += 1) {
  const { id } = await api("POST", "/tests", { study: study("nightly", { modes: ["tcp", "udp", "coap:con"], sizes: [100, 1000], messages: 50 }) });
  await ended(id, undefined, 300);
}
const { runs } = await api("GET", "/runs");
const shown = wanted ?? runs[0].id;

for (const colorScheme of ["light", "dark"]) {
  const page = await open("/new", { colorScheme });
  await choose(page, CHOICES);
  await take(colorScheme === "light" ? "new" : "new-dark", page);
}
const phone = await open("/new", { viewport: PHONE });
await choose(phone, CHOICES);
await phone.evaluate(() => document.querySelector(".views").scrollIntoView());
await take("new-phone", phone);

const own = await open("/new");
await own.getByRole("button", { name: "A message of your own" }).click();
await own.locator("table.sizes tbody tr").first().waitFor();
await own.evaluate(() => document.querySelector(".message").scrollIntoView());
await take("message", own);

const watched = await api("POST", "/tests", { study: study("telemetry", { modes: ["tcp", "udp", "mqtt:qos0", "mqtt:qos1", "mqtt:qos2", "coap:non", "coap:con"], sizes: [100, 1000], messages: 200, rate: "100/s", why: "Which protocol moves small telemetry at the least cost?" }) });
const others = [];
for (const name of ["sensor-fleet", "vehicle-telemetry", "data-pipeline"]) {
  const { questions } = await api("GET", "/options");
  const text = questions.find(({ id }) => id === name)?.study ?? study(name);
  others.push(await api("POST", "/tests", { study: text }));
}
const watch = await open(`/tests/${watched.id}`);
await watch.waitForFunction(() => document.querySelectorAll(".trials i.complete").length > 25, null, { timeout: 300_000 });
await take("queue", await open("/queue"));
await take("watch-dark", await open(`/tests/${watched.id}`, { colorScheme: "dark" }));
await take("watch", watch);
for (const { id } of [...others, watched]) await api("POST", `/tests/${id}/cancel`);

const run = await open(`/runs/${shown}`);
await run.locator(".explore .sections[data-ready]").waitFor();
await take("run", run);
const query = await open(`/runs/${shown}`);
await query.getByText("Query its tables with SQL").click();
await query.getByRole("button", { name: "Latency by combination" }).click({ timeout: 60_000 });
await query.locator(".query table").waitFor();
await query.evaluate(() => document.querySelector("#raw").scrollIntoView());
await take("query", query);
const nightly = runs.filter(({ study }) => study === "nightly");
await take("compare", await open(`/compare?base=${nightly[1].id}&new=${nightly[0].id}`));
const history = await open("/compare?study=nightly");
await history.locator("figure.chart .panel svg").waitFor();
await take("history", history);
const recommend = await open(`/compare?recommend=${shown}&weigh=bytes=1,time=1`);
await recommend.locator(".conclusion").waitFor();
await take("recommend", recommend);
await take("machine", await open("/machine"));
await chrome.close();
