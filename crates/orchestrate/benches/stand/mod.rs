//! Trials as `wiredyno run` carries them out, on loopback: the same conductor, runners and relays. The bench is
//! its own runner program.

use std::io::BufReader;
use std::process::ExitCode;

use wiredyno_bench::Outcome;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::trial::{BrokerUsed, Invalid};
use wiredyno_model::{Cell, Study};
use wiredyno_orchestrate::conduct::{Assignment, Conductor};
use wiredyno_orchestrate::plan::PlannedTrial;
use wiredyno_orchestrate::runner::{Interrupt, RunnerProcess};
use wiredyno_orchestrate::runners::Runners;
use wiredyno_orchestrate::serving::{EMBEDDED_LABEL, Serving, transport_for};
use wiredyno_orchestrate::verdict;
use wiredyno_runner_wire::Description;
use wiredyno_store::MessageTrial;

/// Plays the runner when this program was started as one.
pub fn play_runner() -> Option<ExitCode> {
    if std::env::args().nth(1).as_deref() != Some("runner") {
        return None;
    }
    let spoken = wiredyno_runner::run(
        wiredyno_payloads::PAYLOADS,
        BufReader::new(std::io::stdin()),
        std::io::stdout(),
    );
    Some(if spoken.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Where trials are carried out.
pub struct Stand {
    pub sandbox: Sandbox,
    pub runners: Runners,
    pub interrupt: Interrupt,
    /// What was found of the machine before the first trial.
    pub machine: verdict::Stand,
    description: Description,
}

impl Stand {
    /// Enters a sandbox and asks the runner what it has.
    pub fn new() -> Outcome<Self> {
        let sandbox = Sandbox::enter()?;
        let (runners, interrupt) = (Runners::of(std::env::current_exe()?), Interrupt::default());
        let mut command = runners.command();
        sandbox.prepare(&mut command);
        let mut runner = RunnerProcess::start("runner", command, &interrupt)?;
        let description = runner.describe()?;
        runner.stop();
        Ok(Self { sandbox, runners, interrupt, machine: verdict::Stand::here(), description })
    }

    /// One message trial of the study's only cell. The runner takes the broker's role, for MQTT too.
    pub fn trial(&self, study: &Study, repeat: u32) -> Outcome<MessageTrial> {
        let cell = only_cell(study)?;
        let protocol = cell.mode.protocol.clone();
        let transport = transport_for(&self.description, &protocol)
            .ok_or_else(|| format!("the runner has no client for `{protocol}`"))?;
        let used = BrokerUsed {
            id: "embedded".to_owned(),
            version: transport.server.clone().unwrap_or_else(|| transport.version.clone()),
            label: EMBEDDED_LABEL.to_owned(),
        };
        let serving = Serving::Runner { transport: transport.id.clone(), used };
        let conductor = Conductor {
            study,
            runners: &self.runners,
            sandbox: &self.sandbox,
            interrupt: &self.interrupt,
            stand: self.machine,
        };
        let seed = study.trials.seed + u64::from(repeat);
        let planned = PlannedTrial { cell, cell_index: 0, repeat, attempt: 0, seed };
        let trial = conductor.conduct(&Assignment {
            number: repeat,
            planned: &planned,
            lane_index: 0,
            lane: None,
            transport,
            serving: &serving,
            lanes_in_use: 1,
            capture: None,
        });
        let trial = trial.ok_or("interrupted")?;
        let failed = trial.record.invalid.iter().find(|invalid| matches!(invalid, Invalid::Failed { .. }));
        match failed {
            Some(failed) => Err(failed.sentence().into()),
            None => Ok(trial),
        }
    }
}

fn only_cell(study: &Study) -> Outcome<Cell> {
    Ok(study.axes.cells().into_iter().next().ok_or("the study has no cell")?)
}
