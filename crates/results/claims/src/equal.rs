//! What must be equal for a verdict on the study's own, checked against a run: library and language, settings, and what no run here has.

use wiredyno_model::Study;
use wiredyno_model::summary::Summary;

use crate::published::{Claim, LIBRARY, Must, Own, Published, Without};
use crate::stand_ins::Named;

/// Something that must be equal and is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Differs {
    /// What is missing, a phrase.
    pub what: String,
    /// What can't be said without it.
    pub without: Without,
    /// Whether it is the library that differs.
    pub is_library: bool,
}

/// Everything that must be equal for a claim and is not in this run.
pub(crate) fn differing(
    published: &Published,
    claim: &Claim,
    named: &Named<'_>,
    summary: Option<&Summary>,
) -> Vec<Differs> {
    let mut differing = settings(published, claim, summary.map(|summary| &summary.study));
    if published.musts(claim).contains(&LIBRARY) {
        differing.extend(other_libraries(published, named, summary));
    }
    differing
}

/// What differs without regard to libraries; settings are checked if the study as run is known.
pub(crate) fn settings(published: &Published, claim: &Claim, study: Option<&Study>) -> Vec<Differs> {
    let ids = published.musts(claim);
    let musts = published.must.iter().filter(|must| ids.contains(&must.id.as_str()));
    let told = |must: &Must| {
        let what = must.lacks.clone().or_else(|| other_setting(must, study?))?;
        Some(Differs { what, without: must.without, is_library: false })
    };
    musts.filter_map(told).collect()
}

/// The first setting of a run's study that is not the required one, in words.
fn other_setting(must: &Must, study: &Study) -> Option<String> {
    let run = serde_json::to_value(study).unwrap_or_default();
    let differs = |(key, required): (&String, &String)| {
        let found = key.split('.').try_fold(&run, |value, part| value.get(part));
        let found = match found {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => "nothing".to_owned(),
        };
        (found != *required)
            .then(|| format!("{}: `{key}` is {required} there and {found} in this run", must.what))
    };
    must.settings.iter().find_map(differs)
}

/// The formats and protocols of a claim whose library is not the study's own.
fn other_libraries(published: &Published, named: &Named<'_>, summary: Option<&Summary>) -> Option<Differs> {
    let mut missing: Vec<String> = Vec::new();
    for format in &named.formats {
        let Some(own) = &format.own else {
            missing.push(format.theirs.clone());
            continue;
        };
        let described =
            summary.and_then(|summary| summary.codecs_described.iter().find(|one| one.id == format.codec));
        let described = described.map(|one| (one.library.as_str(), one.version.as_str(), one.runner_name()));
        missing.extend(another(own, described).map(|found| format!("{} ({found})", format.theirs)));
    }
    for protocol in &named.protocols {
        let Some(own) = &protocol.own else {
            missing.push(protocol.theirs.clone());
            continue;
        };
        let of = |summary: &Summary| {
            let mut all = summary.transports_described.clone().into_iter();
            all.find(|one| one.id.protocol == protocol.mode.protocol && one.library == own.library)
        };
        let described = summary.and_then(of);
        let described = described
            .as_ref()
            .map(|one| (one.library.as_str(), one.version.as_str(), own.runner.as_deref().unwrap_or("rust")));
        missing.extend(another(own, described).map(|found| format!("{} ({found})", protocol.theirs)));
    }
    missing.dedup();
    if missing.is_empty() && named.formats.is_empty() && named.protocols.is_empty() {
        missing.push(format!("whatever {} measured", published.reference()));
    }
    (!missing.is_empty()).then(|| Differs {
        what: format!("the study's own: {}", missing.join("; ")),
        without: Without::NoFailure,
        is_library: true,
    })
}

/// How what a run had differs from the study's own library; `None` if it is that.
fn another(own: &Own, described: Option<(&str, &str, &str)>) -> Option<String> {
    let runner = own.runner.as_deref().unwrap_or("rust");
    let Some((library, version, had)) = described else {
        return Some(format!("the run did not have {} in {runner}", own.library));
    };
    let same_version = own.version.as_deref().is_none_or(|begins| version.starts_with(begins));
    (library != own.library || had != runner || !same_version)
        .then(|| format!("the run had {library} {version} in {had}"))
}
