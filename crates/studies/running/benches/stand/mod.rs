//! Trials as `wiredyno run` executes them, on loopback: the same conductor, runners, brokers and relays.

#![allow(dead_code, reason = "each bench uses its part")]

use std::collections::BTreeMap;

use wiredyno_bench::Done;
use wiredyno_build::Composition;
use wiredyno_conducting::conduct::{Assignment, Conductor};
use wiredyno_conducting::validity;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::{Cell, Known, Lifetime, Study};
use wiredyno_payloads::PayloadName;
use wiredyno_planning::plan::PlannedTrial;
use wiredyno_planning::stock::{self, Stock};
use wiredyno_running::run::{FinishedRun, PreparedRun, RunRequest};
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::lane_brokers::{Asked, KeptBroker, LaneBrokers, Site};
use wiredyno_seats::runners::{Runners, Wanted};
use wiredyno_seats::serving::{Served as Asking, Serving, choose, transport_for};
use wiredyno_store::{MessageTrial, Messages};

/// What serves trials, and what is kept of it.
pub struct Served {
    pub serving: Serving,
    pub brokers: LaneBrokers,
    /// Where other programs may connect to a broker.
    pub endpoint: Option<wiredyno_contract::Endpoint>,
    /// The broker for other programs, if each trial has its own.
    pub apart: Option<KeptBroker>,
}

pub struct Stand {
    pub sandbox: Sandbox,
    pub runners: Runners,
    pub interrupt: Interrupt,
    /// The machine's state before the first trial.
    pub machine: validity::Stand,
    known: Known,
}

impl Stand {
    /// Enters a sandbox and builds the runner of the study's payload, with its codecs and all transports, if it is missing.
    pub fn new(study: &Study) -> Done<Self> {
        let sandbox = Sandbox::enter()?;
        let (interrupt, stock) = (Interrupt::default(), Stock::of_user()?);
        let mut runners = Runners::of(std::env::current_exe()?)?;
        let mut payloads = Vec::new();
        for id in &study.axes.payload {
            let payload = stock::payload(&PayloadName::Id(id.clone()))?;
            let codecs = stock::declared(study.axes.codec.iter());
            let here = wiredyno_transport_registry::REGISTRY
                .iter()
                .copied()
                .filter(|protocol| wiredyno_needs::lack(protocol.needed(false)).is_none());
            let composition = Composition::new(&payload, codecs, here);
            let missing = stock.missing(std::slice::from_ref(&composition))?;
            if !missing.is_empty() {
                stock.build(&missing, &sandbox, &interrupt, &mut |_| {})?;
            }
            let kept = stock.find(&composition, false)?.ok_or("the runner that was built is gone")?;
            runners.add(&payload, kept.into(), Wanted { samples: 1_000, dictionary: false })?;
            payloads.push(payload);
        }
        let known = stock::known(&payloads)?;
        Ok(Self { sandbox, runners, interrupt, machine: validity::Stand::here(), known })
    }

    /// What serves the study's only cell. A broker is started now, and other programs may connect to it; trials use the same one if it serves more
    /// than one of them.
    pub fn served(&self, study: &Study) -> Done<Served> {
        let cell = only_cell(study)?;
        let (protocol, served) = (&cell.mode.protocol, Asking::from(&cell));
        let (mut servings, _) = choose(&self.known, &BTreeMap::new(), false, [served.clone()])?;
        let serving = servings.remove(&served).ok_or_else(|| format!("nothing serves `{protocol}` here"))?;
        let brokers = LaneBrokers::new(false, None);
        let (mut endpoint, mut apart) = (None, None);
        if let Serving::Managed(managed) = &serving {
            let enter = |command: &mut std::process::Command| self.sandbox.prepare(command);
            let asked = Asked { managed, cell: &cell, address: "127.0.0.1" };
            let broker = brokers.take(asked, Site { enter: &enter, away: None }, &self.interrupt)?;
            endpoint = Some(broker.seat.endpoint().clone());
            match managed.lifetime() {
                Lifetime::Trial => apart = Some(broker),
                Lifetime::Cell | Lifetime::Run => brokers.give_back(broker),
            }
        }
        Ok(Served { serving, brokers, endpoint, apart })
    }

    /// One message trial of the study's only cell, with the server that a study would have.
    pub fn trial(&self, study: &Study, repeat: u32) -> Done<MessageTrial> {
        let cell = only_cell(study)?;
        let (protocol, served) = (&cell.mode.protocol, Asking::from(&cell));
        let (mut servings, _) = choose(&self.known, &BTreeMap::new(), false, [served.clone()])?;
        let serving = servings.remove(&served).ok_or_else(|| format!("nothing serves `{protocol}` here"))?;
        self.trial_at(
            study,
            repeat,
            &Served { serving, brokers: LaneBrokers::new(false, None), endpoint: None, apart: None },
        )
    }

    /// The same with a server that already runs.
    pub fn trial_at(&self, study: &Study, repeat: u32, served: &Served) -> Done<MessageTrial> {
        let cell = only_cell(study)?;
        let transport = transport_for(&self.known, &cell.mode)
            .ok_or_else(|| format!("there is no client for `{}`", cell.mode))?;
        let conductor = Conductor {
            study,
            runners: &self.runners,
            sandbox: &self.sandbox,
            interrupt: &self.interrupt,
            stand: self.machine,
            database: None,
            away: None,
            live: None,
        };
        let seed = study.trials.seed + u64::from(repeat);
        let planned = PlannedTrial { cell, cell_index: 0, repeat, attempt: 0, seed };
        let folder = tempfile::tempdir()?;
        let messages = folder.path().join("messages.parquet");
        let conducted = conductor.conduct(&Assignment {
            number: repeat,
            planned: &planned,
            lane_index: 0,
            lane: None,
            transport,
            serving: &served.serving,
            brokers: &served.brokers,
            lanes_in_use: 1,
            counted_only: None,
            messages: messages.clone(),
            capture: None,
            keylog: false,
            rate: None,
        });
        let record = conducted.trial().ok_or("it was not carried out")?.record;
        match &record.failed {
            Some(reason) => Err(reason.clone().into()),
            None => Ok(MessageTrial { record, messages: Messages::open(&messages)?.all()? }),
        }
    }
}

/// Executes a run; this program is also its lane worker.
pub fn carried_out(request: RunRequest) -> Done<FinishedRun> {
    let mut prepared = PreparedRun::new(request)?;
    if let Some(left_out) = prepared.plan.left_out.first() {
        return Err(left_out.reason.to_string().into());
    }
    let runners = prepared.provide(&Stock::of_user()?, std::env::current_exe()?, None, &mut |_| {})?;
    Ok(prepared.carry_out(&runners, &|_| {})?)
}

fn only_cell(study: &Study) -> Done<Cell> {
    Ok(study.axes.cells(&|_, _| true).into_iter().next().ok_or("the study has no cell")?)
}
