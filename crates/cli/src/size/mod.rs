//! `wiredyno size`: bytes of a payload's samples in every format, plain and compressed. Needs neither compiler nor runner.

mod source;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Map, Value, json};
use wiredyno_codecs::REGISTRY;
use wiredyno_dynamic::sizes::{Fit, Row, Sizes, measure};
use wiredyno_dynamic::{Described, ENCODERS};
use wiredyno_model::{Capability, CompressionId, DeclaredCodec};

use crate::exit;
use crate::output::outln;
use source::Source;

/// Arguments of `size`.
#[derive(clap::Args)]
pub struct Arguments {
    /// A payload's id, or its folder as `wiredyno new` makes it; with `@SIZE` where it takes a size
    payload: String,
    /// Samples in place of the payload's own: one JSON object a line, as in samples.jsonl
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,
    /// What is done to the bytes of each message; again for more
    #[arg(long, value_name = "ID", default_values = ["gzip:6", "zstd:3", "lz4"])]
    compression: Vec<CompressionId>,
    /// Print least and greatest sizes of compressed messages too
    #[arg(long)]
    long: bool,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Weighs the samples, and says so.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let source = Source::find(&arguments.payload, arguments.samples.as_deref())?;
    let described = Described::new(source.definition()?);
    let descriptor = described.definition.descriptor.clone();
    let samples = source.samples(&descriptor)?;
    let compressions: Vec<CompressionId> =
        arguments.compression.iter().filter(|id| !id.is_none()).cloned().collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let sizes = measure(&described, samples.values, &samples.file, &compressions, threads)?;
    let weighed =
        Weighed { payload: &arguments.payload, origin: &samples.origin, invented: samples.invented, sizes };
    if arguments.json {
        outln!("{}", serde_json::to_string_pretty(&weighed.to_json(&compressions))?);
    } else {
        table::print(&weighed, &compressions, arguments.long);
    }
    Ok(exit::DONE)
}

/// What was found, and of what.
struct Weighed<'a> {
    payload: &'a str,
    /// Where the samples come from.
    origin: &'a str,
    /// Whether nobody ever sent them.
    invented: bool,
    sizes: Sizes,
}

/// The codecs whose bytes only their compiled code gives.
fn after_build() -> Vec<&'static str> {
    let ids = REGISTRY.iter().map(|codec| codec.id);
    ids.filter(|id| !ENCODERS.iter().any(|encoder| encoder.codec() == *id)).collect()
}

/// Whether a message can be read without its definition.
fn is_self_describing(codec: &str) -> bool {
    let described = |known: &&&DeclaredCodec| known.id == codec;
    REGISTRY
        .iter()
        .find(described)
        .is_some_and(|codec| codec.capabilities.contains(&Capability::SelfDescribing))
}

impl Weighed<'_> {
    fn to_json(&self, compressions: &[CompressionId]) -> Value {
        let (mut carried, mut partly, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for Row { codec, same_as, outcome } in &self.sizes.rows {
            match outcome {
                Fit::Carried { plain, compressed } => {
                    let ids = compressions.iter().map(ToString::to_string);
                    let compressed: Map<String, Value> =
                        ids.zip(compressed).map(|(id, spread)| (id, json!(spread))).collect();
                    carried.push(json!({
                        "id": codec, "same_bytes_as": same_as, "self_describing": is_self_describing(codec),
                        "plain": plain, "compressed": compressed,
                    }));
                }
                Fit::Partly { samples, number, reason } => partly.push(json!({
                    "id": codec, "samples": samples, "first": number, "reason": reason,
                })),
                Fit::Refused { reason } => refused.push(json!({ "id": codec, "reason": reason })),
            }
        }
        json!({
            "payload": self.payload,
            "samples": { "count": self.sizes.samples, "from": self.origin, "invented": self.invented },
            "compressions": compressions.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "codecs": carried,
            "partly": partly,
            "refused": refused,
            "after_build": after_build(),
        })
    }
}
