//! Where a payload and its samples come from: a folder, a payload by its name, or JSON documents.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use prost_reflect::MessageDescriptor;
use wiredyno_contract::PayloadId;
use wiredyno_dynamic::sizes::{Sample, SizeError};
use wiredyno_payloads::{DOCUMENTS, PayloadFolder, PayloadName};
use wiredyno_planning::stock;
use wiredyno_schema::generator::{Generator, INVENTED_SEED};
use wiredyno_schema::import::avsc::AVRO_DIFFERS;
use wiredyno_schema::{Definition, write_value};

use crate::exit;

use super::documents::{Documents, lines_of};
use super::given::Given;

const PROTO: &str = "message.proto";
const SAMPLES: &str = "samples.jsonl";
const RULES: &str = "generator.toml";

/// A payload's texts.
pub struct Source {
    /// message.proto, and what errors call it.
    proto: (String, String),
    samples: Samples,
    size_bytes: Option<u32>,
}

/// Samples as they stand somewhere.
enum Samples {
    /// JSON documents.
    Documents(Documents),
    /// Lines of a payload's own file.
    File(PathBuf),
    /// A file beside the payload's own: samples, or documents as `wiredyno new` takes them.
    Given(PathBuf),
    /// Lines of a payload's file.
    Text(String),
    /// Made by rules; what errors call them.
    Rules { text: String, file: String },
    /// There are none.
    Missing,
}

/// Samples that are read as they are needed.
pub struct Values {
    /// Each of them.
    pub values: Box<dyn Iterator<Item = Result<Sample, SizeError>> + Send>,
    /// What errors call them.
    pub file: String,
    /// Where they come from, for people.
    pub origin: String,
    /// Whether nobody ever sent them.
    pub invented: bool,
    /// Where values stand in messages of their own that are no objects in documents, where that is known.
    pub wrapped: Vec<String>,
}

impl Source {
    /// Finds JSON documents, a folder with a message.proto, or a payload of this program; other samples where a file is named.
    pub fn find(argument: &str, samples: Option<&Path>) -> anyhow::Result<Source> {
        let sized = argument.rsplit_once('@').and_then(|(name, size)| Some((name, size.parse().ok()?)));
        let (name, size_bytes) = sized.map_or((argument, None), |(name, size)| (name, Some(size)));
        let folder = Path::new(name);
        let documents = if samples.is_none() { Documents::named(argument)? } else { None };
        let mut source = if let Some(documents) = documents {
            let proto = (documents.definition(), documents.name());
            Source { proto, samples: Samples::Documents(documents), size_bytes: None }
        } else if folder.join(PROTO).is_file() {
            refuse_another_of_the_program(folder)?;
            Source::of_folder(folder, size_bytes)?
        } else if folder.is_dir() {
            bail!("{name} has no {PROTO}: name a payload's folder, as `wiredyno new` makes it");
        } else if folder.exists() && !folder.is_file() {
            bail!("{name} is not a regular file: `wiredyno size -` reads JSON documents from standard input");
        } else if folder.is_file() && Documents::are_named(name) {
            bail!("--samples are for a payload, and {name} is samples itself: leave one of them out");
        } else if folder.is_file() {
            bail!(
                "{name} is not a JSON file by its name (.json, .jsonl, .ndjson): make a payload from it with \
                 `wiredyno new NAME --from {name}`, and name that"
            );
        } else if Documents::are_named(argument) {
            bail!("{argument}: there is no such file");
        } else {
            Source::of_program(argument)?
        };
        if let Some(file) = samples {
            source.samples = Samples::Given(file.to_owned());
        }
        Ok(source)
    }

    fn of_folder(folder: &Path, size_bytes: Option<u32>) -> anyhow::Result<Source> {
        let read = |name: &str| {
            let file = folder.join(name);
            let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            anyhow::Ok((text, file.display().to_string()))
        };
        let samples = if folder.join(RULES).is_file() {
            let (text, file) = read(RULES)?;
            Samples::Rules { text, file }
        } else if folder.join(SAMPLES).is_file() {
            Samples::File(folder.join(SAMPLES))
        } else {
            Samples::Missing
        };
        Ok(Source { proto: read(PROTO)?, samples, size_bytes })
    }

    fn of_program(argument: &str) -> anyhow::Result<Source> {
        let id: PayloadId = argument
            .parse()
            .with_context(|| format!("`{argument}` is neither a folder nor the id of a payload"))
            .map_err(exit::wrong)?;
        let size_bytes = id.size_bytes;
        let payload = exit::named(stock::payload(&PayloadName::Id(id)))?;
        let folder = payload.folder();
        let file = |name: &str| folder.path().join(name).display().to_string();
        let samples = match (folder.generator(), folder.samples()) {
            (Some(text), _) => Samples::Rules { text: text.to_owned(), file: file(RULES) },
            (None, Some(text)) => Samples::Text(text.to_owned()),
            (None, None) => Samples::Missing,
        };
        Ok(Source { proto: (folder.definition().to_owned(), file(PROTO)), samples, size_bytes })
    }

