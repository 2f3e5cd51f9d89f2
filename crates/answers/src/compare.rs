//! Two runs, or two values of an axis in one run: what changed, by how much, and is it real?
//!
//! Figures are compared only where it makes sense, metric by metric: all need the same samples, those of messages the same load,
//! roles and link, times and memory of processes the same machine. Versions are told and are never a reason.

use std::collections::BTreeMap;

use serde::Serialize;
use wiredyno_model::metric::{MetricInfo, Scope};
use wiredyno_model::summary::{Effect, EffectScale, EffectVerdict, Summary};
use wiredyno_model::{Selection, Unit};

use crate::effects::{self, Pair, Question, answer};
use crate::quantity;
use crate::things::{Thing, value_name};

/// What two runs, or two values of an axis, have to say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// What is compared with what: `runs/b instead of runs/a`.
    pub question: String,
    /// The effects, payload by payload and metric by metric.
    pub effects: Vec<Effect>,
    /// Single cells that differ, each by a family of all cells at one metric. Empty where an axis of one run is compared.
    pub cells: Vec<CellChange>,
    /// Metrics that are not compared, with the reason; or that are, for it was asked for.
    pub refused: Vec<Refusal>,
    /// Versions and other things that differ and do not forbid the comparison.
    pub differs: Vec<String>,
    /// Cells that only one of the runs has.
    pub unmatched: Vec<String>,
}

/// A cell in which a figure changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellChange {
    /// The cell, or the payload and codec.
    pub cell: String,
    /// What changed; its `payload` is the cell.
    pub effect: Effect,
}

/// Why metrics can't be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// What differs.
    pub why: String,
    /// The metrics that it concerns.
    pub metrics: Vec<String>,
    /// Whether they were compared all the same, as was asked for.
    pub anyway: bool,
}

/// What a comparison comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// No difference is shown, and none over 10 % is left room for.
    Nothing,
    /// Something differs.
    Difference,
    /// Nothing is shown to differ, and something may.
    CantTell,
}

/// What to compare.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The metrics; empty for those of the report's first screen.
    pub metrics: Vec<String>,
    /// The cells.
    pub cells: Selection,
    /// Whether to compare what should not be.
    pub anyway: bool,
}

impl Wanted {
    fn metrics(&self) -> Vec<MetricInfo> {
        if self.metrics.is_empty() {
            return crate::things::main_metrics().collect();
        }
        let scopes = [Scope::Message, Scope::Codec];
        let found = self.metrics.iter().flat_map(|name| {
            scopes.into_iter().filter_map(move |scope| wiredyno_model::metric::find(scope, name))
        });
        found.collect()
    }
}

impl Comparison {
    /// What it comes to, where differences below a share (0.02) don't matter.
    pub fn conclusion(&self, least: f64) -> Conclusion {
        let matters = |effect: &&Effect| {
            let real = matches!(effect.verdict, EffectVerdict::Better | EffectVerdict::Worse);
            let size = match effect.scale {
                EffectScale::Factor => effect.estimate.max(effect.estimate.recip()) - 1.0,
                EffectScale::Difference if effect.unit == Unit::Ratio.name() => effect.estimate.abs(),
                EffectScale::Difference => {
                    effect.estimate.abs() / effect.means[0].abs().max(f64::MIN_POSITIVE)
                }
            };
            real && size >= least
        };
        let open =
            |effect: &Effect| matches!(effect.verdict, EffectVerdict::Undecided | EffectVerdict::NoInterval);
        let mut all = self.effects.iter().chain(self.cells.iter().map(|change| &change.effect));
        if all.any(|effect| matters(&effect)) {
            Conclusion::Difference
        } else if self.effects.is_empty() || self.effects.iter().any(open) {
            Conclusion::CantTell
        } else {
            Conclusion::Nothing
        }
    }
}

/// Two values of an axis in one run; the first is what the others stand in place of.
///
/// # Errors
/// When the run has not both values.
pub fn along(
    summary: &Summary,
    axis: &str,
    values: &[String],
    wanted: &Wanted,
) -> Result<Comparison, String> {
    let known = summary.study.axes.names();
    if !known.contains(&axis) {
        return Err(format!("--per {axis}: the run has no such axis, only {}", known[1..].join(", ")));
    }
    let things: Vec<Thing<'_>> = selected(summary, &wanted.cells);
    let [first, others @ ..] = values else {
        return Err(format!("--per {axis}: name at least two values, as in --per {axis}=a,b"));
    };
    if others.is_empty() {
        return Err(format!("--per {axis}={first}: name a second value, as in --per {axis}={first},other"));
    }
    for value in values {
        if !things.iter().any(|thing| thing.value(axis) == Some(value)) {
            let mut known: Vec<&str> = things.iter().filter_map(|thing| thing.value(axis)).collect();
            known.sort_unstable();
            known.dedup();
            return Err(format!(
                "the run measured no `{value}` on the axis `{axis}`, only {}",
                known.join(", ")
            ));
        }
    }
    let name = |value: &String| value_name(axis, value);
    let questions = effects::explicit(summary, &things, axis, first, others);
    let metrics = wanted.metrics();
    let effects = metrics.iter().flat_map(|metric| answer(&questions.for_scope(metric.scope), metric));
    Ok(Comparison {
        question: format!(
            "{} instead of {}",
            others.iter().map(name).collect::<Vec<_>>().join(", "),
            name(first)
        ),
        effects: effects::in_reading_order(effects.collect()),
        cells: Vec::new(),
        refused: Vec::new(),
        differs: Vec::new(),
        unmatched: Vec::new(),
    })
}

