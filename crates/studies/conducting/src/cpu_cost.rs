//! CPU time that goes with messages, of all complete trials of a cell together.
//!
//! The fixed cost is right on the mean of trials, and in a single one it may be far off: a timer is met by some blanks and missed by others.
//! So what goes with messages is the sum over trials of what was used and of the fixed cost, divided by the sum of messages; none of it is
//! a mean of single trials' ratios, of their reciprocals or of their logarithms. The fixed cost is thereby pooled over the cell's blanks,
//! and its error is in the interval, because each trial brings its own.
//!
//! What is told is decided for a cell, too: to drop single trials that came out low would raise the rest.

use wiredyno_model::Role;
use wiredyno_model::summary::Withheld;
use wiredyno_model::trial::{RoleUse, TrialRecord};
use wiredyno_stats::Ratio;

use crate::observe::published;

/// The CPU time of a role that goes with messages is told where half the width of the fixed cost's interval at 95 % is at most this share
/// of it.
pub const TOLD_ERROR: f64 = 0.2;

/// Messages of a trial from which on it is told: the first ones after the pause before them find cold caches and sleeping threads. By the
/// experiment of ADR 28 that is about a tenth of what 50 messages cost in Python, and two fifths of what 5 do.
pub const CPU_MESSAGES: f64 = 50.0;

/// What a metric says of a role's CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// CPU time for each message, or delivery.
    Cost,
    /// Messages, or deliveries, for each second of CPU time.
    PerCpu,
    /// What the role would have used without messages.
    Fixed,
}

/// By what CPU time is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Messages,
    Deliveries,
}

/// A metric of CPU time whose fixed cost is told apart.
#[derive(Debug, Clone, Copy)]
pub struct OfCpu {
    /// What it says.
    pub said: Said,
    role: Role,
    by: By,
}

const OF_CPU: [(&str, OfCpu); 10] = {
    use {By::*, Role::*, Said::*};
    const fn of(said: Said, role: Role, by: By) -> OfCpu {
        OfCpu { said, role, by }
    }
    [
        ("publisher_cpu_per_message", of(Cost, Publisher, Messages)),
        ("publisher_messages_per_cpu", of(PerCpu, Publisher, Messages)),
        ("publisher_fixed_cpu", of(Fixed, Publisher, Messages)),
        ("subscriber_cpu_per_delivery", of(Cost, Subscriber, Deliveries)),
        ("subscriber_deliveries_per_cpu", of(PerCpu, Subscriber, Deliveries)),
        ("subscriber_fixed_cpu", of(Fixed, Subscriber, Messages)),
        ("broker_cpu_per_message", of(Cost, Broker, Messages)),
        ("broker_cpu_per_delivery", of(Cost, Broker, Deliveries)),
        ("broker_deliveries_per_cpu", of(PerCpu, Broker, Deliveries)),
        ("broker_fixed_cpu", of(Fixed, Broker, Messages)),
    ]
};

impl OfCpu {
    /// The metric of this name; `None` for others.
    pub fn named(name: &str) -> Option<Self> {
        OF_CPU.iter().find(|(known, _)| *known == name).map(|(_, of)| *of)
    }

    /// The metrics.
    pub fn names() -> impl Iterator<Item = &'static str> {
        OF_CPU.iter().map(|(name, _)| *name)
    }

    /// What one trial gives by itself, with what its own blank says; `None` where that is more than all.
    pub fn alone(self, trial: &TrialRecord) -> Option<f64> {
        let (cpu_ns, many) = self.amounts(trial)?;
        match self.said {
            Said::Cost | Said::Fixed => Some(cpu_ns / many),
            Said::PerCpu => (cpu_ns > 0.0).then(|| many / (cpu_ns / 1e9)),
        }
    }

    fn used(self, trial: &TrialRecord) -> Option<&RoleUse> {
        match self.role {
            Role::Publisher => Some(&trial.roles.publisher),
            Role::Subscriber => Some(&trial.roles.subscriber),
            Role::Broker => trial.roles.broker.as_ref(),
        }
    }

    /// A trial's CPU time that goes with messages, and how many these are; of the fixed cost that, of one trial.
    fn amounts(self, trial: &TrialRecord) -> Option<(f64, f64)> {
        let used = self.used(trial)?;
        let many = match (self.said, self.by) {
            (Said::Fixed, _) => return Some((used.fixed_cpu_ns? as f64, 1.0)),
            (_, By::Messages) => published(trial),
            (_, By::Deliveries) => trial.delivery.delivered as f64,
        };
        (many > 0.0).then_some((used.messages_cpu_ns()?, many))
    }

    /// A trial's own value, of the fixed cost or of CPU time by messages, which stands for messages by CPU time, too: it is right on the
    /// mean of trials. `None` where its fixed cost is not known, or it has too few messages to be told at any number of trials.
    pub fn of_trial(self, trial: &TrialRecord) -> Option<f64> {
        let (cpu_ns, many) = self.amounts(trial)?;
        (self.said == Said::Fixed || published(trial) >= CPU_MESSAGES).then_some(cpu_ns / many)
    }
}

