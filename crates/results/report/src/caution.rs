//! What a reader should know before trusting the numbers, and what theory predicts about the loss. One file because it is a list of
//! cautions in one order.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use wiredyno_contract::{Capability, ModeId, RUST, Security, TransportDescription, TransportSetting};
use wiredyno_model::summary::{CellSummary, Metric, Outcomes, Summary};
use wiredyno_model::{Limit, Outcome};
use wiredyno_stats::dependence::dependence;
use wiredyno_stats::{Interval, Level, MIN_TRIALS_FOR_INTERVAL, Proportion};

use crate::metric::{Scope, describe};
use crate::sentence::{Sentence, listed};
use crate::{quantity, stopping};

/// Above this utilisation the machine itself may affect the figures, though no trial reached its limit.
const HIGH_UTILISATION: f64 = 0.7;

/// A body that certainly fits one packet of an Ethernet-sized link (1500 bytes) with any header used here.
const ONE_PACKET_BODY_BYTES: f64 = 1_400.0;

/// All cautions, most important first.
pub fn cautions(summary: &Summary) -> Vec<Sentence> {
    let mut out = Vec::new();
    if !summary.run.complete {
        out.push(
            Sentence::default()
                .strong("The run was interrupted")
                .then(": these are the trials it finished. They are kept in its folder; `wiredyno run --resume` runs the rest."),
        );
    }
    out.extend(clocks(summary));
    out.extend(dropped(summary));
    out.extend(own_pace(summary));
    out.extend(outcomes(summary));
    out.extend(cold(summary));
    out.extend(no_interval(summary));
    out.extend(too_few_messages(summary));
    out.extend(sent_by_the_clock(summary));
    out.extend(broker_labels(summary));
    out.extend(hops(summary));
    out.extend(not_run(summary));
    out.extend(unsteady(summary));
    out.extend(utilisation(summary));
    out.extend(shared(summary));
    out.extend(governor(summary));
    out.extend(load(summary));
    out.extend(stopping::caution(summary));
    out.extend(summary.notes.iter().map(Sentence::plain));
    out.extend(observed_against_model(summary));
    out.extend(missing_figures(summary));
    out
}

/// Latencies from one machine to another, known only as well as the clocks of the two.
fn clocks(summary: &Summary) -> Option<Sentence> {
    let bounds: Vec<u64> = summary.cells.iter().filter_map(|cell| cell.clock_bound_ns).collect();
    let (least, most) = (bounds.iter().min()?, bounds.iter().max()?);
    let of = |ns: &u64| quantity::quantity(*ns as f64, "ns");
    let within = if least == most { of(most) } else { format!("{} to {}", of(least), of(most)) };
    Some(
        Sentence::default()
            .strong(format!("Publisher and subscriber read two clocks in {} combinations", bounds.len()))
            .then(format!(
                ": their latencies are known within {within}, either way, whatever the number of messages. What this may have made up is called not decided, in effects, thresholds and recommendations; shares of late messages and tables don't take it into account."
            )),
    )
}

/// The study's own settings, for a study that was run with `--fast`.
fn own_pace(summary: &Summary) -> Option<Sentence> {
    let study = &summary.study;
    let changed = study.own_pace.iter().filter_map(|(key, own)| {
        let fast = study.fast.get(key)?;
        let own = if own.is_empty() { "the default" } else { own };
        Some(format!("{key} is {fast} instead of {own}"))
    });
    let changed: Vec<String> = changed.collect();
    (!changed.is_empty()).then(|| {
        Sentence::default()
            .strong("Run with --fast, not with the study's own settings")
            .then(format!(": {}.", changed.join("; ")))
    })
}

/// What would determine a withheld metric, over the combinations in which it is withheld: the most of each.
#[derive(Default)]
struct Lacking {
    cells: usize,
    messages: Option<u64>,
    rate_per_s: Option<f64>,
    trials: Option<u32>,
}

