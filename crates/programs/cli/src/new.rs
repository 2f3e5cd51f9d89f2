//! `wiredyno new`: creates a payload's folder from a definition or samples.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use serde::Serialize;
use wiredyno_contract::PayloadId;
use wiredyno_payloads::{MadePayload, NewError, NewPayload, STANDARD_INPUT};
use wiredyno_schema::Definition;

use crate::in_words::count;
use crate::output::outln;
use crate::{exit, failure};

#[derive(clap::Args)]
pub struct Arguments {
    /// The payload's id: lower-case letters, digits and hyphens
    name: PayloadId,
    /// A .proto file, an Avro schema (.avsc), a JSON Schema (.schema.json), or samples: JSON lines (.jsonl) or JSON, `-` to read samples from
    /// standard input
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    /// The message to use if a .proto file has several
    #[arg(long)]
    message: Option<String>,
    /// Samples for a definition: JSON lines or JSON, `-` to read them from standard input; without any, values are invented from a seed
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,
    /// The folder to create; named like the payload when left out
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print a JSON object: the folder, the numbers of fields and samples, what can't be expressed
    #[arg(long)]
    json: bool,
}

/// The result, for programs.
#[derive(Serialize)]
struct Made<'a> {
    folder: &'a Path,
    /// The chosen message of a .proto file.
    message: Option<&'a str>,
    messages: usize,
    fields: usize,
    samples: u64,
    invented: bool,
    /// What message.proto can't express and has as comments.
    remarks: &'a [String],
    /// The field that serves as the message number.
    sequence: Option<&'a str>,
    notes: Vec<String>,
}

/// Creates the folder, complete or not at all.
pub fn main(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { name: id, from, message, samples, out, json } = arguments;
    let folder = out.unwrap_or_else(|| PathBuf::from(&id.name));
    let reads_input = |file: &Path| file.as_os_str() == STANDARD_INPUT;
    let mut input = None;
    if reads_input(from.as_path()) || samples.as_deref().is_some_and(reads_input) {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("standard input")?;
        input = Some(text);
    }
    let new = NewPayload { id, from, message, samples, folder, input };
    let made = new.make().map_err(|error| match error {
        NewError::Sized(_)
        | NewError::Bundled(_)
        | NewError::Pattern(_)
        | NewError::NoProto(_)
        | NewError::SamplesTwice(_) => failure::wrong(error),
        other => other.into(),
    })?;
    if json {
        outln!("{}", serde_json::to_string_pretty(&for_programs(&made, &new))?);
    } else {
        tell(&made, &new);
    }
    Ok(exit::DONE)
}

fn for_programs<'a>(made: &'a MadePayload, new: &'a NewPayload) -> Made<'a> {
    Made {
        folder: &new.folder,
        message: made.message.as_ref().map(|(message, _)| message.as_str()),
        messages: made.definition.messages.len(),
        fields: fields(&made.definition),
        samples: made.samples,
        invented: made.invented,
        remarks: &made.remarks,
        sequence: made.definition.sequence_field().map(|field| field.name.as_str()),
        notes: notes(made),
    }
}

fn fields(definition: &Definition) -> usize {
    definition.messages.iter().map(|message| message.fields.len()).sum()
}

/// Notes for users of the samples.
fn notes(made: &MadePayload) -> Vec<String> {
    let wrapped = (!made.wrapped.is_empty()).then(|| told_of_wrapping(&made.wrapped));
    let avro = made.avro.as_ref().map(|avro| format!("note: {avro}"));
    wrapped.into_iter().chain(avro).chain(told_of_wide(made.wide, "")).collect()
}

fn tell(made: &MadePayload, new: &NewPayload) {
    let MadePayload { definition, message, samples, invented, remarks, .. } = made;
    let folder = &new.folder;
    if let Some((message, several)) = message {
        let other = if *several { "; `--message NAME` selects another" } else { "" };
        outln!("using the message {message} of {}{other}", new.from.display());
    }
    outln!(
        "{}: {} in {}",
        folder.join("message.proto").display(),
        count(fields(definition), "field"),
        count(definition.messages.len(), "message")
    );
    let invented = if *invented { ", invented: replace them with real ones" } else { "" };
    outln!("{}: {samples} samples{invented}", folder.join("samples.jsonl").display());
    if !remarks.is_empty() {
        outln!("{} things can't be expressed in message.proto and are comments there:", remarks.len());
        for remark in remarks.iter().take(10) {
            outln!("  {remark}");
        }
        if remarks.len() > 10 {
            outln!("  and {} more", remarks.len() - 10);
        }
    }
    for note in notes(made) {
        outln!("{note}");
    }
    match definition.sequence_field() {
        Some(field) => {
            outln!(
                "`{}` is taken as the message number, which distinguishes messages: check that",
                field.name
            )
        }
        None => {
            outln!(
                "no field is a message number: mark one with [(wiredyno.sequence) = true], so that messages can be \
                 told apart when they are sent"
            )
        }
    }
    outln!("review it, then: wiredyno build {}", folder.display());
}

/// Notes about readers that lack integers of the samples, from the numbers of samples with one beyond 2^53 and with one beyond 2^63 - 1. `first`
/// follows these numbers.
pub fn told_of_wide((doubles, signed): (u64, u64), first: &str) -> Vec<String> {
    let samples = |number: u64| count(number as usize, "sample");
    let doubles = (doubles > 0).then(|| {
        format!(
            "note: {} with an integer beyond 2^53{first}: JSON has all of its digits here, but readers whose numbers are doubles, as \
             JavaScript's are, read a different one",
            samples(doubles)
        )
    });
    let signed = (signed > 0).then(|| {
        format!(
            "note: {} with an integer beyond 2^63 - 1{first}: BSON has no such number. bson/bson stores its bits as a negative one; pymongo \
             refuses it",
            samples(signed)
        )
    });
    doubles.into_iter().chain(signed).collect()
}

/// Most places that a note about wrapped values names.
const PLACES_TOLD: usize = 5;

/// The note that .proto has neither lists in lists nor values of several kinds, with the places and formats that this affects.
pub fn told_of_wrapping(wrapped: &[String]) -> String {
    let mut places: Vec<String> =
        wrapped.iter().take(PLACES_TOLD).map(|place| format!("`{place}`")).collect();
    if wrapped.len() > PLACES_TOLD {
        places.push(format!("{} more", wrapped.len() - PLACES_TOLD));
    }
    format!(
        "note: .proto has no lists in lists, nulls in lists or values of several kinds, so the elements of {} are wrapped in \
         messages of their own. JSON, CBOR, MessagePack and BSON write only the values; formats with a definition, such as \
         Protobuf, write the wrappers too",
        places.join(", ")
    )
}
