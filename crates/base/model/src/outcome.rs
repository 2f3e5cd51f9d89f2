//! The outcome of a trial. There are three reasons why a trial enters no figure, and they mean different things.
//!
//! *Invalid* is the stand's own fault: it says nothing about what was tested; the trial is repeated and hidden. *Overloaded* is a
//! result: in an open loop a role could not keep up. *Failed* is one too: what was tested broke. If several apply, the first of these
//! counts, since a disturbed trial proves neither of the others.
//!
//! One file because each reason stands beside its sentence.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use wiredyno_contract::{Phase, Span};

/// The outcome of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It ran undisturbed to its end, and enters figures.
    Complete,
    /// The stand's own fault. The only outcome that is repeated.
    Invalid,
    /// A role could not keep up with an open loop.
    Overloaded,
    /// What was tested broke, such as a connection; a result.
    Failed,
}

impl Outcome {
    /// The word used in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Complete => "complete",
            Outcome::Invalid => "invalid",
            Outcome::Overloaded => "overloaded",
            Outcome::Failed => "failed",
        }
    }
}

/// The outcome of a trial with these findings.
pub fn outcome_of(invalid: &[Invalid], overloaded: &[Overload], failed: Option<&str>) -> Outcome {
    match (invalid, overloaded, failed) {
        ([_, ..], _, _) => Outcome::Invalid,
        (_, [_, ..], _) => Outcome::Overloaded,
        (_, _, Some(_)) => Outcome::Failed,
        ([], [], None) => Outcome::Complete,
    }
}

/// A participant of a message trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Builds, encodes and sends messages.
    Publisher,
    /// Receives and decodes messages.
    Subscriber,
    /// Forwards them: a broker, a server or a relay.
    Broker,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Publisher => "publisher",
            Role::Subscriber => "subscriber",
            Role::Broker => "broker",
        })
    }
}

/// How a role could not keep up with an open loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Overload {
    /// The publisher was still busy with the previous message, and one of its threads was on a CPU nearly all the time.
    Busy {
        /// 99th percentile of how long it was still busy when a message was due.
        p99: Span,
        /// The study's `limits.schedule_lag_p99`.
        limit: Span,
        /// Share of the time of sending in which its busiest thread was on a CPU or waited for one, 0..1.
        busiest_thread: f64,
    },
    /// More and more messages were in flight, and a thread of the role was on a CPU nearly all the time.
    Backlog {
        /// The role whose thread it was.
        role: Role,
        /// Messages in flight when half of them had been sent.
        half: u64,
        /// Messages in flight when the last was sent.
        end: u64,
        /// Share of the time of sending in which its busiest thread was on a CPU or waited for one, 0..1.
        busiest_thread: f64,
    },
    /// The buffer of a socket was full, and the kernel dropped datagrams.
    Buffer {
        /// The role whose socket it was.
        role: Role,
        /// Datagrams dropped, at least 1.
        datagrams: u64,
    },
    /// The roles themselves left a machine no CPU time.
    Machine {
        /// The agent whose machine it is; absent where it is that of the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        /// Share of all CPU time in use, 0..1.
        utilisation: f64,
        /// The study's `limits.utilisation`, 0..1.
        limit: f64,
        /// The roles' share of the CPU time in use, 0..1.
        own: f64,
    },
}

impl Overload {
    /// One sentence for tables and logs.
    pub fn sentence(&self) -> String {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        match self {
            Overload::Busy { p99, limit, busiest_thread } => format!(
                "the publisher could not keep the rate: it was busy with the previous message for up to {} (p99, \
                 limit {}), its busiest thread {} of the time",
                p99.rounded(),
                limit.rounded(),
                percent(*busiest_thread)
            ),
            Overload::Backlog { role, half, end, busiest_thread } => format!(
                "the {role} could not keep the rate: {half} messages were in flight at half time, {end} at the end; \
                 its busiest thread was busy {} of the time",
                percent(*busiest_thread)
            ),
            Overload::Buffer { role, datagrams: 1 } => {
                format!("the {role} could not keep the rate: a full socket buffer dropped a datagram")
            }
            Overload::Buffer { role, datagrams } => {
                format!(
                    "the {role} could not keep the rate: a full socket buffer dropped {datagrams} datagrams"
                )
            }
            Overload::Machine { agent: Some(agent), utilisation, limit, own } => format!(
                "the roles on the agent {agent} used up its machine's CPU time: it was busy {} of the time (limit {}), {} of it \
                 with them",
                percent(*utilisation),
                percent(*limit),
                percent(*own)
            ),
            Overload::Machine { agent: None, utilisation, limit, own } => format!(
                "publisher, broker and subscriber used up the machine's CPU time: it was busy {} of the time (limit \
                 {}), {} of it with them",
                percent(*utilisation),
                percent(*limit),
                percent(*own)
            ),
        }
    }
}

/// A machine in words.
fn machine(agent: Option<&str>) -> String {
    agent.map_or_else(|| "the machine".to_owned(), |agent| format!("the machine of the agent {agent}"))
}

