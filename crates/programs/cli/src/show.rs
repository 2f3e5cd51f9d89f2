//! `wiredyno show`: shows one payload, study or link in full. Nothing is compiled.

use std::process::ExitCode;

use clap::ValueEnum;
use wiredyno_payloads::{Payload, PayloadName};
use wiredyno_planning::catalogue::{Kind, find};
use wiredyno_planning::stock;

use crate::listed::{Shown, ShownFile, ShownPayload};
use crate::output::{out, outln};
use crate::{exit, failure, list, size};

/// What `wiredyno show` can print.
#[derive(Clone, Copy, ValueEnum)]
enum What {
    Payload,
    Study,
    Link,
}

#[derive(clap::Args)]
pub struct Arguments {
    /// What to show
    kind: What,
    /// Its id; or a file for studies and links, a folder for payloads
    id: String,
    /// Print a JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Prints a payload, study or link in full.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let file = |text: String| ShownFile { id: arguments.id.clone(), text };
    let shown = match arguments.kind {
        What::Study => Shown::Study(file(failure::named(find(Kind::Study, &arguments.id))?.text)),
        What::Link => {
            let found = failure::named(find(Kind::Link, &arguments.id))?;
            list::link(&found)?;
            Shown::Link(file(found.text))
        }
        What::Payload => {
            let name: PayloadName = arguments.id.parse().map_err(failure::wrong)?;
            let found = failure::named(stock::payload(&name))?;
            if !arguments.json {
                return payload(&found, &arguments.id);
            }
            Shown::Payload(Box::new(described(&found, &arguments.id)?))
        }
    };
    match &shown {
        Shown::Study(file) | Shown::Link(file) if !arguments.json => out!("{}", file.text),
        shown => outln!("{}", serde_json::to_string_pretty(shown)?),
    }
    Ok(exit::DONE)
}

/// A payload's definition, and the sizes of its samples in every codec that carries it.
fn payload(payload: &Payload, asked: &str) -> anyhow::Result<ExitCode> {
    let description = payload.description();
    outln!("{}: {}\n\n{}", payload.id(), description.about, description.definition);
    size::print(asked)?;
    outln!("\n`wiredyno measure --payload {asked} --codec CODEC` compiles a codec, and measures it.");
    Ok(exit::DONE)
}

fn described(payload: &Payload, asked: &str) -> anyhow::Result<ShownPayload> {
    let (id, description) = (payload.id().to_string(), payload.description());
    let (about, definition) = (description.about, description.definition);
    Ok(ShownPayload { id, about, definition, sizes: size::shown(asked)? })
}
