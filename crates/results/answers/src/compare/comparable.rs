//! Whether two runs can be compared, and what differs between them.

use std::collections::BTreeMap;

use wiredyno_model::metric::{MetricInfo, Scope};
use wiredyno_model::summary::Summary;

use super::Refusal;
use crate::things::Thing;
use crate::{fields, quantity};

pub(super) fn note(refused: &mut Vec<Refusal>, why: &str, metric: &str, anyway: bool) {
    match refused.iter_mut().find(|refusal| refusal.why == why) {
        Some(refusal) if refusal.metrics.iter().any(|known| known == metric) => {}
        Some(refusal) => refusal.metrics.push(metric.to_owned()),
        None => refused.push(Refusal { why: why.to_owned(), metrics: vec![metric.to_owned()], anyway }),
    }
}

/// The file of a payload that defines it.
const DEFINITION: &str = " message.proto";

/// Why two runs are not comparable.
pub(crate) struct Lacks {
    /// The machine differs: CPU, number of CPUs, hypervisor.
    machine: Option<String>,
    /// The load, the roles' hosts or the transports' options differ.
    pub(super) load: Option<String>,
    /// The settings of codec trials differ.
    loops: Option<String>,
    /// The versions of Wiredyno differ, and so perhaps what is inside the clock.
    version: Option<String>,
    /// By the name of an input (`link lte`, `payload small`): why it is not the same.
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
                (base.study.hosts != new.study.hosts).then(|| "the roles run on different hosts".to_owned())
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
                // A file that only one of them has: another payload of the same name.
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
        let version = (base.run.version != new.run.version).then(|| {
            format!("the versions of Wiredyno differ: {} and {}", base.run.version, new.run.version)
        });
        Lacks { machine, load, loops, version, inputs }
    }

    /// Why a metric of a cell can't be compared; empty where it can.
    pub(crate) fn forbid(&self, metric: &MetricInfo, cell: &Thing<'_>) -> Vec<String> {
        let of_machine = metric.about.is_of_machine();
        let payload = format!("payload {} ", cell.value("payload").unwrap_or_default());
        // Its growth due to a change of its definition is exactly what is asked.
        let is_redefined = |name: &String| name.starts_with(&payload) && name.ends_with(DEFINITION);
        let is_asked = metric.exact && self.inputs.keys().any(is_redefined);
        let link = cell.value("link").map(|link| format!("link {link}"));
        let input =
            |name: &str| name.is_empty() || name.starts_with(&payload) || Some(name) == link.as_deref();
        let inputs =
            self.inputs.iter().filter(|(name, _)| !is_asked && input(name)).map(|(_, why)| why.clone());
        let machine = self.machine.clone().filter(|_| of_machine);
        let how = if metric.scope == Scope::Message { &self.load } else { &self.loops };
        let how = how.clone().filter(|_| metric.scope == Scope::Message || of_machine);
        let version = self.version.clone().filter(|_| !metric.exact);
        inputs.chain(machine).chain(how).chain(version).collect()
    }
}

/// Whether both are the same run.
pub(crate) fn is_one_run(base: &Summary, new: &Summary) -> bool {
    base == new
}

/// Differences that are reported: versions of everything.
pub(super) fn differs(base: &Summary, new: &Summary) -> Vec<String> {
    let (old, fresh) = (&base.environment, &new.environment);
    let mut found = Vec::new();
    let mut told = |what: &str, one: &str, other: &str| {
        if one != other {
            found.push(format!("{what}: {one}, now {other}"));
        }
    };
    let payloads = new.study.axes.values("payload");
    let changes = |payload: String| {
        let changes = fields::changes(base, new, &payload).into_iter();
        changes.map(move |change| format!("definition of {payload}: {change}"))
    };
    let fields: Vec<String> = payloads.into_iter().flat_map(changes).collect();
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
    if is_one_run(base, new) {
        found.push("nothing: it is the same run twice".to_owned());
    }
    found.splice(0..0, fields);
    let steal = |run: &Summary| quantity::quantity(run.run.steal, "ratio");
    if (base.run.steal - new.run.steal).abs() > 0.01 {
        found.push(format!("CPU time taken by the hypervisor: {}, now {}", steal(base), steal(new)));
    }
    found
}
