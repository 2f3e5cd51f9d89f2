//! JSON documents as they are: of a file, or of standard input. What they have in common becomes their definition.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use wiredyno_dynamic::sizes::{Sample, SizeError};
use wiredyno_schema::import::holds::{Holds, holds};
use wiredyno_schema::import::infer::{Inference, as_object};
use wiredyno_schema::import::{Draft, json};

/// What stands for standard input on the command line.
const STANDARD_INPUT: &str = "-";

/// What it is called then.
const INPUT: &str = "standard input";

/// Documents, and the definition that was inferred from them.
pub struct Documents {
    texts: Texts,
    draft: Arc<Draft>,
}

/// Where documents stand.
pub enum Texts {
    /// One a line of a file, which is read twice.
    Lines(PathBuf),
    /// Each with its line in what errors call so.
    Read { name: String, texts: Vec<(usize, String)> },
}

/// A document's line and text.
pub type Text = Result<(usize, String), SizeError>;

impl Documents {
    /// Whether an argument is the name of a file of JSON, wherever that is.
    pub fn are_named(argument: &str) -> bool {
        json::is_lines(argument) || argument.ends_with(".json")
    }

    /// Those that an argument names: `-`, or a file of JSON; `None` where it is neither.
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

    /// What errors and tables call them.
    pub fn name(&self) -> String {
        self.texts.name()
    }

    /// The text of their message.proto.
    pub fn definition(&self) -> String {
        self.draft.to_proto()
    }

    /// Where values stand in messages of their own that are no objects in documents.
    pub fn wrapped(&self) -> Vec<String> {
        self.draft.wrapped()
    }

    /// Each of them as a sample.
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

/// Refuses a file that describes messages and is none.
fn refuse_schema(file: &str, text: &str) -> anyhow::Result<()> {
    let Ok(document) = json::parse(text, file, 1) else { return Ok(()) };
    let what = match holds(&document) {
        Holds::Values => return Ok(()),
        Holds::JsonSchema => "a JSON Schema",
        Holds::Avro => "an Avro schema",
        Holds::Interface(name) => name,
    };
    bail!(
        "{file} is {what} and no sample: `wiredyno new NAME --from {file}` makes a payload of it, if it is one message"
    )
}

impl Texts {
    fn of_input(text: &str) -> anyhow::Result<Texts> {
        let texts = json::texts_of_input(text, INPUT)?;
        let texts = texts.into_iter().map(|(line, text)| (line, text.to_owned())).collect();
        Ok(Texts::Read { name: INPUT.to_owned(), texts })
    }

    /// Those of a file that is no list of lines.
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

    /// What the message is called, as `wiredyno new` would of a payload of the file's name: formats that say names say this one.
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

    /// Each of them.
    pub fn each(&self) -> anyhow::Result<Box<dyn Iterator<Item = Text> + Send>> {
        match self {
            Texts::Lines(path) => Ok(Box::new(lines_of(path)?)),
            Texts::Read { texts, .. } => Ok(Box::new(texts.clone().into_iter().map(Ok))),
        }
    }
}

/// The lines of a file that are not empty, with their numbers, and without the mark that some editors put first.
pub fn lines_of(path: &Path) -> anyhow::Result<impl Iterator<Item = Text> + Send + use<>> {
    let file = path.display().to_string();
    let lines = BufReader::new(File::open(path).with_context(|| file.clone())?).lines();
    Ok((1..).zip(lines).filter_map(move |(number, line)| match line {
        Ok(line) if line.trim().is_empty() => None,
        Ok(line) => Some(Ok((number, line.trim_start_matches('\u{feff}').to_owned()))),
        Err(reason) => Some(Err(SizeError::Read { file: file.clone(), number, reason })),
    }))
}