/// Metrics that are withheld because what processes take without messages hides them, with what would help.
fn too_few_messages(summary: &Summary) -> Vec<Sentence> {
    let mut withheld: BTreeMap<&str, Lacking> = BTreeMap::new();
    for cell in &summary.cells {
        let names = cell.withheld.keys().chain(cell.needs_messages.keys());
        // A fixed cost is itself what processes take without messages.
        let of_messages = |name: &&String| !describe(Scope::Message, name).without_messages;
        for name in names.filter(of_messages).collect::<BTreeSet<_>>() {
            let known = cell.withheld.get(name).copied().unwrap_or_default();
            let of = withheld.entry(name).or_default();
            of.cells += 1;
            of.messages = of.messages.max(cell.needs_messages.get(name).copied());
            of.rate_per_s = [of.rate_per_s, known.rate_per_s].into_iter().flatten().reduce(f64::max);
            of.trials = of.trials.max(known.trials);
        }
    }
    let all = summary.cells.len();
    let told = withheld.into_iter().map(|(name, lacking)| {
        let cells =
            if lacking.cells == all { "all".to_owned() } else { format!("{} of {all}", lacking.cells) };
        let title = describe(Scope::Message, name).title;
        let why = "what processes take without messages hides it";
        Sentence::plain(format!("{title} is withheld in {cells} combinations: {why}.{}", lacking.remedy()))
    });
    told.collect()
}

impl Lacking {
    fn remedy(&self) -> String {
        let trials =
            self.trials.map(|trials| format!(", or {} trials like these", quantity::count(trials.into())));
        let or_trials = trials.unwrap_or_default();
        match (self.messages, self.rate_per_s) {
            (None, None) => String::new(),
            (Some(messages), None) => {
                format!(" It takes at least {} messages a trial{or_trials}.", quantity::count(messages))
            }
            (messages, Some(rate)) => {
                let rate = quantity::quantity(rate, "per_s");
                let where_messages = messages.map(|messages| {
                    format!("; where messages are fast enough, {} of them a trial", quantity::count(messages))
                });
                format!(
                    " At so slow a rate no number of messages is enough: it takes at least {rate}{or_trials}{}.",
                    where_messages.unwrap_or_default()
                )
            }
        }
    }
}

/// From this share of the bytes per message on, keep-alives are mentioned.
const KEEP_ALIVE: f64 = 0.05;

/// Combinations whose bytes per message include keep-alives: at another rate of messages their part is different.
fn sent_by_the_clock(summary: &Summary) -> Option<Sentence> {
    let share = |cell: &CellSummary| {
        let mean = |name: &str| cell.metrics.get(name).map(|metric| metric.mean);
        Some((cell.axes.to_string(), mean("keep_alive_wire")? / mean("wire_per_message")?))
    };
    let of_cells = || summary.cells.iter().filter_map(share).filter(|(_, share)| *share >= KEEP_ALIVE);
    let most = of_cells().max_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(cell, most)| {
        let others = match of_cells().count() {
            1 => String::new(),
            several => format!(", and at least {} in {} more", quantity::percent(KEEP_ALIVE), several - 1),
        };
        format!(
            " In {cell}, {} are keep-alives and empty answers to fetches{others}.",
            quantity::quantity(most, "ratio")
        )
    });
    // A cell whose frames can't be read has bytes per message, but no classes.
    let is_unread = |cell: &&CellSummary| {
        let client = cell.axes.mode.transport(&summary.transports_described);
        let encrypts = client.is_some_and(|client| client.capabilities.contains(&Capability::Encrypted));
        let secured = cell.axes.security.is_some_and(|security| security != Security::None);
        let has = |name: &str| cell.metrics.contains_key(name);
        (encrypts || secured) && has("wire_per_message") && !has("message_wire")
    };
    let unread = summary.cells.iter().filter(is_unread).count();
    let unread = (unread > 0).then(|| {
        let of = if unread == 1 { "one combination".to_owned() } else { format!("{unread} combinations") };
        format!(
            " In {of}, frames can't be read: keep-alives are not distinguished there, and may explain differences in bytes."
        )
    });
    if most.is_none() && unread.is_none() {
        return None;
    }
    let told = [most, unread].into_iter().flatten().collect::<String>();
    Some(Sentence::default().strong("Bytes per message include what is sent by the clock").then(format!(
        ":{told} The slower the messages, the more of them there are per message (`keep_alive_wire`)."
    )))
}

/// Below this probability, invalid trials are reported as not spread by chance: 5 % for message and codec trials together.
const BY_CHANCE: f64 = 0.025;

