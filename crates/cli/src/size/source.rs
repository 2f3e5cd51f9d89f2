//! Where a payload and its samples come from: a folder, or a payload by its name.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use prost_reflect::MessageDescriptor;
use wiredyno_dynamic::sizes::{Sample, SizeError};
use wiredyno_model::PayloadId;
use wiredyno_orchestrate::stock;
use wiredyno_payloads::{PayloadFolder, PayloadName};
use wiredyno_schema::generator::{Generator, INVENTED_SEED};
use wiredyno_schema::{Definition, write_value};

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
    /// Lines of a file.
    File(PathBuf),
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
}

impl Source {
    /// Finds a folder with a message.proto, or a payload of this program; other samples where a file is named.
    pub fn find(argument: &str, samples: Option<&Path>) -> anyhow::Result<Source> {
        let sized = argument.rsplit_once('@').and_then(|(name, size)| Some((name, size.parse().ok()?)));
        let (name, size_bytes) = sized.map_or((argument, None), |(name, size)| (name, Some(size)));
        let folder = Path::new(name);
        let mut source = if folder.join(PROTO).is_file() {
            refuse_another_of_the_program(folder)?;
            Source::of_folder(folder, size_bytes)?
        } else if folder.is_dir() {
            bail!("{name} has no {PROTO}: name a payload's folder, as `wiredyno new` makes it");
        } else {
            Source::of_program(argument)?
        };
        if let Some(file) = samples {
            source.samples = Samples::File(file.to_owned());
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
            .with_context(|| format!("`{argument}` is neither a folder nor the id of a payload"))?;
        let size_bytes = id.size_bytes;
        let payload = stock::payload(&PayloadName::Id(id))?;
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

    /// Its samples.
    pub fn samples(self, descriptor: &MessageDescriptor) -> anyhow::Result<Values> {
        if self.size_bytes.is_some() && !matches!(self.samples, Samples::Rules { .. }) {
            bail!("the payload takes no size: leave out what stands behind `@`");
        }
        Ok(match self.samples {
            Samples::File(path) => {
                let file = path.display().to_string();
                let open = || File::open(&path).with_context(|| file.clone());
                let first =
                    BufReader::new(open()?).lines().next().transpose().with_context(|| file.clone())?;
                let invented = first.is_some_and(|line| is_invented(&line, descriptor));
                let lines = BufReader::new(open()?).lines();
                let name = file.clone();
                let values = (1..).zip(lines).map(move |(number, line)| match line {
                    Ok(line) => Ok(Sample::Line(number, line)),
                    Err(reason) => Err(SizeError::Read { file: name.clone(), number, reason }),
                });
                Values { values: Box::new(written(values)), origin: file.clone(), file, invented }
            }
            Samples::Text(text) => {
                let lines: Vec<String> = text.lines().map(str::to_owned).collect();
                let lines = (1..).zip(lines).map(|(number, line)| Ok(Sample::Line(number, line)));
                let file = self.proto.1.replace(PROTO, SAMPLES);
                Values { values: Box::new(written(lines)), origin: file.clone(), file, invented: false }
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

/// Without lines that are empty, and without the mark that some editors put first.
fn written(
    samples: impl Iterator<Item = Result<Sample, SizeError>> + Send,
) -> impl Iterator<Item = Result<Sample, SizeError>> + Send {
    samples.filter_map(|sample| match sample {
        Ok(Sample::Line(_, line)) if line.trim().is_empty() => None,
        Ok(Sample::Line(1, line)) => {
            Some(Ok(Sample::Line(1, line.trim_start_matches('\u{feff}').to_owned())))
        }
        sample => Some(sample),
    })
}

fn made(generator: Generator, origin: String, invented: bool) -> Values {
    let count = generator.samples() as usize;
    let values = (1..).zip(generator.take(count)).map(|(number, value)| Ok(Sample::Value(number, value)));
    Values { values: Box::new(values), file: origin.clone(), origin, invented }
}

/// Whether a file begins as the one that `wiredyno new` writes without samples.
fn is_invented(line: &str, descriptor: &MessageDescriptor) -> bool {
    let first = Generator::invented(descriptor, INVENTED_SEED).message();
    write_value(&first).is_ok_and(|written| written == line)
}
