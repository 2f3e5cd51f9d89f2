//! `wiredyno size`: the size of a payload's samples in every format, plain and compressed. Needs neither compiler nor runner.

mod documents;
mod given;
mod source;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Map, Value, json};
use wiredyno_codec_registry::REGISTRY;
use wiredyno_contract::{Capability, CompressionId, DeclaredCodec};
use wiredyno_dynamic::sizes::{Fit, Row, Sizes, Spread, measure};
use wiredyno_dynamic::{Described, ENCODERS};
use wiredyno_payloads::digest;
use wiredyno_schema::Definition;

use crate::listed::{ShownRefusal, ShownSize, ShownSizes};
use crate::new::{told_of_wide, told_of_wrapping};
use crate::output::outln;
use crate::{exit, failure};
use source::Source;

#[derive(clap::Args)]
pub struct Arguments {
    /// A file of JSON documents (.json, .jsonl), `-` to read them from standard input, a payload's id, or its folder, as
    /// `wiredyno new` creates it; with `@SIZE` if it takes a size
    payload: String,
    /// Samples to use instead of the payload's own: one JSON object per line, as in samples.jsonl
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,
    /// A compression to apply to each message; repeat for more
    #[arg(long, value_name = "ID", default_values = ["gzip:6", "zstd:3", "lz4"])]
    compression: Vec<CompressionId>,
    /// Also print the smallest and largest compressed sizes
    #[arg(long)]
    long: bool,
    /// Print a JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// Measures the samples and prints their sizes.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let compressions: Vec<CompressionId> =
        arguments.compression.iter().filter(|id| !id.is_none()).cloned().collect();
    weigh(&arguments.payload, arguments.samples.as_deref(), &compressions, |weighed| {
        if arguments.json {
            outln!("{}", serde_json::to_string_pretty(&weighed.to_json(&compressions))?);
        } else {
            table::print(weighed, &compressions, arguments.long);
        }
        Ok(exit::DONE)
    })
}

/// Prints the sizes of a payload's own samples, uncompressed.
pub fn print(payload: &str) -> anyhow::Result<()> {
    weigh(payload, None, &[], |weighed| {
        table::print(weighed, &[], false);
        Ok(())
    })
}

/// The sizes of a payload's own samples, uncompressed.
pub fn shown(payload: &str) -> anyhow::Result<ShownSizes> {
    weigh(payload, None, &[], |weighed| Ok(weighed.shown()))
}

/// Measures the samples and passes the result to a function.
fn weigh<T>(
    payload: &str,
    samples: Option<&Path>,
    compressions: &[CompressionId],
    with: impl FnOnce(&Weighed<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let source = Source::find(payload, samples)?;
    let described = Described::new(source.definition()?);
    let descriptor = described.definition.descriptor.clone();
    let avro = source.avro();
    let samples = source.samples(&descriptor)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let sizes = measure(&described, samples.values, &samples.file, compressions, threads);
    let mut sizes = sizes.map_err(|error| match error.names_no_compression() {
        true => failure::wrong(error),
        false => error.into(),
    })?;
    sizes.leave_out(&left_out(&described.definition));
    let weighed = Weighed {
        payload,
        origin: &samples.origin,
        invented: samples.invented,
        wrapped: &samples.wrapped,
        avro,
        sizes,
    };
    with(&weighed)
}

/// The measured sizes, and what they are of.
struct Weighed<'a> {
    payload: &'a str,
    /// The source of the samples, for people.
    origin: &'a str,
    /// Whether the samples are invented.
    invented: bool,
    /// The places where values that are not objects in documents are wrapped in messages, if known.
    wrapped: &'a [String],
    /// How the Avro codecs deviate from the user's own schema, if known.
    avro: Option<String>,
    sizes: Sizes,
}

/// The codec that writes JSON in the usual form.
const JSON: &str = "json/serde-json";

/// JSON by the definition may differ from the original JSON by 1/`WORTH_A_WORD` without a note.
const WORTH_A_WORD: u64 = 10;

/// Compressed sizes, by the ids of the compressions.
fn by_id(compressions: &[CompressionId], made: &[Spread]) -> Map<String, Value> {
    compressions.iter().map(ToString::to_string).zip(made).map(|(id, spread)| (id, json!(spread))).collect()
}