/// How the stand itself disturbed a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Invalid {
    /// The machine's clock has steps too coarse for the times measured.
    TimerResolution {
        /// Smallest step of the clock.
        resolution: Span,
        /// The study's `limits.timer_resolution`.
        limit: Span,
    },
    /// Before the trial, threads were woken later than requested.
    SchedulingLateness {
        /// 99th percentile of the lateness.
        p99: Span,
        /// The study's `limits.scheduling_lateness_p99`.
        limit: Span,
    },
    /// Before the trial, the machine had other work waiting.
    Load {
        /// Load average of the last minute for each CPU.
        per_cpu: f64,
        /// The study's `limits.load_per_cpu`.
        limit: f64,
    },
    /// The laid link's least round trip did not match its model.
    LinkFloor {
        /// Whether the probe after the trial found this, not the one before it.
        #[serde(default)]
        after: bool,
        /// The probe's least round trip; absent when no echo came back.
        round_trip: Option<Span>,
        /// The least that the model predicts.
        least: Span,
        /// The most that it predicts, plus the study's limit.
        most: Span,
    },
    /// The publisher woke up late.
    ScheduleLag {
        /// 99th percentile of the start of a message minus the later of its intended send and the hand-over of the previous one.
        p99: Span,
        /// The study's `limits.schedule_lag_p99`.
        limit: Span,
    },
    /// Late wake-ups moved the publisher off the intended rate.
    RateError {
        /// How far late wake-ups changed the span of sending, as a share of the intended one.
        error: f64,
        /// The study's `limits.rate_error`, as a share.
        limit: f64,
    },
    /// Packets left the link later than its model says.
    LinkLateness {
        /// 99th percentile of the lateness.
        p99: Span,
        /// The study's `limits.link_lateness_p99`.
        limit: Span,
    },
    /// A process of the stand or of a role was runnable but waited for a CPU.
    RunDelay {
        /// `link`, `publisher`, `subscriber` or `broker`.
        process: String,
        /// Share of the time in which messages moved, summed over its threads, so it can exceed 1.
        share: f64,
        /// The part of it that was due to other work or to the stand's own, to which the limit applies; absent for the link, and in
        /// old records, where the limit applied to all of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        for_others: Option<f64>,
        /// The study's `limits.run_delay`, as a share.
        limit: f64,
    },
    /// A runner could not keep up with an open loop because of the stand's own work.
    StandBusy {
        /// The role whose runner it was.
        role: Role,
        /// Share of the time of sending in which its busiest thread was on a CPU or waited for one, 0..1.
        busiest_thread: f64,
        /// The least part of it that remains without the stand's own work.
        users: f64,
    },
    /// A host's transmit queue dropped packets before the link saw them.
    HostDropped {
        /// Packets dropped during the trial.
        packets: u64,
        /// The study's `limits.host_dropped_packets`.
        #[serde(default)]
        limit: u64,
    },
    /// A machine had no CPU time to spare, most of it used by others than the trial's roles.
    Utilisation {
        /// The agent whose machine it is; absent where it is that of the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        /// Share of all CPU time in use, 0..1.
        utilisation: f64,
        /// The study's `limits.utilisation`, 0..1.
        limit: f64,
    },
    /// The hypervisor gave CPU time to other machines.
    Steal {
        /// The agent whose machine it is; absent where it is that of the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        /// Share of all CPU time, 0..1.
        steal: f64,
        /// The study's `limits.steal`, 0..1.
        limit: f64,
    },
    /// In a loop of a codec trial, too many batches waited for a CPU.
    DisturbedBatches {
        /// The loop with the largest share.
        phase: Phase,
        /// Share of its batches, 0..1.
        share: f64,
        /// The study's `limits.disturbed_batches`, 0..1.
        limit: f64,
    },
    /// The stand could not complete the trial.
    #[serde(alias = "failed")]
    NotCarriedOut {
        /// What happened and what to do.
        error: String,
    },
}

