//! Criterion's side: its own loop around the codec's calls, its own analysis.

use std::fs::File;
use std::hint::black_box;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;

use criterion::{Bencher, Criterion};
use prost::Message as _;
use wiredyno_bench::Done;
use wiredyno_codec::convert::Lift;
use wiredyno_codec::{CodecFor, PayloadTypes, call};
use wiredyno_schema::canonical_bytes;

use crate::{Operation, SAMPLES};

/// Number of criterion's samples, as many as our batches; each is many calls.
const CRITERION_SAMPLES: usize = 30;
/// The total duration of our batches.
const MEASURING: Duration = Duration::from_millis(60);
/// Longer than our calibration, which serves as our warm-up.
const WARM_UP: Duration = Duration::from_millis(20);
/// Fewer than criterion's default: its intervals are not used, the median does not depend on them.
const RESAMPLES: usize = 1_001;

/// Median over criterion's samples of nanoseconds per call.
pub fn median_ns<C: CodecFor<P> + Default, P: PayloadTypes>(
    operation: Operation,
    payload: &'static str,
) -> Done<f64> {
    let codec = C::default();
    let mut state = codec.state()?;
    let mut objects = Vec::new();
    let mut bodies = Vec::new();
    for value in domain_values::<P>(payload)? {
        let object = call::build::<C, P>(&codec, &state, &value);
        bodies.push(call::encode_fresh::<C, P>(&codec, &mut state, &object)?);
        objects.push(object);
    }
    let (objects, bodies) = (objects.as_slice(), bodies.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let bodies = bodies.as_slice();
    let mut out = Vec::new();
    // The closures own the sample's index, so that the compiler can keep it in a register, as in our loop.
    analysed(|bencher| {
        let (codec, state, out) = (&codec, &mut state, &mut out);
        let mut next = round(objects.len());
        match operation {
            Operation::Encode => bencher.iter(move || {
                out.clear();
                consume(call::encode::<C, P>(codec, state, &objects[next()], out));
                black_box(out.as_ptr());
            }),
            Operation::EncodeFresh => {
                bencher.iter(move || consume(call::encode_fresh::<C, P>(codec, state, &objects[next()])))
            }
            Operation::Decode => {
                bencher.iter(move || consume(call::decode::<C, P>(codec, state, bodies[next()])))
            }
        }
    })
}

/// Looks at the product in place and drops it, as our loop does: returned to criterion it would be moved, which
/// for a hundred bytes costs as much as some calls. Criterion has no way to end with an error; that these samples can be
/// encoded and decoded was checked before.
#[inline]
fn consume<T, E: std::fmt::Display>(product: Result<T, E>) {
    black_box(&product);
    if let Err(error) = product {
        panic!("a sample that could be measured before: {error}");
    }
}

/// The indices of the samples, cyclically.
fn round(samples: usize) -> impl FnMut() -> usize {
    let mut sample = 0;
    move || {
        sample += 1;
        if sample == samples {
            sample = 0;
        }
        sample
    }
}

/// The same samples as `BoundCodec::load` takes, read in the same way.
fn domain_values<P: PayloadTypes>(payload: &str) -> Done<Vec<P::Domain>> {
    let payload = wiredyno_payloads::find(&payload.parse()?)?;
    let mut values = Vec::new();
    for value in payload.samples(Some(SAMPLES))? {
        let message = P::Message::decode(canonical_bytes(&value?).as_slice())?;
        values.push(message.lift()?);
    }
    Ok(values)
}

/// Lets criterion measure, into a folder of its own, and reads the median that it wrote.
fn analysed(mut routine: impl FnMut(&mut Bencher<'_>)) -> Done<f64> {
    let folder = tempfile::tempdir()?;
    let mut criterion = Criterion::default()
        .without_plots()
        .sample_size(CRITERION_SAMPLES)
        .warm_up_time(WARM_UP)
        .measurement_time(MEASURING)
        .nresamples(RESAMPLES)
        .output_directory(folder.path());
    silenced(|| {
        criterion.bench_function("operation", |bencher| routine(bencher));
    })?;
    median_in(&folder.path().join("operation/new/estimates.json"))
}

fn median_in(path: &Path) -> Done<f64> {
    let estimates: serde_json::Value = serde_json::from_reader(File::open(path)?)?;
    let median = estimates["median"]["point_estimate"].as_f64();
    median.ok_or_else(|| format!("{}: criterion wrote no median", path.display()).into())
}

/// Criterion prints each analysis; the table is enough.
fn silenced(work: impl FnOnce()) -> Done<()> {
    let nowhere = File::options().write(true).open("/dev/null")?;
    let kept = std::io::stdout().as_fd().try_clone_to_owned()?;
    let kept_errors = std::io::stderr().as_fd().try_clone_to_owned()?;
    nix::unistd::dup2_stdout(&nowhere)?;
    nix::unistd::dup2_stderr(&nowhere)?;
    work();
    nix::unistd::dup2_stdout(&kept)?;
    nix::unistd::dup2_stderr(&kept_errors)?;
    Ok(())
}
