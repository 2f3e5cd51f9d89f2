//! Options of transports in a study: for all of its cells, in `[transport.<protocol>]`, or as axes, `"kafka.linger" = ["0ms", "5ms"]`.
//!
//! An option is either an axis or has one value for the whole study. Both are checked against what transports declare.

use wiredyno_contract::option::find;
use wiredyno_contract::{OptionTable, TransportDescription, TransportOption, nearest, resolve};

use super::Study;
use crate::axis::{Cell, option_of_axis};
use crate::place::{Place, Refusal};
use crate::toml_text::{FileError, TomlText};

/// The options of a protocol: those of its first client, then those that only other clients have.
///
/// # Errors
/// When there is no such protocol, with the nearest name.
fn options_of(protocol: &str, transports: &[TransportDescription]) -> Result<Vec<TransportOption>, String> {
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

    /// The options of a cell's transport: those of the whole study, and the cell's own.
    pub fn options_for(&self, cell: &Cell) -> OptionTable {
        let mut options = self.transport.get(&cell.mode.protocol).cloned().unwrap_or_default();
        let own = cell.options.iter().filter_map(|(axis, value)| Some((option_of_axis(axis)?.1, value)));
        options.extend(own.map(|(name, value)| (name.to_owned(), value.clone())));
        options
    }

    /// Normalises the values of options that are axes.
    ///
    /// # Errors
    /// When an axis can't be used as written.
    fn take_option_axes(&mut self, transports: &[TransportDescription]) -> Result<(), Refusal> {
        for (axis, values) in &mut self.axes.option {
            let refuse = |problem: String| Refusal::at(Place::of_axis(axis), problem);
            let Some((protocol, name)) = option_of_axis(axis) else { continue };
            let options = options_of(protocol, transports).map_err(refuse)?;
            let option = find(protocol, &options, name).map_err(|error| refuse(error.problem))?;
            if !self.axes.mode.iter().any(|mode| mode.protocol == protocol) {
                return Err(refuse(format!(
                    "the axis `{axis}` is an option of {protocol}, and the study has no mode of it: name one, or remove the axis"
                )));
            }
            if self.transport.get(protocol).is_some_and(|given| given.contains_key(name)) {
                return Err(refuse(format!(
                    "`{name}` is an axis, and has a value for the whole study in [transport.{protocol}]: remove one of the two"
                )));
            }
            if values.is_empty() {
                return Err(refuse(format!("the axis `{axis}` has no value: name at least one")));
            }
            let mut taken = Vec::new();
            for (place, value) in values.iter().enumerate() {
                let refuse = |problem: String| Refusal::at(Place::of_axis(axis).item(place), problem);
                let value = option.take(protocol, value).map_err(|error| refuse(error.problem))?;
                if taken.contains(&value) {
                    return Err(refuse(format!("the axis `{axis}` names {value} twice: remove one")));
                }
                taken.push(value);
            }
            *values = taken;
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

    /// The same, with another protocol of the same options that no study here has.
    fn three_transports() -> Vec<TransportDescription> {
        let mut all = transports();
        let mqtt = TransportDescription { id: "mqtt/x".parse().unwrap(), ..all[0].clone() };
        all.push(mqtt);
        all
    }

    /// `[axes]` is line 3; the given text starts at line 7.
    fn study_of_axes(axes: &str, tables: &str) -> Result<Study, FileError> {
        let text = format!(
            "name = \"t\"\nwhy = \"coap.wait?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"raw/wiredyno\"]\n\
             mode = [\"coap\", \"tcp\"]\n{axes}\n[load]\nkind = \"closed\"\nmessages = 1\ndeadline = \"1s\"\ndrain = \"1s\"\n{tables}"
        );
        Study::parse("t.toml", &text)?.with_options("t.toml", &text, &three_transports())
    }

    #[test]
    fn values_are_put_into_their_usual_form_and_the_transport_is_told_those_of_the_cell() {
        let study =
            study_of_axes("\"coap.wait\" = [\"2000ms\", \"5s\"]", "[transport.coap]\nrepeats = 1\n").unwrap();
        assert_eq!(study.axes.values("coap.wait"), ["2s", "5s"]);
        let cells = study.axes.cells(&|_, _| false);
        let names: Vec<String> = cells.iter().map(Cell::sending).collect();
        assert_eq!(names, ["coap wait=2s", "coap wait=5s", "tcp"]);
        let told = |cell: &Cell| {
            let options = study.options_for(cell).into_iter();
            options.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>()
        };
        let whole = ["deduplicate = true", "factor = 1.5", "method = \"post\"", "repeats = 1"];
        assert_eq!(told(&cells[1]), [&whole[..], &["wait = \"5s\""]].concat());
        assert!(told(&cells[2]).is_empty());
        let text = toml::to_string(&study).unwrap();
        let again = Study::parse("again.toml", &text).unwrap();
        assert_eq!(again.with_options("again.toml", &text, &three_transports()).unwrap(), study);
        let json = serde_json::to_string(&study).unwrap();
        assert_eq!(serde_json::from_str::<Study>(&json).unwrap(), study);
    }

    #[test]
    fn what_can_be_no_axis_is_refused_with_file_line_and_the_nearest_word() {
        for (axes, tables, line, part) in [
            ("\"coap.wait\" = [\n\"2s\",\n\"5\"]", "", 9, "write a span of time from \"1s\" to \"1min\""),
            ("\"coap.wait\" = [\"2s\",\n\"2000ms\"]", "", 8, "names \"2s\" twice"),
            ("\n\"coap.wait\" = []", "", 8, "has no value"),
            ("\"coap.repeats\" = [21]", "", 7, "write a whole number from 0 to 20"),
            ("\"coap.repeats\" = [[1]]", "", 7, "did not match"),
            ("\"coap.wait\" = \"2s\"", "", 7, "expected a sequence"),
            ("link = [\"lan\"]\n\"coap.wiat\" = [\"2s\"]", "", 8, "did you mean `wait`?"),
            ("\"caop.wait\" = [\"2s\"]", "", 7, "there is no protocol `caop`; did you mean `coap`?"),
            ("\"tcp.nodelay\" = [true]", "", 7, "it has no options"),
            ("\"mqtt.wait\" = [\"2s\"]", "", 7, "the study has no mode of it"),
            ("\"coap.wait\" = [\"2s\"]", "[transport.coap]\nwait = \"2s\"\n", 7, "remove one of the two"),
            ("coap.wait = [\"2s\"]", "", 7, "or an option in quotes, as in \"kafka.linger\""),
            ("lnik = [\"lan\"]", "", 7, "did you mean `link`?"),
            ("link = [\"lan\"]\nloss = [7]", "", 8, "between 0 and 1"),
            (
                "\"coap.wait\" = [\"2s\"]",
                "[[threshold]]\nmetric = \"latency\"\nbelow = \"1s\"\nwhere = \"coap.wiat=2s\"\n",
                16,
                "did you mean `coap.wait`?",
            ),
        ] {
            let error = study_of_axes(axes, tables).unwrap_err();
            assert_eq!((error.file.as_str(), error.line), ("t.toml", Some(line)), "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
