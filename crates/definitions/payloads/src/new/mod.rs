//! Creates a payload's folder from a definition, a schema or samples. The folder appears complete or not at all.

mod error;

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use wiredyno_contract::PayloadId;
use wiredyno_model::Pattern;
use wiredyno_schema::generator::{Generator, INVENTED_SEED as SEED};
use wiredyno_schema::idl::IDLS;
use wiredyno_schema::import::holds::{Holds, holds};
use wiredyno_schema::import::infer::{Inference, as_object};
use wiredyno_schema::import::json::{self, Json};
use wiredyno_schema::import::{Draft, ImportError, avsc, json_schema, proto};
use wiredyno_schema::{Definition, Wide, read_value, write_value};

use crate::folder::{DEFINITION, DOCUMENTS, PayloadFolder, SAMPLES};

pub use self::error::NewError;

/// The path that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// How messages name standard input.
const INPUT: &str = "standard input";

/// What a new payload is created from.
#[derive(Debug, Clone)]
pub struct NewPayload {
    /// The payload's id, without a size.
    pub id: PayloadId,
    /// A .proto file, an Avro schema, a JSON Schema, or samples.
    pub from: PathBuf,
    /// The message to use, if a .proto file has several.
    pub message: Option<String>,
    /// A file of samples for the definition; without one, values are invented.
    pub samples: Option<PathBuf>,
    /// The path of the folder to create.
    pub folder: PathBuf,
    /// The JSON documents read from standard input, if `from` or `samples` is `-`.
    pub input: Option<String>,
}

/// The result of [`NewPayload::make`].
#[derive(Debug)]
pub struct MadePayload {
    /// The definition as compiled from the new message.proto.
    pub definition: Definition,
    /// The message used of a .proto file, and whether the file has others.
    pub message: Option<(String, bool)>,
    /// How many samples were written.
    pub samples: u64,
    /// Of these, how many contain an integer beyond ±2^53, and how many contain one beyond 2^63 - 1.
    pub wide: (u64, u64),
    /// Whether the samples' values are invented.
    pub invented: bool,
    /// What the definition can't express; its comments state it.
    pub remarks: Vec<String>,
    /// Where values have messages of their own although the documents have no objects there.
    pub wrapped: Vec<String>,
    /// How the Avro codecs' output differs from the Avro schema that the payload was created from.
    pub avro: Option<String>,
}

/// The input after it is read.
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