/// The combinations that invalid trials concentrate on, if their spread depends on the combination: the remaining trials are then a
/// selection.
pub(crate) fn dropped(summary: &Summary) -> Vec<Sentence> {
    let cells = summary.cells.iter().map(first_attempts);
    let codecs =
        summary.codecs.iter().map(|codec| (codec.axes.to_string(), codec.outcomes.invalid, codec.trials));
    [cells.collect::<Vec<_>>(), codecs.collect()].iter().filter_map(|trials| dropped_of(trials)).collect()
}

/// A combination with its invalid first attempts and all first attempts: a repeated attempt follows soon after the one before, and shares
/// its disturbance.
fn first_attempts(cell: &CellSummary) -> (String, u32, u32) {
    let mut first: BTreeMap<u32, Outcome> = BTreeMap::new();
    for trial in &cell.made {
        first.entry(trial.repeat).or_insert(trial.outcome);
    }
    let invalid = first.values().filter(|outcome| **outcome == Outcome::Invalid).count();
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    (cell.axes.to_string(), count(invalid), count(first.len()))
}

/// For trials of one kind: each combination, its invalid trials and all of them.
fn dropped_of(trials: &[(String, u32, u32)]) -> Option<Sentence> {
    let counts: Vec<(u64, u64)> =
        trials.iter().map(|(_, invalid, all)| (u64::from(*invalid), u64::from(*all))).collect();
    let p = dependence(&counts, 0).filter(|p| *p < BY_CHANCE)?;
    let share = |(_, invalid, all): &&(String, u32, u32)| f64::from(*invalid) / f64::from((*all).max(1));
    let mut most: Vec<_> = trials.iter().filter(|(_, invalid, _)| *invalid > 0).collect();
    most.sort_by(|one, other| share(other).total_cmp(&share(one)));
    let most = most.iter().take(3).map(|(what, invalid, all)| format!("{invalid} of {all} of {what}"));
    Some(
        Sentence::default().strong("Which trials were dropped depends on the combination").then(format!(
            ": most affected are {} (p = {p:.4} for such a spread by chance; permutation test). Their other trials are not a random \
             sample. Run them again on a quiet machine; \"Left out\" has the reasons.",
            listed(&most.collect::<Vec<_>>())
        )),
    )
}

/// Trials that are not complete, outcome by outcome.
fn outcomes(summary: &Summary) -> Vec<Sentence> {
    let all = summary.cells.iter().map(|cell| (cell.outcomes, cell.trials));
    let all = all.chain(summary.codecs.iter().map(|codec| (codec.outcomes, codec.trials)));
    let (mut sums, mut trials) = (Outcomes::default(), 0);
    for (outcomes, of) in all {
        trials += of;
        sums.overloaded += outcomes.overloaded;
        sums.failed += outcomes.failed;
        sums.invalid += outcomes.invalid;
    }
    let told = [
        (
            sums.overloaded,
            "overloaded",
            ": a role could not keep up with the load. Their latency is in no figure;",
        ),
        (sums.failed, "failed", ": what was tested broke. They are in no figure;"),
        (sums.invalid, "invalid", ", the stand's own fault. They are in no figure;"),
    ];
    let told = told.into_iter().filter(|(count, ..)| *count > 0).map(|(count, outcome, what)| {
        let place = if outcome == "invalid" { "Left out" } else { "Overloaded and failed" };
        let verb = if count == 1 { "is" } else { "are" };
        Sentence::default()
            .strong(format!("{count} of {trials} trials {verb} {outcome}"))
            .then(format!("{what} reasons are under \"{place}\"."))
    });
    told.collect()
}

/// A change of latency over a trial that is reported, as a share.
const TREND: f64 = 0.1;
/// A growth of memory over a trial that is reported, as a share of the role's largest.
const GROWTH: f64 = 0.05;

