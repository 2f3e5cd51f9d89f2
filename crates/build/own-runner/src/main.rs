//! The runner of one payload of a user's own: all that the bundled one has, over this payload alone.

use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;

include!(concat!(env!("OUT_DIR"), "/payloads.rs"));

/// As in the program, so that both count allocations alike.
#[global_allocator]
static ALLOCATOR: wiredyno_codecs::alloc::CountingAllocator = wiredyno_codecs::alloc::CountingAllocator;

fn main() -> ExitCode {
    match wiredyno_runner::run(PAYLOADS, BufReader::new(stdin()), stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
