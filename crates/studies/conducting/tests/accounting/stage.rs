//! Executes trials as `wiredyno run` does: the same conductor, runners, brokers and lane. One file because what a trial needs is put together
//! once for all tests.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde::{Deserialize, Serialize};
use wiredyno_build::{Cache, Composition, Level, Workshop};
use wiredyno_conducting::conduct::{Assignment, ConductedTrial, Conductor};
use wiredyno_conducting::contents;
use wiredyno_conducting::observe::Observed;
use wiredyno_conducting::validity::Stand;
use wiredyno_contract::{Capability, DeclaredTransport, TransportDescription};
use wiredyno_link::accounting::{LinkCounters, Phase, PhaseMark};
use wiredyno_link::capture::CaptureFile;
use wiredyno_link::lane::{Lane, WORKER_COMMAND, worker_main};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_link::spec::LinkSpec;
use wiredyno_model::Study;
use wiredyno_model::live::LiveTrial;
use wiredyno_model::trial::{Crossing, Delivery, Invalid, MessageRecord, TrialRecord};
use wiredyno_payloads::PayloadName;
use wiredyno_planning::plan::PlannedTrial;
use wiredyno_planning::stock::{self, Stock};
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::lane_brokers::LaneBrokers;
use wiredyno_seats::runners::{Runners, Wanted};
use wiredyno_seats::serving::{Served, choose, transport_for};
use wiredyno_store::{MessageTrial, Messages};

use crate::watch::{Reading, Watch};
use crate::{full, live, role, this, timings};

/// This many seeds: always the same, unless `WIREDYNO_SEED` sets another first one.
pub fn seeds(count: u64) -> Range<u64> {
    let other = std::env::var("WIREDYNO_SEED").ok();
    let first = other
        .map_or(1, |seed| seed.parse().unwrap_or_else(|_| panic!("WIREDYNO_SEED is not a number: {seed}")));
    first..first + count
}

/// A trial to be executed.
#[derive(Clone, Serialize, Deserialize)]
pub struct Order {
    pub mode: String,
    pub body_bytes: u32,
    pub messages: u32,
    pub warmup: u32,
    /// The interval of messages, as a study writes it.
    pub interval: String,
    pub drain: String,
    pub link: LinkSpec,
    pub seed: u64,
    pub capture: Option<PathBuf>,
    /// Whether processes and sockets are read during the trial.
    pub watched: bool,
    /// The publisher's host: `edge` or `cloud`.
    pub publisher: String,
    /// The subscriber's host: `edge` or `cloud`.
    pub subscriber: String,
    /// A broker by name; empty for the preferred one.
    pub broker: String,
    /// Lines of the options table of its protocol.
    pub options: String,
    pub subscribers: u32,
    /// Whether it is read while it runs.
    pub live: bool,
}

impl Order {
    /// 100 bytes every two milliseconds, without warm-up: every packet of a message is a measured one.
    pub fn new(mode: &str, messages: u32, link: &LinkSpec) -> Self {
        Self {
            mode: mode.to_owned(),
            body_bytes: 100,
            messages,
            warmup: 0,
            interval: "2ms".to_owned(),
            drain: "1s".to_owned(),
            link: link.clone(),
            seed: seeds(1).start,
            capture: None,
            watched: false,
            publisher: "edge".to_owned(),
            subscriber: "edge".to_owned(),
            broker: String::new(),
            options: String::new(),
            subscribers: 1,
            live: false,
        }
    }

    fn study(&self, transports: &[TransportDescription]) -> Study {
        let table = match (self.options.as_str(), self.mode.split(':').next()) {
            ("", _) | (_, None) => String::new(),
            (options, Some(protocol)) => format!("[transport.{protocol}]\n{options}\n"),
        };
        let broker = match self.broker.as_str() {
            "" => String::new(),
            broker => format!("\nbroker = [\"{broker}\"]"),
        };
        let text = format!(
            r#"
name = "accounting"
why = "Are the counts right?"
[axes]
payload = ["opaque@{}"]
codec = ["raw/wiredyno"]
mode = ["{}"]{broker}
link = ["faulty"]
[hosts]
publisher = "{}"
subscriber = "{}"
broker = "cloud"
[load]
kind = "open"
interval = "{}"
messages = {}
warmup = {}
subscribers = {}
deadline = "10s"
drain = "{}"
{table}"#,
            self.body_bytes,
            self.mode,
            self.publisher,
            self.subscriber,
            self.interval,
            self.messages,
            self.warmup,
            self.subscribers,
            self.drain
        );
        let file = "accounting.toml";
        Study::parse(file, &text).unwrap().with_options(file, &text, transports).unwrap()
    }
}