/// Combinations that were not in a steady state: their latency, or a role's memory, differs between the beginning and the end of a trial,
/// in all trials taken together.
fn unsteady(summary: &Summary) -> Vec<Sentence> {
    let sure = |metric: &Metric| metric.interval_95.filter(|[low, high]| *low > 0.0 || *high < 0.0);
    let mut out = Vec::new();
    for cell in &summary.cells {
        if let Some(trend) = cell.metrics.get("latency_trend").filter(|trend| trend.mean.abs() >= TREND)
            && let Some(interval) = sure(trend)
        {
            let verb = if trend.mean > 0.0 { "rises" } else { "falls" };
            out.push(Sentence::default().strong(format!("{} is not steady", cell.axes)).then(format!(
                ": its latency {verb} by {} from the first third of a trial to the last. Longer trials would \
                 give other figures.{}",
                quantity::with_interval(trend.mean.abs(), Some(ascending(interval.map(f64::abs))), "ratio"),
                limit_of(summary, cell).filter(|_| trend.mean > 0.0).unwrap_or_default()
            )));
        }
        for role in ["publisher", "subscriber", "broker"] {
            let growth = cell.metrics.get(&format!("{role}_memory_growth"));
            let most = cell.metrics.get(&format!("{role}_memory"));
            let Some((growth, most)) = growth.zip(most) else { continue };
            let Some(interval) = sure(growth).filter(|_| growth.mean > GROWTH * most.mean) else { continue };
            out.push(Sentence::default().strong(format!("{}: the {role}'s memory grows", cell.axes)).then(
                format!(" by {} in a trial.", quantity::with_interval(growth.mean, Some(interval), "bytes")),
            ));
        }
    }
    let untold = out.len().saturating_sub(UNSTEADY);
    if untold > 0 {
        out.truncate(UNSTEADY);
        out.push(Sentence::plain(format!(
            "{untold} more are not steady: see `latency_trend` and `..._memory_growth` in summary.json."
        )));
    }
    out
}

/// What a cell's mode promises, if its latency rises over a trial: the limit may be the protocol's own.
fn limit_of(summary: &Summary, cell: &CellSummary) -> Option<String> {
    let mode = &cell.axes.mode;
    let transport = mode.transport(&summary.transports_described)?;
    // If a mode retransmits, messages queued behind a retransmission wait, too.
    let is_it = |setting: &&TransportSetting| Some(&setting.name) == mode.setting.as_ref();
    let setting = transport.settings.iter().find(is_it).filter(|setting| setting.repeats_option.is_some())?;
    Some(format!(" What {mode} promises may be why: {}.", setting.about))
}

/// Combinations without a steady state that are named; the others are counted.
const UNSTEADY: usize = 4;

fn ascending([one, other]: [f64; 2]) -> [f64; 2] {
    [one.min(other), one.max(other)]
}

/// Fewer warm-up messages than this leave a language that compiles while it runs uncompiled.
const WARM: u32 = 5_000;

/// Languages whose messages are compared although one may not have compiled anything yet.
fn cold(summary: &Summary) -> Option<Sentence> {
    let load = summary.study.load.as_ref()?;
    let language = |cell: &CellSummary| {
        let described = summary.codecs_described.iter().find(|described| described.id == cell.axes.codec);
        described.map_or(RUST, |described| described.language()).to_owned()
    };
    let languages: BTreeSet<String> = summary.cells.iter().map(language).collect();
    // With the axis, the figures themselves show what warming up changes.
    if languages.len() < 2 || load.warmup >= WARM || !summary.study.axes.warmup.is_empty() {
        return None;
    }
    let languages: Vec<String> = languages.into_iter().collect();
    Some(Sentence::default().strong("Messages were sent by programs that had just started").then(format!(
        ": each trial of {} begins after {} warm-up messages, when a language that compiles while it runs has hardly begun to. \
         With the axis `warmup` a study compares them cold and warm.",
        listed(&languages),
        load.warmup
    )))
}

fn no_interval(summary: &Summary) -> Option<Sentence> {
    let enough = MIN_TRIALS_FOR_INTERVAL as u32;
    let cells =
        summary.cells.iter().filter(|cell| cell.valid_trials < enough).map(|cell| cell.axes.to_string());
    let codecs =
        summary.codecs.iter().filter(|codec| codec.valid_trials < enough).map(|codec| codec.axes.to_string());
    let few: Vec<String> = cells.chain(codecs).collect();
    let which = match few.as_slice() {
        [] => return None,
        few if few.len() > 3 => format!("{} combinations have", few.len()),
        [one] => format!("{one} has"),
        few => format!("{} have", listed(few)),
    };
    Some(Sentence::default().strong("No interval").then(format!(
        " with fewer than {enough} complete trials: {which} fewer, so no order is claimed there."
    )))
}

