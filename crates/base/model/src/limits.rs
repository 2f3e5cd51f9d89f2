//! Limits beyond which a trial is invalid or overloaded: all in one place, each with its reason, adjustable in a study,
//! where the word `"off"` disables one.
//!
//! The defaults assume a machine that does nothing else. They are set where noise of that size would be mistaken for a
//! property of a codec or protocol, not where noise is first visible.

use std::fmt::Display;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use wiredyno_contract::{Factor, Ratio, Span};

/// The word that switches a limit off.
const OFF: &str = "off";

/// A limit, or none: written as a value, or as `"off"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit<T> {
    /// More than this is too much; exactly this is not.
    At(T),
    /// No value is too much: written `"off"`.
    Off,
}

impl<T: PartialOrd + Copy> Limit<T> {
    /// The limit that a value exceeds; `None` where it keeps the limit or there is none. A value that can't be
    /// compared (NaN) keeps every limit.
    pub fn passed_by(&self, value: T) -> Option<T> {
        match self {
            Limit::At(limit) if value > *limit => Some(*limit),
            Limit::At(_) | Limit::Off => None,
        }
    }
}

impl<T: Serialize> Serialize for Limit<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Limit::At(value) => value.serialize(serializer),
            Limit::Off => serializer.serialize_str(OFF),
        }
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Limit<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a limit: a number, a text with a unit, or \"off\"")]
        enum Written {
            Number(f64),
            Text(String),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
        };
        if text == OFF {
            return Ok(Limit::Off);
        }
        let no_limit = |error| D::Error::custom(format!("{error}, or \"off\" for no limit"));
        text.parse().map(Limit::At).map_err(no_limit)
    }
}

impl<T: JsonSchema> JsonSchema for Limit<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Limit_{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({ "description": "A limit, or \"off\"", "anyOf": [{ "const": OFF }, value] })
    }
}