/// The result of an [`Order`].
#[derive(Serialize, Deserialize)]
pub struct Staged {
    pub record: TrialRecord,
    /// Messages whose receipt has a time.
    pub received: usize,
    /// For each message with a crossing: times of encoding, crossing and receipt.
    pub crossings: Vec<(i64, Crossing, i64)>,
    /// All messages of the trial.
    pub messages: Vec<MessageRecord>,
    /// The link's own counters at the end of the trial.
    pub counters: LinkCounters,
    /// The readings of /proc and `ss`, in order of time.
    pub readings: Vec<Reading>,
    /// What was reported of it while it ran.
    pub live: Vec<LiveTrial>,
}

impl Staged {
    /// Why it was not carried out; `None` if it was.
    fn not_carried_out(&self) -> Option<&str> {
        not_carried_out(&self.record)
    }

    pub fn delivery(&self) -> Delivery {
        self.record.delivery
    }

    /// Whether each message had ended before the next one began, and nothing was sent twice.
    fn is_one_at_a_time(&self) -> bool {
        let measured = self.record.wire.map(|wire| [wire.measure.up, wire.measure.down]).unwrap_or_default();
        let ended = |message: &MessageRecord| Some(message.received_ns?.max(message.acked_ns.unwrap_or(0)));
        let apart = |pair: &[MessageRecord]| ended(&pair[0]).is_some_and(|end| end < pair[1].build_start_ns);
        self.messages.windows(2).all(apart) && measured.iter().all(|way| way.retransmitted_packets == 0)
    }

    /// What the link's rules injected until clients disconnected, in the order of the rules: CoAP's subscriber gets the
    /// last state again in response to that.
    pub fn injected(&self) -> Vec<u64> {
        self.mark(Phase::Teardown).injected.clone()
    }

    /// When a phase began, by CLOCK_MONOTONIC.
    pub fn began_ns(&self, phase: Phase) -> u64 {
        self.mark(phase).at_ns
    }

    fn mark(&self, phase: Phase) -> &PhaseMark {
        self.counters.marks.iter().find(|mark| mark.phase == phase).unwrap()
    }
}

/// Executes trials one after the other, in their own process.
pub fn carry_out(orders: &[Order]) -> Vec<Staged> {
    let folder = tempfile::tempdir().unwrap();
    let (asked, told) = (folder.path().join("orders"), folder.path().join("outcomes"));
    std::fs::write(&asked, serde_json::to_vec(orders).unwrap()).unwrap();
    let mut command = role("trials");
    command.arg(&asked).arg(&told).stdin(Stdio::null()).env("XDG_CACHE_HOME", cache_home());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    let outcomes: Vec<Staged> = serde_json::from_slice(&std::fs::read(&told).unwrap()).unwrap();
    for (order, outcome) in orders.iter().zip(&outcomes) {
        assert_eq!((outcome.not_carried_out(), &outcome.record.failed), (None, &None), "{}", order.mode);
        assert_eq!(outcome.delivery().sent, u64::from(order.messages));
        assert_eq!(outcome.counters.tun_dropped_packets, 0, "the link saw everything");
        assert_eq!(outcome.counters.undeliverable_packets, 0);
    }
    outcomes
}

/// Further attempts at a trial that was not carried out.
const RETRIES: u32 = 3;

fn not_carried_out(record: &TrialRecord) -> Option<&str> {
    record.invalid.iter().find_map(|invalid| match invalid {
        Invalid::NotCarriedOut { error } => Some(error.as_str()),
        _ => None,
    })
}

/// Attempts at a trial in which messages must not overlap.
const ATTEMPTS: usize = 20;