/// Figures of codec trials that could not be obtained, each reason once.
fn missing_figures(summary: &Summary) -> Vec<Sentence> {
    let mut seen = Vec::new();
    for missing in summary.codecs.iter().flat_map(|codec| &codec.missing) {
        if !seen.contains(&missing) {
            seen.push(missing);
        }
    }
    let sentence = |missing: &&wiredyno_contract::Missing| {
        let of: Vec<String> = summary
            .codecs
            .iter()
            .filter(|codec| codec.missing.contains(missing))
            .map(|codec| codec.axes.coding())
            .collect();
        let whose = if of.len() == summary.codecs.len() {
            "all codec trials".to_owned()
        } else {
            format!("{} codec trials", of.len())
        };
        Sentence::plain("Codec trials without ")
            .strong(&missing.what)
            .then(format!(" ({whose}): {}.", missing.why))
    };
    seen.iter().map(sentence).collect()
}

fn broker_labels(summary: &Summary) -> Vec<Sentence> {
    let mut seen = Vec::new();
    for broker in summary.cells.iter().filter_map(|cell| cell.broker.as_ref()) {
        if !broker.label.is_empty() && !seen.contains(&broker) {
            seen.push(broker);
        }
    }
    let sentence = |broker: &&wiredyno_model::trial::BrokerUsed| {
        Sentence::plain("The broker ")
            .strong(format!("{} {}", broker.id, broker.version))
            .then(format!(" is labelled: {}.", broker.label))
    };
    seen.iter().map(sentence).collect()
}

/// A caution for runs in which messages of some combinations make one hop, and those of others two.
fn hops(summary: &Summary) -> Option<Sentence> {
    if !summary.mixes_hops() {
        return None;
    }
    let mut modes: Vec<String> = Vec::new();
    for cell in summary.cells.iter().filter(|cell| cell.hops() == Some(1)) {
        let mode = cell.axes.mode.to_string();
        if !modes.contains(&mode) {
            modes.push(mode);
        }
    }
    Some(Sentence::default().strong("One hop and two hops").then(format!(
        ": messages of {} go directly from the publisher to the subscriber, all others through a broker or relay. One hop crosses \
         the link once, two mostly twice, and latency, bytes and loss count each crossing. So no answer compares the two or ranks them together (column \"hops\").",
        listed(&modes)
    )))
}

fn not_run(summary: &Summary) -> Option<Sentence> {
    let count = summary.not_run.len();
    (count > 0).then(|| {
        let noun = if count == 1 { "combination" } else { "combinations" };
        Sentence::default()
            .strong(format!("{count} {noun}"))
            .then(" could not be run; \"Left out\" says why.")
    })
}

pub(crate) fn utilisation(summary: &Summary) -> Option<Sentence> {
    let busy = summary.run.utilisation;
    let remedy = match summary.run.lanes {
        0 | 1 => "Send less, or use a machine with more CPUs, to find out.",
        _ => "Use fewer lanes to find out.",
    };
    (busy > HIGH_UTILISATION).then(|| {
        Sentence::default()
            .strong(format!("The machine was busy {:.0} % of the time", busy * 100.0))
            .then(format!(" during message trials: times may include waiting for a CPU. {remedy}"))
    })
}

/// Combinations whose own roles had too few CPUs.
fn shared(summary: &Summary) -> Option<Sentence> {
    let Limit::At(limit) = summary.study.limits.run_delay else { return None };
    let waited = |cell: &&CellSummary| {
        cell.metrics.get("roles_run_delay").is_some_and(|waited| waited.mean > limit.get())
    };
    let count = summary.cells.iter().filter(waited).count();
    (count > 0).then(|| {
        let noun = if count == 1 { "combination" } else { "combinations" };
        Sentence::plain("In ")
            .strong(format!("{count} {noun}"))
            .then(format!(
                " publisher, broker or subscriber waited for a CPU more than {} of the time, summed over its threads: mostly for one \
                 another where trials are valid. Latency includes that wait, which more CPUs would shorten.",
                quantity::percent(limit.get())
            ))
    })
}