/// Beyond one of these a trial enters no figure and stays in the results with its reason. If the stand is at fault the
/// trial is invalid and repeated; if the roles could not keep up with an open loop it is overloaded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Smallest step of the clock, examined before the run. A message trial's shortest times are some hundred
    /// nanoseconds, which a clock with steps beyond a microsecond can't show. Applies to every trial.
    pub timer_resolution: Limit<Span>,
    /// 99th percentile of how late a sleeping thread is woken, sampled before each trial. Publisher, link and broker
    /// all sleep until something is due; if a woken thread waits this long for a CPU, each of them adds it to the
    /// latency. Twice what the schedule and the link are allowed, because the sample lasts only 20 ms.
    pub scheduling_lateness_p99: Limit<Span>,
    /// Load average of the last minute for each CPU, before the trial. It reacts slowly: a compilation that has just ended
    /// still counts, and so do the run's own trials. So it only catches machines on which nothing can be measured: 4
    /// means that three tasks wait for each one that runs. It is divided by all CPUs of the machine, since the kernel
    /// counts the tasks of all.
    pub load_per_cpu: Limit<Factor>,
    /// How far the probe's least round trip may exceed what the link's model predicts. A link that adds this
    /// much to a lone packet is not the link of the study. A round trip below the model's is never allowed while
    /// this limit is on: then part of the link is not emulated.
    pub link_floor: Limit<Span>,
    /// 99th percentile of how late the publisher woke up. A generator that is later than this measures itself. A
    /// publisher that was busy with the previous message for longer is overloaded, if its CPU was the reason.
    pub schedule_lag_p99: Limit<Span>,
    /// Largest deviation from the intended send rate due to late wake-ups. Beyond it the offered load was another one.
    pub rate_error: Limit<Factor>,
    /// 99th percentile of the link's lateness: how much later packets left the link than the model says. A
    /// tenth of a millisecond per message is invisible beside an LTE delay, several milliseconds are not.
    pub link_lateness_p99: Limit<Span>,
    /// Packets that the hosts' transmit queues dropped before the link saw them. Counts of bytes and packets are
    /// exact or worthless, so one is too many.
    pub host_dropped_packets: Limit<u64>,
    /// Share of the time in which messages moved that the link was runnable but waited for a CPU, or that a role waited for
    /// other work or the stand, summed over threads. Waiting adds to latency, and when the link waits before it reads a
    /// packet its own lateness does not show that.
    pub run_delay: Limit<Ratio>,
    /// Utilisation of the whole machine while messages moved. Beyond it, processes waited for a CPU: if the roles' own work
    /// caused that, an open loop is overloaded; if other work did, the trial is invalid. In an open loop it is also the
    /// share of one CPU beyond which the busiest thread of a role has no time left.
    pub utilisation: Limit<Ratio>,
    /// Share of CPU time that the hypervisor gave to other machines during the trial: this machine stood still while
    /// its clock ran.
    pub steal: Limit<Ratio>,
    /// Share of a codec loop's batches that waited for a CPU for more than a twentieth of their time, in the worst loop of a
    /// codec trial. A loop's figure is its median batch: with a quarter of the batches slowed down it is still an
    /// ordinary one, the 67th percentile of the others; beyond that it drifts to their slow end. Not checked where the
    /// system reports no CPU time per thread.
    pub disturbed_batches: Limit<Ratio>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            timer_resolution: Limit::At(Span { ns: 1_000 }),
            scheduling_lateness_p99: Limit::At(Span::from_ms(10)),
            load_per_cpu: Limit::At(Factor::from_percent(400)),
            link_floor: Limit::At(Span::from_ms(5)),
            schedule_lag_p99: Limit::At(Span::from_ms(5)),
            rate_error: Limit::At(Factor::from_percent(5)),
            link_lateness_p99: Limit::At(Span::from_ms(5)),
            host_dropped_packets: Limit::At(0),
            run_delay: Limit::At(Ratio::from_percent(5)),
            utilisation: Limit::At(Ratio::from_percent(90)),
            steal: Limit::At(Ratio::from_percent(5)),
            disturbed_batches: Limit::At(Ratio::from_percent(25)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toml_text::parse_toml;

    fn read(text: &str) -> Result<Limits, String> {
        parse_toml("t.toml", text).map_err(|error| error.to_string())
    }

    #[test]
    fn limits_are_values_or_off_and_read_back_as_written() {
        let limits =
            read("rate_error = 2.5\nsteal = \"off\"\nlink_floor = \"2ms\"\nutilisation = \"95%\"").unwrap();
        assert_eq!(limits.rate_error, Limit::At(Factor::from_percent(250)));
        assert_eq!((limits.steal, limits.link_floor), (Limit::Off, Limit::At(Span::from_ms(2))));
        assert_eq!(limits.host_dropped_packets, Limits::default().host_dropped_packets);
        let text = toml::to_string(&limits).unwrap();
        assert_eq!(read(&text), Ok(limits));
        assert_eq!(read(&toml::to_string(&Limits::default()).unwrap()), Ok(Limits::default()));
    }

    #[test]
    fn what_is_no_limit_is_refused_with_what_to_write() {
        for (text, part) in [
            ("steal = 1.5", "between 0 and 1"),
            ("steal = \"none\"", "or \"off\" for no limit"),
            ("rate_error = -1", "0 or more"),
            ("link_floor = 5", "with its unit"),
            ("host_dropped_packets = 0.5", "off"),
            ("link_flor = \"5ms\"", "did you mean `link_floor`?"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_limit_is_passed_by_more_only() {
        assert_eq!(Limit::At(5).passed_by(5), None);
        assert_eq!(Limit::At(5).passed_by(6), Some(5));
        assert_eq!(Limit::Off.passed_by(u64::MAX), None);
        assert_eq!(Limit::At(1.0).passed_by(f64::NAN), None);
    }
}
