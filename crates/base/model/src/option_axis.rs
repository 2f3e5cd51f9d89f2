//! Options of transports as axes of a study: `"kafka.linger" = ["0ms", "5ms"]` beside its other axes.
//!
//! The name is the protocol, a dot and the option; the cells of that protocol's modes are crossed with the values, other cells
//! have none. An option is either an axis or has one value for the whole study, in `[transport.<protocol>]`.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, StringDeserializer};
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use wiredyno_contract::option::find;
use wiredyno_contract::{OptionTable, OptionValue, TransportDescription};

use crate::axis::{Axes, Cell};
use crate::option::options_of;
use crate::place::{Place, Refusal};
use crate::study::Study;

/// Protocol and option of an axis that is an option; `None` for other axes.
pub fn option_of_axis(axis: &str) -> Option<(&str, &str)> {
    axis.split_once('.').filter(|(protocol, option)| !protocol.is_empty() && !option.is_empty())
}

impl Study {
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
    pub(crate) fn take_option_axes(&mut self, transports: &[TransportDescription]) -> Result<(), Refusal> {
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

/// Reads axes, with options apart, because their names are not known here. Every refusal keeps its place.
pub(crate) fn read_axes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Axes, D::Error> {
    deserializer.deserialize_map(AxesVisitor)
}

struct AxesVisitor;

impl<'de> Visitor<'de> for AxesVisitor {
    type Value = Axes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("axes with their values")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Axes, M::Error> {
        let mut option = BTreeMap::new();
        let axes = Axes::deserialize(MapAccessDeserializer::new(Fixed { map, option: &mut option }))?;
        Ok(Axes { option, ..axes })
    }
}

/// The axes that every study may have; options found among them are set aside.
struct Fixed<'a, M> {
    map: M,
    option: &'a mut BTreeMap<String, Vec<OptionValue>>,
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for Fixed<'_, M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, M::Error> {
        let mut name = Name(seed);
        loop {
            match self.map.next_key_seed(name)? {
                None => return Ok(None),
                Some(Ok(fixed)) => return Ok(Some(fixed)),
                Some(Err((axis, seed))) => {
                    self.option.insert(axis, self.map.next_value()?);
                    name = Name(seed);
                }
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.map.next_value_seed(seed)
    }
}

/// The name of an axis: a fixed one, or the name of an option with the unused seed.
struct Name<K>(K);

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for Name<K> {
    type Value = Result<K::Value, (String, K)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let name = String::deserialize(deserializer)?;
        if option_of_axis(&name).is_some() {
            return Ok(Err((name, self.0)));
        }
        let fixed = self.0.deserialize(StringDeserializer::<D::Error>::new(name));
        fixed.map(Ok).map_err(|error| {
            let error = error.to_string();
            D::Error::custom(format!("{}, or an option in quotes, as in \"kafka.linger\"", error.trim()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wiredyno_contract::{OptionKind, Span, TransportOption};

    use crate::file::FileError;

    fn transports() -> Vec<TransportDescription> {
        let option = |name: &str, kind, default| TransportOption {
            name: name.to_owned(),
            kind,
            default,
            about: String::new(),
            brings: Vec::new(),
        };
        let waits = OptionKind::Span { least: Span::from_s(1), most: Span::from_s(60) };
        let options = vec![
            option("repeats", OptionKind::Whole { least: 0, most: 20 }, OptionValue::Whole(4)),
            option("wait", waits, OptionValue::span(Span::from_s(2))),
        ];
        let described = |protocol: &str, options| TransportDescription {
            id: format!("{protocol}/x").parse().unwrap(),
            library: "x".into(),
            version: "1".into(),
            server: None,
            settings: Vec::new(),
            options,
            format: None,
            received_at: String::new(),
            sent_at: String::new(),
            securities: TransportDescription::in_the_clear(),
            security_note: String::new(),
            limit: None,
            capabilities: Vec::new(),
        };
        vec![described("coap", options.clone()), described("tcp", Vec::new()), described("mqtt", options)]
    }

    /// `[axes]` is line 3; the given text starts at line 7.
    fn study(axes: &str, tables: &str) -> Result<Study, FileError> {
        let text = format!(
            "name = \"t\"\nwhy = \"coap.wait?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"raw/wiredyno\"]\n\
             mode = [\"coap\", \"tcp\"]\n{axes}\n[load]\nkind = \"closed\"\nmessages = 1\ndeadline = \"1s\"\ndrain = \"1s\"\n{tables}"
        );
        Study::parse("t.toml", &text)?.with_options("t.toml", &text, &transports())
    }

    #[test]
    fn values_are_put_into_their_usual_form_and_the_transport_is_told_those_of_the_cell() {
        let study = study("\"coap.wait\" = [\"2000ms\", \"5s\"]", "[transport.coap]\nrepeats = 1\n").unwrap();
        assert_eq!(study.axes.values("coap.wait"), ["2s", "5s"]);
        let cells = study.axes.cells(&|_, _| false);
        let names: Vec<String> = cells.iter().map(Cell::sending).collect();
        assert_eq!(names, ["coap wait=2s", "coap wait=5s", "tcp"]);
        let told = |cell: &Cell| {
            let options = study.options_for(cell).into_iter();
            options.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>()
        };
        assert_eq!(told(&cells[1]), ["repeats = 1", "wait = \"5s\""]);
        assert!(told(&cells[2]).is_empty());
        let text = toml::to_string(&study).unwrap();
        let again = Study::parse("again.toml", &text).unwrap();
        assert_eq!(again.with_options("again.toml", &text, &transports()).unwrap(), study);
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
            let error = study(axes, tables).unwrap_err();
            assert_eq!((error.file.as_str(), error.line), ("t.toml", Some(line)), "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
