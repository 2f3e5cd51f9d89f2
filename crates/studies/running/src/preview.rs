//! What a prepared run will do, as JSON.

use serde_json::{Value, json};
use wiredyno_build::Composition;
use wiredyno_planning::left_out::LeftOut;
use wiredyno_planning::needs::ProvideError;
use wiredyno_planning::stock::Stock;

use crate::run::PreparedRun;

/// The cells, the trials in the order in which they begin, what has to be compiled or set up before, and the estimated
/// duration of everything.
///
/// # Errors
/// When a runner's language is missing.
pub fn preview(
    prepared: &PreparedRun,
    stock: &Stock,
    missing: &[Composition],
) -> Result<Value, ProvideError> {
    let plan = &prepared.plan;
    let trials = plan.trials.iter().map(|t| json!({ "cell": t.cell, "repeat": t.repeat }));
    let codec_trials = plan.codec_trials.iter().map(|t| json!({ "cell": t.cell, "repeat": t.repeat }));
    let to_compile = missing.iter().map(|one| {
        let codecs = one.codecs().collect::<Vec<_>>();
        let estimate_ns = stock.cache().estimate_ns(std::slice::from_ref(one));
        json!({ "payload": one.payload(), "codecs": codecs, "estimate_ns": estimate_ns })
    });
    let counted_only = plan
        .cells
        .iter()
        .filter_map(|cell| prepared.counted_only(cell).map(|why| json!({ "cell": cell, "why": why })));
    let ways = plan.cells.iter().map(|cell| prepared.way_in_words(cell));
    let to_build = prepared.needs().to_build(stock)?.into_iter();
    let to_build = to_build.map(|(runner, payload)| json!({ "runner": runner, "payload": payload }));
    Ok(json!({
        "to_make_ready": prepared.needs().to_make_ready(stock)?,
        "to_build": to_build.collect::<Vec<_>>(),
        "to_compile": to_compile.collect::<Vec<_>>(),
        "compile_estimate_ns": stock.cache().estimate_ns(missing),
        "cells": plan.cells,
        "ways": ways.collect::<Vec<_>>(),
        "counted_only": counted_only.collect::<Vec<_>>(),
        "lanes": prepared.lanes(),
        "estimate_ns": prepared.estimate_ns(),
        "codec_trials": codec_trials.collect::<Vec<_>>(),
        "trials": trials.collect::<Vec<_>>(),
        "not_run": plan.left_out.iter().map(not_run).collect::<Vec<_>>(),
    }))
}

/// The entry of a summary, with the command that would install what is missing.
fn not_run(left_out: &LeftOut) -> Value {
    let mut told = json!(left_out.told());
    if let Some(install) = left_out.reason.install() {
        told["install"] = install.into();
    }
    told
}