/// A metric of CPU time over trials of one cell.
pub enum CpuCost {
    /// It is told: the ratio of sums, with the repeats that it is of.
    Told(Ratio, Vec<u32>),
    /// It is withheld.
    Withheld {
        /// What is known all the same.
        known: Withheld,
        /// Messages that a trial would need at least; `None` where no number does.
        messages: Option<u64>,
    },
}

/// What trials of a cell tell of a metric; `None` where none of them knows its fixed cost.
pub fn over(trials: &[&TrialRecord], of: OfCpu) -> Option<CpuCost> {
    let known: Vec<(&TrialRecord, f64, f64)> = trials
        .iter()
        .filter_map(|trial| of.amounts(trial).map(|(cpu_ns, many)| (*trial, cpu_ns, many)))
        .collect();
    if known.is_empty() {
        return None;
    }
    let sums = Sums::of(&known, of);
    let ratio = Ratio::of(known.iter().map(|(_, cpu_ns, many)| (*cpu_ns, *many)));
    let repeats = || known.iter().map(|(trial, ..)| trial.repeat).collect();
    Some(match (of.said, ratio) {
        (Said::Fixed, Some(fixed)) if sums.error_ns <= sums.cpu_ns && sums.cpu_ns <= sums.used_ns => {
            CpuCost::Told(fixed, repeats())
        }
        (Said::Fixed, _) => {
            let most_ns = sums.most_ns();
            let bound = (sums.cpu_ns <= sums.used_ns && most_ns >= 0.0).then_some(most_ns / sums.trials);
            CpuCost::Withheld { known: Withheld { bound, ..Withheld::default() }, messages: None }
        }
        (_, Some(ratio)) if sums.is_told() => {
            CpuCost::Told(if of.said == Said::PerCpu { per_second(ratio) } else { ratio }, repeats())
        }
        _ => sums.withheld(of.said),
    })
}

/// Messages for each second, from CPU time in nanoseconds for each message.
fn per_second(cost: Ratio) -> Ratio {
    cost.scaled(1e-9).reciprocal()
}

/// Sums over trials, nanoseconds.
struct Sums {
    trials: f64,
    /// What goes with messages, or the fixed cost.
    cpu_ns: f64,
    /// What was used without the stand's own work.
    used_ns: f64,
    /// Messages, or deliveries.
    many: f64,
    /// Messages of the trial that is in the middle.
    messages: f64,
    /// Half the width of the fixed cost's interval at 95 %, its part that is the same for trials of any length, and that of a second.
    error_ns: f64,
    constant_ns: f64,
    each_s_ns: f64,
    /// Seconds of measured parts, and of sending.
    measured_s: f64,
    sending_s: f64,
}

