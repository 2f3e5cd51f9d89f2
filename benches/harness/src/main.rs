//! Our timed loop beside criterion's, for the same operations and data, in one process.
//!
//! `make bench-harness [ROWS="WORD..."]`. Six codecs over two payloads; encode with a reused buffer,
//! encode with a fresh one, decode. For each operation and repeat (`WIREDYNO_BENCH_REPEATS`, 10) ours and
//! criterion take turns, ours first in every other repeat: ABBA. Ours is `BoundCodec::measure`, with the settings of a
//! codec trial; criterion is its own `Bencher::iter` and the median that its analysis writes, with as much time
//! for warm-up and measuring as ours takes. A row's value is the median over repeats, of medians over batches;
//! the ratio is ours over criterion's with a bootstrap interval over the repeats.
//!
//! Inside both clocks: the call, the drop of its result, the step to the next of the same samples. The program
//! installs the counting allocator, as runners do, so both pay for its check of a flag per allocation.
//!
//! Findings, on a machine whose load changed between runs:
//! - our loop kept each product until the next one was made; without that FlatBuffers' decode of `small` went from
//!   20.4 to 15.3 ns, and Protobuf's fresh encode from 15.9 to 19.5 (it alternated between two buffers), as in criterion;
//! - a criterion routine that returns the whole `Result` is a different operation: 12.6 ns instead of 7.9 for MessagePack;
//! - inlined into both loops, the same codec became different code, by up to 18 %: since then each phase is a call of its own
//!   (`crates/measured/codec/src/codec/call.rs`), and neither loop moves the result of a call.
//!
//! Below the table is the cost of the stand itself per message: see [`stand`].
//!
//! Limits: on a busy machine ratios up to 2 were seen, because a scheduler's tick (4 ms) hits a batch of 2 ms as a
//! whole; they mean nothing. Both call the same compiled codec from loops that are compiled separately; the position of
//! the code may still change operations of some ten nanoseconds by a few per cent.

mod criterion_side;
mod ours;
mod stand;
mod table;

use std::process::ExitCode;

use wiredyno_bench::{MachineState, Done, keeps, repeats, words};
use wiredyno_codec::{Buffer, CodecFor, PayloadTypes, Phase, TableEntry};

use table::Row;

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// As in runners.
#[global_allocator]
static ALLOCATOR: wiredyno_codec::alloc::CountingAllocator = wiredyno_codec::alloc::CountingAllocator;

/// Number of samples that calls cycle through.
pub const SAMPLES: usize = 20;

/// The compared operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Encode into one buffer, cleared and reused.
    Encode,
    /// Encode into a new buffer.
    EncodeFresh,
    /// Decode a body.
    Decode,
}

impl Operation {
    const ALL: [Operation; 3] = [Operation::Encode, Operation::EncodeFresh, Operation::Decode];

    /// The phase and buffer of our loop.
    pub fn of_ours(self) -> (Phase, Buffer) {
        match self {
            Operation::Encode => (Phase::Encode, Buffer::Reused),
            Operation::EncodeFresh => (Phase::Encode, Buffer::Fresh),
            Operation::Decode => (Phase::Decode, Buffer::Reused),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Operation::Encode => "encode",
            Operation::EncodeFresh => "encode fresh",
            Operation::Decode => "decode",
        }
    }
}

/// A codec over a payload: names, and both sides.
struct Pair {
    codec: &'static str,
    payload: &'static str,
    ours: &'static TableEntry,
    criterion: fn(Operation, &'static str) -> Done<f64>,
}

fn pair<C: CodecFor<P> + Default, P: PayloadTypes>(payload: &'static str, ours: &'static TableEntry) -> Pair {
    Pair { codec: ours.codec.id(), payload, ours, criterion: criterion_side::median_ns::<C, P> }
}

/// Six codecs over two payloads.
fn pairs() -> Vec<Pair> {
    include!(concat!(env!("OUT_DIR"), "/pairs.rs")).into()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let done = match &arguments[..] {
        [_, word, payload] if word == stand::RUNNER => stand::serve(payload, &pairs()),
        _ => measure().map(|()| ExitCode::SUCCESS),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("bench harness: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Done<()> {
    let (repeats, words) = (repeats(10)?, words());
    println!("{}", MachineState::look()?);
    println!("{repeats} repeats, {SAMPLES} samples; ratio: ours / criterion's, medians");
    let pairs = pairs();
    let mut rows = Vec::new();
    for (index, pair) in pairs.iter().enumerate() {
        for operation in Operation::ALL {
            let name = format!("{} {} {}", pair.payload, pair.codec, operation.name());
            if keeps(&words, &name) {
                rows.push((index, operation, Row::new(name)));
            }
        }
    }
    for repeat in 0..repeats {
        for (index, operation, row) in &mut rows {
            let pair = &pairs[*index];
            let ours = || ours::median_ns(pair.payload, pair.ours, *operation);
            let criterion = || (pair.criterion)(*operation, pair.payload);
            if repeat % 2 == 0 {
                row.ours_ns.push(ours()?);
                row.criterion_ns.push(criterion()?);
            } else {
                row.criterion_ns.push(criterion()?);
                row.ours_ns.push(ours()?);
            }
        }
        eprintln!("repeat {} of {repeats}", repeat + 1);
    }
    table::print(rows.into_iter().map(|(_, _, row)| row))?;
    stand::print(&pairs, |name| keeps(&words, name))
}
