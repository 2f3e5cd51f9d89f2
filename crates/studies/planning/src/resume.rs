//! Resuming an interrupted run: what was requested, what it depends on, and which trials are still missing.
//!
//! The first file of a run folder states what was requested (`request.json`), so that nothing has to be typed again and nothing
//! can change unnoticed. What figures depend on must be as it was: a difference refuses to resume. A reboot does not count.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use wiredyno_model::summary::{AgentMachine, Environment};
use wiredyno_model::trial::CodecTrialRecord;
use wiredyno_model::{Cell, CodecCell, Host, Outcome};
use wiredyno_store::RunRecords;

use crate::left_out::LeftOut;
use crate::plan::{PlannedCodecTrial, PlannedTrial};

/// The command line of a run besides its study, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The values of `--only`.
    pub only: Vec<String>,
    /// The values of `--broker`; passwords are stored nowhere.
    pub brokers: Vec<String>,
    /// Whether packets are kept.
    pub capture: bool,
    /// Whether the keys of encrypted connections are kept with them.
    #[serde(default)]
    pub keylog: bool,
}

/// What was requested of a run, and what its figures depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Version of the program that began the run.
    pub version: String,
    /// The command line as written.
    pub written: Written,
    /// When it was started, as an RFC 3339 timestamp.
    pub started: String,
    /// When it was resumed, each time.
    #[serde(default)]
    pub resumed: Vec<String>,
    /// The study, as TOML.
    #[serde(default)]
    pub study: String,
    /// Digests of payloads and links, keys of runners, versions of brokers, by name.
    pub inputs: BTreeMap<String, String>,
    /// What could not be run on the machine, with the reason.
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
    /// The notes of its plan, in sentences.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Asked {
    /// What differs from the beginning of the run, one line each; empty if nothing does.
    pub fn differences(
        &self,
        (before, now): (&Environment, &Environment),
        (study, inputs): (&str, &BTreeMap<String, String>),
    ) -> Vec<String> {
        let mut differences = Vec::new();
        let mut compare = |what: &str, before: &str, now: &str| {
            if before != now {
                differences.push(format!("{what}: {before} then, {now} now"));
            }
        };
        compare("wiredyno", &self.version, env!("CARGO_PKG_VERSION"));
        compare("the program's commit", &before.commit, &now.commit);
        compare("the CPU", &before.cpu, &now.cpu);
        compare("the number of CPUs", &before.cpus.to_string(), &now.cpus.to_string());
        compare("memory", &before.memory_bytes.to_string(), &now.memory_bytes.to_string());
        compare("the kernel", &before.kernel, &now.kernel);
        compare("the system", &before.os, &now.os);
        let machine = |of: &AgentMachine| {
            let AgentMachine { environment, .. } = of;
            let Environment { cpu, cpus, memory_bytes, os, kernel, .. } = environment;
            format!("{cpu}, {cpus} CPUs, {memory_bytes} bytes, {os}, {kernel}")
        };
        for host in Host::ALL {
            let of = |environment: &Environment| {
                let agents = environment.agents.iter().filter(|agent| agent.host == host);
                let machines: Vec<String> = agents.map(machine).collect();
                if machines.is_empty() { "this machine".to_owned() } else { machines.join("; ") }
            };
            compare(&format!("the host {host:?}").to_lowercase(), &of(before), &of(now));
        }
        let names = self.inputs.keys().chain(inputs.keys());
        let names: BTreeSet<&String> = names.collect();
        let of = |inputs: &BTreeMap<String, String>, name: &String| {
            inputs.get(name).cloned().unwrap_or_else(|| "nothing".to_owned())
        };
        for name in names {
            compare(name, &of(&self.inputs, name), &of(inputs, name));
        }
        let (then, now) = (settings(&self.study), settings(study));
        let names: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
        for name in names {
            compare(&format!("`{name}` of the study"), &of(&then, name), &of(&now, name));
        }
        differences
    }
}

/// The settings of a study by key, such as `load.messages`.
fn settings(study: &str) -> BTreeMap<String, String> {
    fn leaves(name: &str, value: &toml::Value, found: &mut BTreeMap<String, String>) {
        match value {
            toml::Value::Table(table) => {
                for (key, value) in table {
                    let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                    leaves(&name, value, found);
                }
            }
            value => {
                found.insert(name.to_owned(), value.to_string());
            }
        }
    }
    let mut found = BTreeMap::new();
    match study.parse::<toml::Table>() {
        Ok(table) => leaves("", &toml::Value::Table(table), &mut found),
        // Then it differs from any valid one.
        Err(error) => {
            found.insert("text".to_owned(), error.to_string());
        }
    }
    found
}

/// The state of the attempts at one repeat of a cell.
#[derive(Debug, Clone, Copy)]
struct LastAttempt {
    attempt: u32,
    outcome: Outcome,
}

/// The trials that a run has already.
#[derive(Debug, Default)]
pub struct Done {
    /// The state of the repeats of each cell.
    messages: Vec<(Cell, BTreeMap<u32, LastAttempt>)>,
    codecs: BTreeMap<CodecCell, BTreeMap<u32, LastAttempt>>,
    /// The next unused trial number.
    pub next_number: u32,
}

