//! CPU time that depends on messages, of all complete trials of a cell together.
//!
//! The fixed cost is correct on the mean of trials, but in a single one it may be far off: a timer fires in some blanks and not in others.
//! So the message-dependent cost is the sum over trials of what was used less the fixed cost, divided by the sum of messages; none of it is
//! a mean of single trials' ratios, of their reciprocals or of their logarithms. The fixed cost is thereby pooled over the cell's blanks,
//! and its error is in the interval, because each trial contributes its own.
//!
//! Whether a value is reported is decided per cell, too: dropping single trials with low values would raise the rest.

use wiredyno_model::Role;
use wiredyno_model::summary::Withheld;
use wiredyno_model::trial::{RoleUse, TrialRecord};
use wiredyno_stats::Ratio;

use crate::messages::published;

/// The message-dependent CPU time of a role is reported if half the width of the fixed cost's interval at 95 % is at most this share
/// of it.
pub const TOLD_ERROR: f64 = 0.2;

/// Messages of a trial from which on it is reported: the first ones after the pause before them meet cold caches and sleeping threads. By the
/// experiment of ADR 28 that is about a tenth of what 50 messages cost in Python, and two fifths of what 5 do.
pub const CPU_MESSAGES: f64 = 50.0;

/// What a metric states about a role's CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// CPU time for each message, or delivery.
    Cost,
    /// Messages, or deliveries, for each second of CPU time.
    PerCpu,
    /// What the role would have used without messages.
    Fixed,
}

/// The divisor of CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Messages,
    Deliveries,
}

/// A metric of CPU time with the fixed cost separated.
#[derive(Debug, Clone, Copy)]
pub struct OfCpu {
    /// The kind of value, such as cost or its reciprocal.
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
    /// The metric with this name; `None` for others.
    pub fn named(name: &str) -> Option<Self> {
        OF_CPU.iter().find(|(known, _)| *known == name).map(|(_, of)| *of)
    }

    /// The names of all metrics of CPU time.
    pub fn names() -> impl Iterator<Item = &'static str> {
        OF_CPU.iter().map(|(name, _)| *name)
    }

    /// The value of a single trial, using its own blank; `None` if that is unknown, or if a rate would be negative.
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

    /// A trial's message-dependent CPU time and its number of messages; for the fixed cost that cost, of one trial.
    fn amounts(self, trial: &TrialRecord) -> Option<(f64, f64)> {
        let used = self.used(trial)?;
        let many = match (self.said, self.by) {
            (Said::Fixed, _) => return Some((used.fixed_cpu_ns? as f64, 1.0)),
            (_, By::Messages) => published(trial),
            (_, By::Deliveries) => trial.delivery.delivered as f64,
        };
        (many > 0.0).then_some((used.messages_cpu_ns()?, many))
    }

    /// A trial's own value: of the fixed cost, or of CPU time per message, which also represents messages per CPU time, because it is correct
    /// on the mean of trials. `None` if its fixed cost is unknown, or it has too few messages to be reported at any number of trials.
    pub fn of_trial(self, trial: &TrialRecord) -> Option<f64> {
        let (cpu_ns, many) = self.amounts(trial)?;
        (self.said == Said::Fixed || published(trial) >= CPU_MESSAGES).then_some(cpu_ns / many)
    }
}

/// A metric of CPU time over trials of one cell.
pub enum CpuCost {
    /// The value: a ratio of sums, with the repeats that it covers.
    Told(Ratio, Vec<u32>),
    /// The value is withheld: its interval is too wide, or trials have too few messages.
    Withheld {
        /// What is known nevertheless, such as a bound.
        known: Withheld,
        /// The least number of messages that a trial would need; `None` if no number suffices.
        messages: Option<u64>,
    },
}

/// The value of a metric over trials of a cell; `None` if the fixed cost is unknown in all of them.
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

/// Messages per second, from CPU time in nanoseconds per message.
fn per_second(cost: Ratio) -> Ratio {
    cost.scaled(1e-9).reciprocal()
}

/// Sums over trials, in nanoseconds.
struct Sums {
    trials: f64,
    /// The message-dependent part, or the fixed cost.
    cpu_ns: f64,
    /// Total use without the stand's own work.
    used_ns: f64,
    /// Messages, or deliveries for metrics of deliveries.
    many: f64,
    /// Messages of the median trial.
    messages: f64,
    /// Half the width of the fixed cost's interval at 95 %, its part that is the same for trials of any length, and its part per second.
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
        // The errors of different trials' blanks are independent.
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

    /// The upper bound of the cost: the cost and its error, but no more than the total use.
    fn most_ns(&self) -> f64 {
        (self.cpu_ns + self.error_ns).min(self.used_ns)
    }

    fn is_told(&self) -> bool {
        self.error_ns <= self.cpu_ns * TOLD_ERROR && self.messages >= CPU_MESSAGES
    }

    /// What is known, and what would make the value known; if the cost can't be distinguished from zero, by its upper bound.
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

    /// What one more message in every trial costs, if all messages together cost `cpu_ns`.
    fn each_ns(&self, cpu_ns: f64) -> f64 {
        cpu_ns / self.messages
    }

    /// How many messages of a trial at this rate make the error small enough. The error is the root of the sum of squares
    /// of a constant part and of a part that grows with time, and time grows with messages: `None` if the second part alone is too large.
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
