//! Our codecs beside what others generate or run, over the same messages: `make bench-codecs`.
//!
//! For each pair and phase: nanoseconds per call of both sides and the ratio foreign time / our time, the median over
//! rounds with its 95 % bootstrap interval. In each round every side makes the same number of calls, one side after the
//! other, so that drift hits all alike (`WIREDYNO_BENCH_REPEATS` rounds, 11 unless told otherwise;
//! `WIREDYNO_BENCH_CALLS` calls, 200,000). Foreign sides run loops of their own in processes of their own, compiled with
//! optimisation; what is inside their clocks is said in oracles/*/README.md. Ours run in the loop of every codec trial,
//! with the reused buffer. Both sides verify what they produced.
//!
//! Limits: times hold for a quiet machine. A side whose tools are missing has no rows, and that is said.

use std::process::ExitCode;

use tempfile::TempDir;
use wiredyno_bench::{MachineState, Outcome, keeps, repeats, words};
use wiredyno_codecs::{Bound, Buffer, Payload, Phase};
use wiredyno_stats::{Bootstrap, Quantile, Sample, Statistic};
use wiredyno_testkit::foreign::{self, Build, Program};

/// A comparison: our codec, somebody else's side, and the ratio that is aimed at.
struct Pair {
    payload: &'static str,
    codec: &'static str,
    beside: &'static str,
    theirs: Theirs,
    aim: f64,
}

/// Where the other times come from.
#[derive(Clone, Copy)]
enum Theirs {
    /// A codec of this program.
    Codec,
    /// A foreign program that takes all messages.
    Asn1c,
    /// A foreign program that takes the first message.
    One(Build),
    /// The same, which takes the message as XML.
    Xml(Build),
}

const UPER: &str = "asn1-uper/wiredyno";
const EXI: &str = "exi/wiredyno:strict";

/// The table of what is aimed at.
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

fn measure() -> Outcome<()> {
    let (rounds, words) = (repeats(11)?, words());
    let calls = std::env::var("WIREDYNO_BENCH_CALLS").map_or(Ok(200_000), |text| text.parse::<u64>())?;
    println!("{}", MachineState::look()?);
    println!("{rounds} rounds of {calls} calls; ratio: foreign time / our time, 95 % interval");
    println!(
        "{:<20} {:<13} {:<16} {:<7} {:>9} {:>9} {:>7} {:>16} {:>6}",
        "ours", "payload", "beside", "phase", "ours ns", "theirs ns", "ratio", "interval", "aim"
    );
    let pairs = pairs();
    let mut sides = Vec::new();
    for pair in
        pairs.iter().filter(|pair| keeps(&words, &format!("{} {} {}", pair.codec, pair.payload, pair.beside)))
    {
        match Sides::new(pair) {
            Ok(made) => sides.push((pair, made, Vec::new())),
            Err(reason) => {
                println!("{} over {}: not beside {}: {reason}", pair.codec, pair.payload, pair.beside)
            }
        }
    }
    // The first round warms up. All pairs take part in every round.
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
    ours: Box<dyn Bound>,
    theirs: Side,
    /// What the program was built in.
    _folder: TempDir,
}

enum Side {
    Codec(Box<dyn Bound>),
    Program(Program),
}

/// Of one round: encode and decode, ours and theirs, in nanoseconds per call.
type Round = [[f64; 2]; 2];

impl Sides {
    fn new(pair: &Pair) -> Outcome<Sides> {
        let payload = wiredyno_payloads::find(&pair.payload.parse()?)?;
        let folder = tempfile::tempdir()?;
        let samples = match pair.theirs {
            Theirs::Codec | Theirs::Asn1c => None,
            Theirs::One(_) | Theirs::Xml(_) => Some(1),
        };
        let ours = loaded(&payload, pair.codec, samples)?;
        let first = |bound: &dyn Bound| bound.encoded_sample(0).map(<[u8]>::to_vec).ok_or("no samples");
        let theirs = match pair.theirs {
            Theirs::Codec => Side::Codec(loaded(&payload, pair.beside, samples)?),
            Theirs::Asn1c => {
                let messages: Vec<&[u8]> =
                    (0..ours.sample_count()).filter_map(|at| ours.encoded_sample(at)).collect();
                Side::Program(foreign::asn1c(&payload, folder.path(), &messages)?)
            }
            Theirs::One(build) => Side::Program(build(&payload, folder.path(), &first(ours.as_ref())?)?),
            Theirs::Xml(build) => {
                let xml = loaded(&payload, "xml/quick-xml", samples)?;
                Side::Program(build(&payload, folder.path(), &first(xml.as_ref())?)?)
            }
        };
        Ok(Sides { ours, theirs, _folder: folder })
    }

    fn time(&mut self, calls: u64) -> Outcome<Round> {
        let ours = timed(self.ours.as_mut(), calls)?;
        let theirs = match &mut self.theirs {
            Side::Codec(bound) => timed(bound.as_mut(), calls)?,
            Side::Program(program) => {
                let times = program.time(calls)?;
                [times.encode_ns, times.decode_ns]
            }
        };
        Ok([ours, theirs])
    }
}

fn loaded(payload: &Payload, codec: &str, samples: Option<usize>) -> Outcome<Box<dyn Bound>> {
    let mut bound = payload.bind(&codec.parse()?)?;
    let samples: Vec<_> = payload.samples(samples)?.collect::<Result<_, _>>()?;
    bound.load(&mut samples.into_iter())?;
    bound.verify_round_trips()?;
    Ok(bound)
}

/// Nanoseconds per call of encoding and decoding.
fn timed(bound: &mut dyn Bound, calls: u64) -> Outcome<[f64; 2]> {
    let mut times = [0.0; 2];
    for (time, phase) in times.iter_mut().zip([Phase::Encode, Phase::Decode]) {
        let batch = bound.run_batch(phase, calls, 0, Buffer::Reused)?.batch;
        *time = batch.elapsed_ns as f64 / batch.iterations as f64;
    }
    Ok(times)
}

fn print(pair: &Pair, rounds: &[Round]) -> Outcome<()> {
    for (at, phase) in ["encode", "decode"].into_iter().enumerate() {
        let median = |side: usize| -> Outcome<f64> {
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