impl Done {
    /// From the trials in a folder.
    pub fn of(trials: &RunRecords) -> Self {
        let mut done = Done::default();
        for record in &trials.messages {
            let known = done.messages.iter().position(|(cell, _)| *cell == record.cell);
            let place = known.unwrap_or_else(|| {
                done.messages.push((record.cell.clone(), BTreeMap::new()));
                done.messages.len() - 1
            });
            note(&mut done.messages[place].1, record.repeat, record.attempt, record.outcome());
            done.next_number = done.next_number.max(record.trial + 1);
        }
        for record in &trials.codecs {
            let CodecTrialRecord { cell, repeat, attempt, .. } = record;
            note(done.codecs.entry(cell.clone()).or_default(), *repeat, *attempt, record.outcome());
            done.next_number = done.next_number.max(record.trial + 1);
        }
        done
    }

    /// The planned trials that are still missing, with their next attempts; `retries` is the study's.
    pub fn left(&self, planned: impl IntoIterator<Item = PlannedTrial>, retries: u32) -> Vec<PlannedTrial> {
        let next = |trial: PlannedTrial| {
            let repeats = self.messages.iter().find(|(cell, _)| *cell == trial.cell);
            let attempt = next_attempt(repeats.and_then(|(_, repeats)| repeats.get(&trial.repeat)), retries)?;
            Some(PlannedTrial { attempt, ..trial })
        };
        planned.into_iter().filter_map(next).collect()
    }

    /// The same for codec trials.
    pub fn codecs_left(
        &self,
        planned: impl IntoIterator<Item = PlannedCodecTrial>,
        retries: u32,
    ) -> Vec<PlannedCodecTrial> {
        let next = |trial: PlannedCodecTrial| {
            let repeats = self.codecs.get(&trial.cell);
            let attempt = next_attempt(repeats.and_then(|repeats| repeats.get(&trial.repeat)), retries)?;
            Some(PlannedCodecTrial { attempt, ..trial })
        };
        planned.into_iter().filter_map(next).collect()
    }

    /// The last repeat of the message trials of cells for which `of` returns true; `None` without any.
    pub fn last_repeat(&self, of: impl Fn(&Cell) -> bool) -> Option<u32> {
        let repeats = self.messages.iter().filter(|(cell, _)| of(cell)).map(|(_, repeats)| repeats);
        repeats.flat_map(|repeats| repeats.keys().copied()).max()
    }

    /// The last repeat of the codec trials; `None` without any.
    pub fn last_codec_repeat(&self) -> Option<u32> {
        self.codecs.values().flat_map(|repeats| repeats.keys().copied()).max()
    }
}

fn note(repeats: &mut BTreeMap<u32, LastAttempt>, repeat: u32, attempt: u32, outcome: Outcome) {
    let latest = repeats.entry(repeat).or_insert(LastAttempt { attempt, outcome });
    if attempt >= latest.attempt {
        *latest = LastAttempt { attempt, outcome };
    }
}

/// The next attempt; `None` if the repeat is over.
fn next_attempt(progress: Option<&LastAttempt>, retries: u32) -> Option<u32> {
    match progress {
        None => Some(0),
        Some(LastAttempt { attempt, outcome: Outcome::Invalid }) if *attempt < retries => Some(attempt + 1),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeat_is_over_when_its_trial_is_valid_or_its_attempts_are_used_up() {
        let after = |attempt, outcome| next_attempt(Some(&LastAttempt { attempt, outcome }), 2);
        assert_eq!(next_attempt(None, 2), Some(0));
        assert_eq!(after(0, Outcome::Invalid), Some(1));
        assert_eq!(after(1, Outcome::Invalid), Some(2));
        assert_eq!(after(2, Outcome::Invalid), None);
        for outcome in [Outcome::Complete, Outcome::Overloaded, Outcome::Failed] {
            assert_eq!(after(0, outcome), None);
        }
    }

    #[test]
    fn the_latest_attempt_counts_in_whatever_order_the_parts_are_read() {
        let mut known = BTreeMap::new();
        note(&mut known, 0, 1, Outcome::Complete);
        note(&mut known, 0, 0, Outcome::Invalid);
        assert_eq!(next_attempt(known.get(&0), 2), None);
    }

    #[test]
    fn what_is_not_as_it_was_is_told_with_both_values() {
        let asked = Asked {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            written: Written::default(),
            started: String::new(),
            resumed: Vec::new(),
            study: "name = \"t\"\n[load]\nmessages = 20\n".to_owned(),
            inputs: [("link lte".to_owned(), "a".to_owned())].into(),
            left_out: Vec::new(),
            notes: Vec::new(),
        };
        let machine = Environment { cpu: "x".to_owned(), load_1min: 1.0, ..Environment::default() };
        let rebooted = Environment { load_1min: 0.0, governor: "y".to_owned(), ..machine.clone() };
        assert!(asked.differences((&machine, &rebooted), (&asked.study, &asked.inputs)).is_empty());
        let other = Environment { cpu: "z".to_owned(), ..machine.clone() };
        let changed = [("link lte".to_owned(), "b".to_owned()), ("runner".to_owned(), "k".to_owned())].into();
        assert_eq!(
            asked.differences((&machine, &other), (&asked.study, &changed)),
            ["the CPU: x then, z now", "link lte: a then, b now", "runner: nothing then, k now"]
        );
        let study = "name = \"t\"\n[load]\nmessages = 21\n[limits]\nsteal = \"off\"\n";
        assert_eq!(
            asked.differences((&machine, &machine), (study, &asked.inputs)),
            [
                "`limits.steal` of the study: nothing then, \"off\" now",
                "`load.messages` of the study: 20 then, 21 now"
            ]
        );
    }
}
