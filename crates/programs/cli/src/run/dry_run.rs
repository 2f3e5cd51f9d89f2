//! What a run would do, without doing it: its cells, its trials, what has to be compiled and how long it takes.

use std::collections::BTreeSet;
use std::time::Duration;

use wiredyno_build::Composition;
use wiredyno_claims::{Claim, Foreseen, Published, for_study, foresee};
use wiredyno_contract::{CodecId, PayloadId};
use wiredyno_model::{CodecCell, Study};
use wiredyno_planning::plan::Plan;
use wiredyno_planning::stock::Stock;
use wiredyno_running::run::PreparedRun;

use crate::in_words::{count, words};
use crate::output::outln;
use crate::terminal::lacking;

/// The numbers of trials of each kind, in words, without kinds that have none.
fn trials_of(prepared: &PreparedRun) -> Vec<String> {
    let plan = &prepared.plan;
    let messages = format!(
        "{}, {} in up to {}",
        count(plan.cells.len(), "cell"),
        count(plan.trials.len(), "message trial"),
        count(prepared.lanes() as usize, "lane")
    );
    let codecs = count(plan.codec_trials.len(), "codec trial");
    let all = [(messages, plan.trials.len()), (codecs, plan.codec_trials.len())];
    all.into_iter().filter(|(_, trials)| *trials > 0).map(|(words, _)| words).collect()
}

#[expect(
    clippy::too_many_lines,
    reason = "the output read from top to bottom, a few lines for each part of the plan"
)]
pub(super) fn dry_run(prepared: &PreparedRun, stock: &Stock, missing: &[Composition]) -> anyhow::Result<()> {
    let plan = &prepared.plan;
    outln!(
        "{}; about {}",
        trials_of(prepared).join("; "),
        words(Duration::from_nanos(prepared.estimate_ns()))
    );
    if !missing.is_empty() {
        let of = |one: &Composition| match one.codecs().collect::<Vec<_>>()[..] {
            // Runners whose memory is measured.
            [] => match one.transports().next() {
                Some(client) => format!("{client} alone"),
                None => "one without any client".to_owned(),
            },
            [codec] => format!("{} with {codec}", one.payload()),
            ref codecs => format!("{} with {}", one.payload(), count(codecs.len(), "codec")),
        };
        let runners = missing.iter().map(of);
        outln!(
            "first, {} to compile, about {}: {}",
            count(missing.len(), "runner"),
            words(Duration::from_nanos(stock.cache().estimate_ns(missing))),
            runners.collect::<Vec<_>>().join(", ")
        );
    }
    for name in prepared.needs().to_make_ready(stock)? {
        outln!("first, the environment of the runner `{name}` has to be made, which needs a network");
    }
    for (runner, payload) in prepared.needs().to_build(stock)? {
        outln!("first, the runner `{runner}` has to be built for {payload}");
    }
    if let Some(until) = &prepared.study().trials.until {
        outln!(
            "more trials until the interval of {} is within {} %, at most {} per cell",
            until.metric,
            until.within.get() * 100.0,
            until.at_most
        );
    }
    if plan.cells.is_empty() && !plan.codec_trials.is_empty() {
        outln!("{}", codec_cells(plan));
    }
    let ways: BTreeSet<String> = plan.cells.iter().map(|cell| prepared.way_in_words(cell)).collect();
    if let Some(way) = ways.first().filter(|_| ways.len() == 1) {
        outln!("messages: {way}");
    }
    for cell in &plan.cells {
        let way = if ways.len() > 1 { format!("; {}", prepared.way_in_words(cell)) } else { String::new() };
        match prepared.counted_only(cell) {
            Some(why) => outln!("  {cell}{way}; only counted: {why}"),
            None => outln!("  {cell}{way}"),
        }
    }
    for said in prepared.told_of_repeats().into_iter().chain(prepared.told_of_room()) {
        outln!("  {said}");
    }
    for left_out in &plan.left_out {
        outln!("  {} {}: {}", lacking("not run:"), left_out.part, left_out.reason);
    }
    if let Some(published) = for_study(&prepared.study().name).transpose()? {
        let foreseen = claims_of(&published, prepared.study(), plan);
        outln!("{}", to_decide(&published, &foreseen));
        for (claim, foreseen) in &foreseen {
            match foreseen {
                Foreseen::Judged => outln!("  {:<7} {}", claim.id, claim.says),
                Foreseen::Lacks(what) => {
                    outln!("  {} {}: these cells have no {what}", lacking("not measured:"), claim.id)
                }
                Foreseen::CannotJudge(why) => {
                    outln!("  {} {}: {why}", lacking("can't be judged:"), claim.id)
                }
            }
        }
    }
    Ok(())
}

/// What a plan can judge of a publication's claims.
pub(super) fn claims_of<'a>(
    published: &'a Published,
    study: &'a Study,
    plan: &Plan,
) -> Vec<(&'a Claim, Foreseen)> {
    let codec_cells: Vec<CodecCell> = plan.codec_trials.iter().map(|trial| trial.cell.clone()).collect();
    foresee(published, study, &plan.cells, &codec_cells)
}

/// The number of a publication's claims that the run will judge, in words.
pub(super) fn to_decide(published: &Published, foreseen: &[(&Claim, Foreseen)]) -> String {
    let judged = foreseen.iter().filter(|(_, foreseen)| *foreseen == Foreseen::Judged).count();
    format!("claims to judge: {judged} of the {} of {}", foreseen.len(), published.reference())
}

/// The numbers of codecs and payloads of the codec trials, in words.
fn codec_cells(plan: &Plan) -> String {
    let cells: BTreeSet<&CodecCell> = plan.codec_trials.iter().map(|trial| &trial.cell).collect();
    let payloads: BTreeSet<&PayloadId> = cells.iter().map(|cell| &cell.payload).collect();
    let codecs: BTreeSet<&CodecId> = cells.iter().map(|cell| &cell.codec).collect();
    let names: Vec<String> = payloads.iter().map(ToString::to_string).collect();
    format!(
        "{} of {} and {}: {}",
        count(cells.len(), "pair"),
        count(codecs.len(), "codec"),
        count(payloads.len(), "payload"),
        names.join(", ")
    )
}
