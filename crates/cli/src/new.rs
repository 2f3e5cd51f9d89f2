//! `wiredyno new`: a payload's folder from what people have.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use wiredyno_model::PayloadId;
use wiredyno_schema::generator::{Generator, INVENTED_SEED as SEED};
use wiredyno_schema::import::infer::{Inference, as_object};
use wiredyno_schema::import::json::{self, Json};
use wiredyno_schema::import::{Draft, avsc, json_schema, proto};
use wiredyno_schema::{Definition, read_value, write_value};

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

/// What the file given with `--from` is.
enum Source {
    Proto(Box<proto::Imported>),
    Definition(Draft),
    Samples(Draft),
}

impl Source {
    fn draft(&self) -> &Draft {
        match self {
            Source::Proto(imported) => &imported.draft,
            Source::Definition(draft) | Source::Samples(draft) => draft,
        }
    }
}

/// Makes the folder, whole or not at all.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if arguments.name.size_bytes.is_some() {
        bail!("`{}`: a new payload takes no size", arguments.name);
    }
    let name = &arguments.name.name;
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(name));
    if folder.exists() {
        bail!("{} exists already: remove it, or name another folder with --out", folder.display());
    }
    let source = read(arguments, name)?;
    let proto = source.draft().to_proto();
    let definition = Definition::from_source(&proto, &folder.join("message.proto").display().to_string())
        .context("the definition that was made is not sound; report this with the file")?;
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
    let made = tempfile::Builder::new().prefix(".wiredyno-new-").tempdir_in(parent)?;
    std::fs::write(made.path().join("message.proto"), &proto)?;
    let from = arguments.samples.as_ref().or(matches!(source, Source::Samples(_)).then_some(&arguments.from));
    let count = match from {
        Some(file) => samples(&source, &definition, file, made.path())?,
        None => invented(&definition, made.path())?,
    };
    std::fs::write(made.path().join("README.md"), readme(name, arguments, from, count))?;
    // The folder appears with everything in it.
    let made = made.keep();
    std::fs::rename(&made, &folder)
        .inspect_err(|_| {
            let _ = std::fs::remove_dir_all(&made);
        })
        .with_context(|| folder.display().to_string())?;
    tell(&source, &definition, &folder, from.is_some(), count);
    Ok(exit::DONE)
}

fn read(arguments: &Arguments, name: &str) -> anyhow::Result<Source> {
    let path = &arguments.from;
    let file = path.display().to_string();
    if !path.is_file() {
        bail!(
            "{file}: there is no such file; --from takes a .proto, .avsc, .schema.json, .jsonl or .json file"
        );
    }
    let whole = || std::fs::read_to_string(path).with_context(|| file.clone());
    if arguments.message.is_some() && !file.ends_with(".proto") {
        bail!("--message goes with .proto files; {file} is none");
    }
    if file.ends_with(".proto") {
        return Ok(Source::Proto(Box::new(proto::import(path, arguments.message.as_deref(), name)?)));
    }
    if file.ends_with(".avsc") {
        return Ok(Source::Definition(avsc::import(&whole()?, &file, name)?));
    }
    let is_schema = file.ends_with(".schema.json")
        || (file.ends_with(".json")
            && json::parse(&whole()?, &file, 1).is_ok_and(|json| json.get("$schema").is_some()));
    if is_schema {
        return Ok(Source::Definition(json_schema::import(&whole()?, &file, name)?));
    }
    if !file.ends_with(".json") && !file.ends_with(".jsonl") && !file.ends_with(".ndjson") {
        bail!("{file}: what is it? Name it .proto, .avsc, .schema.json, .jsonl or .json");
    }
    if arguments.samples.is_some() {
        bail!("{file} holds samples already: leave out --samples");
    }
    let mut inference = Inference::default();
    each_document(path, &mut |document| {
        inference.add(&as_object(document));
        Ok(())
    })?;
    Ok(Source::Samples(inference.draft(name, &file)?))
}

/// Reads JSON lines one by one, other JSON as a whole.
fn each_document(path: &Path, take: &mut dyn FnMut(Json) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let file = path.display().to_string();
    if !file.ends_with(".jsonl") && !file.ends_with(".ndjson") {
        let text = std::fs::read_to_string(path).with_context(|| file.clone())?;
        return json::documents(&text, &file).try_for_each(|document| take(document?));
    }
    let reader = BufReader::new(std::fs::File::open(path).with_context(|| file.clone())?);
    for (at, line) in reader.lines().enumerate() {
        let line = line.with_context(|| format!("{file}:{}", at + 1))?;
        let line = line.trim_start_matches('\u{feff}');
        if !line.trim().is_empty() {
            take(json::parse(line, &file, at + 1)?)?;
        }
    }
    Ok(())
}

/// Writes samples.jsonl; every line is read back.
fn samples(source: &Source, definition: &Definition, path: &Path, folder: &Path) -> anyhow::Result<u64> {
    let file = path.display().to_string();
    let mut out = BufWriter::new(std::fs::File::create(folder.join("samples.jsonl"))?);
    let mut count = 0;
    each_document(path, &mut |document| {
        let at = document.line;
        let line = match source {
            Source::Proto(imported) => {
                let value = read_value(&document.to_string(), &imported.message, &file, at)?;
                write_value(&proto::convert(&value, &definition.descriptor)?)?
            }
            Source::Definition(draft) => draft.sample(&document, &file)?,
            Source::Samples(draft) => draft.sample(&as_object(document), &file)?,
        };
        read_value(&line, &definition.descriptor, &file, at)?;
        count += 1;
        writeln!(out, "{line}").context("samples.jsonl")
    })?;
    out.flush()?;
    if count == 0 {
        bail!("{file} holds no sample: write at least one JSON document into it");
    }
    Ok(count)
}

fn invented(definition: &Definition, folder: &Path) -> anyhow::Result<u64> {
    let generator = Generator::invented(&definition.descriptor, SEED);
    let count = generator.samples();
    let mut out = BufWriter::new(std::fs::File::create(folder.join("samples.jsonl"))?);
    for value in generator.take(count as usize) {
        writeln!(out, "{}", write_value(&value)?)?;
    }
    out.flush()?;
    Ok(count.into())
}

fn readme(name: &str, arguments: &Arguments, samples: Option<&PathBuf>, count: u64) -> String {
    let samples = match samples {
        Some(file) => format!("The {count} samples come from `{}`.", file.display()),
        None => format!(
            "**The {count} samples are invented** (seed {SEED}): plausible for the types, not for you. Figures of sizes and \
             times mean little until real ones stand in `samples.jsonl`."
        ),
    };
    format!("# {name}\n\nMade by `wiredyno new` from `{}`.\n\n{samples}\n", arguments.from.display())
}

fn tell(source: &Source, definition: &Definition, folder: &Path, real: bool, count: u64) {
    let fields: usize = definition.messages.iter().map(|message| message.fields.len()).sum();
    outln!(
        "{}: {fields} fields in {} messages",
        folder.join("message.proto").display(),
        definition.messages.len()
    );
    let invented = if real { "" } else { ", invented: put real ones in their place" };
    outln!("{}: {count} samples{invented}", folder.join("samples.jsonl").display());
    let remarks = &source.draft().remarks;
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
            outln!("no field numbers the messages: mark one with [(wiredyno.sequence) = true] to send them")
        }
    }
    outln!("look it over, then: wiredyno build {}", folder.display());
}