impl Invalid {
    /// The kind of disturbance, without its size, so that trials can be counted by it.
    pub fn kind(&self) -> &'static str {
        match self {
            Invalid::TimerResolution { .. } => "coarse clock",
            Invalid::SchedulingLateness { .. } => "threads woken late before the trial",
            Invalid::Load { .. } => "load before the trial",
            Invalid::LinkFloor { .. } => "link off its floor",
            Invalid::ScheduleLag { .. } | Invalid::RateError { .. } => "publisher woken late",
            Invalid::LinkLateness { .. } => "link late",
            Invalid::RunDelay { .. } => "waited for a CPU",
            Invalid::StandBusy { .. } => "limit of the stand",
            Invalid::HostDropped { .. } => "packets dropped before the link",
            Invalid::Utilisation { .. } => "machine busy with other work",
            Invalid::Steal { .. } => "CPU taken by the hypervisor",
            Invalid::DisturbedBatches { .. } => "batches waited for a CPU",
            Invalid::NotCarriedOut { .. } => "not carried out",
        }
    }

    /// One sentence for tables and logs.
    #[expect(clippy::too_many_lines, reason = "a sentence for each way in which the stand disturbs a trial")]
    pub fn sentence(&self) -> String {
        match self {
            Invalid::TimerResolution { resolution, limit } => {
                format!("the clock has steps of {} (limit {})", resolution.rounded(), limit.rounded())
            }
            Invalid::SchedulingLateness { p99, limit } => format!(
                "before the trial, sleeping threads were woken up to {} late (p99, limit {})",
                p99.rounded(),
                limit.rounded()
            ),
            Invalid::Load { per_cpu, limit } => {
                format!("before the trial, the load average was {per_cpu:.1} for each CPU (limit {limit:.1})")
            }
            Invalid::LinkFloor { round_trip: None, after, .. } => {
                format!("{} the trial, no echo came back over the link, which drops none", when(*after))
            }
            Invalid::LinkFloor { round_trip: Some(round_trip), least, most, after } => format!(
                "{} the trial, the link missed its floor: an echo took {}; the model says at least {}, at most {} \
                 with the limit",
                when(*after),
                round_trip.rounded(),
                least.rounded(),
                most.rounded()
            ),
            Invalid::ScheduleLag { p99, limit } => {
                format!("the publisher woke up to {} late (p99, limit {})", p99.rounded(), limit.rounded())
            }
            Invalid::RateError { error, limit } => {
                format!(
                    "the publisher woke up late, and its rate was off by {:.1} % (limit {:.1} %)",
                    error * 100.0,
                    limit * 100.0
                )
            }
            Invalid::LinkLateness { p99, limit } => {
                format!("packets left the link up to {} late (p99, limit {})", p99.rounded(), limit.rounded())
            }
            Invalid::RunDelay { process, share, for_others: Some(for_others), limit } => format!(
                "the {process} waited for a CPU {:.1} % of the time in which messages moved, summed over its threads, at most {:.1} % \
                 for other work or the stand (limit {:.1} %)",
                share * 100.0,
                for_others * 100.0,
                limit * 100.0
            ),
            Invalid::RunDelay { process, share, for_others: None, limit } => format!(
                "the {process} waited for a CPU {:.1} % of the time, summed over its threads (limit {:.1} %)",
                share * 100.0,
                limit * 100.0
            ),
            Invalid::StandBusy { role, busiest_thread, users } => format!(
                "limit of the stand: the {role}'s busiest thread was busy {:.0} % of the time, {:.0} % without the stand's own work \
                 (waiting, numbering, hashing, recording); request a lower rate, or set publisher_runners if it publishes",
                busiest_thread * 100.0,
                users * 100.0
            ),
            Invalid::HostDropped { packets, .. } => {
                format!("a host's transmit queue dropped {packets} packets before the link saw them")
            }
            Invalid::Utilisation { agent, utilisation, limit } => format!(
                "{} was busy {:.0} % of the time (limit {:.0} %), mostly with other work",
                machine(agent.as_deref()),
                utilisation * 100.0,
                limit * 100.0
            ),
            Invalid::Steal { agent, steal, limit } => format!(
                "the hypervisor took {:.1} % of the CPU time{} (limit {:.1} %)",
                steal * 100.0,
                agent.as_deref().map(|agent| format!(" of {}", machine(Some(agent)))).unwrap_or_default(),
                limit * 100.0
            ),
            Invalid::DisturbedBatches { phase, share, limit } => format!(
                "{:.0} % of the batches of {} waited for a CPU (limit {:.0} %)",
                share * 100.0,
                phase.name(),
                limit * 100.0
            ),
            Invalid::NotCarriedOut { error } => error.clone(),
        }
    }
}

fn when(after: bool) -> &'static str {
    if after { "after" } else { "before" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stand_s_own_fault_comes_before_overload_and_that_before_failure() {
        let invalid = [Invalid::Steal { agent: None, steal: 0.1, limit: 0.05 }];
        let overloaded = [Overload::Buffer { role: Role::Subscriber, datagrams: 3 }];
        assert_eq!(outcome_of(&[], &[], None), Outcome::Complete);
        assert_eq!(outcome_of(&[], &[], Some("reset")), Outcome::Failed);
        assert_eq!(outcome_of(&[], &overloaded, Some("reset")), Outcome::Overloaded);
        assert_eq!(outcome_of(&invalid, &overloaded, Some("reset")), Outcome::Invalid);
    }

    #[test]
    fn a_trial_of_an_older_run_that_could_not_be_carried_out_is_read() {
        let text = r#"{"reason":"failed","error":"no address"}"#;
        let read: Invalid = serde_json::from_str(text).unwrap();
        assert_eq!(read, Invalid::NotCarriedOut { error: "no address".into() });
        assert!(serde_json::to_string(&read).unwrap().contains("not-carried-out"));
    }
}
