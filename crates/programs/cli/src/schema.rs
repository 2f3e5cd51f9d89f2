//! `wiredyno schema`: translates message definitions into other interface languages, and shows what those can express.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use wiredyno_payloads::PayloadName;
use wiredyno_planning::stock;
use wiredyno_schema::Definition;
use wiredyno_schema::expressiveness;
use wiredyno_schema::idl::{self, Expression, Idl};

use crate::output::{out, outln};
use crate::{exit, failure};

/// The subcommands of `wiredyno schema`.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Print a payload's definition in another interface language
    Translate(Translate),
    /// Show what each interface language can express, or what becomes of a payload's fields in each
    Expressiveness(Expressiveness),
}

#[derive(clap::Args)]
pub struct Translate {
    /// A bundled payload, a payload's folder, or a message.proto
    payload: String,
    /// The language: an id from `wiredyno list languages`, or a file extension
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    to: &'static dyn Idl,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Don't print notes about stand-ins on standard error
    #[arg(long, short)]
    quiet: bool,
}

#[derive(clap::Args)]
pub struct Expressiveness {
    /// A bundled payload, a payload's folder, or a message.proto; the general table when left out
    payload: Option<String>,
    /// Print the table as JSON
    #[arg(long, conflicts_with = "md")]
    json: bool,
    /// Print the table as Markdown
    #[arg(long)]
    md: bool,
}

fn language(word: &str) -> Result<&'static dyn Idl, String> {
    idl::find(word).ok_or_else(|| {
        let ids: Vec<&str> = idl::IDLS.iter().map(|idl| idl.id()).collect();
        format!("no such language, only {}", ids.join(", "))
    })
}

/// Runs the chosen subcommand.
pub fn main(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Translate(arguments) => translate(arguments),
        Command::Expressiveness(arguments) => tell(arguments),
    }
}

/// A definition, and the name of its file for messages.
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
    let name: PayloadName = payload.parse().map_err(failure::wrong)?;
    let found = failure::named(stock::payload(&name))?;
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
