//! The cost of a message from trials of 5 to 5,000 messages, where the true cost is known: a burner makes encoding take 2, 20 or 200 us of CPU
//! time longer.
//!
//! `make bench-fixed`, or `cargo bench -p wiredyno-running --bench fixed [-- ROW...]`. Publisher, relay and subscriber are processes on
//! loopback, in an open loop of 2,000 messages a second; once in Rust over `tcp`, once in Python over `mqtt:qos0`. `WIREDYNO_BENCH_REPEATS` (6) trials a cell.
//! Each way of computing the cost shows its excess over the burner's own time (mean and standard deviation of a trial, us): a way without bias
//! gives the same in each column, whatever the burner and however few the messages. Ways:
//!
//! - `all`: all CPU time of the process, divided by messages;
//! - `accounts`: without what the runner reports as the stand's;
//! - `blank`: without the fixed cost as well, as metrics are computed. The next column: trials in which half the width of its interval at
//!   95 % is more than a fifth of it, so that it would be withheld;
//! - `slope`: of accounts, from the trials of a tenth as many messages to these.

#[path = "../stand/mod.rs"]
mod stand;

use std::collections::BTreeMap;
use std::process::ExitCode;

use tempfile::TempDir;
use wiredyno_bench::{Done, MachineState, keeps, repeats, words};
use wiredyno_conducting::cpu_cost::{self, CpuCost, OfCpu};
use wiredyno_contract::PayloadId;
use wiredyno_link::lane::{WORKER_COMMAND, worker_main};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::Study;
use wiredyno_model::trial::{RoleUse, TrialRecord};
use wiredyno_planning::source::StudySource;
use wiredyno_running::run::RunRequest;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::runners::Injected;

/// A codec of each language, with a mode for which the language has a client.
const LANGUAGES: [(&str, &str); 2] = [("protobuf/prost", "tcp"), ("protobuf/upb-python", "mqtt:qos0")];
const MESSAGES: [u32; 4] = [5, 50, 500, 5_000];
/// For payloads that differ by a byte, so that they are distinct.
const BURDENS_US: [u64; 4] = [0, 2, 20, 200];

fn main() -> ExitCode {
    // Lanes are children of this program.
    if std::env::args().nth(1).is_some_and(|argument| argument == WORKER_COMMAND) {
        return ExitCode::from(u8::try_from(worker_main()).unwrap_or(1));
    }
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench fixed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Done<()> {
    let (repeats, words) = (repeats(6)?, words());
    let sandbox = Sandbox::enter()?;
    println!("{}", MachineState::look()?);
    println!("{repeats} trials a cell; us a message beyond the burner's, mean and standard deviation");
    for (codec, mode) in LANGUAGES.into_iter().filter(|(codec, _)| keeps(&words, codec)) {
        println!("\n{codec} over {mode}");
        println!(
            "| burner, us | messages | all | accounts | blank | withheld | slope |\n|---|---|---|---|---|---|---|"
        );
        let mut fewer: BTreeMap<u64, Vec<TrialRecord>> = BTreeMap::new();
        for messages in MESSAGES {
            for (burden_us, trials) in trials((codec, mode), messages, repeats, &sandbox)? {
                println!("{}", row(burden_us, messages, &trials, fewer.get(&burden_us)));
                fewer.insert(burden_us, trials);
            }
        }
    }
    Ok(())
}

fn row(burden_us: u64, messages: u32, trials: &[TrialRecord], fewer: Option<&Vec<TrialRecord>>) -> String {
    let beyond = |of: &dyn Fn(&RoleUse) -> f64| {
        let each = trials.iter().map(|trial| of(&trial.roles.publisher) / 1e3 / f64::from(messages));
        told(&each.map(|us| us - burden_us as f64).collect::<Vec<_>>())
    };
    let is_withheld = |trial: &&TrialRecord| {
        let of = OfCpu::named("publisher_cpu_per_message");
        let alone = of.and_then(|of| cpu_cost::over(&[trial], of));
        matches!(alone, Some(CpuCost::Withheld { .. }))
    };
    let withheld = trials.iter().filter(is_withheld).count();
    let slope = fewer.map_or_else(String::new, |fewer| {
        let pairs = trials.iter().zip(fewer).map(|(more, fewer)| {
            let more_ns =
                more.roles.publisher.users_cpu_ns() as f64 - fewer.roles.publisher.users_cpu_ns() as f64;
            more_ns / 1e3 / (more.delivery.sent - fewer.delivery.sent).max(1) as f64 - burden_us as f64
        });
        told(&pairs.collect::<Vec<_>>())
    });
    format!(
        "| {burden_us} | {messages} | {} | {} | {} | {withheld} of {} | {slope} |",
        beyond(&|used| used.cpu_ns as f64),
        beyond(&|used| used.users_cpu_ns() as f64),
        beyond(&|used| used.messages_cpu_ns().unwrap_or(f64::NAN)),
        trials.len()
    )
}

fn told(values: &[f64]) -> String {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
    format!("{mean:.2} ± {deviation:.2}")
}

/// The trials by burner, valid or not: the effect of a busy machine is part of the question.
fn trials(
    (codec, mode): (&str, &str),
    messages: u32,
    repeats: u32,
    sandbox: &Sandbox,
) -> Done<Vec<(u64, Vec<TrialRecord>)>> {
    let payloads: Vec<PayloadId> = (0..BURDENS_US.len())
        .map(|more| format!("opaque@{}", 100 + more).parse())
        .collect::<Result<_, _>>()?;
    let names: Vec<String> = payloads.iter().map(|id| format!("\"{id}\"")).collect();
    let text = format!(
        r#"
name = "fixed"
why = "What does a message cost, by messages per trial?"
[axes]
payload = [{}]
codec = ["{codec}"]
mode = ["{mode}"]
link = ["loopback"]
[load]
kind = "open"
interval = "500us"
messages = {messages}
warmup = 20
deadline = "1s"
drain = "1s"
[trials]
repeats = {repeats}
lanes = 1
retries = 0
[codec_trials]
enabled = false
"#,
        names.join(", ")
    );
    let desk = TempDir::with_prefix("wiredyno-fixed-")?;
    let file = "fixed.toml".to_owned();
    let burdens = payloads.iter().cloned().zip(BURDENS_US.map(|us| us * 1_000));
    let finished = stand::carried_out(RunRequest {
        study: Study::parse(&file, &text)?,
        source: StudySource::of_file(file, text),
        only: Vec::new(),
        folder: desk.path().join("run"),
        external: Default::default(),
        agents: None,
        written: Default::default(),
        resumes: false,
        injected: Injected { message_burdens_ns: burdens.collect(), ..Injected::default() },
        sandbox: sandbox.clone(),
        interrupt: Interrupt::default(),
        live: false,
        commit: "",
    })?;
    let read = finished.folder.read_trials()?;
    let of = |id: &PayloadId| {
        let of_payload = read.messages.iter().filter(|trial| trial.record.cell.payload == *id);
        let mut of_payload: Vec<TrialRecord> = of_payload.map(|trial| trial.record.clone()).collect();
        of_payload.sort_by_key(|record| record.repeat);
        of_payload
    };
    Ok(BURDENS_US.into_iter().zip(payloads.iter().map(of)).collect())
}
