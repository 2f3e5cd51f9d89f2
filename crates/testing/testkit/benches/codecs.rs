//! Our codecs compared with foreign generated code and libraries, over the same messages: `make bench-codecs`.
//!
//! For each pair and phase: nanoseconds per call of both sides and the ratio foreign time / our time, the median over
//! rounds with its 95 % bootstrap interval. In each round one side follows the other, so that drift affects both alike
//! (`WIREDYNO_BENCH_REPEATS` rounds, 11 by default). Foreign sides make `WIREDYNO_BENCH_CALLS` calls, 200,000
//! by default, in loops and processes of their own, compiled with optimisation; oracles/*/README.md lists what is inside their
//! clocks. Ours are runners, composed for the tests, that `measure` a batch of at least
//! [`BATCH_NS`] with the reused buffer, in the loop of every codec trial. Both sides verify what they produced.
//!
//! Limits: times hold for a quiet machine. A side whose tools are missing has no rows, only a note.

use std::process::ExitCode;

use tempfile::TempDir;
use wiredyno_bench::{Done, MachineState, keeps, repeats, words};
use wiredyno_contract::{Buffer, Phase};
use wiredyno_stats::{Bootstrap, Quantile, Sample, Statistic};
use wiredyno_testkit::foreign::{self, Build, Program};
use wiredyno_testkit::{Loaded, Subject, payloads, rust};

/// The least time of one of our batches: that of 200,000 calls of 100 ns.
const BATCH_NS: u64 = 20_000_000;

/// A comparison: our codec, the foreign side, and the ratio to aim at.
struct Pair {
    payload: &'static str,
    codec: &'static str,
    beside: &'static str,
    theirs: Theirs,
    aim: f64,
}

/// The source of the foreign times.
#[derive(Clone, Copy)]
enum Theirs {
    /// Another codec of the same runner.
    Codec,
    /// A foreign program that takes all messages.
    Asn1c,
    /// A foreign program that takes the first message.
    One(Build),
    /// A foreign program that takes the first message as XML.
    Xml(Build),
}

const UPER: &str = "asn1-uper/wiredyno";
const EXI: &str = "exi/wiredyno:strict";

/// The comparisons, with the ratios to aim at.
fn pairs() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for payload in ["cam", "denm"] {
        pairs.push(Pair { payload, codec: UPER, beside: "asn1c -O3", theirs: Theirs::Asn1c, aim: 1.0 });
        pairs.push(Pair { payload, codec: UPER, beside: "asn1-uper/rasn", theirs: Theirs::Codec, aim: 1.5 });
    }
    let generated: [(&str, &str, Build); 4] = [
        ("lcm/wiredyno", "lcm-gen's C -O3", foreign::lcm_gen),
        ("ros1/wiredyno", "roscpp -O3", foreign::roscpp),
        ("cdr/wiredyno", "Cyclone DDS", foreign::cyclone),
        ("netstrings/wiredyno", "plain C++ -O3", foreign::plain_netstrings),
    ];
    for (codec, beside, build) in generated {
        for payload in ["vehicle-data", "laser-scan"] {
            pairs.push(Pair { payload, codec, beside, theirs: Theirs::One(build), aim: 1.0 });
        }
    }
    let exificient = Theirs::Xml(foreign::exificient_loop);
    pairs.push(Pair { payload: "cam", codec: EXI, beside: "EXIficient", theirs: exificient, aim: 20.0 });
    // Within twice our UPER's time: the ratio of UPER's time to EXI's is at least a half.
    pairs.push(Pair { payload: "cam", codec: EXI, beside: UPER, theirs: Theirs::Codec, aim: 0.5 });
    pairs
}

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench codecs: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Done<()> {
    let (rounds, words) = (repeats(11)?, words());
    let calls = std::env::var("WIREDYNO_BENCH_CALLS").map_or(Ok(200_000), |text| text.parse::<u64>())?;
    println!("{}", MachineState::look()?);
    println!("{rounds} rounds, {calls} foreign calls each; ratio: foreign time / our time, 95 % interval");
    println!(
        "{:<20} {:<13} {:<16} {:<7} {:>9} {:>9} {:>7} {:>16} {:>6}",
        "ours", "payload", "beside", "phase", "ours ns", "theirs ns", "ratio", "interval", "aim"
    );
    let mut pairs = pairs();
    pairs.retain(|pair| keeps(&words, &format!("{} {} {}", pair.codec, pair.payload, pair.beside)));
    let subjects = rust::subjects(|id| pairs.iter().any(|pair| pair.payload == id))?;
    let mut sides = Vec::new();
    for pair in &pairs {
        match Sides::new(pair, &subjects) {
            Ok(made) => sides.push((pair, made, Vec::new())),
            Err(reason) => {
                println!("{} over {}: not beside {}: {reason}", pair.codec, pair.payload, pair.beside)
            }
        }
    }
    // The first round warms up. Every round runs all pairs.
    for round in 0..=rounds {
        for (_, side, times) in &mut sides {
            let both = side.time(calls)?;
            if round > 0 {
                times.push(both);
            }
        }
    }
    sides.iter().try_for_each(|(pair, _, times)| print(pair, times))
}

