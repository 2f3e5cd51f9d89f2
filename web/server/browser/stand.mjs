// What the browser tests and the screenshots share: Chromium, a server's address, waiting for tests.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

export const BASE = process.env["WIREDYNO_SERVER"] ?? "";
const CHROMIUM = process.env["WIREDYNO_CHROMIUM"] ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export const WIDE = { width: 1280, height: 900 };
/** CSS pixels of a common phone held upright. */
export const PHONE = { width: 390, height: 844 };

export function browser() {
  if (!BASE || !CHROMIUM) throw new Error("WIREDYNO_SERVER is the address of a server, WIREDYNO_CHROMIUM a browser where none is installed");
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** Calls the API as the pages do; from the same machine it needs no login. */
export async function api(method, path, body) {
  const session = await (await fetch(`${BASE}/api/session`)).json();
  const headers = { "content-type": "application/json", origin: BASE, ...(session.csrf ? { "x-csrf": session.csrf } : {}) };
  const response = await fetch(`${BASE}/api${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

/** Waits until the test has ended, or reached a state. */
export async function ended(test, states = ["done", "failed", "cancelled"], seconds = 300) {
  for (let tries = 0; tries < seconds * 4; tries += 1) {
    const now = await api("GET", `/tests/${test}`);
    if (states.includes(now.state)) return now;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`test ${test} did not come to ${states} within ${seconds} s`);
}

/** Limits under which no load on the machine makes a trial invalid. */
export const ANY_MACHINE = `
[limits]
${["timer_resolution", "scheduling_lateness_p99", "load_per_cpu", "link_floor", "schedule_lag_p99", "rate_error", "link_lateness_p99", "run_delay", "utilisation", "steal", "disturbed_batches"].map((limit) => `${limit} = "off"`).join("\n")}
`;

/** A small study of real trials. */
export function study(name, { modes = ["tcp", "udp"], sizes = [100], messages = 10, rate = "200/s", repeats = 5, limits = ANY_MACHINE, why = "Which moves a small message at the least cost?" } = {}) {
  return `name = ${JSON.stringify(name)}
why = ${JSON.stringify(why)}
[axes]
payload = ${JSON.stringify(sizes.map((size) => `opaque@${size}`))}
codec = ["raw/wiredyno"]
mode = ${JSON.stringify(modes)}
[load]
kind = "open"
rate = "${rate}"
messages = ${messages}
deadline = "1s"
drain = "500ms"
[trials]
repeats = ${repeats}
[codec_trials]
enabled = false
${limits}`;
}

/** On a page: texts that are so narrow that words are broken letter by letter. */
export function squeezed() {
  const found = [];
  for (const element of document.querySelectorAll("h1, h2, h3, p, li, th, td, dt, dd, summary, a, button, label")) {
    const text = element.textContent.trim();
    const { width, height } = element.getBoundingClientRect();
    const { fontSize, clipPath } = getComputedStyle(element);
    const size = parseFloat(fontSize);
    // Four letters fit into two widths of the type; hidden ones are a pixel wide.
    if (text.length > 8 && width > 1 && width < 2 * size && height > 5 * size && clipPath === "none") found.push(`${element.tagName} ${text.slice(0, 30)}`);
  }
  return found;
}
