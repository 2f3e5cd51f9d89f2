// All pages at three widths, side by side, for docs/images/pages: `node browser/widths.mjs FOLDER`, of the server at WIREDYNO_SERVER, which needs
// no login and has two runs of one study at least. It submits nothing. Fails where a page is wider than its window, or breaks words letter by letter.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BASE, PHONE, WIDE, api, browser, squeezed } from "./stand.mjs";

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("node browser/widths.mjs FOLDER");
mkdirSync(folder, { recursive: true });

/** A phone, a tablet held upright, a screen: CSS pixels. */
const WIDTHS = [PHONE, { width: 820, height: WIDE.height }, WIDE];
/** Of the pictures, in pixels a CSS pixel, and of WebP: what stays readable at a tenth of the bytes. */
const [SCALE, QUALITY] = [0.75, 0.55];
const GAP = 24;

const { runs } = await api("GET", "/runs");
const twin = (run) => runs.find(({ id, study }) => study === run.study && id !== run.id);
const newest = runs.find((run) => run.complete && twin(run));
if (!newest) throw new Error("the server has no two runs of one study");
const { tests } = await api("GET", "/tests");
const done = tests.find(({ state }) => state === "done");

const PAGES = {
  new: "/new", queue: "/queue", ...(done ? { test: `/tests/${done.id}` } : {}), runs: "/runs", run: `/runs/${newest.id}`, compare: `/compare?base=${twin(newest).id}&new=${newest.id}`,
  history: `/compare?study=${encodeURIComponent(newest.study)}`, recommend: `/compare?recommend=${newest.id}`, machine: "/machine",
};

const chrome = await browser();
const problems = [];

async function taken(path, viewport, colorScheme) {
  const context = await chrome.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(BASE + path);
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(() => !document.querySelector(".waiting"));
  // Charts are drawn as they come near.
  await page.waitForTimeout(600);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wider > 0) problems.push(`${path} at ${viewport.width}: wider by ${wider} px`);
  problems.push(...(await page.evaluate(squeezed)).map((text) => `${path} at ${viewport.width}: letters one below another: ${text}`));
  const picture = (await page.screenshot()).toString("base64");
  await context.close();
  return { picture, ...viewport };
}

/** One picture of several, from left to right, as WebP. */
async function joined(pictures) {
  const context = await chrome.newContext();
  const page = await context.newPage();
  const text = await page.evaluate(async ({ pictures, scale, quality, gap }) => {
    const canvas = document.createElement("canvas");
    canvas.width = scale * pictures.reduce((sum, { width }) => sum + width + gap, -gap);
    canvas.height = scale * Math.max(...pictures.map(({ height }) => height));
    const pen = canvas.getContext("2d");
    pen.fillStyle = "#8a8a8a";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    let left = 0;
    for (const { picture, width, height } of pictures) {
      const image = new Image();
      image.src = `data:image/png;base64,${picture}`;
      await image.decode();
      pen.drawImage(image, left * scale, 0, width * scale, height * scale);
      left += width + gap;
    }
    return canvas.toDataURL("image/webp", quality);
  }, { pictures, scale: SCALE, quality: QUALITY, gap: GAP });
  await context.close();
  return Buffer.from(text.split(",")[1], "base64");
}

for (const [name, path] of Object.entries(PAGES)) {
  const pictures = [];
  for (const viewport of WIDTHS) pictures.push(await taken(path, viewport, name === "machine" ? "dark" : "light"));
  writeFileSync(join(folder, `${name}.webp`), await joined(pictures));
}
await chrome.close();
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
}