fn selected<'a>(summary: &'a Summary, cells: &Selection) -> Vec<Thing<'a>> {
    let mut things = Thing::all(summary);
    things.retain(|thing| thing.is_meant(cells));
    things
}

/// What a thing of another run must be to be the same.
fn key<'a>(thing: &Thing<'a>) -> (bool, Vec<(&'a str, String)>) {
    (thing.scope == Scope::Message, thing.values.clone())
}

/// One run in place of another.
pub fn runs(base: &Summary, new: &Summary, wanted: &Wanted) -> Comparison {
    let (old, fresh) = (selected(base, &wanted.cells), selected(new, &wanted.cells));
    let by_key: BTreeMap<_, &Thing<'_>> = old.iter().map(|thing| (key(thing), thing)).collect();
    let matched: Vec<(&Thing<'_>, &Thing<'_>)> =
        fresh.iter().filter_map(|thing| Some((thing, *by_key.get(&key(thing))?))).collect();
    let mut unmatched: Vec<String> = Vec::new();
    for (things, others, run) in [(&old, &fresh, base), (&fresh, &old, new)] {
        let has = |thing: &&Thing<'_>| others.iter().any(|other| key(other) == key(thing));
        let only = things.iter().filter(|thing| !has(thing));
        unmatched.extend(only.map(|thing| format!("{} (only in {})", thing.name(), run.run.id)));
    }
    let lacks = Lacks::between(base, new);
    let same_seed = base.study.trials.seed == new.study.trials.seed;
    let (mut effects, mut cells, mut refused) = (Vec::new(), Vec::new(), Vec::<Refusal>::new());
    for metric in wanted.metrics() {
        let mut pairs = Vec::new();
        for (value, instead_of) in matched
            .iter()
            .filter(|(thing, _)| thing.scope == metric.scope && thing.metrics.contains_key(&metric.name))
        {
            let reasons = lacks.forbid(&metric, value);
            for why in &reasons {
                note(&mut refused, why, &metric.name, wanted.anyway);
            }
            if reasons.is_empty() || wanted.anyway {
                pairs.push((*value, *instead_of));
            }
        }
        let paired = metric.scope == Scope::Message && same_seed && lacks.load.is_none();
        let mut by_payload: Vec<(String, Vec<Pair<'_>>)> = Vec::new();
        for &(value, instead_of) in &pairs {
            let payload = value.value("payload").unwrap_or_default().to_owned();
            let pair = Pair { value, instead_of };
            match by_payload.iter_mut().find(|(known, _)| *known == payload) {
                Some((_, of_payload)) => of_payload.push(pair),
                None => by_payload.push((payload, vec![pair])),
            }
        }
        let asked = |payload: String, pairs| Question {
            axis: "run".to_owned(),
            value: new.run.id.clone(),
            instead_of: base.run.id.clone(),
            payload,
            pairs,
            paired,
        };
        let questions: Vec<Question<'_>> =
            by_payload.into_iter().map(|(payload, pairs)| asked(payload, pairs)).collect();
        effects.extend(answer(&questions, &metric));
        let questions: Vec<Question<'_>> = pairs
            .iter()
            .map(|&(value, instead_of)| asked(value.name(), vec![Pair { value, instead_of }]))
            .collect();
        let real = |effect: &Effect| matches!(effect.verdict, EffectVerdict::Better | EffectVerdict::Worse);
        let changed = answer(&questions, &metric).into_iter().filter(real);
        cells.extend(changed.map(|effect| CellChange { cell: effect.payload.clone(), effect }));
    }
    Comparison {
        question: format!("{} instead of {}", new.run.id, base.run.id),
        effects: effects::in_reading_order(effects),
        cells,
        refused,
        differs: differs(base, new),
        unmatched,
    }
}

fn note(refused: &mut Vec<Refusal>, why: &str, metric: &str, anyway: bool) {
    match refused.iter_mut().find(|refusal| refusal.why == why) {
        Some(refusal) if refusal.metrics.iter().any(|known| known == metric) => {}
        Some(refusal) => refusal.metrics.push(metric.to_owned()),
        None => refused.push(Refusal { why: why.to_owned(), metrics: vec![metric.to_owned()], anyway }),
    }
}

/// What two runs lack to be comparable.
pub(crate) struct Lacks {
    /// The machine differs.
    machine: Option<String>,
    /// The load, the roles' hosts or the transports' options differ.
    load: Option<String>,
    /// How codec trials are carried out differs.
    loops: Option<String>,
    /// By name of what goes in (`link lte`, `payload small`): why it is not the same.
    inputs: BTreeMap<String, String>,
}

impl Lacks {
    pub(crate) fn between(base: &Summary, new: &Summary) -> Self {
        let (old, fresh) = (&base.environment, &new.environment);
        let machine = |e: &wiredyno_model::summary::Environment| {
            format!("{}, {} CPUs, {}", e.cpu, e.cpus, e.hypervisor)
        };
        let machine = (machine(old) != machine(fresh))
            .then(|| format!("the machines differ: {} and {}", machine(old), machine(fresh)));
        let load = (base.study.load != new.study.load)
            .then(|| "the loads differ: [load] of both studies".to_owned())
            .or_else(|| {
                (base.study.hosts != new.study.hosts).then(|| "the roles run on other hosts".to_owned())
            })
            .or_else(|| {
                (base.study.transport != new.study.transport).then(|| "transport options differ".to_owned())
            });
        let loops = (base.study.codec_trials != new.study.codec_trials)
            .then(|| "codec trials were carried out differently: [codec_trials] of both studies".to_owned());
        let mut inputs = BTreeMap::new();
        let names = base.inputs.keys().chain(new.inputs.keys());
        for name in names {
            match (base.inputs.get(name), new.inputs.get(name)) {
                (Some(one), Some(other)) if one == other => {}
                (Some(_), Some(_)) => drop(inputs.insert(name.clone(), format!("{name} differs"))),
                // A file that only one of them has: another payload of that name.
                _ => drop(inputs.insert(name.clone(), format!("only one of the runs has {name}"))),
            }
        }
        if base.inputs.is_empty() || new.inputs.is_empty() {
            let old = if base.inputs.is_empty() { base } else { new };
            inputs.clear();
            inputs.insert(
                String::new(),
                format!("{} was made by a version that kept no digests of samples and links", old.run.id),
            );
        }
        Lacks { machine, load, loops, inputs }
    }

    /// Why a metric of a cell can't be compared; empty where it can.
    pub(crate) fn forbid(&self, metric: &MetricInfo, cell: &Thing<'_>) -> Vec<String> {
        let of_machine = matches!(metric.unit, Unit::Ns | Unit::PerSecond | Unit::BytesPerSecond)
            || metric.name.contains("memory");
        let payload = format!("payload {} ", cell.value("payload").unwrap_or_default());
        let link = cell.value("link").map(|link| format!("link {link}"));
        let input =
            |name: &str| name.is_empty() || name.starts_with(&payload) || Some(name) == link.as_deref();
        let inputs = self.inputs.iter().filter(|(name, _)| input(name)).map(|(_, why)| why.clone());
        let machine = self.machine.clone().filter(|_| of_machine);
        let how = if metric.scope == Scope::Message { &self.load } else { &self.loops };
        let how = how.clone().filter(|_| metric.scope == Scope::Message || of_machine);
        inputs.chain(machine).chain(how).collect()
    }
}

/// What differs and is told: versions of everything.
fn differs(base: &Summary, new: &Summary) -> Vec<String> {
    let (old, fresh) = (&base.environment, &new.environment);
    let mut found = Vec::new();
    let mut told = |what: &str, one: &str, other: &str| {
        if one != other {
            found.push(format!("{what}: {one}, now {other}"));
        }
    };
    told("Wiredyno", &base.run.version, &new.run.version);
    told("commit", &old.commit, &fresh.commit);
    told("compiler", &old.compiler, &fresh.compiler);
    told("kernel", &old.kernel, &fresh.kernel);
    told("operating system", &old.os, &fresh.os);
    told("frequency governor", &old.governor, &fresh.governor);
    for codec in &new.codecs_described {
        if let Some(before) = base.codecs_described.iter().find(|before| before.id == codec.id) {
            let library = |c: &wiredyno_contract::CodecDescription| format!("{} {}", c.library, c.version);
            told(&codec.id.to_string(), &library(before), &library(codec));
        }
    }
    for transport in &new.transports_described {
        if let Some(before) = base.transports_described.iter().find(|before| before.id == transport.id) {
            let library =
                |t: &wiredyno_contract::TransportDescription| format!("{} {}", t.library, t.version);
            told(&transport.id.to_string(), &library(before), &library(transport));
        }
    }
    let steal = |run: &Summary| quantity::quantity(run.run.steal, "ratio");
    if (base.run.steal - new.run.steal).abs() > 0.01 {
        found.push(format!("CPU time taken by the hypervisor: {}, now {}", steal(base), steal(new)));
    }
    found
}