/// Any other governor may change the frequency during a trial.
fn governor(summary: &Summary) -> Option<Sentence> {
    let governor = &summary.environment.governor;
    let steady = ["performance", "unknown", ""].contains(&governor.as_str());
    (!steady).then(|| {
        Sentence::default()
            .strong(format!("The frequency governor is {governor}"))
            .then(": the CPU's frequency, and CPU times with it, may follow the load; `performance` keeps it constant.")
    })
}

fn load(summary: &Summary) -> Option<Sentence> {
    let machine = &summary.environment;
    let busy = machine.load_1min > f64::from(machine.cpus_online.max(machine.cpus).max(1));
    busy.then(|| {
        Sentence::default()
            .strong(format!("The load average was {:.1} before the run", machine.load_1min))
            .then(format!(
                " on {} CPUs: other programs were using this machine.",
                machine.cpus_online.max(machine.cpus)
            ))
    })
}

/// Compares the loss of modes that send each message as one datagram with the prediction of independent loss. A leg loses a message if it
/// loses every sending of it, so `1 - (1 - p^sendings)^legs`; with one sending, if the protocol repeats nothing, it is `1 - (1 - p)^legs`.
/// A lost acknowledgement causes a repeat but loses nothing. Cells are pooled by mode, loss and sendings.
///
/// Limits: the model leaves out a repeat that comes after the drain, and an observer that a server forgot.
pub fn observed_against_model(summary: &Summary) -> Vec<Sentence> {
    let mut pools: Vec<Pool> = Vec::new();
    for cell in &summary.cells {
        let Some(sendings) = sendings(summary, cell) else { continue };
        let legs = summary.hosts_of(&cell.axes).hops();
        // If only one direction loses by the axis, the other's share is not in the summary.
        if summary.one_way_loss.contains(&cell.axes.link) || legs == 0 {
            continue;
        }
        let Some(loss) = cell.axes.loss.map(|loss| loss.get()).filter(|&loss| loss > 0.0) else {
            continue;
        };
        let is_it = |pool: &Pool| {
            pool.mode == cell.axes.mode && pool.loss == loss && pool.sendings == sendings && pool.legs == legs
        };
        let place = pools.iter().position(is_it);
        let place = place.unwrap_or_else(|| {
            pools.push(Pool { mode: cell.axes.mode.clone(), loss, legs, sendings, sent: 0, lost: 0 });
            pools.len() - 1
        });
        pools[place].sent += cell.delivery.sent;
        pools[place].lost += cell.delivery.lost;
    }
    pools.retain(|pool| pool.sent > 0);
    let sentence = |pool: &Pool| {
        let once = |other: &&Pool| {
            let alike = other.mode.protocol == pool.mode.protocol && other.loss == pool.loss;
            alike && other.legs == pool.legs && other.sendings == 1
        };
        let beside = if pool.sendings > 1 { pools.iter().find(once) } else { None };
        match beside {
            Some(once) => pool.sentence().then(pool.against(once)),
            None => pool.sentence(),
        }
    };
    pools.iter().map(sentence).collect()
}

/// Messages of one mode under one loss.
struct Pool {
    mode: ModeId,
    loss: f64,
    /// Number of times that a message crosses the link on its way.
    legs: u32,
    /// Most sendings of a message on each leg.
    sendings: u32,
    sent: u64,
    lost: u64,
}

impl Pool {
    fn observed(&self) -> f64 {
        self.lost as f64 / self.sent as f64
    }

    fn interval(&self) -> Option<Interval> {
        Proportion::new(self.lost, self.sent).ok().map(|lost| lost.clopper_pearson(Level::P99))
    }

    fn model(&self) -> f64 {
        let lost_on_a_leg = self.loss.powf(self.sendings.into());
        1.0 - (1.0 - lost_on_a_leg).powf(self.legs.into())
    }

