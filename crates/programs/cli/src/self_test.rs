//! `wiredyno doctor --self-test`: creates known differences, and shows which of them this machine detects.

use std::process::ExitCode;

use serde::Serialize;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_planning::stock::Stock;
use wiredyno_running::run::{FinishedRun, PreparedRun, RunRequest};
use wiredyno_running::self_test::{self, Control, Difference, Finding, Part, SelfTest};

use crate::output::outln;
use crate::run::{COMMIT, ProgressFormat, carry_out};
use crate::{exit, interrupts};

/// A control with its result, or the reason why there is none.
type Controlled = (Control, Result<Judged, String>);

/// The result of a control, with its number of repeats.
#[derive(Serialize)]
struct Judged {
    #[serde(flatten)]
    finding: Finding,
    repeats: u32,
}

/// Carries out all controls that this machine allows.
pub fn main(sandbox: &Sandbox, repeats: u32, json: bool) -> anyhow::Result<ExitCode> {
    let test = SelfTest::new()?;
    let interrupt = interrupts::catch_interrupts()?;
    let stock = Stock::of_user()?;
    let carried_out = |part: &Part| -> anyhow::Result<Option<FinishedRun>> {
        let request = RunRequest { commit: COMMIT, ..test.request(part, sandbox, &interrupt)? };
        let finished = carry_out(PreparedRun::new(request)?, &stock, None, &interrupt, ProgressFormat::Text)?;
        Ok(finished.filter(|finished| finished.summary.run.complete))
    };
    let mut controlled: Vec<Controlled> = Vec::new();
    for control in Control::ALL {
        if let (Err(missing), true) = (&sandbox.rights().network_namespaces, control.needs_link()) {
            controlled.push((control, Err(format!("no link can be emulated here: {missing}"))));
            continue;
        }
        let mut part = Part::of(control, repeats);
        if control.has_pilot() {
            eprintln!("pilot of the self-test of {}", named(control));
            let pilot = Part::pilot(control);
            let Some(finished) = carried_out(&pilot)? else { return Ok(ExitCode::from(exit::INTERRUPTED)) };
            let planned =
                pilot.after_pilot(repeats, &finished.folder.read_trials()?, &finished.summary.study);
            part = match planned {
                Ok(planned) => planned,
                Err(why) => {
                    controlled.push((control, Err(why)));
                    continue;
                }
            };
        }
        eprintln!("self-test of {}", named(control));
        let Some(finished) = carried_out(&part)? else { return Ok(ExitCode::from(exit::INTERRUPTED)) };
        let trials = finished.folder.read_trials()?;
        let repeats = part.repeats;
        let found = self_test::judge(&part, &trials, &finished.summary.study);
        controlled.push((control, found.map(|finding| Judged { finding, repeats })));
    }
    if json {
        let of = |(control, found): &Controlled| match found {
            Ok(judged) => serde_json::json!(judged),
            Err(why) => serde_json::json!({ "control": control, "not_judged": why }),
        };
        let array: Vec<_> = controlled.iter().map(of).collect();
        outln!("{}", serde_json::to_string_pretty(&array)?);
    } else {
        tell(&controlled);
    }
    let well = |(_, found): &Controlled| {
        found.as_ref().is_ok_and(|judged| judged.finding.found && !judged.finding.false_alarm)
    };
    Ok(if controlled.iter().all(well) { exit::DONE } else { ExitCode::from(exit::INCOMPLETE) })
}

/// What a control changes, in words.
fn named(control: Control) -> &'static str {
    match control {
        Control::Bytes => "bytes on the wire",
        Control::Loss => "messages lost",
        Control::Delay => "latency",
        Control::Work => "time to encode",
        Control::Cost => "CPU per message",
    }
}

/// Prints the results as a table of at most 100 columns.
fn tell(controlled: &[Controlled]) {
    outln!(
        "Known differences, looked for by the paired t test at 95 %\n\n{:<18}{:>7}{:>7}  \
         {:<25}{:<10}{:>6}{:>8}{:>8}  equal cells",
        "",
        "repeats",
        "made",
        "difference found",
        "",
        "power",
        "sees: 5",
        "20"
    );
    for (control, found) in controlled {
        let Ok(Judged { finding, repeats }) = found else { continue };
        let of = |value: f64| number(*control, value);
        let interval = |d: &Difference| format!("{} [{}, {}]", of(d.mean), of(d.low), of(d.high));
        let sees =
            |index: usize| finding.smallest.get(index).map_or_else(String::new, |(_, least)| of(*least));
        outln!(
            "{:<18}{repeats:>7}{:>7}  {:<25}{:<10}{:>4.0} %{:>8}{:>8}  {}",
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
            Ok(Judged { finding, repeats }) if finding.pairs < *repeats as usize => {
                let left = *repeats as usize - finding.pairs;
                outln!("{}: {left} of {repeats} repeats had an incomplete trial.", named(*control));
            }
            Ok(_) => {}
        }
    }
}

/// A ratio minus 1, or a share, in percent. A difference from which no repeat deviates is detected however small it is.
fn number(control: Control, value: f64) -> String {
    let digits = if control.is_ratio() { 2 } else { 1 };
    format!("{:.digits$}", value * 100.0)
}
