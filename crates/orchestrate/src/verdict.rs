//! Whether a trial counts, by the study's limits. What each limit is for stands with [`Limits`].

use wiredyno_model::trial::{
    CodecTrialRecord, Invalid, LinkProbe, LinkQuality, Machine, Schedule, TrialRecord,
};
use wiredyno_model::{Factor, Limit, Limits, Ratio, Span};

/// What was found before the run and holds for all of its trials.
#[derive(Debug, Clone, Copy)]
pub struct Stand {
    /// Smallest step of the clock.
    pub timer_resolution_ns: u64,
    /// CPUs of the machine.
    pub cpus_online: u32,
}

impl Stand {
    /// Looks at this machine.
    pub fn here() -> Self {
        Stand {
            timer_resolution_ns: crate::noise::timer_resolution_ns(),
            cpus_online: crate::noise::cpus_online(),
        }
    }
}

/// Why a message trial does not count; empty for one that does.
pub fn of_message_trial(record: &TrialRecord, limits: &Limits, stand: Stand) -> Vec<Invalid> {
    let mut invalid = of_machine(&record.machine, limits, stand);
    invalid.extend(of_schedule(&record.schedule, limits));
    if let Some(link) = &record.link {
        invalid.extend(of_link(link, limits));
    }
    let utilisation = record.machine.utilisation;
    invalid.extend(
        past(limits.utilisation, Ratio::new(utilisation.clamp(0.0, 1.0)).ok())
            .map(|limit| Invalid::Utilisation { utilisation, limit: limit.get() }),
    );
    invalid
}

/// Why a codec trial does not count; empty for one that does. Where the system tells no CPU time, waiting for a CPU is not judged.
pub fn of_codec_trial(record: &CodecTrialRecord, limits: &Limits, stand: Stand) -> Vec<Invalid> {
    let mut invalid = of_machine(&record.machine, limits, stand);
    invalid.extend(record.most_disturbed().and_then(|(phase, share)| {
        let limit = past(limits.disturbed_batches, Ratio::new(share).ok())?.get();
        Some(Invalid::DisturbedBatches { phase, share, limit })
    }));
    invalid
}

/// What holds for trials of either kind: clock, scheduling, load and steal. Empty when nothing is wrong.
pub fn of_machine(machine: &Machine, limits: &Limits, stand: Stand) -> Vec<Invalid> {
    let resolution = Span { ns: stand.timer_resolution_ns };
    let p99 = Span { ns: machine.scheduling_lateness_p99_ns };
    let per_cpu = machine.load_1min / f64::from(stand.cpus_online.max(1));
    let steal = machine.steal;
    let reasons = [
        past(limits.timer_resolution, Some(resolution))
            .map(|limit| Invalid::TimerResolution { resolution, limit }),
        past(limits.scheduling_lateness_p99, Some(p99))
            .map(|limit| Invalid::SchedulingLateness { p99, limit }),
        past(limits.load_per_cpu, Factor::new(per_cpu).ok())
            .map(|limit| Invalid::Load { per_cpu, limit: limit.get() }),
        past(limits.steal, Ratio::new(steal.clamp(0.0, 1.0)).ok())
            .map(|limit| Invalid::Steal { steal, limit: limit.get() }),
    ];
    reasons.into_iter().flatten().collect()
}

fn of_schedule(schedule: &Schedule, limits: &Limits) -> Vec<Invalid> {
    let p99 = Span { ns: schedule.lag_p99_ns.max(0).unsigned_abs() };
    let error = schedule.rate_error;
    let reasons = [
        past(limits.schedule_lag_p99, Some(p99)).map(|limit| Invalid::ScheduleLag { p99, limit }),
        past(limits.rate_error, Factor::new(error).ok())
            .map(|limit| Invalid::RateError { error, limit: limit.get() }),
    ];
    reasons.into_iter().flatten().collect()
}

fn of_link(link: &LinkQuality, limits: &Limits) -> Vec<Invalid> {
    let p99 = Span { ns: link.lateness_p99_ns };
    let packets = link.host_dropped_packets;
    let reasons = [
        link.probe.and_then(|probe| of_probe(&probe, limits.link_floor)),
        past(limits.link_lateness_p99, Some(p99)).map(|limit| Invalid::LinkLateness { p99, limit }),
        past(limits.host_dropped_packets, Some(packets)).map(|limit| Invalid::HostDropped { packets, limit }),
    ];
    reasons.into_iter().flatten().collect()
}

/// The least round trip must be what the model gives, up to the limit more. On a link without loss one must be there.
fn of_probe(probe: &LinkProbe, limit: Limit<Span>) -> Option<Invalid> {
    let Limit::At(limit) = limit else { return None };
    let (least_ns, most_ns) = (probe.model_least_ns, probe.model_most_ns.saturating_add(limit.ns));
    let kept = match probe.least_ns {
        Some(round_trip_ns) => (least_ns..=most_ns).contains(&round_trip_ns),
        None => probe.lossy,
    };
    let round_trip = probe.least_ns.map(|ns| Span { ns });
    (!kept).then_some(Invalid::LinkFloor {
        round_trip,
        least: Span { ns: least_ns },
        most: Span { ns: most_ns },
    })
}