    /// What its message.proto says.
    pub fn definition(&self) -> anyhow::Result<Definition> {
        Ok(Definition::from_source(&self.proto.0, &self.proto.1)?)
    }

    /// That the Avro codecs write another schema than the one that it was made from, where its definition says so.
    pub fn avro(&self) -> Option<String> {
        let mut said = self.proto.0.lines().filter_map(|line| line.strip_prefix("// "));
        said.find(|line| line.starts_with(AVRO_DIFFERS)).map(|line| format!("note: {line}"))
    }

    /// Its samples.
    pub fn samples(self, descriptor: &MessageDescriptor) -> anyhow::Result<Values> {
        if self.size_bytes.is_some() && !matches!(self.samples, Samples::Rules { .. }) {
            return Err(exit::wrong(anyhow!("the payload takes no size: leave out `@` and what follows")));
        }
        Ok(match self.samples {
            Samples::Documents(documents) => {
                let file = documents.name();
                let wrapped = documents.wrapped();
                let values = documents.samples()?;
                Values { values, origin: file.clone(), file, invented: false, wrapped }
            }
            Samples::File(path) => {
                let file = path.display().to_string();
                let first = lines_of(&path)?.next().transpose()?;
                let invented = first.is_some_and(|(_, line)| is_invented(&line, descriptor));
                let lines = lines_of(&path)?;
                let values: Box<dyn Iterator<Item = _> + Send> = match documents_beside(&path)? {
                    None => Box::new(lines.map(|line| line.map(|(number, line)| Sample::Line(number, line)))),
                    Some(documents) => Box::new(lines.zip(documents).map(|(line, came)| {
                        let ((number, line), (_, came)) = (line?, came?);
                        Ok(Sample::Document { number, line, came })
                    })),
                };
                Values { values, origin: file.clone(), file, invented, wrapped: Vec::new() }
            }
            Samples::Given(path) => {
                let file = path.display().to_string();
                let given =
                    Given::of(&path, Definition::from_source(&self.proto.0, &self.proto.1)?, &self.proto.0)?;
                if given.are_lines() {
                    let own = Source { proto: self.proto, samples: Samples::File(path), size_bytes: None };
                    return own.samples(descriptor);
                }
                Values {
                    values: given.samples()?,
                    origin: file.clone(),
                    file,
                    invented: false,
                    wrapped: Vec::new(),
                }
            }
            Samples::Text(text) => {
                let lines: Vec<String> = text.lines().map(str::to_owned).collect();
                let lines = (1..).zip(lines).filter(|(_, line)| !line.trim().is_empty());
                let values = Box::new(lines.map(|(number, line)| Ok(Sample::Line(number, line))));
                let file = self.proto.1.replace(PROTO, SAMPLES);
                Values { values, origin: file.clone(), file, invented: false, wrapped: Vec::new() }
            }
            Samples::Rules { text, file } => {
                let generator = Generator::from_toml(&text, &file, descriptor, self.size_bytes)?;
                made(generator, format!("the rules of {file}"), false)
            }
            Samples::Missing => {
                made(Generator::invented(descriptor, INVENTED_SEED), format!("seed {INVENTED_SEED}"), true)
            }
        })
    }
}

/// Refuses a folder that has the name of a payload of the program and is another: a name means one payload.
fn refuse_another_of_the_program(folder: &Path) -> anyhow::Result<()> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    if PayloadFolder::bundled(&name).is_some() {
        wiredyno_payloads::find(&PayloadName::Folder(folder.to_owned(), None))?;
    }
    Ok(())
}

/// The documents of which the samples of a file were made, as they came; `None` where there are none, or where samples were added
/// or taken away since.
fn documents_beside(
    samples: &Path,
) -> anyhow::Result<Option<impl Iterator<Item = Result<(usize, String), SizeError>> + Send + use<>>> {
    let documents = samples.with_file_name(DOCUMENTS);
    if samples.file_name().is_none_or(|name| name != SAMPLES) || !documents.is_file() {
        return Ok(None);
    }
    let is_same = lines_of(samples)?.count() == lines_of(&documents)?.count();
    is_same.then(|| lines_of(&documents)).transpose()
}

fn made(generator: Generator, origin: String, invented: bool) -> Values {
    let count = generator.samples() as usize;
    let values = (1..).zip(generator.take(count)).map(|(number, value)| Ok(Sample::Value(number, value)));
    Values { values: Box::new(values), file: origin.clone(), origin, invented, wrapped: Vec::new() }
}

/// Whether a file begins as the one that `wiredyno new` writes without samples.
fn is_invented(line: &str, descriptor: &MessageDescriptor) -> bool {
    let first = Generator::invented(descriptor, INVENTED_SEED).message();
    write_value(&first).is_ok_and(|written| written == line)
}