/// The codecs that a build left out for a definition, with the reason.
fn left_out(definition: &Definition) -> Vec<(&'static str, String)> {
    let noted = wiredyno_planning::stock::left_out(&digest(&definition.descriptor_set));
    let known = |(id, why)| Some((wiredyno_codec_registry::find(&id)?.id, why));
    noted.into_iter().filter_map(known).collect()
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
    /// The codecs whose sizes are known only after a build.
    fn after_build(&self) -> Vec<&'static str> {
        let ids = REGISTRY.iter().map(|codec| codec.id);
        let is_told = |id: &str| {
            ENCODERS.iter().any(|encoder| encoder.codec() == id)
                || self.sizes.rows.iter().any(|row| row.codec == id)
        };
        ids.filter(|id| !is_told(id)).collect()
    }

    /// Warnings about the sizes, one paragraph each.
    fn warnings(&self) -> Vec<String> {
        let wrapped = (!self.wrapped.is_empty()).then(|| told_of_wrapping(self.wrapped));
        self.other_json().into_iter().chain(wrapped).chain(self.avro.clone()).chain(self.wide()).collect()
    }

    /// Notes about readers that lack integers of real samples.
    fn wide(&self) -> Vec<String> {
        let Sizes { beyond_doubles, beyond_signed, .. } = self.sizes;
        if self.invented {
            return Vec::new();
        }
        let first = |first: usize| format!(" (the first in line {first})");
        let doubles = told_of_wide((beyond_doubles.samples, 0), &first(beyond_doubles.first));
        let signed = told_of_wide((0, beyond_signed.samples), &first(beyond_signed.first));
        doubles.into_iter().chain(signed).collect()
    }

    /// The note that JSON by the definition differs in size from the original documents, if it does.
    fn other_json(&self) -> Option<String> {
        let (came, _) = self.sizes.came.as_ref()?;
        let json = self.sizes.rows.iter().find_map(|row| match &row.outcome {
            Fit::Carried { plain, .. } if row.codec == JSON => Some(plain),
            _ => None,
        })?;
        if came.sum_bytes > json.sum_bytes + json.sum_bytes / WORTH_A_WORD {
            return Some(format!(
                "note: written by the definition, JSON ({JSON}) has {:.1} bytes a message, {:.1} as given: nulls, quotes around numbers and \
                 escapes are left out, and the other formats that describe themselves leave out nulls, too.",
                json.mean_bytes(),
                came.mean_bytes()
            ));
        }
        if json.sum_bytes <= came.sum_bytes + came.sum_bytes / WORTH_A_WORD {
            return None;
        }
        Some(format!(
            "warning: written by the definition, JSON ({JSON}) has {:.1} bytes a message, {:.1} as given. Every format pays for \
             what the definition adds: compare with the first row.",
            json.mean_bytes(),
            came.mean_bytes()
        ))
    }

    fn shown(&self) -> ShownSizes {
        let mut sizes = ShownSizes { samples: self.sizes.samples, ..ShownSizes::default() };
        for Row { codec, outcome, .. } in &self.sizes.rows {
            let codec = (*codec).to_owned();
            match outcome {
                Fit::Carried { plain, .. } => sizes.sizes.push(ShownSize {
                    codec,
                    mean_bytes: plain.mean_bytes(),
                    min_bytes: plain.min_bytes,
                    max_bytes: plain.max_bytes,
                }),
                Fit::Partly { reason, .. } | Fit::Refused { reason } => {
                    sizes.not_carried.push(ShownRefusal { codec, why: reason.clone() });
                }
            }
        }
        sizes.sizes.sort_by(|a, b| a.mean_bytes.total_cmp(&b.mean_bytes));
        sizes.after_build = self.after_build().into_iter().map(str::to_owned).collect();
        sizes
    }

    fn to_json(&self, compressions: &[CompressionId]) -> Value {
        let warnings = self.warnings();
        let (mut carried, mut partly, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for Row { codec, same_as, outcome } in &self.sizes.rows {
            match outcome {
                Fit::Carried { plain, compressed } => {
                    carried.push(json!({
                        "id": codec, "same_bytes_as": same_as, "self_describing": is_self_describing(codec),
                        "plain": plain, "compressed": by_id(compressions, compressed),
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
            "json_as_it_came": self.sizes.came.as_ref().map(|(plain, compressed)| {
                json!({ "plain": plain, "compressed": by_id(compressions, compressed) })
            }),
            "warning": (!warnings.is_empty()).then(|| warnings.join("\n")),
            "compressions": compressions.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "codecs": carried,
            "partly": partly,
            "refused": refused,
            "after_build": self.after_build(),
        })
    }
}
