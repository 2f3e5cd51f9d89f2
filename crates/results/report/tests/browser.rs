//! Opens the report in headless Chromium, light and dark, wide and as narrow as a phone: charts are drawn, filters and sorting work,
//! the keyboard reaches every control, an address restores what was chosen, axe finds no serious fault, the console shows no error,
//! long reports fit a few sheets of paper. Ignored by name if Chromium is missing; `WIREDYNO_CHROMIUM` names another one. One file
//! because its probes and the values that they expect belong together.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

mod made_up;

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use wiredyno_model::summary::Summary;
use wiredyno_report::{Format, render};

/// Headless Chromium opens no window narrower than this; a narrower page is put into a frame.
const NARROWEST_WINDOW: u32 = 500;

/// CSS pixels of a common phone held upright.
const PHONE: u32 = 390;

/// Runs after the front end: filters a mode away, sorts a table, and stores the findings on the root element.
const PROBE: &str = r##"
seen.paper = getComputedStyle(document.body).backgroundColor;
seen.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
const panels = (names) => names.map((name) => `${name} ${document.querySelectorAll(`figure[data-chart=${name}] .panels svg`).length}`).join(", ");
seen.undrawn = [...document.querySelectorAll("figure[data-chart]")].filter((f) => !f.querySelector(".panels svg")).map((f) => f.dataset.chart).join(", ");
seen.panels = panels(["latency", "box", "delivery", "overhead", "split", "ecdf", "cpu", "memory", "along", "sizes", "phases", "allocations", "scatter"]);
const written = [...document.querySelectorAll(".panels svg text")].map((text) => text.textContent);
seen.units = ["ms", "B", "%"].filter((unit) => written.some((text) => text.endsWith(` ${unit}`))).join(" ");
const rows = () => [...document.querySelectorAll("#results-table tbody tr")];
const named = (bar) => [...bar.querySelectorAll("button")].map((button) => button.textContent).join(" ");
seen.tools = [...new Set([...document.querySelectorAll("figure.chart .tools")].filter((bar) => bar.closest(".panel, .tooled:has(.bars, .matrix)")).map(named))].join(", ");
seen.toolless = [...document.querySelectorAll(".panel svg")].filter((plot) => !plot.parentElement.querySelector(".tools")).length;
seen.rows = rows().length;
document.querySelector("#filters details").open = true;
[...document.querySelectorAll("#filters label")].find((l) => l.textContent === "udp").querySelector("input").click();
seen.rowsWithoutUdp = rows().filter((row) => !row.hidden).length;
const heading = [...document.querySelectorAll("#results-table th")].findIndex((th) => th.textContent === "mean latency");
document.querySelectorAll("#results-table th")[heading].querySelector("button").click();
const shown = rows().map((row) => Number(row.cells[heading].dataset.sort));
seen.sorted = shown.every((value, place) => place === 0 || shown[place - 1] <= value);
"##;