/// Both sides of a pair, ready to run.
struct Sides {
    ours: Loaded,
    theirs: Side,
    /// The folder that the program was built in.
    _folder: TempDir,
}

enum Side {
    Codec(Box<Loaded>),
    Program(Program),
}

/// The times of one round: encode and decode, ours and theirs, in nanoseconds per call.
type Round = [[f64; 2]; 2];

impl Sides {
    fn new(pair: &Pair, subjects: &[Subject]) -> Done<Sides> {
        let mut over = subjects.iter();
        let subject = over.find(|subject| subject.payload.id().name == pair.payload);
        let subject = subject.ok_or("no runner has the payload")?;
        let folder = tempfile::tempdir()?;
        let samples = payloads::samples(
            &subject.payload,
            match pair.theirs {
                Theirs::Codec | Theirs::Asn1c => usize::MAX,
                Theirs::One(_) | Theirs::Xml(_) => 1,
            },
        );
        let mut ours = subject.load(pair.codec, &samples);
        let (payload, path) = (&subject.payload, folder.path());
        let theirs = match pair.theirs {
            Theirs::Codec => Side::Codec(Box::new(subject.load(pair.beside, &samples))),
            Theirs::Asn1c => {
                let messages = ours.encode_all();
                let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
                Side::Program(foreign::asn1c(payload, path, &messages)?)
            }
            Theirs::One(build) => Side::Program(build(payload, path, &ours.encode(0))?),
            Theirs::Xml(build) => {
                let xml = subject.load("xml/quick-xml", &samples).encode(0);
                Side::Program(build(payload, path, &xml)?)
            }
        };
        Ok(Sides { ours, theirs, _folder: folder })
    }

    fn time(&mut self, calls: u64) -> Done<Round> {
        let ours = timed(&mut self.ours);
        let theirs = match &mut self.theirs {
            Side::Codec(loaded) => timed(loaded),
            Side::Program(program) => {
                let times = program.time(calls)?;
                [times.encode_ns, times.decode_ns]
            }
        };
        Ok([ours, theirs])
    }
}

/// Nanoseconds per call of encoding and decoding.
fn timed(loaded: &mut Loaded) -> [f64; 2] {
    [Phase::Encode, Phase::Decode].map(|phase| {
        let (measured, _) = loaded.measure(phase, BATCH_NS, 1, Buffer::Reused);
        measured.batches.iter().map(|batch| batch.ns_per_call()).sum()
    })
}

fn print(pair: &Pair, rounds: &[Round]) -> Done<()> {
    for (at, phase) in ["encode", "decode"].into_iter().enumerate() {
        let median = |side: usize| -> Done<f64> {
            Ok(Sample::new(rounds.iter().map(|round| round[side][at]).collect::<Vec<_>>())?
                .quantile(Quantile::MEDIAN))
        };
        let ratios = Sample::new(rounds.iter().map(|round| round[1][at] / round[0][at]).collect::<Vec<_>>())?;
        let interval = match Bootstrap::seeded(1).values(&ratios, Statistic::MEDIAN) {
            Ok(interval) => format!("[{:.2}, {:.2}]", interval.low, interval.high),
            Err(reason) => reason.to_string(),
        };
        let ratio = ratios.quantile(Quantile::MEDIAN);
        let missed = if ratio < pair.aim { " missed" } else { "" };
        println!(
            "{:<20} {:<13} {:<16} {phase:<7} {:>9.1} {:>9.1} {ratio:>7.2} {interval:>16} {:>6}{missed}",
            pair.codec,
            pair.payload,
            pair.beside,
            median(0)?,
            median(1)?,
            pair.aim
        );
    }
    Ok(())
}
