//! A payload's folder from what people have: whole or not at all.

use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use wiredyno_contract::PayloadId;
use wiredyno_model::Pattern;
use wiredyno_schema::generator::{Generator, INVENTED_SEED as SEED};
use wiredyno_schema::idl::IDLS;
use wiredyno_schema::import::holds::{Holds, holds};
use wiredyno_schema::import::infer::{Inference, as_object};
use wiredyno_schema::import::json::{self, Json};
use wiredyno_schema::import::{Draft, ImportError, avsc, json_schema, proto};
use wiredyno_schema::{Definition, DefinitionError, SampleError, Wide, read_value, write_value};

use crate::folder::{DEFINITION, DOCUMENTS, PayloadFolder, SAMPLES};

/// What stands for standard input in place of a file.
pub const STANDARD_INPUT: &str = "-";

/// What it is called.
const INPUT: &str = "standard input";

/// Why no folder was made.
#[derive(Debug, thiserror::Error)]
pub enum NewError {
    /// The id has a size.
    #[error("`{0}`: a new payload takes no size")]
    Sized(PayloadId),
    /// The program has a payload of that name.
    #[error("`{0}` is already a payload of the program: give the new one another name")]
    Bundled(String),
    /// The name stands for others.
    #[error("`{0}` means all payloads in a study: give the new one another name")]
    Pattern(String),
    /// Something stands there.
    #[error("{0} exists already: remove it, or name another folder with --out")]
    Exists(PathBuf),
    /// There is nothing to make it from.
    #[error("{0}: there is no such file; --from takes a .proto, .avsc, .schema.json, .jsonl or .json file")]
    NoFile(String),
    /// It is no file to read from.
    #[error("{0} is {1}; --from takes a .proto, .avsc, .schema.json, .jsonl or .json file")]
    NoRegular(String, &'static str),
    /// A message is named for what has none.
    #[error("--message is only for .proto files; {0} is not one")]
    NoProto(String),
    /// The file's name does not say what it holds.
    #[error("{0}: unknown kind of file; name it .proto, .avsc, .schema.json, .jsonl or .json")]
    Unknown(String),
    /// A language that is written and not read.
    #[error(
        "{0}: {1} is a language that `wiredyno schema translate` writes and nothing here reads: give a .proto, an Avro schema, a JSON Schema, \
         or JSON samples"
    )]
    WrittenOnly(String, &'static str),
    /// Samples beside samples.
    #[error("{0} already contains samples: leave out --samples")]
    SamplesTwice(String),
    /// The file is not as it should be.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A sample is not as the definition says.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A sample has what the definition can't hold, or lacks what the file requires.
    #[error("{file}:{line}: {reason}")]
    Convert {
        /// The file of samples.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What was said.
        reason: String,
    },
    /// What was made of the file is wrong.
    #[error("the generated definition is not valid; report this with the file: {0}")]
    Unsound(DefinitionError),
    /// A file can't be read or written.
    #[error("{place}: {reason}")]
    Io {
        /// The file, with the line where one can't be read.
        place: String,
        /// What the system said.
        reason: io::Error,
    },
}

impl NewError {
    fn at(place: impl ToString) -> impl FnOnce(io::Error) -> NewError {
        let place = place.to_string();
        move |reason| NewError::Io { place, reason }
    }

    /// The file in which something is wrong, and its line where it is about one; `None` where no text is wrong.
    pub fn place(&self) -> Option<(&str, Option<usize>)> {
        let with_line = |(file, line)| (file, Some(line));
        match self {
            NewError::Import(error) => Some(error.place()),
            NewError::Sample(error) => error.place().map(with_line),
            NewError::Convert { file, line, .. } => Some((file, Some(*line))),
            _ => None,
        }
    }
}

/// What a payload shall be made from.
#[derive(Debug, Clone)]
pub struct NewPayload {
    /// Its id, without a size.
    pub id: PayloadId,
    /// A .proto file, an Avro schema, a JSON Schema, or samples.
    pub from: PathBuf,
    /// The message, where a .proto file has several.
    pub message: Option<String>,
    /// Samples for a definition; without any, values are invented.
    pub samples: Option<PathBuf>,
    /// The folder to make.
    pub folder: PathBuf,
    /// What came on standard input, for which `from` or `samples` is `-`: JSON documents.
    pub input: Option<String>,
}

/// What was made.
#[derive(Debug)]
pub struct MadePayload {
    /// The definition.
    pub definition: Definition,
    /// The message of a .proto file that was taken, and whether the file has others.
    pub message: Option<(String, bool)>,
    /// Samples that were written.
    pub samples: u64,
    /// Of these, how many have an integer beyond 2^53 either way, and how many one beyond 2^63 - 1.
    pub wide: (u64, u64),
    /// Whether their values are invented.
    pub invented: bool,
    /// What could not be said in the definition and stands there as comments.
    pub remarks: Vec<String>,
    /// Where values stand in messages of their own that are no objects in documents.
    pub wrapped: Vec<String>,
    /// What the Avro codecs write otherwise than the Avro schema says that it was made from.
    pub avro: Option<String>,
}

