//! What a reader should know before trusting the numbers, and what theory says about the loss.

use wiredyno_model::capability::{Capability, TransportDescription};
use wiredyno_model::id::ModeId;
use wiredyno_model::study::Hosts;
use wiredyno_model::summary::{CellSummary, Summary};
use wiredyno_stats::{Level, MIN_TRIALS_FOR_INTERVAL, Proportion};

use crate::quantity;
use crate::sentence::{Sentence, listed};

/// Past this utilisation the machine itself may be in the figures, though no trial's limit was reached.
const HIGH_UTILISATION: f64 = 0.7;

/// A body that certainly fits one packet of an Ethernet-sized link (1500 bytes) with any header in use here.
const ONE_PACKET_BODY_BYTES: f64 = 1_400.0;

/// All cautions, weightiest first.
pub fn cautions(summary: &Summary) -> Vec<Sentence> {
    let mut out = Vec::new();
    if !summary.run.complete {
        out.push(
            Sentence::default()
                .strong("The run did not end")
                .then(": what is shown is what was there. its finished trials are kept in its folder; run the study again for the rest."),
        );
    }
    out.extend(invalid_trials(summary));
    out.extend(no_interval(summary));
    out.extend(broker_labels(summary));
    out.extend(not_run(summary));
    out.extend(utilisation(summary));
    out.extend(summary.notes.iter().map(Sentence::plain));
    out.extend(observed_against_model(summary));
    out.extend(missing_figures(summary));
    out
}

fn invalid_trials(summary: &Summary) -> Option<Sentence> {
    let messages = summary.cells.iter().map(|cell| (cell.trials, cell.valid_trials));
    let codecs = summary.codecs.iter().map(|codec| (codec.trials, codec.valid_trials));
    let (all, valid) = messages.chain(codecs).fold((0, 0), |(all, valid), (a, v)| (all + a, valid + v));
    (valid < all).then(|| {
        Sentence::default()
            .strong(format!("{} of {} trials are invalid", all - valid, all))
            .then(" and enter no figure; their reasons stand under \"Left out\".")
    })
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
        " where fewer than {enough} trials count: {which} fewer, and no order is claimed there."
    )))
}

/// Figures of codec trials that could not be had, each reason once.
fn missing_figures(summary: &Summary) -> Vec<Sentence> {
    let mut seen = Vec::new();
    for missing in summary.codecs.iter().flat_map(|codec| &codec.missing) {
        if !seen.contains(&missing) {
            seen.push(missing);
        }
    }
    let sentence = |missing: &&wiredyno_model::trial::Missing| {
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

fn not_run(summary: &Summary) -> Option<Sentence> {
    let count = summary.not_run.len();
    (count > 0).then(|| {
        let noun = if count == 1 { "combination" } else { "combinations" };
        Sentence::default()
            .strong(format!("{count} {noun}"))
            .then(" could not be run; why stands under \"Left out\".")
    })
}

fn utilisation(summary: &Summary) -> Option<Sentence> {
    let busy = summary.run.utilisation;
    (busy > HIGH_UTILISATION).then(|| {
        Sentence::default()
            .strong(format!("The machine was busy {:.0} % of the time", busy * 100.0))
            .then(" during message trials: times may hold waiting for a CPU. Fewer lanes would tell.")
    })
}

/// Lost messages of modes that send each message as one datagram and never again, beside what independent loss
/// on every leg predicts: `1 - (1 - p)^legs`. Cells are pooled by mode and loss.
pub fn observed_against_model(summary: &Summary) -> Vec<Sentence> {
    let legs = legs(&summary.study.hosts);
    let mut pools: Vec<Pool> = Vec::new();
    for cell in summary.cells.iter().filter(|cell| is_one_datagram(summary, cell)) {
        let Some(loss) = cell.axes.loss.map(|loss| loss.get()).filter(|&loss| loss > 0.0) else {
            continue;
        };
        let place = pools.iter().position(|pool| pool.mode == cell.axes.mode && pool.loss == loss);
        let place = place.unwrap_or_else(|| {
            pools.push(Pool { mode: cell.axes.mode.clone(), loss, sent: 0, lost: 0 });
            pools.len() - 1
        });
        pools[place].sent += cell.delivery.sent;
        pools[place].lost += cell.delivery.lost;
    }
    pools.iter().filter(|pool| pool.sent > 0 && legs > 0).map(|pool| pool.sentence(legs)).collect()
}

struct Pool {
    mode: ModeId,
    loss: f64,
    sent: u64,
    lost: u64,
}

impl Pool {
    fn sentence(&self, legs: i32) -> Sentence {
        let model = 1.0 - (1.0 - self.loss).powi(legs);
        let observed = self.lost as f64 / self.sent as f64;
        let interval =
            Proportion::new(self.lost, self.sent).ok().map(|lost| lost.clopper_pearson(Level::P99));
        let (ends, verdict) = match interval {
            Some(interval) if interval.contains(model) => {
                (Some([interval.low, interval.high]), ", which lies inside")
            }
            Some(interval) => (Some([interval.low, interval.high]), ", which lies OUTSIDE"),
            None => (None, ""),
        };
        Sentence::default()
            .strong(format!("{} lost ", self.mode))
            .figure(quantity::quantity(observed, "ratio"), None)
            .then(format!(
                " ({} of {} messages that fit one packet{}) at {} loss each way; independent loss on {legs} {} predicts \
                 {}{verdict}.",
                quantity::count(self.lost),
                quantity::count(self.sent),
                ends.map(|ends| format!(", 99 % interval {}", quantity::ends(ends, "ratio"))).unwrap_or_default(),
                quantity::percent(self.loss),
                if legs == 1 { "leg" } else { "legs" },
                quantity::quantity(model, "ratio"),
            ))
    }
}

/// How often a message crosses the link on its way from the publisher over the broker to the subscriber.
fn legs(hosts: &Hosts) -> i32 {
    i32::from(hosts.publisher != hosts.broker) + i32::from(hosts.broker != hosts.subscriber)
}

/// Whether a message is one datagram in one packet and never sent again, by what the transport declares.
fn is_one_datagram(summary: &Summary, cell: &CellSummary) -> bool {
    let Some(capabilities) = capabilities(&summary.transports_described, &cell.axes.mode) else {
        return false;
    };
    let small = cell.metrics.get("body").is_some_and(|body| body.max <= ONE_PACKET_BODY_BYTES);
    small && capabilities.contains(&Capability::Datagram) && !capabilities.contains(&Capability::Reliable)
}

/// What a transport declares of a mode: its own properties and those of the setting.
fn capabilities(transports: &[TransportDescription], mode: &ModeId) -> Option<Vec<Capability>> {
    let transport = transports.iter().find(|transport| transport.id.protocol == mode.protocol)?;
    let mut all = transport.capabilities.clone();
    if let Some(setting) = &mode.setting {
        let described = transport.settings.iter().find(|described| described.name == *setting)?;
        all.extend(&described.capabilities);
    }
    Some(all)
}