/// The same for a report of many codecs: families, words, the best of each format, sorting in groups, payloads' columns.
const PROBE_OF_MANY: &str = r##"
seen.paper = getComputedStyle(document.body).backgroundColor;
seen.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
const panels = (names) => names.map((name) => `${name} ${document.querySelectorAll(`figure[data-chart=${name}] .panels svg`).length}`).join(", ");
seen.undrawn = [...document.querySelectorAll("figure[data-chart]")].filter((f) => !f.querySelector(".panels svg")).map((f) => f.dataset.chart).join(", ");
seen.panels = panels(["scatter", "sizes", "phases", "allocations"]);
seen.legend = [...document.querySelectorAll("figure[data-chart=sizes] .legend li")].map((item) => item.textContent).join(", ");
const colours = [...document.querySelectorAll("figure[data-chart=sizes] .legend path")].map((path) => path.style.fill);
seen.coloursDiffer = new Set(colours).size === colours.length;
const shown = (table) => [...document.querySelectorAll(`#${table} tbody tr`)].filter((row) => !row.hidden);
const cells = (table, column) => shown(table).map((row) => row.cells[column].textContent);
const label = (text) => [...document.querySelectorAll("#filters label")].find((one) => one.textContent === text).querySelector("input");
const column = (table, text) => [...document.querySelectorAll(`#${table} th`)].find((heading) => heading.textContent.trim() === text);
const press = (table, text) => column(table, text).querySelector("button").click();
const pieces = (values) => values.filter((value, place) => value !== values[place - 1]).length;
const count = () => `${shown("codec-table").length} ${shown("size-table").length}`;
const change = (element, value, event) => { element.value = value; element.dispatchEvent(new Event(event)); };
document.querySelector("#filters details").open = true;
seen.all = count();
const words = document.querySelector("#filters input[type=search]");
change(words, "asn1 RASN", "input");
seen.words = count();
change(words, "", "input");
label("telecom and traffic").click();
seen.withoutTelecom = count();
label("telecom and traffic").click();
label("laser-scan").click();
seen.withoutPayload = `${count()} ${column("size-table", "laser-scan").hidden} ${column("size-table", "person").hidden}`;
label("laser-scan").click();
press("codec-table", "all phases");
const order = () => shown("codec-table").map((row) => `${row.cells[0].textContent} ${row.cells[1].textContent}`);
seen.payloadsApart = pieces(cells("codec-table", 0));
seen.formatsTogether = pieces(order()) === new Set(order()).size;
const small = () => shown("codec-table").filter((row) => row.cells[0].textContent === "small");
const times = () => small().map((row) => Number(row.cells[column("codec-table", "all phases").cellIndex].dataset.sort));
const rises = (values) => values.every((value, place) => place === 0 || values[place - 1] <= value);
seen.first = small()[0].cells[2].textContent;
label("sort formats as one").click();
seen.flat = rises(times()) && pieces(cells("codec-table", 0)) === 6;
label("sort formats as one").click();
change(document.querySelector("#filters select"), "total", "change");
seen.best = count();
seen.bestRise = rises(times());
seen.saidOnce = small().filter((row) => !row.cells[0].classList.contains("repeats")).length;
[...document.querySelectorAll("#filters button")].find((one) => one.textContent === "Show all").click();
seen.again = count();
"##;

/// The same if every codec is compressed as well: the axis has toggles of its own beside families and words.
const PROBE_OF_COMPRESSED: &str = r##"
const shown = (table) => [...document.querySelectorAll(`#${table} tbody tr`)].filter((row) => !row.hidden);
const count = () => `${shown("codec-table").length} ${shown("size-table").length}`;
const label = (text) => [...document.querySelectorAll("#filters label")].find((one) => one.textContent === text).querySelector("input");
const change = (element, value, event) => { element.value = value; element.dispatchEvent(new Event(event)); };
seen.phases = [...document.querySelectorAll("figure[data-chart=phases] .legend li")].map((item) => item.textContent).join(", ");
seen.all = count();
label("none").click();
seen.compressed = count();
seen.phasesDrawn = document.querySelectorAll("figure[data-chart=phases] .panels svg").length;
label("none").click();
label("zstd:3").click();
seen.plain = count();
change(document.querySelector("#filters input[type=search]"), "asn1 RASN", "input");
seen.words = count();
[...document.querySelectorAll("#filters button")].find((one) => one.textContent === "Show all").click();
change(document.querySelector("#filters select"), "total", "change");
seen.quickestCompressed = shown("codec-table").filter((row) => row.cells[3].textContent === "zstd:3").length;
[...document.querySelectorAll("#filters button")].find((one) => one.textContent === "Show all").click();
seen.again = count();
"##;

/// Whether a page opened by an address shows what the address says.
const PROBE_OF_ADDRESS: &str = r##"
const rows = [...document.querySelectorAll("#results-table tbody tr")].filter((row) => !row.hidden);
seen.rows = rows.length;
const sorted = document.querySelector("#results-table th[aria-sort]");
seen.sorted = sorted.getAttribute("aria-sort");
const figures = rows.map((row) => Number(row.cells[sorted.cellIndex].dataset.sort));
seen.falls = figures.every((value, place) => place === 0 || figures[place - 1] >= value);
seen.pointedTo = document.querySelector(".pointed-to").id;
"##;

