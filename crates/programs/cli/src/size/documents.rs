//! JSON documents from a file or standard input. Their definition is inferred from what they have in common.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use wiredyno_dynamic::sizes::{Sample, SizeError};
use wiredyno_schema::import::holds::{Holds, holds};
use wiredyno_schema::import::infer::{Inference, as_object};
use wiredyno_schema::import::{Draft, json};

/// Standard input, on the command line.
const STANDARD_INPUT: &str = "-";

/// The name of standard input in messages.
const INPUT: &str = "standard input";

/// Documents, and the definition that was inferred from them.
pub struct Documents {
    texts: Texts,
    draft: Arc<Draft>,
}

/// Where the documents come from.
pub enum Texts {
    /// One per line of a file, which is read twice.
    Lines(PathBuf),
    /// Documents with their lines; `name` is the source in error messages.
    Read { name: String, texts: Vec<(usize, String)> },
}

/// The line number of a document, from 1, and its text.
pub type Text = Result<(usize, String), SizeError>;

impl Documents {
    /// Whether an argument looks like the name of a JSON file, which need not exist.
    pub fn are_named(argument: &str) -> bool {
        json::is_lines(argument) || argument.ends_with(".json")
    }

    /// The documents that an argument names: `-` or a JSON file; `None` if it is neither.
    pub fn named(argument: &str) -> anyhow::Result<Option<Documents>> {
        if argument == STANDARD_INPUT {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("standard input")?;
            return Documents::of(Texts::of_input(&text)?).map(Some);
        }
        if !Documents::are_named(argument) || !Path::new(argument).is_file() {
            return Ok(None);
        }
        if json::is_lines(argument) {
            return Documents::of(Texts::Lines(argument.into())).map(Some);
        }
        let text = std::fs::read_to_string(argument).with_context(|| argument.to_owned())?;
        refuse_schema(argument, &text)?;
        Documents::of(Texts::whole(argument, &text)?).map(Some)
    }

    fn of(texts: Texts) -> anyhow::Result<Documents> {
        let (name, mut inference) = (texts.name(), Inference::default());
        for text in texts.each()? {
            let (line, text) = text?;
            inference.add(&as_object(json::parse(&text, &name, line)?));
        }
        let draft = Arc::new(inference.draft(&texts.message(), &name)?);
        Ok(Documents { texts, draft })
    }

    /// The name of the source in errors and tables.
    pub fn name(&self) -> String {
        self.texts.name()
    }

    /// The text of the inferred message.proto.
    pub fn definition(&self) -> String {
        self.draft.to_proto()
    }

    /// The places where values that are not objects in the documents are wrapped in messages.
    pub fn wrapped(&self) -> Vec<String> {
        self.draft.wrapped()
    }

    /// The documents as samples, read as they are needed.
    pub fn samples(self) -> anyhow::Result<Box<dyn Iterator<Item = Result<Sample, SizeError>> + Send>> {
        let (name, draft) = (self.name(), self.draft.clone());
        let each = self.texts.each()?;
        Ok(Box::new(each.map(move |text| {
            let (number, text) = text?;
            let line = draft.sample(&as_object(json::parse(&text, &name, number)?), &name)?;
            Ok(Sample::Document { number, line, came: json::minified(&text) })
        })))
    }
}

/// Refuses a file that describes messages instead of being one.
fn refuse_schema(file: &str, text: &str) -> anyhow::Result<()> {
    let Ok(document) = json::parse(text, file, 1) else { return Ok(()) };
    let what = match holds(&document) {
        Holds::Values => return Ok(()),
        Holds::JsonSchema => "a JSON Schema",
        Holds::Avro => "an Avro schema",
        Holds::Interface(name) => name,
    };
    bail!(
        "{file} is {what}, not a sample: `wiredyno new NAME --from {file}` makes a payload of it, if it is one message"
    )
}

impl Texts {
    fn of_input(text: &str) -> anyhow::Result<Texts> {
        let texts = json::texts_of_input(text, INPUT)?;
        let texts = texts.into_iter().map(|(line, text)| (line, text.to_owned())).collect();
        Ok(Texts::Read { name: INPUT.to_owned(), texts })
    }

    /// The documents of a file that is not JSON lines.
    pub fn whole(name: &str, text: &str) -> anyhow::Result<Texts> {
        let texts = json::texts(text, name)?.into_iter().map(|(line, text)| (line, text.to_owned()));
        Ok(Texts::Read { name: name.to_owned(), texts: texts.collect() })
    }

    fn name(&self) -> String {
        match self {
            Texts::Lines(path) => path.display().to_string(),
            Texts::Read { name, .. } => name.clone(),
        }
    }

    /// The message's name, as `wiredyno new` would derive it from the file's name: some formats write it.
    fn message(&self) -> String {
        let name = self.name();
        let stem = Path::new(&name).file_stem().filter(|_| name != INPUT);
        let word = |stem: &std::ffi::OsStr| {
            let stem = stem.to_string_lossy().to_lowercase();
            stem.replace(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit(), "-")
        };
        let word = stem.map(word).filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
        word.unwrap_or_else(|| "document".to_owned())
    }

    /// The documents in order; lines are read as they are needed.
    pub fn each(&self) -> anyhow::Result<Box<dyn Iterator<Item = Text> + Send>> {
        match self {
            Texts::Lines(path) => Ok(Box::new(lines_of(path)?)),
            Texts::Read { texts, .. } => Ok(Box::new(texts.clone().into_iter().map(Ok))),
        }
    }
}

/// The non-empty lines of a file with their numbers, without a byte order mark.
pub fn lines_of(path: &Path) -> anyhow::Result<impl Iterator<Item = Text> + Send + use<>> {
    let file = path.display().to_string();
    let lines = BufReader::new(File::open(path).with_context(|| file.clone())?).lines();
    Ok((1..).zip(lines).filter_map(move |(number, line)| match line {
        Ok(line) if line.trim().is_empty() => None,
        Ok(line) => Some(Ok((number, line.trim_start_matches('\u{feff}').to_owned()))),
        Err(reason) => Some(Err(SizeError::Read { file: file.clone(), number, reason })),
    }))
}
