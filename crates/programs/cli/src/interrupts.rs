//! Ctrl-C: the first ends the run after the trials in progress, the second at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Context;
use signal_hook::iterator::Signals;
use wiredyno_seats::interrupt::Interrupt;

use crate::exit;
use crate::output::errln;

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