/// The limit that a value lies beyond.
fn past<T: PartialOrd + Copy>(limit: Limit<T>, value: Option<T>) -> Option<T> {
    limit.passed_by(value?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAND: Stand = Stand { timer_resolution_ns: 30, cpus_online: 2 };

    fn machine() -> Machine {
        Machine { steal: 0.04, load_1min: 7.9, scheduling_lateness_p99_ns: 60_000, ..Machine::default() }
    }

    #[test]
    fn a_machine_is_judged_by_each_of_its_readings_alone() {
        let limits = Limits::default();
        assert_eq!(of_machine(&machine(), &limits, STAND), []);
        let noisy =
            Machine { steal: 0.06, load_1min: 8.2, scheduling_lateness_p99_ns: 11_000_000, ..machine() };
        let coarse = Stand { timer_resolution_ns: 4_000_000, ..STAND };
        let sentences: Vec<String> =
            of_machine(&noisy, &limits, coarse).iter().map(Invalid::sentence).collect();
        assert_eq!(
            sentences,
            [
                "the clock has steps of 4 ms (limit 1 us)",
                "before the trial, sleeping threads were woken up to 11 ms late (p99, limit 10 ms)",
                "before the trial, the load average was 4.1 for each CPU (limit 4.0)",
                "the hypervisor took 6.0 % of the CPU time (limit 5.0 %)",
            ]
        );
        let off = Limits {
            timer_resolution: Limit::Off,
            scheduling_lateness_p99: Limit::Off,
            load_per_cpu: Limit::Off,
            steal: Limit::Off,
            ..limits
        };
        assert_eq!(of_machine(&noisy, &off, coarse), []);
    }

    #[test]
    fn a_codec_trial_whose_batches_waited_for_a_cpu_does_not_count() {
        let codec = |waited, cpu| of_codec_trial(&batches(waited, cpu), &Limits::default(), STAND);
        assert_eq!(codec(25, true), []);
        let [invalid] = codec(26, true).try_into().unwrap();
        assert_eq!(invalid.sentence(), "26 % of the batches of encode waited for a CPU (limit 25 %)");
        assert_eq!(codec(100, false), [], "without CPU time nothing is judged");
        let off = Limits { disturbed_batches: Limit::Off, ..Limits::default() };
        assert_eq!(of_codec_trial(&batches(100, true), &off, STAND), []);
    }

    /// A codec trial with a loop of a hundred batches, of which some waited for a CPU.
    fn batches(waited: usize, cpu: bool) -> CodecTrialRecord {
        let batch = |place| {
            let elapsed_ns = if place < waited { 3_000_000 } else { 2_000_000 };
            serde_json::json!({
                "elapsed_ns": elapsed_ns, "iterations": 10, "cpu_ns": cpu.then_some(2_000_000)
            })
        };
        let batches: Vec<_> = (0..100).map(batch).collect();
        serde_json::from_value(serde_json::json!({
            "trial": 0, "cell": { "payload": "small", "codec": "json/serde-json" }, "repeat": 0, "invalid": [],
            "body_bytes": [20], "machine": machine(), "phases": [{
                "phase": "encode", "buffer": "reused", "batches": batches, "timer_overhead_ns": 20.0,
                "allocations": null, "stack_bytes": null
            }]
        }))
        .unwrap()
    }

    #[test]
    fn a_rate_may_be_off_by_more_than_all_of_it_where_the_study_says_so() {
        let schedule = Schedule { rate_error: 1.4, lag_p99_ns: -5, ..Schedule::default() };
        let with = |rate_error| of_schedule(&schedule, &Limits { rate_error, ..Limits::default() });
        assert!(matches!(with(Limit::At(Factor::from_percent(100)))[..], [Invalid::RateError { .. }]));
        assert_eq!(with(Limit::At(Factor::from_percent(150))), []);
        assert_eq!(with(Limit::Off), []);
    }

    #[test]
    fn a_link_below_its_floor_is_as_wrong_as_one_far_above() {
        let limit = Limit::At(Span::from_ms(5));
        let probe = |least_ns: Option<u64>, lossy| LinkProbe {
            sent: 5,
            answered: u32::from(least_ns.is_some()),
            least_ns,
            model_least_ns: 70_000_000,
            model_most_ns: 70_000_000,
            lossy,
        };
        let missed = |least_ns, lossy| of_probe(&probe(least_ns, lossy), limit).is_some();
        assert!(!missed(Some(70_000_000), false) && !missed(Some(75_000_000), false));
        assert!(missed(Some(69_999_999), false) && missed(Some(75_000_001), false));
        assert!(missed(None, false), "nothing came back over a link that loses nothing");
        assert!(!missed(None, true));
        assert_eq!(of_probe(&probe(Some(1), false), Limit::Off), None);
        let sentence = of_probe(&probe(Some(1_000_000), false), limit).unwrap().sentence();
        assert!(sentence.contains("took 1 ms, its model at least 70 ms, at most 75 ms"), "{sentence}");
    }

    #[test]
    fn a_dropped_packet_makes_counts_incomplete() {
        let link = LinkQuality { host_dropped_packets: 1, ..LinkQuality::default() };
        assert!(matches!(of_link(&link, &Limits::default())[..], [Invalid::HostDropped { packets: 1, .. }]));
    }
}