/// Executes trials in which messages must not overlap. On a busy machine the link or a role may be late, so that messages meet and TCP repeats
/// what is still in flight: such a trial is repeated.
pub fn carry_out_one_at_a_time(orders: &[Order]) -> Vec<Staged> {
    let mut outcomes: Vec<Option<Staged>> = orders.iter().map(|_| None).collect();
    for _ in 0..ATTEMPTS {
        let missing: Vec<usize> = (0..orders.len()).filter(|place| outcomes[*place].is_none()).collect();
        if missing.is_empty() {
            break;
        }
        let again: Vec<Order> = missing.iter().map(|place| orders[*place].clone()).collect();
        for (place, outcome) in missing.into_iter().zip(carry_out(&again)) {
            outcomes[place] = outcome.is_one_at_a_time().then_some(outcome);
        }
    }
    let named = orders.iter().zip(outcomes);
    named
        .map(|(order, outcome)| {
            outcome.unwrap_or_else(|| panic!("{}: messages met in each of {ATTEMPTS} trials", order.mode))
        })
        .collect()
}

/// Plays the role that the first argument names; `None` if it names none.
pub fn play() -> Option<i32> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = arguments.split_first()?;
    let code = match name.as_str() {
        WORKER_COMMAND => worker_main(),
        "rights" => {
            println!("{}", serde_json::to_string(Sandbox::enter().unwrap().rights()).unwrap());
            0
        }
        "timings" => timings::play(),
        "trials" => {
            let sandbox = Sandbox::enter().unwrap();
            let orders: Vec<Order> = serde_json::from_slice(&std::fs::read(&rest[0]).unwrap()).unwrap();
            std::fs::write(&rest[1], serde_json::to_vec(&trials(&sandbox, &orders)).unwrap()).unwrap();
            0
        }
        _ => return None,
    };
    Some(code)
}

fn trials(sandbox: &Sandbox, orders: &[Order]) -> Vec<Staged> {
    let lane = Lane::spawn(&this(), 0, sandbox).unwrap();
    let brokers = LaneBrokers::new(true, None);
    let carried_out = |(order, number): (&Order, u32)| {
        let mut staged = trial(sandbox, (&lane, &brokers), order, number);
        // As a run does with what a busy machine has not carried out. Each attempt has topics of its own.
        for attempt in 1..=RETRIES {
            let Some(error) = staged.not_carried_out() else { break };
            eprintln!("{}: again, because it was not carried out: {error}", order.mode);
            staged = trial(sandbox, (&lane, &brokers), order, number + attempt * 1_000);
        }
        staged
    };
    orders.iter().zip(0..).map(carried_out).collect()
}

fn trial(sandbox: &Sandbox, (lane, brokers): (&Lane, &LaneBrokers), order: &Order, number: u32) -> Staged {
    let interrupt = Interrupt::default();
    let study = order.study(&wiredyno_transport_registry::descriptions());
    let cell = study.axes.cells(&|_, _| true).remove(0);
    let payload = stock::payload(&PayloadName::Id(cell.payload.clone())).unwrap();
    let known = stock::known(std::slice::from_ref(&payload)).unwrap();
    let served = Served::from(&cell);
    let (servings, _) = choose(&known, &BTreeMap::new(), false, [served.clone()]).unwrap();
    let runner = Stock::at(cache()).find(&composition(), false).unwrap().unwrap();
    let mut runners = Runners::of(this()).unwrap();
    runners.add(&payload, runner.into(), Wanted { samples: 100, dictionary: false }).unwrap();
    let stand = Stand::here();
    let counted_only = contents::counted_only(&payload, study.load.as_ref().unwrap(), false, false).unwrap();
    let (live, reading) = order.live.then(live::read).unzip();
    let conductor = Conductor {
        study: &study,
        runners: &runners,
        sandbox,
        interrupt: &interrupt,
        stand,
        database: None,
        away: None,
        live: live.as_ref(),
    };
    let planned = PlannedTrial { cell, cell_index: 0, repeat: 0, attempt: 0, seed: order.seed };
    let watch = order.watched.then(|| Watch::begin(sandbox, lane));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("messages.parquet");
    let trial = conductor.conduct(&Assignment {
        number,
        planned: &planned,
        lane_index: 0,
        lane: Some((lane, &order.link)),
        transport: transport_for(&known, &planned.cell.mode).unwrap(),
        serving: &servings[&served],
        brokers,
        lanes_in_use: 1,
        counted_only: counted_only.as_deref(),
        messages: file.clone(),
        capture: order.capture.clone().map(|path| CaptureFile { path, comment: order.mode.clone() }),
        keylog: false,
        rate: None,
    });
    drop(live);
    let live = reading.map(|reading| reading.join().unwrap()).unwrap_or_default();
    let readings = watch.map(Watch::end).unwrap_or_default();
    let ConductedTrial { record, observations, .. } = trial.trial().unwrap();
    let messages = Messages::open(&file).unwrap().all().unwrap();
    let read = MessageTrial { record, messages };
    // If something broke, messages were not read.
    if read.record.failed.is_none() && not_carried_out(&read.record).is_none() {
        assert_eq!(Observed::of_trial(&read).unwrap().observations, observations, "as the file has it");
    }
    let MessageTrial { record, messages } = read;
    let received = messages.iter().filter(|message| message.received_ns.is_some()).count();
    let crossed =
        |message: &MessageRecord| Some((message.encoded_ns, message.crossing?, message.received_ns?));
    let crossings = messages.iter().filter_map(crossed).collect();
    Staged { record, received, crossings, messages, counters: lane.counters().unwrap(), readings, live }
}

