//! Killing processes of a run in the middle of trials: the run loses no finished trial, repeats none and leaves nothing behind.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use wiredyno_link::lane::WORKER_COMMAND;
use wiredyno_store::RunFolder;

use crate::full;
use crate::processes::{Mark, Marked, in_time, inhabited};
use crate::stand::Desk;

/// Trials of about a second over a link and their own broker, in one lane.
const RUN: &str = "run tiny.toml --out r --set link=lan --set mode=mqtt:qos1,mqtt:qos2 --set load.messages=25 \
                   --set codec_trials.enabled=false --set trials.lanes=1 --set trials.repeats=3";
const CELLS: usize = 4;
const REPEATS: usize = 3;

/// Limit for anything that a test waits for.
const LIMIT: Duration = Duration::from_secs(480);

/// Which process is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    /// One of the processes of the run itself: the one that the user started, process 1, or the worker.
    Program,
    Runner,
    /// The lane worker, which holds the link and the hosts.
    Worker,
    Broker,
}

const VICTIMS: [Victim; 4] = [Victim::Program, Victim::Runner, Victim::Worker, Victim::Broker];

impl Victim {
    fn is(self, process: &Marked) -> bool {
        let worker = process.arguments.iter().any(|argument| argument == WORKER_COMMAND);
        match self {
            Victim::Program => process.name == "wiredyno" && !worker && !process.leads_session,
            Victim::Runner => process.name == "runner",
            Victim::Worker => worker,
            Victim::Broker => process.name == "mosquitto",
        }
    }
}

/// Seeded random numbers: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// The identity of a finished trial: its cell, repeat, attempt and start time.
type Told = (String, u32, u32, i64);

/// Finished trials by number, of a run that is not in progress; none without a run.
fn finished(desk: &Desk) -> BTreeMap<u32, Told> {
    let folder = RunFolder::reopen(&desk.file("r")).or_else(|_| RunFolder::open(&desk.file("r")));
    let Ok(folder) = folder else { return BTreeMap::new() };
    let records = folder.read_records().unwrap().messages;
    let numbers: BTreeSet<u32> = records.iter().map(|record| record.trial).collect();
    assert_eq!(numbers.len(), records.len(), "a number was given twice");
    let told = |record: wiredyno_model::trial::TrialRecord| {
        (record.trial, (record.cell.to_string(), record.repeat, record.attempt, record.started_unix_ns))
    };
    records.into_iter().map(told).collect()
}

/// One invocation of the program on the run.
struct Sitting {
    mark: Mark,
    child: Child,
    hosts: BTreeSet<PathBuf>,
}

impl Sitting {
    fn start(desk: &Desk, arguments: &str) -> Self {
        let mark = Mark::new();
        let mut command = desk.command(&arguments.split_whitespace().collect::<Vec<_>>());
        mark.put_on(&mut command);
        command.env("TMPDIR", desk.file("tmp"));
        let errors = std::fs::File::create(desk.file("errors")).unwrap();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors).spawn().unwrap();
        Sitting { mark, child, hosts: BTreeSet::new() }
    }

    fn ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Kills a process of this kind in the middle of a trial; false if the run ended before.
    fn kill(&mut self, victim: Victim, dice: &mut Dice) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < LIMIT {
            if self.ended() {
                return false;
            }
            let marked = self.mark.marked();
            // The progress of the trial at the kill is random.
            if !marked.iter().any(|process| Victim::Runner.is(process)) {
                std::thread::sleep(Duration::from_millis(2));
                continue;
            }
            std::thread::sleep(Duration::from_millis(dice.below(700)));
            self.hosts.append(&mut self.mark.hosts());
            let marked = self.mark.marked();
            let mut candidates: Vec<&Marked> = marked.iter().filter(|process| victim.is(process)).collect();
            candidates.sort_by_key(|process| process.id);
            let under_way = marked.iter().any(|process| Victim::Runner.is(process));
            if under_way && !candidates.is_empty() {
                let chosen = candidates[usize::try_from(dice.below(candidates.len() as u64)).unwrap()];
                return kill(Pid::from_raw(chosen.id), Signal::SIGKILL).is_ok();
            }
        }
        panic!("no trial with a {victim:?} in {LIMIT:?}: {:?}", self.mark.marked())
    }

    /// Waits for its end, after which no process of it is left.
    fn ends(mut self, desk: &Desk) {
        let begun = Instant::now();
        while !self.ended() {
            assert!(begun.elapsed() < LIMIT, "it does not end: {:?}", self.mark.marked());
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(in_time(|| self.mark.programs().is_empty()), "left: {:?}", self.mark.marked());
        assert!(in_time(|| !inhabited(&self.hosts)), "a host is left");
        let left = || std::fs::read_dir(desk.file("tmp")).unwrap().flatten().map(|entry| entry.file_name());
        assert!(in_time(|| left().next().is_none()), "left: {:?}", left().collect::<Vec<_>>());
    }
}

