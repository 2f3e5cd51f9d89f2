//! Limits past which a trial is invalid: all in one place, each with its reason, adjustable in a study.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::unit::{Ratio, Span};

/// Past one of these a trial does not count: it stays in the results with its reason and is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// 99th percentile of actual minus intended send. A generator that is later than this measures itself.
    pub schedule_lag_p99: Span,
    /// Largest deviation of the achieved from the intended send rate. Beyond it another load was offered.
    pub rate_error: Ratio,
    /// 99th percentile of the link's lateness: packets that left the link later than the model said. A
    /// tenth of a millisecond per message is invisible beside an LTE delay, several milliseconds are not.
    pub link_lateness_p99: Span,
    /// Utilisation of the whole machine during the trial. Past it, processes waited for a CPU.
    pub utilisation: Ratio,
    /// Share of CPU time that the hypervisor gave to others during the trial.
    pub steal: Ratio,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            schedule_lag_p99: Span::from_ms(5),
            rate_error: Ratio::from_percent(5),
            link_lateness_p99: Span::from_ms(5),
            utilisation: Ratio::from_percent(90),
            steal: Ratio::from_percent(5),
        }
    }
}