    fn sentence(&self) -> Sentence {
        let (model, legs) = (self.model(), self.legs);
        let interval = self.interval();
        let verdict = match interval {
            Some(interval) if interval.contains(model) => ", which lies inside.",
            Some(interval) if self.sendings > 1 && interval.low > model => {
                ", which lies OUTSIDE: messages still queued or due for retransmission when the drain ended are lost too."
            }
            Some(_) => ", which lies OUTSIDE.",
            None => ".",
        };
        let ends = interval.map(|interval| quantity::ends([interval.low, interval.high], "ratio"));
        let repeated = match self.sendings {
            1 => String::new(),
            sendings => format!("each sent up to {sendings} times, "),
        };
        Sentence::default()
            .strong(format!("{} lost ", self.mode))
            .figure(quantity::quantity(self.observed(), "ratio"), None)
            .then(format!(
                " ({} of {} messages that fit one packet{}) at {} loss each way; {repeated}independent loss on {legs} {} \
                 predicts {}{verdict}",
                quantity::count(self.lost),
                quantity::count(self.sent),
                ends.map(|ends| format!(", 99 % interval {ends}")).unwrap_or_default(),
                quantity::percent(self.loss),
                if legs == 1 { "leg" } else { "legs" },
                share(model),
            ))
    }

    /// Comparison with a mode of the same protocol that repeats nothing.
    fn against(&self, once: &Pool) -> String {
        let interval = once.interval().map(|interval| [interval.low, interval.high]);
        let share = quantity::with_interval(once.observed(), interval, "ratio");
        let theirs = format!("{} lost ({share})", once.mode);
        let apart = match (self.interval(), once.interval()) {
            (Some(own), Some(other)) if own.high < other.low => "the 99 % intervals do not overlap",
            _ => "the 99 % intervals overlap",
        };
        match self.observed().total_cmp(&once.observed()) {
            Ordering::Less => format!(" That is less than {theirs}; {apart}."),
            Ordering::Equal => format!(" That is as much as {theirs}."),
            Ordering::Greater => format!(" That is MORE than {theirs}; {apart}."),
        }
    }
}

/// A share in words: far below a percent it is one in so many.
fn share(ratio: f64) -> String {
    if ratio > 0.0 && ratio < 1e-4 {
        return format!("1 message in {}", quantity::count((1.0 / ratio).round() as u64));
    }
    quantity::quantity(ratio, "ratio")
}

/// Most sendings of a message that is one datagram in one packet, as the transport declares; `None` if it is not one, or no number is
/// declared, or not every message is meant to arrive.
fn sendings(summary: &Summary, cell: &CellSummary) -> Option<u32> {
    let mode = &cell.axes.mode;
    let options = summary.study.options_for(&cell.axes);
    let described = mode.transport(&summary.transports_described)?;
    let transport = described.clone().under(&options);
    let capabilities = capabilities(&transport, mode)?;
    let small = cell.metrics.get("body").is_some_and(|body| body.max <= ONE_PACKET_BODY_BYTES);
    let skips = capabilities.contains(&Capability::MaySupersede);
    if !small || skips || !capabilities.contains(&Capability::Datagram) {
        return None;
    }
    if !capabilities.contains(&Capability::Reliable) {
        return Some(1);
    }
    // If a mode retransmits, messages queued behind a retransmission wait, too.
    let is_it = |setting: &&TransportSetting| Some(&setting.name) == mode.setting.as_ref();
    let setting = transport.settings.iter().find(is_it).filter(|setting| setting.repeats_option.is_some())?;
    let name = setting.repeats_option.as_ref()?;
    let default = transport.options.iter().find(|option| option.name == *name).map(|option| &option.default);
    let repeats = options.get(name).or(default)?.as_whole()?;
    u32::try_from(repeats).ok()?.checked_add(1)
}

/// The properties that a transport declares for a mode: its own and those of the setting.
fn capabilities(transport: &TransportDescription, mode: &ModeId) -> Option<Vec<Capability>> {
    let mut all = transport.capabilities.clone();
    if let Some(setting) = &mode.setting {
        let described = transport.settings.iter().find(|described| described.name == *setting)?;
        all.extend(&described.capabilities);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_when_what_was_dropped_depends_on_the_combination() {
        let of = |what: &str, invalid, all| (what.to_owned(), invalid, all);
        let told = dropped_of(&[of("kafka", 9, 12), of("tcp", 0, 12), of("udp", 1, 12)]).unwrap();
        assert!(
            told.to_plain().contains("most affected are 9 of 12 of kafka and 1 of 12 of udp"),
            "{}",
            told.to_plain()
        );
        assert!(dropped_of(&[of("kafka", 1, 12), of("tcp", 0, 12), of("udp", 1, 12)]).is_none());
        assert!(dropped_of(&[of("kafka", 12, 12)]).is_none());
    }
}
