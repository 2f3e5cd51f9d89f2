//! `wiredyno schema`: message definitions in other interface languages, and what those can say.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use wiredyno_payloads::PayloadName;
use wiredyno_planning::stock;
use wiredyno_schema::Definition;
use wiredyno_schema::expressiveness;
use wiredyno_schema::idl::{self, Expression, Idl};

use crate::exit;
use crate::output::{out, outln};

/// What to do with definitions.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Print a payload's definition in another interface language
    Translate(Translate),
    /// Show what each interface language can express, or what becomes of a payload's fields in each
    Expressiveness(Expressiveness),
}

/// Arguments of `schema translate`.
#[derive(clap::Args)]
pub struct Translate {
    /// A bundled payload, a payload's folder, or a message.proto
    payload: String,
    /// The language: an id of `wiredyno list languages`, or the end of its files
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    to: &'static dyn Idl,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Leave out the notes on standard error about stand-ins
    #[arg(long, short)]
    quiet: bool,
}

/// Arguments of `schema expressiveness`.
#[derive(clap::Args)]
pub struct Expressiveness {
    /// A bundled payload, a payload's folder, or a message.proto; the general table when left out
    payload: Option<String>,
    /// Print JSON
    #[arg(long, conflicts_with = "md")]
    json: bool,
    /// Print Markdown
    #[arg(long)]
    md: bool,
}

fn language(word: &str) -> Result<&'static dyn Idl, String> {
    idl::find(word).ok_or_else(|| {
        let ids: Vec<&str> = idl::IDLS.iter().map(|idl| idl.id()).collect();
        format!("no such language, only {}", ids.join(", "))
    })
}

/// Does it.
pub fn main(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Translate(arguments) => translate(arguments),
        Command::Expressiveness(arguments) => tell(arguments),
    }
}

/// A definition and the file that it comes from.
fn definition(payload: &str) -> anyhow::Result<(Definition, String)> {
    let path = PathBuf::from(payload);
    let file = if path.is_dir() { path.join("message.proto") } else { path };
    if file.is_file() {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(&file).with_context(|| name.clone())?;
        return Ok((Definition::from_source(&text, &name)?, name));
    }
    if payload.contains('/') || payload.ends_with(".proto") {
        bail!("{}: no such file", file.display());
    }
    let name: PayloadName = payload.parse().map_err(exit::wrong)?;
    let found = exit::named(stock::payload(&name))?;
    let name = format!("payloads/{}/message.proto", found.id().name);
    Ok((found.definition().clone(), name))
}

fn translate(arguments: &Translate) -> anyhow::Result<ExitCode> {
    let (definition, file) = definition(&arguments.payload)?;
    let payload = &arguments.payload;
    let lowered = arguments.to.lower(&definition).map_err(|refusal| {
        anyhow!(
            "{file}: {refusal}; change the definition, or choose another language (`wiredyno schema expressiveness \
             {payload}` compares them)"
        )
    })?;
    if !arguments.quiet {
        for note in &lowered.notes {
            if let Expression::StandIn(by) = &note.expression {
                eprintln!("note: {}: by {by}", note.path);
            }
        }
    }
    match &arguments.out {
        Some(path) => {
            std::fs::write(path, &lowered.text).with_context(|| path.display().to_string())?;
        }
        None => out!("{}", lowered.text),
    }
    Ok(exit::DONE)
}

fn tell(arguments: &Expressiveness) -> anyhow::Result<ExitCode> {
    let Some(payload) = &arguments.payload else {
        let cells = expressiveness::table()?;
        match (arguments.json, arguments.md) {
            (true, _) => outln!("{}", serde_json::to_string_pretty(&cells)?),
            (_, true) => out!("{}", expressiveness::markdown(&cells)),
            _ => out!("{}", expressiveness::text(&cells)),
        }
        return Ok(exit::DONE);
    };
    let languages = expressiveness::of_payload(&definition(payload)?.0);
    match (arguments.json, arguments.md) {
        (true, _) => outln!("{}", serde_json::to_string_pretty(&languages)?),
        (_, true) => out!("{}", expressiveness::of_payload_markdown(&languages)),
        _ => out!("{}", expressiveness::of_payload_text(&languages)),
    }
    Ok(exit::DONE)
}
