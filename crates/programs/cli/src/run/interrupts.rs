//! Ctrl-C: the first ends the run after the trials in progress, the second at once.

use crate::building::Building;
use crate::output::{errln, out, outln};
use crate::progress::{TrialsBar, count, words};
use crate::progress_lines::ProgressLines;
use crate::terminal::{self, lacking};
use crate::{broker, exit, runner};
use anyhow::{Context, bail};
use signal_hook::iterator::Signals;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use wiredyno_answers::threshold;
use wiredyno_build::Composition;
use wiredyno_claims::{Claim, Foreseen, Published, for_study, foresee};
use wiredyno_contract::{CodecId, PayloadId, Span};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::summary::ThresholdVerdict;
use wiredyno_model::{CodecCell, Study};
use wiredyno_planning::plan::Plan;
use wiredyno_planning::resume::{Asked, Written};
use wiredyno_planning::stock::Stock;
use wiredyno_planning::study;
use wiredyno_report::Format;
use wiredyno_running::preview::preview;
use wiredyno_running::run::{
    Ending, FinishedRun, PreparedRun, RunRequest, StudySource, claim_folder, free_folder, no_figure,
};
use wiredyno_seats::runner::{Interrupt, Over};
use wiredyno_seats::runners::Injected;
use wiredyno_seats::serving::External;
use wiredyno_store::RunFolder;

/// A signal to the whole process group also arrives through the sandbox's outer process: copies of one
/// signal within this time don't count as a second one.
const ONE_INTERRUPT: Duration = Duration::from_millis(500);

/// The first Ctrl-C (or SIGTERM, SIGHUP) ends the run cleanly, a second one at once.
pub fn catch_interrupts() -> anyhow::Result<Interrupt> {
    use signal_hook::consts::{SIGHUP, TERM_SIGNALS};
    let ends = || TERM_SIGNALS.iter().chain(&[SIGHUP]);
    let flag = Arc::new(AtomicBool::new(false));
    // Set in the handler itself: children that got the signal too may end before a thread handles it.
    for signal in ends() {
        signal_hook::flag::register(*signal, Arc::clone(&flag)).context("signal handling")?;
    }
    let mut signals = Signals::new(ends()).context("signal handling")?;
    let listen = move || {
        let mut first: Option<Instant> = None;
        for _ in signals.forever() {
            match first {
                None => errln!("\nInterrupted: shutting down; interrupt again to stop at once."),
                Some(first) if first.elapsed() < ONE_INTERRUPT => {}
                Some(_) => std::process::exit(i32::from(exit::INTERRUPTED)),
            }
            first.get_or_insert_with(Instant::now);
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(listen).context("signal handling")?;
    Ok(Interrupt::new(flag))
}