/// The tests' own cache, so that nothing depends on the user's builds. Its runners are used for counts, never for times.
fn cache() -> Cache {
    let level = if full() { Level::Full } else { Level::None };
    Cache::at(cache_home().join("wiredyno")).with_level(level)
}

fn cache_home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/test-cache")
}

/// The runner of all trials here: opaque bytes, over everything that is served here.
fn composition() -> Composition {
    let payload = stock::payload(&"opaque@100".parse().unwrap()).unwrap();
    let raw = stock::declared(&["raw/wiredyno".parse().unwrap()]);
    let served = |client: &&'static DeclaredTransport| {
        wiredyno_needs::lack(client.needed(false)).is_none() && served(client.protocol).is_ok()
    };
    Composition::new(&payload, raw, wiredyno_transport_registry::REGISTRY.iter().copied().filter(served))
}

/// Whether a protocol can be tested here.
///
/// # Errors
/// What is missing.
pub fn served(protocol: &str) -> Result<(), String> {
    let registered = wiredyno_transport_registry::REGISTRY.iter();
    let registered: Vec<_> = registered.filter(|known| known.protocol == protocol).collect();
    let lacks: Vec<_> =
        registered.iter().filter_map(|known| wiredyno_needs::lack(known.needed(false))).collect();
    if lacks.len() == registered.len()
        && let Some(lack) = lacks.first()
    {
        return Err(lack.reason.clone());
    }
    let alone = [Capability::Brokerless, Capability::Direct];
    if registered.iter().any(|known| alone.iter().any(|capability| known.has(*capability))) {
        return Ok(());
    }
    let brokers = wiredyno_brokers::all().unwrap();
    let serving: Vec<_> = brokers
        .iter()
        .filter(|folder| folder.broker.protocols.iter().any(|served| served == protocol))
        .collect();
    match serving.iter().any(|folder| folder.is_installed(&cache())) {
        true => Ok(()),
        false => {
            let lines: Vec<String> = serving.iter().map(|folder| folder.install_line()).collect();
            Err(format!("no broker for {protocol} is installed: {}", lines.join(", or ")))
        }
    }
}

/// Whether a mode carries bodies of this size.
pub fn carries(mode: &str, body_bytes: u32) -> bool {
    let (protocol, setting) = mode.split_once(':').map_or((mode, None), |(first, rest)| (first, Some(rest)));
    let transport = wiredyno_transport_registry::of_protocol(protocol).map(|known| known.describe());
    let limit = transport.and_then(|transport| Some(transport.limit(setting)?.bytes));
    limit.is_none_or(|limit| u64::from(body_bytes) <= limit)
}

/// Installs the brokers' libraries from Maven, and builds the runner, if they are missing.
pub fn build() {
    for folder in wiredyno_brokers::all().unwrap() {
        // The names of the ignored tests state what is missing.
        let _ = folder.install(&cache(), &mut |_| {}, &|| false, &mut |_| {});
    }
    let missing = Stock::at(cache()).missing(&[composition()]).unwrap();
    if !missing.is_empty() {
        let workshop = Workshop { cache: &cache(), prepare: &|_| {}, interrupted: &|| false };
        workshop.build(&missing, &mut |_| {}).unwrap();
    }
}
