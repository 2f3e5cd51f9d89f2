//! `wiredyno doctor --self-test`: differences that are made on purpose, and which of them this machine shows.

use std::process::ExitCode;

use wiredyno_link::sandbox::Sandbox;
use wiredyno_orchestrate::run::{PreparedRun, RunRequest};
use wiredyno_orchestrate::self_test::{self, Control, Difference, Finding, SelfTest};
use wiredyno_orchestrate::stock::Stock;

use crate::exit;
use crate::output::outln;
use crate::run::{COMMIT, Told, carry_out, catch_interrupts};

/// A control and what came of it, or why nothing did.
type Controlled = (Control, Result<Finding, String>);

/// Carries out all controls that can be here.
pub fn main(sandbox: &Sandbox, repeats: u32, json: bool) -> anyhow::Result<ExitCode> {
    let test = SelfTest::new(repeats)?;
    let interrupt = catch_interrupts()?;
    let stock = Stock::of_user()?;
    let mut controlled: Vec<Controlled> = Vec::new();
    for control in Control::ALL {
        if let (Err(missing), true) = (&sandbox.rights().network_namespaces, control.needs_link()) {
            controlled.push((control, Err(format!("no link can be emulated here: {missing}"))));
            continue;
        }
        eprintln!("self-test of {}", named(control));
        let request = RunRequest { commit: COMMIT, ..test.request(control, sandbox, &interrupt)? };
        let prepared = PreparedRun::new(request)?;
        let finished = carry_out(prepared, &stock, None, &interrupt, Told::Text)?;
        let Some(finished) = finished.filter(|finished| finished.summary.run.complete) else {
            return Ok(ExitCode::from(exit::INTERRUPTED));
        };
        let trials = finished.folder.read_trials()?;
        controlled.push((control, self_test::judge(control, &trials, &finished.summary.study)));
    }
    if json {
        let of = |(control, found): &Controlled| match found {
            Ok(finding) => serde_json::json!(finding),
            Err(why) => serde_json::json!({ "control": control, "not_judged": why }),
        };
        let array: Vec<_> = controlled.iter().map(of).collect();
        outln!("{}", serde_json::to_string_pretty(&array)?);
    } else {
        tell(&controlled, repeats);
    }
    let well = |(_, found): &Controlled| found.as_ref().is_ok_and(|f| f.found && !f.false_alarm);
    Ok(if controlled.iter().all(well) { exit::DONE } else { ExitCode::from(exit::INCOMPLETE) })
}

/// What it is a control of.
fn named(control: Control) -> &'static str {
    match control {
        Control::Bytes => "bytes on the wire",
        Control::Loss => "messages lost",
        Control::Delay => "latency",
        Control::Work => "time to encode",
    }
}

/// Within 100 columns.
fn tell(controlled: &[Controlled], repeats: u32) {
    outln!(
        "Known differences, looked for in {repeats} repeats: paired t test at 95 %\n\n{:<18}{:>9}  \
         {:<25}{:<11}{:>6}{:>9}{:>9}  equal cells",
        "",
        "made",
        "difference found",
        "",
        "power",
        "sees: 5",
        "20"
    );
    for (control, found) in controlled {
        let Ok(finding) = found else { continue };
        let of = |value: f64| number(*control, value);
        let interval = |d: &Difference| format!("{} [{}, {}]", of(d.mean), of(d.low), of(d.high));
        let sees =
            |index: usize| finding.smallest.get(index).map_or_else(String::new, |(_, least)| of(*least));
        outln!(
            "{:<18}{:>9}  {:<25}{:<11}{:>4.0} %{:>9}{:>9}  {}",
            named(*control),
            of(finding.made),
            interval(&finding.difference),
            if finding.found { "found" } else { "NOT FOUND" },
            finding.power * 100.0,
            sees(0),
            sees(1),
            match finding.false_alarm {
                true => format!("DIFFER {}", interval(&finding.between_equal)),
                false => "same".to_owned(),
            },
        );
    }
    outln!(
        "\nIn percent; messages lost in percentage points. Power: how often this many repeats find the made difference."
    );
    outln!(
        "Sees: the smallest difference that a study of 5, and of 20, repeats finds in four of five cases."
    );
    for (control, found) in controlled {
        match found {
            Err(why) => outln!("{}: not judged: {why}", named(*control)),
            Ok(finding) if finding.pairs < repeats as usize => {
                let left = repeats as usize - finding.pairs;
                outln!("{}: {left} of {repeats} repeats had an incomplete trial.", named(*control));
            }
            Ok(_) => {}
        }
    }
}

/// Of a ratio less 1 or a share; a difference that no repeat deviates from is seen however small it is.
fn number(control: Control, value: f64) -> String {
    let digits = if control.is_ratio() { 2 } else { 1 };
    format!("{:.digits$}", value * 100.0)
}