/// What the file is.
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
    /// Makes the folder. It appears with everything in it.
    ///
    /// # Errors
    /// With file and line where what it is made from is not as it should be; nothing is left behind then.
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
            // Those of a .proto file are its author's own.
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
            // What they are called, they are meant to be: what is wrong with them is said.
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

    /// What documents have in common.
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

    /// Reads standard input and JSON lines one by one, other JSON as a whole.
    fn each_document(&self, path: &Path, take: Take<'_>) -> Result<(), NewError> {
        if path.as_os_str() != STANDARD_INPUT {
            return each_document(path, take);
        }
        for (line, text) in json::texts_of_input(self.input.as_deref().unwrap_or_default(), INPUT)? {
            take(json::parse(text, INPUT, line)?, text)?;
        }
        Ok(())
    }

    /// Writes the samples of a file, and beside them the documents as they came; every line is read back.
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

/// The definition of a text that is a schema, whatever its file is called; `None` of one that is none.
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

/// What a file is called, or standard input.
fn called(path: &Path) -> String {
    if path.as_os_str() == STANDARD_INPUT { INPUT.to_owned() } else { path.display().to_string() }
}

fn write(path: &Path, text: &str) -> Result<(), NewError> {
    std::fs::write(path, text).map_err(NewError::at(path.display()))
}

/// What is done with a document, and with its text as it came.
type Take<'a> = &'a mut dyn FnMut(Json, &str) -> Result<(), NewError>;

/// Reads JSON lines one by one, other JSON as a whole.
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
mod tests {
    use super::*;

    /// What is made of files, in a folder of its own: its documents and samples, and what was told.
    fn made(from: (&str, &str), samples: Option<&str>) -> Result<(String, String, MadePayload), String> {
        let desk = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = desk.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let folder = desk.path().join("made");
        let new = NewPayload {
            id: "made".parse().unwrap(),
            from: file(from.0, from.1),
            message: None,
            samples: samples.map(|text| file("s.jsonl", text)),
            folder: folder.clone(),
            input: None,
        };
        let made = new.make().map_err(|error| error.to_string())?;
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        Ok((read(DOCUMENTS), read(SAMPLES), made))
    }

    #[test]
    fn a_schema_is_known_as_one_by_what_it_holds() {
        let avro = r#"{"type":"record","name":"Log","fields":[{"name":"seq","type":"long"}]}"#;
        let json = r#"{"type":"object","properties":{"seq":{"type":"integer"}},"required":["seq"]}"#;
        for (name, text) in
            [("a.json", avro), ("a.avsc", avro), ("a.json", json), ("a.schema.json", json), ("a.avsc", json)]
        {
            let (documents, samples, made) = made((name, text), Some("{\"seq\":7}\n")).unwrap();
            assert_eq!(
                (documents.as_str(), samples.as_str()),
                ("{\"seq\":7}\n", "{\"seq\":\"7\"}\n"),
                "{name}"
            );
            assert!(!made.invented);
        }
        let error = made(("a.json", r#"{"openapi":"3.1.0","info":{}}"#), None).unwrap_err();
        assert!(error.contains("a.json:1: this is an OpenAPI document"), "{error}");
    }

    #[test]
    fn documents_stand_beside_the_samples_of_a_proto_file() {
        let proto = "syntax = \"proto3\"; import \"google/protobuf/timestamp.proto\"; message A { uint32 seq = 1; google.protobuf.Timestamp at = 2; }";
        let (documents, samples, told) =
            made(("a.proto", proto), Some("{\"seq\": 1, \"at\": \"2026-01-02T03:04:05Z\"}\n")).unwrap();
        assert_eq!(documents, "{\"seq\":1,\"at\":\"2026-01-02T03:04:05Z\"}\n");
        assert!(samples.contains("\"seconds\""), "{samples}");
        assert!(!told.remarks.iter().any(|remark| remark.contains("JSON mapping")));
    }

    #[test]
    fn samples_with_integers_that_some_readers_lack_are_counted() {
        let proto = "syntax = \"proto3\"; message A { uint64 n = 1; }";
        let samples = "{\"n\":1}\n{\"n\":\"9007199254740993\"}\n{\"n\":\"18446744073709551615\"}\n";
        assert_eq!(made(("a.proto", proto), Some(samples)).unwrap().2.wide, (2, 1));
    }

    #[test]
    fn a_sample_that_would_lose_something_is_refused_with_its_line() {
        let proto = "syntax = \"proto2\"; message M { required uint32 seq = 1; extensions 100 to 200; } \
                     extend M { optional string ext = 100; }";
        let samples = "{\"seq\":1}\n{\"seq\":1,\"[ext]\":\"xy\"}\n";
        let error = made(("m.proto", proto), Some(samples)).unwrap_err();
        assert!(error.contains("s.jsonl:2: the value has the extension `ext`"), "{error}");
    }
}