impl NewPayload {
    /// Creates the folder. It appears complete or not at all.
    ///
    /// # Errors
    /// With file and line if the input is invalid. Then no folder is left behind.
    pub fn make(&self) -> Result<MadePayload, NewError> {
        if self.id.size_bytes.is_some() {
            return Err(NewError::Sized(self.id.clone()));
        }
        if PayloadFolder::bundled(&self.id.name).is_some() {
            return Err(NewError::Bundled(self.id.name.clone()));
        }
        if Pattern::of(&self.id.name).is_some() {
            return Err(NewError::Pattern(self.id.name.clone()));
        }
        let folder = &self.folder;
        if folder.exists() {
            return Err(NewError::Exists(folder.clone()));
        }
        let source = self.read()?;
        let proto = source.draft().to_proto();
        let definition = Definition::from_source(&proto, &folder.join(DEFINITION).display().to_string())
            .map_err(NewError::Unsound)?;
        let parent =
            folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent).map_err(NewError::at(parent.display()))?;
        let made = tempfile::Builder::new().prefix(".wiredyno-new-").tempdir_in(parent);
        let made = made.map_err(NewError::at(parent.display()))?;
        write(&made.path().join(DEFINITION), &proto)?;
        let samples = made.path().join(SAMPLES);
        let from = self.samples.as_ref().or(matches!(source, Source::Samples(_)).then_some(&self.from));
        let (count, wide) = match from {
            Some(file) => self.convert(&source, &definition, file, &samples, &made.path().join(DOCUMENTS))?,
            None => (invent(&definition, &samples)?, (0, 0)),
        };
        write(&made.path().join("README.md"), &self.readme(from, count))?;
        let made = made.keep();
        std::fs::rename(&made, folder)
            .inspect_err(|_| {
                let _ = std::fs::remove_dir_all(&made);
            })
            .map_err(NewError::at(folder.display()))?;
        let draft = source.draft();
        let message = match &source {
            Source::Proto(imported) => {
                let several = imported.message.parent_file().messages().len() > 1;
                Some((imported.message.full_name().to_owned(), several))
            }
            _ => None,
        };
        Ok(MadePayload {
            definition,
            message,
            samples: count,
            wide,
            invented: from.is_none(),
            remarks: draft.remarks.clone(),
            // Messages in a .proto file are as its author wrote them.
            wrapped: if matches!(source, Source::Proto(_)) { Vec::new() } else { draft.wrapped() },
            avro: draft.avro.clone(),
        })
    }

    fn read(&self) -> Result<Source, NewError> {
        let (path, name) = (&self.from, &self.id.name);
        if path.as_os_str() == STANDARD_INPUT {
            let text = self.input.as_deref().unwrap_or_default();
            return match schema(text, INPUT, name)? {
                Some(draft) if self.message.is_none() => Ok(Source::Definition(draft)),
                _ => self.inferred(INPUT),
            };
        }
        let file = path.display().to_string();
        match std::fs::metadata(path).map(|what| what.file_type()) {
            Ok(what) if what.is_file() => {}
            Ok(what) if what.is_dir() => return Err(NewError::NoRegular(file, "a folder")),
            Ok(_) => return Err(NewError::NoRegular(file, "not a regular file: copy its content into one")),
            Err(_) => return Err(NewError::NoFile(file)),
        }
        let whole = || std::fs::read_to_string(path).map_err(NewError::at(&file));
        if self.message.is_some() && !file.ends_with(".proto") {
            return Err(NewError::NoProto(file));
        }
        if file.ends_with(".proto") {
            return Ok(Source::Proto(Box::new(proto::import(path, self.message.as_deref(), name)?)));
        }
        if file.ends_with(".avsc") || file.ends_with(".json") {
            let text = whole()?;
            if let Some(draft) = schema(&text, &file, name)? {
                return Ok(Source::Definition(draft));
            }
            // A file whose extension names a schema language must contain a valid schema: its errors are reported.
            if file.ends_with(".avsc") {
                return Ok(Source::Definition(avsc::import(&text, &file, name)?));
            }
            if file.ends_with(".schema.json") {
                return Ok(Source::Definition(json_schema::import(&text, &file, name)?));
            }
        }
        if !file.ends_with(".json") && !file.ends_with(".jsonl") && !file.ends_with(".ndjson") {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let is_json = json::parse(text.trim_start_matches('\u{feff}'), &file, 1).is_ok();
            if is_json && let Some(draft) = schema(&text, &file, name)? {
                return Ok(Source::Definition(draft));
            }
            let extension = path.extension().unwrap_or_default();
            let written = IDLS.iter().find(|language| extension == language.extension());
            return Err(match written {
                Some(language) => NewError::WrittenOnly(file, language.name()),
                None => NewError::Unknown(file),
            });
        }
        self.inferred(&file)
    }

    /// A definition inferred from all documents of the file.
    fn inferred(&self, file: &str) -> Result<Source, NewError> {
        if self.message.is_some() {
            return Err(NewError::NoProto(file.to_owned()));
        }
        if self.samples.is_some() {
            return Err(NewError::SamplesTwice(file.to_owned()));
        }
        let mut inference = Inference::default();
        self.each_document(&self.from, &mut |document, _| {
            inference.add(&as_object(document));
            Ok(())
        })?;
        Ok(Source::Samples(inference.draft(&self.id.name, file)?))
    }

    /// Parses standard input and JSON lines one line at a time, other JSON as a whole.
    fn each_document(&self, path: &Path, take: Take<'_>) -> Result<(), NewError> {
        if path.as_os_str() != STANDARD_INPUT {
            return each_document(path, take);
        }
        for (line, text) in json::texts_of_input(self.input.as_deref().unwrap_or_default(), INPUT)? {
            take(json::parse(text, INPUT, line)?, text)?;
        }
        Ok(())
    }

    /// Writes the samples of a file, and next to them the original documents. Each line is read back as a check.
    fn convert(
        &self,
        source: &Source,
        definition: &Definition,
        from: &Path,
        to: &Path,
        came: &Path,
    ) -> Result<(u64, (u64, u64)), NewError> {
        let file = called(from);
        let unwritten = |path: &Path| NewError::at(path.display().to_string());
        let create = |path: &Path| std::fs::File::create(path).map(BufWriter::new).map_err(unwritten(path));
        let mut out = create(to)?;
        let mut documents = create(came)?;
        let (mut count, mut wide) = (0, (0, 0));
        self.each_document(from, &mut |document, text| {
            let at = document.line;
            let line = match source {
                Source::Proto(imported) => {
                    let value = read_value(&document.to_string(), &imported.message, &file, at)?;
                    let value = proto::convert(&value, &definition.descriptor)
                        .map_err(|error| NewError::Convert { file: file.clone(), line: at, reason: error })?;
                    write_value(&value)?
                }
                Source::Definition(draft) => draft.sample(&document, &file)?,
                Source::Samples(draft) => draft.sample(&as_object(document), &file)?,
            };
            let value = read_value(&line, &definition.descriptor, &file, at)?;
            let has = Wide::of(&value);
            wide.0 += u64::from(has.beyond_doubles);
            wide.1 += u64::from(has.beyond_signed);
            count += 1;
            writeln!(documents, "{}", json::minified(text)).map_err(unwritten(came))?;
            writeln!(out, "{line}").map_err(unwritten(to))
        })?;
        out.flush().map_err(unwritten(to))?;
        documents.flush().map_err(unwritten(came))?;
        if count == 0 {
            return Err(ImportError::Empty { file }.into());
        }
        Ok((count, wide))
    }

    fn readme(&self, samples: Option<&PathBuf>, count: u64) -> String {
        let samples = match samples {
            Some(file) => format!("The {count} samples come from `{}`.", called(file)),
            None => format!(
                "**The {count} samples are invented** (seed {SEED}): plausible for the types, not for your data. Sizes and times \
                 mean little until `{SAMPLES}` holds real ones."
            ),
        };
        let (name, from) = (&self.id.name, called(&self.from));
        format!("# {name}\n\nMade by `wiredyno new` from `{from}`.\n\n{samples}\n")
    }
}