/// Whether every control can be reached by keyboard: it takes the focus, has a visible frame with it, and menus open within the
/// window.
const PROBE_OF_KEYS: &str = r##"
const acts = [...document.querySelectorAll("a[href], button, summary, select, input, [tabindex]")];
const named = (element) => `${element.tagName} ${(element.getAttribute("aria-label") ?? element.title ?? "") || element.textContent.trim().slice(0, 30)}`;
const faultOf = (element) => {
  element.focus();
  if (document.activeElement !== element) return "takes no focus";
  if (getComputedStyle(element).outlineStyle === "none") return "has no frame";
  for (let one = element; one; one = one.parentElement) if (getComputedStyle(one).opacity < 0.9) return "is not seen";
};
const seenOf = acts.filter((element) => element.checkVisibility() && !element.disabled);
seen.kinds = ["summary", "th button", ".tools button", "select", "a"].filter((kind) => seenOf.some((element) => element.matches(kind))).join(", ");
const faults = seenOf.flatMap((element) => { const fault = faultOf(element); return fault ? [`${named(element)} ${fault}`] : []; });
const menus = [...document.querySelectorAll("nav li details")];
for (const menu of menus) {
  scrollTo(0, 0);
  menu.open = true;
  menu.dispatchEvent(new Event("toggle"));
  for (const link of menu.querySelectorAll("a")) {
    const { left, right, top, bottom } = link.getBoundingClientRect();
    const isSeen = left >= 0 && right <= innerWidth && document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === link;
    if (!isSeen) faults.push(`${named(link)} is covered in its menu`);
    const fault = faultOf(link);
    if (fault) faults.push(`${named(link)} ${fault}`);
  }
  menu.querySelector("a").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  if (menu.open || document.activeElement !== menu.querySelector("summary")) faults.push(`${named(menu.querySelector("summary"))} does not shut by Escape`);
}
seen.menus = menus.length > 1;
seen.faults = faults.slice(0, 5).join("; ");
"##;

