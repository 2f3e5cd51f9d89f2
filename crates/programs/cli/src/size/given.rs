//! Samples of a file that is not the payload's own: lines as in samples.jsonl, or documents as `wiredyno new --samples` takes them.

use std::path::Path;

use anyhow::bail;
use wiredyno_dynamic::sizes::{Sample, SizeError};
use wiredyno_schema::import::again::Again;
use wiredyno_schema::import::json;
use wiredyno_schema::{Definition, canonical_bytes, read_value};

use super::documents::Texts;

/// The samples of a file, and how to read them.
pub struct Given {
    texts: Texts,
    file: String,
    /// The reader, if they are documents.
    again: Option<Again>,
}

impl Given {
    /// Reads the file once to find out which of the two it contains. A file that is neither is refused at the first line that does not fit.
    pub fn of(path: &Path, definition: Definition, text: &str) -> anyhow::Result<Given> {
        let file = path.display().to_string();
        let texts = match json::is_lines(&file) || !file.ends_with(".json") {
            true => Texts::Lines(path.to_owned()),
            false => Texts::whole(&file, &std::fs::read_to_string(path)?)?,
        };
        let Some(again) = Again::of(&definition, text) else { return Ok(Given { texts, file, again: None }) };
        // The first error of each interpretation, with its line.
        let (mut own, mut documents, mut differs) = (None, None, None);
        for text in texts.each()? {
            let (line, text) = text?;
            let of_own = read_value(&text, &definition.descriptor, &file, line);
            let of_document = again.sample(&text, &file, line);
            if let (Ok(value), Ok(sample)) = (&of_own, &of_document) {
                let other = read_value(sample, &definition.descriptor, &file, line)?;
                if canonical_bytes(value) != canonical_bytes(&other) {
                    differs.get_or_insert(line);
                }
            }
            own = own.or(of_own.err().map(|error| (line, error)));
            documents = documents.or(of_document.err().map(|error| (line, error)));
            if own.is_some() && documents.is_some() {
                break;
            }
        }
        match (own, documents, differs) {
            (None, None, Some(line)) => bail!(
                "{file}:{line}: this line means one value as in samples.jsonl, and another as a document that the payload was made for: make a \
                 payload of it with `wiredyno new ... --samples {file}`, which reads documents"
            ),
            (None, ..) => Ok(Given { texts, file, again: None }),
            (_, None, _) => Ok(Given { texts, file, again: Some(again) }),
            // The file is of the kind that fails later.
            (Some((own, error)), Some((document, _)), _) if own > document => Err(error.into()),
            (_, Some((_, error)), _) => bail!(error),
        }
    }

    /// Whether the samples are lines as in samples.jsonl.
    pub fn are_lines(&self) -> bool {
        self.again.is_none() && matches!(self.texts, Texts::Lines(_))
    }

    /// The samples in order, read as they are needed.
    pub fn samples(self) -> anyhow::Result<Box<dyn Iterator<Item = Result<Sample, SizeError>> + Send>> {
        let each = self.texts.each()?;
        let Given { again, file, .. } = self;
        Ok(Box::new(each.map(move |text| {
            let (number, text) = text?;
            let Some(again) = &again else { return Ok(Sample::Line(number, text)) };
            let line = again.sample(&text, &file, number).map_err(SizeError::Given)?;
            Ok(Sample::Document { number, line, came: json::minified(&text) })
        })))
    }
}
