//! Options of transports in a study: the tables `[transport.<protocol>]`, and their places in its text.

use wiredyno_contract::{TransportDescription, TransportOption, nearest, resolve};

use crate::file::{FileError, TomlText};
use crate::option_axis::option_of_axis;
use crate::place::{Place, Refusal};
use crate::study::Study;

/// The options of a protocol: those of its first client, then those that only other clients have.
///
/// # Errors
/// When there is no such protocol, with the nearest name.
pub(crate) fn options_of(
    protocol: &str,
    transports: &[TransportDescription],
) -> Result<Vec<TransportOption>, String> {
    let clients: Vec<_> = transports.iter().filter(|t| t.id.protocol == protocol).collect();
    if clients.is_empty() {
        let hint = match nearest(protocol, transports.iter().map(|t| t.id.protocol.as_str())) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`wiredyno list protocols` shows what there is".to_owned(),
        };
        return Err(format!("there is no protocol `{protocol}`; {hint}"));
    }
    let mut all: Vec<TransportOption> = Vec::new();
    for option in clients.into_iter().flat_map(|client| &client.options) {
        if !all.iter().any(|known| known.name == option.name) {
            all.push(option.clone());
        }
    }
    Ok(all)
}

impl Study {
    /// Checks the options that this study sets, and those that are its axes, against what transports declare, and fills in
    /// the defaults for the protocols that it uses, so that the study as run names all of them. `text` is what the study was
    /// read from, `file` its name in errors.
    ///
    /// # Errors
    /// With file, line and the nearest known word, when a protocol or option is unknown, a value is of the wrong kind, or
    /// an option can't be an axis.
    pub fn with_options(
        mut self,
        file: &str,
        text: &str,
        transports: &[TransportDescription],
    ) -> Result<Study, FileError> {
        self.take_options(transports).map_err(|refusal| TomlText { file, text }.refuse(refusal))?;
        for mode in &self.axes.mode {
            let options = options_of(&mode.protocol, transports).unwrap_or_default();
            if !options.is_empty() {
                let defaults = || options.into_iter().map(|option| (option.name, option.default));
                self.transport.entry(mode.protocol.clone()).or_insert_with(|| defaults().collect());
            }
        }
        // What varies has no value for the whole study.
        for (protocol, name) in self.axes.option.keys().filter_map(|axis| option_of_axis(axis)) {
            self.transport.get_mut(protocol).map(|options| options.remove(name));
        }
        Ok(self)
    }

    /// Normalises the options that this study sets, on axes or for all cells.
    fn take_options(&mut self, transports: &[TransportDescription]) -> Result<(), Refusal> {
        self.take_option_axes(transports)?;
        for (protocol, given) in &mut self.transport {
            let table = || Place::of(["transport", protocol]);
            let options =
                options_of(protocol, transports).map_err(|problem| Refusal::at(table(), problem))?;
            *given = resolve(protocol, &options, given)
                .map_err(|error| Refusal::at(table().key(&error.name), error.problem))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use wiredyno_contract::option::OptionCapability;
    use wiredyno_contract::{Capability, OptionKind, OptionValue, Span, TransportSetting};

    use super::*;

    fn option(name: &str, kind: OptionKind, default: OptionValue) -> TransportOption {
        TransportOption { name: name.into(), kind, default, about: String::new(), brings: Vec::new() }
    }

    fn declared() -> Vec<TransportOption> {
        let [post, put] = ["post", "put"].map(|word| OptionValue::Text(word.into()));
        let second = |s| Span::from_s(s);
        let mut once = option("deduplicate", OptionKind::Flag, OptionValue::Flag(true));
        once.brings = vec![OptionCapability {
            value: OptionValue::Flag(false),
            capability: Capability::MayDuplicate,
            setting: None,
        }];
        vec![
            once,
            option("method", OptionKind::Choice { of: vec![post.clone(), put] }, post),
            option("repeats", OptionKind::Whole { least: 0, most: 20 }, OptionValue::Whole(4)),
            option("factor", OptionKind::Real { least: 1.0, most: 2.0 }, OptionValue::Real(1.5)),
            option(
                "wait",
                OptionKind::Span { least: second(1), most: second(60) },
                OptionValue::span(second(2)),
            ),
        ]
    }

    fn transports() -> Vec<TransportDescription> {
        let described = |protocol: &str, options| TransportDescription {
            id: format!("{protocol}/x").parse().unwrap(),
            library: "x".into(),
            version: "1".into(),
            server: None,
            settings: vec![TransportSetting::new("con", "", vec![Capability::Reliable])],
            options,
            format: None,
            received_at: String::new(),
            sent_at: String::new(),
            securities: TransportDescription::in_the_clear(),
            security_note: String::new(),
            limit: None,
            capabilities: Vec::new(),
        };
        vec![described("coap", declared()), described("tcp", Vec::new())]
    }

    fn study(tables: &str) -> Result<Study, FileError> {
        let text = format!(
            "name = \"t\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"raw/wiredyno\"]\n\
             mode = [\"coap:con\", \"tcp\"]\n[load]\nkind = \"closed\"\nmessages = 1\ndeadline = \"1s\"\ndrain = \"1s\"\n{tables}"
        );
        Study::parse("t.toml", &text)?.with_options("t.toml", &text, &transports())
    }

    #[test]
    fn values_given_are_put_into_their_usual_form_and_the_rest_filled_in() {
        let study = study("[transport.coap]\nwait = \"3000ms\"\nfactor = 2\nmethod = \"put\"\n").unwrap();
        let table = &study.transport["coap"];
        let written: Vec<String> = table.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let expected =
            ["deduplicate = true", "factor = 2.0", "method = \"put\"", "repeats = 4", "wait = \"3s\""];
        assert_eq!(written, expected);
        assert_eq!(study.transport.len(), 1, "nothing is said of what has no options");
        let text = toml::to_string(&study).unwrap();
        let again = Study::parse("again.toml", &text).unwrap();
        assert_eq!(again.with_options("again.toml", &text, &transports()).unwrap(), study);
    }

    #[test]
    fn a_protocol_with_options_that_a_study_uses_is_written_out_with_its_defaults() {
        assert_eq!(study("").unwrap().transport["coap"].len(), 5);
    }

    #[test]
    fn what_can_not_be_is_refused_with_file_line_and_the_nearest_word() {
        for (tables, line, part) in [
            ("[transport.coap]\nwait = \"2s\"\ndeduplicat = false\n", 14, "did you mean `deduplicate`?"),
            ("[transport.coap]\n\nrepeats = 21\n", 14, "`repeats` is 21: write a whole number from 0 to 20"),
            ("[transport]\ncoap.wait = 2\n", 13, "write a span of time from \"1s\" to \"1min\""),
            ("[transport.coap]\nmethod = \"get\"\n", 13, "write one of \"post\", \"put\""),
            ("[transport.caop]\n", 12, "there is no protocol `caop`; did you mean `coap`?"),
            ("[transport.tcp]\nnodelay = true\n", 13, "leave it out"),
        ] {
            let error = study(tables).unwrap_err();
            assert_eq!((error.file.as_str(), error.line), ("t.toml", Some(line)), "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
