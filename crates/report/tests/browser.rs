//! Opens the report in headless Chromium, light and dark: charts are drawn, filters and sorting work, nothing is
//! wrong on the console. Ignored by name where Chromium is missing; `WIREDYNO_CHROMIUM` names another one.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

mod made_up;

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use wiredyno_report::{Format, render};

/// Runs behind the front end: filters a mode away, sorts a table, and leaves what it saw on the root element.
const PROBE: &str = r##"<script>
const seen = document.documentElement.dataset;
seen.paper = getComputedStyle(document.body).backgroundColor;
seen.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
seen.charts = document.querySelectorAll("figure[data-chart]").length;
seen.drawn = [...document.querySelectorAll("figure[data-chart]")].filter((f) => f.querySelector(".panels svg")).length;
seen.svgs = document.querySelectorAll(".panels svg").length;
const rows = () => [...document.querySelectorAll("#results-table tbody tr")];
seen.rows = rows().length;
document.querySelector("#filters details").open = true;
[...document.querySelectorAll("#filters label")].find((l) => l.textContent === "udp").querySelector("input").click();
seen.rowsWithoutUdp = rows().filter((row) => !row.hidden).length;
const heading = [...document.querySelectorAll("#results-table th")].findIndex((th) => th.textContent === "mean latency");
document.querySelectorAll("#results-table th")[heading].querySelector("button").click();
const shown = rows().map((row) => Number(row.cells[heading].dataset.sort));
seen.sorted = shown.every((value, place) => place === 0 || shown[place - 1] <= value);
</script></body>"##;

fn main() {
    let arguments = Arguments::from_args();
    let browser = find_browser();
    let trial = |name: &str, setting: &'static str, paper: &'static str, width: u32| {
        let found = browser.clone();
        let name = match found {
            Some(_) => name.to_owned(),
            None => format!("{name} (chromium is missing)"),
        };
        let ignored = found.is_none();
        Trial::test(name, move || match &found {
            Some(browser) => opens(browser, setting, paper, width),
            None => Ok(()),
        })
        .with_ignored_flag(ignored)
    };
    let trials = vec![
        trial("the_report_works_in_a_light_browser", "preferredColorScheme=1", "rgb(253, 252, 250)", 1280),
        trial("the_report_works_in_a_dark_browser", "preferredColorScheme=0", "rgb(20, 24, 28)", 1280),
        trial("the_report_works_in_a_narrow_browser", "preferredColorScheme=1", "rgb(253, 252, 250)", 500),
    ];
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

fn opens(browser: &OsString, setting: &str, paper: &str, width: u32) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let page = folder.path().join("report.html");
    let html = render(&made_up::summary(), Format::Html)?;
    let (start, end) = html.rsplit_once("</body>").ok_or("the page has no end")?;
    std::fs::write(&page, format!("{start}{PROBE}{end}"))?;
    let (dom, console) = dump(browser, &page, folder.path(), setting, width)?;
    if let Some(line) = console.lines().find(|line| line.contains("CONSOLE")) {
        return Err(format!("the console says: {line}").into());
    }
    let root = dom.split_once("<head>").map_or("", |(root, _)| root);
    let expected = [
        "data-ready=\"true\"".to_owned(),
        format!("data-paper=\"{paper}\""),
        "data-overflow=\"0\"".to_owned(),
        "data-charts=\"11\"".to_owned(),
        "data-drawn=\"11\"".to_owned(),
        // 4 conditions x (latency, box, delivery, overhead, split), 8 ECDFs, 12 panels each of CPU and memory,
        // 2 payloads x (sizes, phases, allocations).
        "data-svgs=\"58\"".to_owned(),
        "data-rows=\"44\"".to_owned(),
        "data-rows-without-udp=\"36\"".to_owned(),
        "data-sorted=\"true\"".to_owned(),
    ];
    for part in expected {
        if !root.contains(&part) {
            return Err(format!("{part} is missing in {root}\n{console}").into());
        }
    }
    Ok(())
}

/// The page's elements after its scripts ran, and what the browser wrote to its log.
fn dump(
    browser: &OsString,
    page: &Path,
    folder: &Path,
    setting: &str,
    width: u32,
) -> Result<(String, String), Failed> {
    let mut profile = OsString::from("--user-data-dir=");
    profile.push(folder.join("profile"));
    let mut address = OsString::from("file://");
    address.push(page);
    let output = Command::new(browser)
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
        .args(["--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--window-size={width},1600"))
        .arg(format!("--blink-settings={setting}"))
        .arg(profile)
        .arg(address)
        .output()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((text(output.stdout), text(output.stderr)))
}
