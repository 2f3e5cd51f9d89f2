//! Axes that are options of transports: `"kafka.linger" = ["0ms", "5ms"]` beside a study's other axes.
//!
//! The name is the protocol, a dot and the option; the cells of that protocol's modes are crossed with the values, other cells
//! have none.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, StringDeserializer};
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use wiredyno_contract::OptionValue;

use super::table::Axes;

/// Protocol and option of an axis that is an option; `None` for other axes.
pub fn option_of_axis(axis: &str) -> Option<(&str, &str)> {
    axis.split_once('.').filter(|(protocol, option)| !protocol.is_empty() && !option.is_empty())
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