/// The serious or critical faults that axe finds, by rule and element.
const PROBE_OF_ACCESS: &str = r##"
axe.run(document, { resultTypes: ["violations"] }).then(({ violations, passes }) => {
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  seen.faults = grave.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ target }) => target.join(" ")).join(", ")}`).join("; ");
  seen.looked = passes.length > 10;
});
"##;

/// What a window shows of a report without scrolling, and the length up to the end of the effects. A part counts as seen if all of it
/// is.
const PROBE_OF_FIRST_SCREEN: &str = r##"
const isSeen = (element) => {
  const { top, bottom, height } = element.getBoundingClientRect();
  return height > 0 && top >= 0 && bottom <= innerHeight;
};
const seenText = (parts) => [...document.querySelectorAll(parts)].filter(isSeen).map((element) => element.textContent).join(" ");
const said = {};
said.question = seenText("h1").length > 0;
said.which = seenText(".answer p, .answer strong");
said.much = seenText(".answer p, .bars .figure").match(/\d[\d,.]* (B\b|kB|MB|ns|us|ms|s\b|%)|\d\/s/g)?.length ?? 0;
said.sure = seenText(".badge summary");
const last = document.querySelector("#effects") ?? document.querySelector("#answer") ?? document.querySelector("section");
const range = document.createRange();
range.setStart(document.body, 0);
range.setEndAfter(last);
said.end = Math.round(last.getBoundingClientRect().bottom + scrollY);
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
said.words = 0;
while (walker.nextNode()) {
  const { currentNode: node } = walker;
  const isBefore = range.comparePoint(node, 0) <= 0;
  if (isBefore && node.parentElement.checkVisibility() && !node.parentElement.closest("script, style, svg")) {
    said.words += node.textContent.split(/\s+/).filter((word) => /\w/.test(word)).length;
  }
}
const list = document.querySelector("nav > ul");
said.unseenLinks = list.scrollWidth - list.clientWidth;
said.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
parent.postMessage({ [NAME]: JSON.stringify(said) }, "*");
"##;

/// A report, the address that opens it, the script after its front end, and the values that the root element then has, by the colour
/// of the paper.
#[derive(Clone, Copy)]
struct Page {
    summary: fn() -> Summary,
    fragment: &'static str,
    probe: &'static str,
    expected: fn(&str) -> Vec<String>,
}

const OF_MESSAGES: Page = Page { summary: made_up::summary, fragment: "", probe: PROBE, expected };
const OF_ADDRESS: Page = Page {
    fragment: "#latency&mode=-udp&sort=results-table:5:desc",
    probe: PROBE_OF_ADDRESS,
    expected: address_expected,
    ..OF_MESSAGES
};
const OF_ACCESS: Page = Page { probe: PROBE_OF_ACCESS, expected: access_expected, ..OF_MESSAGES };
const OF_KEYS: Page = Page { probe: PROBE_OF_KEYS, expected: keys_expected, ..OF_MESSAGES };
const OF_MANY: Page =
    Page { summary: made_up::many::summary, fragment: "", probe: PROBE_OF_MANY, expected: many_expected };
const ACCESS_OF_MANY: Page = Page { probe: PROBE_OF_ACCESS, expected: access_expected, ..OF_MANY };
const OF_COMPRESSED: Page = Page {
    summary: made_up::many::compressed,
    probe: PROBE_OF_COMPRESSED,
    expected: compressed_expected,
    ..OF_MANY
};

/// A window: its name, its width and height in CSS pixels.
type Window = (&'static str, u32, u32);

/// A desktop window, a tablet held upright, a phone.
const WINDOWS: [Window; 3] = [("desk", 1400, 900), ("tablet", 768, 1024), ("phone", PHONE, 844)];

/// The most that a phone scrolls to the end of the effects, in CSS pixels, and the most words up to there.
const LONGEST: u64 = 6_000;
const MOST_WORDS: u64 = 900;

/// The answer of each of twelve studies in a window without scrolling: which, how much, and how certain.
fn first_screens(browser: &OsString, window: Window) -> Result<(), Failed> {
    let (_, width, height) = window;
    let folder = tempfile::tempdir()?;
    let mut frames = String::new();
    let studies = made_up::studies::all();
    for (name, summary) in &studies {
        let html = render(summary, Format::Html)?;
        let (start, end) = html.rsplit_once("</body>").ok_or("the page has no end")?;
        let probe = PROBE_OF_FIRST_SCREEN.replace("NAME", &format!("\"{}\"", camel(name)));
        let script = format!(
            "<script>const begin = () => document.documentElement.dataset.ready ? probe() : setTimeout(begin, 50);\n\
             const probe = () => {{{probe}}};\nbegin();</script>"
        );
        std::fs::write(folder.path().join(format!("{name}.html")), format!("{start}{script}</body>{end}"))?;
        frames += &format!(
            "<iframe src=\"{name}.html\" width=\"{width}\" height=\"{height}\" style=\"border: 0\"></iframe>\n"
        );
    }
    let page = format!(
        "<!doctype html><html><head><title>frames</title></head><body>\n\
         <script>onmessage = ({{ data }}) => Object.assign(document.documentElement.dataset, data);</script>\n{frames}</body></html>"
    );
    let file = folder.path().join("frames.html");
    std::fs::write(&file, page)?;
    let address = format!("file://{}", file.display());
    let (dom, console) =
        dump(browser, &address, folder.path(), "preferredColorScheme=1", width.max(NARROWEST_WINDOW))?;
    if let Some(line) = console.lines().find(|line| line.contains("CONSOLE")) {
        return Err(format!("the console says: {line}").into());
    }
    let root = dom.split_once("<head>").map_or("", |(root, _)| root);
    let mut faults = Vec::new();
    for (name, _) in &studies {
        let found = root.split_once(&format!("data-{name}=\"")).and_then(|(_, rest)| rest.split_once('"'));
        let (text, _) = found.ok_or_else(|| format!("{name} says nothing: {root}"))?;
        let said: serde_json::Value =
            serde_json::from_str(&text.replace("&quot;", "\"").replace("&amp;", "&"))?;
        println!("{name} at {width} x {height}: {said}");
        faults.extend(first_screen_faults(name, window, &said));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
}

/// The most sheets of paper of an unopened report, for any study: 25 with our fonts, and some margin.
const MOST_PAGES: usize = 30;

/// Long reports fit a few sheets of paper.
fn prints(browser: &OsString) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut faults = Vec::new();
    let long = ["claims", "hundreds"];
    for (name, summary) in made_up::studies::all().into_iter().filter(|(name, _)| long.contains(name)) {
        let (page, paper) =
            (folder.path().join(format!("{name}.html")), folder.path().join(format!("{name}.pdf")));
        std::fs::write(&page, render(&summary, Format::Html)?)?;
        let mut option = OsString::from("--print-to-pdf=");
        option.push(&paper);
        headless(browser, folder.path())
            .args(["--virtual-time-budget=8000", "--no-pdf-header-footer"])
            .arg(option)
            .arg(format!("file://{}", page.display()))
            .output()?;
        let written = std::fs::read(&paper)?;
        let pages = written.windows(12).filter(|part| part.starts_with(b"/Type /Page") && part[11] != b's');
        let pages = pages.count();
        println!("{name}: {pages} pages");
        if !(1..=MOST_PAGES).contains(&pages) {
            faults.push(format!("{name} takes {pages} pages"));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
}

/// As a page's data has a name.
fn camel(name: &str) -> String {
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |all, word| all + &word[..1].to_uppercase() + &word[1..])
}

fn first_screen_faults(name: &str, (window, ..): Window, said: &serde_json::Value) -> Vec<String> {
    let text = |part: &str| said[part].as_str().unwrap_or_default().to_owned();
    let number = |part: &str| said[part].as_u64().unwrap_or(u64::MAX);
    let has_figures = name != "nothing-valid";
    let faults = [
        (said["question"] == false, "the question is not seen".to_owned()),
        (text("which").is_empty(), "no answer is seen".to_owned()),
        (has_figures && number("much") < 2, format!("{} figures are seen", number("much"))),
        (text("sure").is_empty(), "how sure it is is not seen".to_owned()),
        (number("overflow") != 0, format!("{} px are cut off", number("overflow"))),
        (
            window == "desk" && number("unseenLinks") > 0,
            format!("{} px of the navigation are not seen", number("unseenLinks")),
        ),
        (number("words") > MOST_WORDS, format!("{} words to the end of the effects", number("words"))),
        (
            window == "phone" && number("end") > LONGEST,
            format!("{} px to the end of the effects", number("end")),
        ),
    ];
    let found = faults.into_iter().filter(|(is_fault, _)| *is_fault);
    found.map(|(_, fault)| format!("{name}, {window}: {fault}")).collect()
}

fn main() {
    let arguments = Arguments::from_args();
    let browser = find_browser();
    let trial = |name: &str, setting: &'static str, paper: &'static str, width: u32, page: Page| {
        let found = browser.clone();
        let name = match found {
            Some(_) => name.to_owned(),
            None => format!("{name} (chromium is missing)"),
        };
        let ignored = found.is_none();
        Trial::test(name, move || match &found {
            Some(browser) => opens(browser, &page, setting, width, &(page.expected)(paper)),
            None => Ok(()),
        })
        .with_ignored_flag(ignored)
    };
    let (light, dark) =
        (("preferredColorScheme=1", "rgb(253, 252, 250)"), ("preferredColorScheme=0", "rgb(20, 24, 28)"));
    let first = |window: Window| {
        let found = browser.clone();
        let name = format!("first_screens_answer_without_scrolling_{}", window.0);
        let name = if found.is_some() { name } else { format!("{name} (chromium is missing)") };
        let ignored = found.is_none();
        let run = move || found.as_ref().map_or(Ok(()), |browser| first_screens(browser, window));
        Trial::test(name, run).with_ignored_flag(ignored)
    };
    let mut trials = vec![
        trial("the_report_works_in_a_light_browser", light.0, light.1, 1280, OF_MESSAGES),
        trial("the_report_works_in_a_dark_browser", dark.0, dark.1, 1280, OF_MESSAGES),
        trial("the_report_works_in_a_narrow_browser", light.0, light.1, PHONE, OF_MESSAGES),
        trial("an_address_brings_back_what_was_chosen", light.0, light.1, 1280, OF_ADDRESS),
        trial("a_keyboard_reaches_all_that_acts", light.0, light.1, 1280, OF_KEYS),
        trial("a_keyboard_reaches_all_that_acts_in_a_narrow_browser", dark.0, dark.1, PHONE, OF_KEYS),
        trial("axe_finds_no_serious_fault_in_light", light.0, light.1, 1280, OF_ACCESS),
        trial("axe_finds_no_serious_fault_in_dark", dark.0, dark.1, NARROWEST_WINDOW, OF_ACCESS),
        trial(
            "axe_finds_no_serious_fault_in_a_report_of_many_codecs",
            light.0,
            light.1,
            1280,
            ACCESS_OF_MANY,
        ),
        trial("many_codecs_are_grouped_filtered_and_sorted", light.0, light.1, 1280, OF_MANY),
        trial(
            "many_codecs_are_grouped_filtered_and_sorted_in_a_narrow_browser",
            dark.0,
            dark.1,
            PHONE,
            OF_MANY,
        ),
        trial("compressions_are_filtered_beside_families_and_words", light.0, light.1, 1280, OF_COMPRESSED),
    ];
    trials.extend(WINDOWS.map(first));
    let found = browser.clone();
    let name = "a_long_report_fits_a_few_sheets";
    let name = if found.is_some() { name.to_owned() } else { format!("{name} (chromium is missing)") };
    let ignored = found.is_none();
    let run = move || found.as_ref().map_or(Ok(()), prints);
    trials.push(Trial::test(name, run).with_ignored_flag(ignored));
    libtest_mimic::run(&arguments, trials).exit();
}

fn find_browser() -> Option<OsString> {
    if let Some(named) = std::env::var_os("WIREDYNO_CHROMIUM") {
        return Some(named);
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut files = std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    files.find(|file| file.is_file()).map(Into::into)
}

/// The root element's values for the report of messages.
fn expected(paper: &str) -> Vec<String> {
    vec![
        format!("data-paper=\"{paper}\""),
        "data-overflow=\"0\"".to_owned(),
        "data-undrawn=\"\"".to_owned(),
        // By condition, by condition and codec, by condition and role, by payload.
        "data-panels=\"latency 4, box 4, delivery 4, overhead 4, split 4, ecdf 8, cpu 12, memory 12, along 2, sizes 2, phases 2, \
         allocations 2, scatter 4\""
            .to_owned(),
        "data-units=\"ms B %\"".to_owned(),
        // Of bars and heat maps, of charts.
        "data-tools=\"Copy CSV SVG PNG, Copy SVG PNG\"".to_owned(),
        "data-toolless=\"0\"".to_owned(),
        "data-rows=\"44\"".to_owned(),
        "data-rows-without-udp=\"36\"".to_owned(),
        "data-sorted=\"true\"".to_owned(),
    ]
}

/// The root element's values for a page whose address hides a mode and sorts by the sixth column, largest first.
fn address_expected(_paper: &str) -> Vec<String> {
    let seen = [("rows", "36"), ("sorted", "descending"), ("falls", "true"), ("pointed-to", "latency")];
    seen.iter().map(|(name, value)| format!("data-{name}=\"{value}\"")).collect()
}

fn keys_expected(_paper: &str) -> Vec<String> {
    let seen = [("kinds", "summary, th button, .tools button, select, a"), ("menus", "true"), ("faults", "")];
    seen.iter().map(|(name, value)| format!("data-{name}=\"{value}\"")).collect()
}

fn access_expected(_paper: &str) -> Vec<String> {
    vec!["data-faults=\"\"".to_owned(), "data-looked=\"true\"".to_owned()]
}

/// The root element's values for the report of many codecs. 45 codecs by 6 payloads, 13 of them not carried: 257 rows.
fn many_expected(paper: &str) -> Vec<String> {
    let seen = [
        ("paper", paper),
        ("overflow", "0"),
        ("undrawn", ""),
        // By payload.
        ("panels", "scatter 6, sizes 6, phases 6, allocations 6"),
        (
            "legend",
            "text, self-describing binary, schema-driven, zero-copy, telecom and traffic, plain bytes",
        ),
        ("colours-differ", "true"),
        ("all", "257 44"),
        // Five codecs of rasn, six payloads.
        ("words", "30 5"),
        // Six codecs of ASN.1; ts-103-097 carries none of the payloads.
        ("without-telecom", "221 38"),
        ("without-payload", "214 44 true false"),
        ("payloads-apart", "6"),
        ("formats-together", "true"),
        ("first", "raw/wiredyno"),
        ("flat", "true"),
        // 26 formats, of which `raw` carries one payload and `lcm` five; in `asn1-oer` and `exi` the fastest codec differs between
        // payloads, so that two rows each remain in the table of sizes.
        ("best", "150 28"),
        ("best-rise", "true"),
        ("said-once", "1"),
        ("again", "257 44"),
    ];
    seen.iter().map(|(name, value)| format!("data-{name}=\"{value}\"")).collect()
}

/// The same if each of the 257 rows appears twice, as it is and compressed.
fn compressed_expected(_paper: &str) -> Vec<String> {
    let seen = [
        ("phases", "all phases, build, encode, compress, decompress, decode, read"),
        ("all", "514 88"),
        ("compressed", "257 44"),
        ("phases-drawn", "6"),
        ("plain", "257 44"),
        ("words", "30 5"),
        // Without compression every format is faster.
        ("quickest-compressed", "0"),
        ("again", "514 88"),
    ];
    seen.iter().map(|(name, value)| format!("data-{name}=\"{value}\"")).collect()
}

fn opens(
    browser: &OsString,
    page: &Page,
    setting: &str,
    width: u32,
    expected: &[String],
) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("report.html");
    let html = render(&(page.summary)(), Format::Html)?;
    let (start, end) = html.rsplit_once("</body>").ok_or("the page has no end")?;
    let tool = if page.probe.contains("axe.run") { axe()? } else { String::new() };
    std::fs::write(&file, format!("{start}{}</body>{end}", scripts(&tool, page.probe)))?;
    let address = format!("file://{}{}", file.display(), page.fragment);
    let address = if width < NARROWEST_WINDOW { framed(folder.path(), &address, width)? } else { address };
    let (dom, console) = dump(browser, &address, folder.path(), setting, width)?;
    if let Some(line) = console.lines().find(|line| line.contains("CONSOLE")) {
        return Err(format!("the console says: {line}").into());
    }
    let root = dom.split_once("<head>").map_or("", |(root, _)| root);
    let ready = "data-ready=\"true\"".to_owned();
    for part in expected.iter().chain([&ready]) {
        if !root.contains(part) {
            return Err(format!("{part} is missing in {root}").into());
        }
    }
    Ok(())
}

/// The scripts after the page: a tool and a probe, which runs when every fold is open and drawn.
fn scripts(tool: &str, probe: &str) -> String {
    format!(
        r#"<script>{tool}</script><script>
const seen = document.documentElement.dataset;
const probe = () => {{
{probe}
}};
const begin = () => {{
if (!seen.ready) return void setTimeout(begin, 50);
for (const fold of document.querySelectorAll("details.fold")) fold.open = true;
setTimeout(probe, 100);
}};
begin();
setTimeout(() => parent.postMessage({{ ...seen }}, "*"), 3000);
</script>"#
    )
}

fn axe() -> Result<String, Failed> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../web/node_modules/axe-core/axe.min.js");
    std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}; `make web` puts it there").into())
}

/// A page with `address` in a frame of the width; its root element repeats the values of the framed one's.
fn framed(folder: &Path, address: &str, width: u32) -> Result<String, Failed> {
    let file = folder.join("frame.html");
    let page = format!(
        r#"<!doctype html><html><head><title>frame</title></head><body>
<script>onmessage = ({{ data }}) => Object.assign(document.documentElement.dataset, data);</script>
<iframe src="{address}" width="{width}" height="800" style="border: 0"></iframe></body></html>"#
    );
    std::fs::write(&file, page)?;
    Ok(format!("file://{}", file.display()))
}

/// The page's elements after its scripts ran, and the browser's log.
fn dump(
    browser: &OsString,
    address: &str,
    folder: &Path,
    setting: &str,
    width: u32,
) -> Result<(String, String), Failed> {
    let output = headless(browser, folder)
        .args(["--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--window-size={width},1600"))
        .arg(format!("--blink-settings={setting}"))
        .arg(address)
        .output()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((text(output.stdout), text(output.stderr)))
}

/// The headless browser, with a profile of its own.
fn headless(browser: &OsString, folder: &Path) -> Command {
    let mut profile = OsString::from("--user-data-dir=");
    profile.push(folder.join("profile"));
    let mut command = Command::new(browser);
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args([
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
        ])
        .arg(profile);
    command
}