impl Sums {
    fn of(known: &[(&TrialRecord, f64, f64)], of: OfCpu) -> Sums {
        let sum = |one: &dyn Fn(&TrialRecord) -> f64| known.iter().map(|(trial, ..)| one(trial)).sum::<f64>();
        // Blanks of different trials err independently.
        let root = |one: &dyn Fn(&TrialRecord, &RoleUse) -> f64| {
            let squares = known.iter().filter_map(|(trial, ..)| Some(one(trial, of.used(trial)?).powi(2)));
            squares.sum::<f64>().sqrt()
        };
        let error = |used: &RoleUse| used.fixed_cpu_error_ns.unwrap_or_default() as f64;
        let idle = |used: &RoleUse| used.idle_cpu_error_ns.map_or(0.0, |ns| ns as f64).min(error(used));
        let mut messages: Vec<f64> = known.iter().map(|(trial, ..)| published(trial)).collect();
        messages.sort_by(f64::total_cmp);
        let seconds = |ns: u64| ns as f64 / 1e9;
        Sums {
            trials: known.len() as f64,
            cpu_ns: known.iter().map(|(_, cpu_ns, _)| cpu_ns).sum(),
            used_ns: sum(&|trial| of.used(trial).map_or(0.0, |used| used.users_cpu_ns() as f64)),
            many: known.iter().map(|(.., many)| many).sum(),
            messages: messages[messages.len() / 2],
            error_ns: root(&|_, used| error(used)),
            constant_ns: root(&|_, used| (error(used).powi(2) - idle(used).powi(2)).max(0.0).sqrt()),
            each_s_ns: root(&|trial, used| idle(used) / seconds(trial.measured_ns).max(1e-9)),
            measured_s: sum(&|trial| seconds(trial.measured_ns)) / known.len() as f64,
            sending_s: sum(&|trial| seconds(trial.sending_ns)) / known.len() as f64,
        }
    }

    /// The most that it can be: no more than all that was used.
    fn most_ns(&self) -> f64 {
        (self.cpu_ns + self.error_ns).min(self.used_ns)
    }

    fn is_told(&self) -> bool {
        self.error_ns <= self.cpu_ns * TOLD_ERROR && self.messages >= CPU_MESSAGES
    }

    /// What is known, and what would make it known: where the cost can't be told from nothing, by the most that it can be.
    fn withheld(&self, said: Said) -> CpuCost {
        let most_ns = self.most_ns();
        let likely_ns = if self.cpu_ns > self.error_ns { self.cpu_ns } else { most_ns };
        let bound = (most_ns > 0.0 && self.messages >= CPU_MESSAGES).then_some(match said {
            Said::PerCpu => self.many / (most_ns / 1e9),
            Said::Cost | Said::Fixed => most_ns / self.many,
        });
        let messages = self.messages_needed(likely_ns);
        let rate_per_s = match messages {
            None if likely_ns > 0.0 => Some(self.rate_needed(likely_ns)),
            _ => None,
        };
        let trials = (self.messages >= CPU_MESSAGES && likely_ns > 0.0).then(|| {
            let more = (self.error_ns / (TOLD_ERROR * likely_ns)).powi(2);
            (self.trials * more.max(1.0)).ceil().min(f64::from(u32::MAX)) as u32
        });
        CpuCost::Withheld { known: Withheld { bound, rate_per_s, trials }, messages }
    }

    /// What goes with a message of each trial, where so much goes with all.
    fn each_ns(&self, cpu_ns: f64) -> f64 {
        cpu_ns / self.messages
    }

    /// Messages of a trial at this rate with which the error is small enough. It is the root of what is constant and of what grows with time,
    /// and time grows with messages: `None` where that part alone is too large.
    fn messages_needed(&self, cpu_ns: f64) -> Option<u64> {
        if cpu_ns <= 0.0 {
            return None;
        }
        let each_ns = TOLD_ERROR * self.each_ns(cpu_ns);
        let each_s = self.sending_s / self.messages;
        let rest_s = (self.measured_s - self.sending_s).max(0.0);
        let growing_ns = self.each_s_ns * each_s;
        let a = each_ns.powi(2) - growing_ns.powi(2);
        if a <= 0.0 {
            return None;
        }
        let b = self.each_s_ns.powi(2) * rest_s * each_s;
        let c = self.constant_ns.powi(2) + (self.each_s_ns * rest_s).powi(2);
        let needed = (b + (b * b + a * c).sqrt()) / a;
        Some(needed.max(CPU_MESSAGES).ceil() as u64)
    }

    /// The rate from which on a number of messages is enough.
    fn rate_needed(&self, cpu_ns: f64) -> f64 {
        self.each_s_ns / (TOLD_ERROR * self.each_ns(cpu_ns))
    }
}

#[cfg(test)]
mod tests;
