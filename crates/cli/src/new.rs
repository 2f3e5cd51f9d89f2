//! `wiredyno new`: a payload's folder from what people have.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use wiredyno_model::PayloadId;
use wiredyno_payloads::{MadePayload, NewPayload};

use crate::exit;
use crate::output::outln;

/// Arguments of `new`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The payload's id: small letters, digits and hyphens
    name: PayloadId,
    /// A .proto file, an Avro schema (.avsc), a JSON Schema (.schema.json), or samples: JSON lines (.jsonl) or JSON
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    /// The message, where a .proto file has several
    #[arg(long)]
    message: Option<String>,
    /// Samples for a definition: JSON lines or JSON; without any, values are invented from a seed
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,
    /// The folder to make; the payload's id when left out
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Makes the folder, whole or not at all.
pub fn main(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { name: id, from, message, samples, out } = arguments;
    let folder = out.unwrap_or_else(|| PathBuf::from(&id.name));
    let new = NewPayload { id, from, message, samples, folder };
    tell(&new.make()?, &new.folder);
    Ok(exit::DONE)
}

fn tell(made: &MadePayload, folder: &Path) {
    let MadePayload { definition, samples, invented, remarks } = made;
    let fields: usize = definition.messages.iter().map(|message| message.fields.len()).sum();
    outln!(
        "{}: {fields} fields in {} messages",
        folder.join("message.proto").display(),
        definition.messages.len()
    );
    let invented = if *invented { ", invented: put real ones in their place" } else { "" };
    outln!("{}: {samples} samples{invented}", folder.join("samples.jsonl").display());
    if !remarks.is_empty() {
        outln!("{} things could not be said in message.proto and stand there as comments:", remarks.len());
        for remark in remarks.iter().take(10) {
            outln!("  {remark}");
        }
        if remarks.len() > 10 {
            outln!("  and {} more", remarks.len() - 10);
        }
    }
    match definition.sequence_field() {
        Some(field) => {
            outln!("`{}` numbers the messages that are sent: check that this is right", field.name)
        }
        None => {
            outln!(
                "no field holds a sequence number: mark one with [(wiredyno.sequence) = true], so that messages can be told apart when they are sent"
            )
        }
    }
    outln!("look it over, then: wiredyno build {}", folder.display());
}