/// Kills of all kinds in turn, over as many runs as that takes.
pub fn seeded() {
    let kills = if full().is_ok() { 200 } else { 8 };
    let seed = u64::from(std::process::id());
    let mut dice = Dice(seed);
    let mut made = 0_usize;
    while made < kills {
        let desk = Desk::for_runs();
        std::fs::create_dir(desk.file("tmp")).unwrap();
        let mut known = BTreeMap::new();
        let mut sitting = Sitting::start(&desk, RUN);
        loop {
            while made < kills {
                let victim = VICTIMS[made % VICTIMS.len()];
                if !sitting.kill(victim, &mut dice) {
                    break;
                }
                made += 1;
                if victim == Victim::Program {
                    break;
                }
            }
            sitting.ends(&desk);
            let now = finished(&desk);
            for (number, told) in &known {
                assert_eq!(
                    now.get(number),
                    Some(told),
                    "seed {seed}: trial {number} is lost or was made again"
                );
            }
            known = now;
            if !desk.file("r/trials").is_dir() && desk.file("r/summary.json").is_file() {
                break;
            }
            sitting = Sitting::start(&desk, "run --resume r");
        }
        assert_whole(&desk, known.into_values(), CELLS * REPEATS, seed);
    }
}

/// A lost lane is set up again and costs no trial an attempt; one that is lost repeatedly ends the run.
pub fn lanes() {
    let few = format!("{RUN} --set mode=mqtt:qos1 --set trials.repeats=1");
    let mut dice = Dice(u64::from(std::process::id()));
    let desk = Desk::for_runs();
    std::fs::create_dir(desk.file("tmp")).unwrap();
    let mut sitting = Sitting::start(&desk, &few);
    assert!(sitting.kill(Victim::Worker, &mut dice));
    sitting.ends(&desk);
    let trials = RunFolder::open(&desk.file("r")).unwrap().read_trials().unwrap().messages;
    assert!(trials.iter().all(|trial| trial.record.failed.is_none()), "{trials:?}");
    assert_whole(&desk, finished(&desk).into_values(), CELLS / 2, dice.0);

    let desk = Desk::for_runs();
    std::fs::create_dir(desk.file("tmp")).unwrap();
    let mut sitting = Sitting::start(&desk, &few);
    let mut lost = 0;
    while sitting.kill(Victim::Worker, &mut dice) {
        lost += 1;
    }
    sitting.ends(&desk);
    let errors = std::fs::read_to_string(desk.file("errors")).unwrap();
    assert!(
        lost >= 3 && errors.contains("3 trials in a row lost their link or a machine"),
        "{lost}: {errors}"
    );
    assert!(errors.contains("--resume"), "{errors}");
}

/// Every planned trial was made, and no attempt was made twice.
fn assert_whole(desk: &Desk, trials: impl Iterator<Item = Told>, planned: usize, seed: u64) {
    assert_eq!(desk.summary("r")["run"]["complete"], true, "seed {seed}");
    let trials: Vec<_> = trials.map(|(cell, repeat, attempt, _)| (cell, repeat, attempt)).collect();
    let attempts: BTreeSet<_> = trials.iter().cloned().collect();
    assert_eq!(attempts.len(), trials.len(), "seed {seed}: an attempt was made twice: {trials:?}");
    let made: BTreeSet<_> = trials.iter().map(|(cell, repeat, _)| (cell, repeat)).collect();
    assert_eq!(made.len(), planned, "seed {seed}: {made:?}");
}
