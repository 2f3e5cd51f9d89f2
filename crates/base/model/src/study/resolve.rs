//! The names of a study in full: patterns, short names and sizes replaced by what they stand for.

use wiredyno_contract::{CodecDescription, CodecId, PayloadId, RUST, nearest};

use super::{Study, nothing_matches};
use crate::axis::Pattern;
use crate::place::{Place, Refusal};
use crate::toml_text::{FileError, TomlText};

impl Study {
    /// Replaces formats and patterns by ids. A format stands for the first of its codecs in each runner or language that is named, a pattern
    /// for all of their codecs that match; where none is named, those in Rust are used. Payloads come with whether they take a size: one that does is
    /// matched only by a pattern with a size, such as `*@1024`. `file` and `text` are the study's name and source, for errors.
    ///
    /// # Errors
    /// With file and line, when a pattern or format matches nothing, or there is no such runner.
    pub fn resolve(
        &mut self,
        file: &str,
        text: &str,
        codecs: &[CodecDescription],
        payloads: &[(&str, bool)],
    ) -> Result<(), FileError> {
        let named = self.name_codecs(codecs).and_then(|()| self.name_payloads(payloads));
        named.map_err(|refusal| TomlText { file, text }.refuse(refusal))
    }

    pub(super) fn name_codecs(&mut self, codecs: &[CodecDescription]) -> Result<(), Refusal> {
        let refuse = |axis: &str, word: &str, problem: String| {
            Err(Refusal::at(Place::of_axis(axis).word(word), problem))
        };
        let mut runners = std::mem::take(&mut self.axes.runner);
        for runner in &runners {
            if codecs.iter().any(|codec| codec.language() == runner) {
                continue;
            }
            let known = codecs.iter().map(CodecDescription::language);
            let problem = match nearest(runner, known) {
                Some(near) => format!("there is no runner `{runner}`; did you mean `{near}`?"),
                None => {
                    format!("there is no runner `{runner}`; `wiredyno list runners` shows what there is")
                }
            };
            return refuse("runner", runner, problem);
        }
        if runners.is_empty() {
            runners.push(RUST.to_owned());
        }
        for format in std::mem::take(&mut self.axes.format) {
            let of_format = |codec: &&CodecDescription| codec.id.format == format;
            if !codecs.iter().any(|codec| of_format(&codec)) {
                let hint = nearest(&format, codecs.iter().map(|codec| codec.id.format.as_str()));
                let hint = hint.map_or_else(
                    || "`wiredyno list codecs` shows what there is".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                return refuse("format", &format, format!("there is no format `{format}`; {hint}"));
            }
            for runner in &runners {
                let first = codecs.iter().filter(of_format).find(|codec| codec.language() == runner.as_str());
                let Some(first) = first else {
                    let problem = format!(
                        "the runner `{runner}` has no codec of the format `{format}`: remove one of the two, or name \
                         codecs in `codec`"
                    );
                    return refuse("format", &format, problem);
                };
                if !self.axes.codec.contains(&first.id) {
                    self.axes.codec.push(first.id.clone());
                }
            }
        }
        let of_runners: Vec<&CodecId> = codecs
            .iter()
            .filter(|codec| runners.iter().any(|runner| codec.language() == runner.as_str()))
            .map(|codec| &codec.id)
            .collect();
        let meant = |pattern: &Pattern| {
            let fitting = of_runners.iter().filter(|codec| pattern.matches(&codec.to_string()));
            fitting.map(|codec| (*codec).clone()).collect()
        };
        let Some(pattern) = self.axes.codec.resolve(meant).into_iter().next() else { return Ok(()) };
        let format = pattern.as_str().split('/').next().unwrap_or_default();
        let hint = nearest(format, of_runners.iter().map(|codec| codec.format.as_str()));
        let hint = hint.map(|near| format!("; did you mean `{near}/*`?")).unwrap_or_default();
        Err(nothing_matches(&pattern, "codec", hint))
    }

    pub(super) fn name_payloads(&mut self, payloads: &[(&str, bool)]) -> Result<(), Refusal> {
        let meant = |pattern: &Pattern| {
            let chosen = |&(name, sized): &(&str, bool)| {
                let size_bytes = if sized { Some(pattern.sized(name)?) } else { None };
                let stands = sized || pattern.matches(name);
                stands.then(|| PayloadId { name: name.to_owned(), size_bytes })
            };
            payloads.iter().filter_map(chosen).collect()
        };
        let Some(pattern) = self.axes.payload.resolve(meant).into_iter().next() else { return Ok(()) };
        let sized = payloads.iter().any(|(name, sized)| *sized && pattern.matches(name));
        let hint =
            if sized { format!("; if it takes a size: `{}@1024`", pattern.as_str()) } else { String::new() };
        Err(nothing_matches(&pattern, "payload", hint))
    }
}