/// The definition in a text that is a schema, whatever its file is called; `None` if it is not a schema.
fn schema(text: &str, file: &str, payload: &str) -> Result<Option<Draft>, ImportError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Ok(document) = json::parse(text, file, 1) else { return Ok(None) };
    Ok(Some(match holds(&document) {
        Holds::JsonSchema => json_schema::import(text, file, payload)?,
        Holds::Avro => avsc::import(text, file, payload)?,
        Holds::Interface(name) => {
            return Err(ImportError::Refused {
                file: file.to_owned(),
                line: document.line,
                what: format!("this is {name}, with schemas inside"),
                remedy: "write the message's schema into a .schema.json file, and what it refers to into its `$defs`".to_owned(),
            });
        }
        Holds::Values => return Ok(None),
    }))
}

/// A file's name as messages show it, or "standard input".
fn called(path: &Path) -> String {
    if path.as_os_str() == STANDARD_INPUT { INPUT.to_owned() } else { path.display().to_string() }
}

fn write(path: &Path, text: &str) -> Result<(), NewError> {
    std::fs::write(path, text).map_err(NewError::at(path.display()))
}

/// Receives each document, parsed and as its original text.
type Take<'a> = &'a mut dyn FnMut(Json, &str) -> Result<(), NewError>;

/// Parses JSON lines one line at a time, other JSON as a whole.
fn each_document(path: &Path, take: Take<'_>) -> Result<(), NewError> {
    let file = path.display().to_string();
    if !json::is_lines(&file) {
        let text = std::fs::read_to_string(path).map_err(NewError::at(&file))?;
        for (line, text) in json::texts(&text, &file)? {
            take(json::parse(text, &file, line)?, text)?;
        }
        return Ok(());
    }
    let reader = BufReader::new(std::fs::File::open(path).map_err(NewError::at(&file))?);
    for (at, line) in reader.lines().enumerate() {
        let line = line.map_err(NewError::at(format!("{file}:{}", at + 1)))?;
        let line = line.trim_start_matches('\u{feff}');
        if !line.trim().is_empty() {
            take(json::parse(line, &file, at + 1)?, line)?;
        }
    }
    Ok(())
}

fn invent(definition: &Definition, to: &Path) -> Result<u64, NewError> {
    let unwritten = || NewError::at(to.display());
    let generator = Generator::invented(&definition.descriptor, SEED);
    let count = generator.samples();
    let mut out = BufWriter::new(std::fs::File::create(to).map_err(unwritten())?);
    for value in generator.take(count as usize) {
        writeln!(out, "{}", write_value(&value)?).map_err(unwritten())?;
    }
    out.flush().map_err(unwritten())?;
    Ok(count.into())
}

#[cfg(test)]
mod tests;
