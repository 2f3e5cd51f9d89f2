//! XML, through quick-xml.

use wiredyno_codec::record::{Fault, FieldInfo, Problem, StandsFor};
use wiredyno_codec::well_known::text;
use wiredyno_codec_xml::Document;
use wiredyno_codec_xml::characters::is_allowed;

use crate::rule::{self, in_range};
use wiredyno_dynamic::{Datum, Known, Member, Record};

pub fn write(value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut scratch = String::new();
    let mut to = Document::new(out, &mut scratch);
    to.start(value.info.name)?;
    members(value, &mut to)?;
    to.end_tag(value.info.name)
}

fn members(value: &Record, to: &mut Document<'_, '_>) -> Result<(), Fault> {
    value.members().try_for_each(|member| match member {
        Member::One(field, one) | Member::Optional(field, Some(one)) => tagged(field, field.name, one, to),
        Member::List(field, list) => {
            rule::length(field, field.list_length(), list.len())?;
            list.iter().try_for_each(|one| tagged(field, field.name, one, to))
        }
        Member::Map(field, entries) => {
            rule::length(field, field.list_length(), entries.len())?;
            entries.iter().try_for_each(|(key, one)| {
                to.start(field.name)?;
                tagged(&rule::key(field), "key", key, to)?;
                tagged(field, "value", one, to)?;
                to.end_tag(field.name)
            })
        }
        Member::Choice(choice, Some((at, one))) => {
            let field = &choice.alternatives[at];
            tagged(field, field.name, one, to)
        }
        Member::Optional(_, None) | Member::Choice(_, None) => Ok(()),
    })
}

fn tagged(
    field: &FieldInfo,
    name: &'static str,
    value: &Datum,
    to: &mut Document<'_, '_>,
) -> Result<(), Fault> {
    to.start(name)?;
    content(field, value, to)?;
    to.end_tag(name)
}

fn content(field: &FieldInfo, value: &Datum, to: &mut Document<'_, '_>) -> Result<(), Fault> {
    if let Some(value) = value.integer() {
        in_range(field, value)?;
    }
    match value {
        Datum::Bool(value) => to.plain(if *value { "true" } else { "false" }),
        Datum::I32(value) => to.plain(&value.to_string()),
        Datum::I64(value) => to.plain(&value.to_string()),
        Datum::U32(value) => to.plain(&value.to_string()),
        Datum::U64(value) => to.plain(&value.to_string()),
        Datum::F32(value) => to.float(*value),
        Datum::F64(value) => to.float(*value),
        Datum::Text(text) => {
            rule::length(field, field.value_length(), text.len())?;
            match is_allowed(text) {
                true => to.escaped(text),
                false => Err(Fault::in_field(Problem::Text, field.name)),
            }
        }
        Datum::Bytes(bytes) => {
            rule::length(field, field.value_length(), bytes.len())?;
            to.base64(bytes)
        }
        Datum::Enum(info, ordinal) => to.plain(info.values.get(*ordinal).map_or("", |(name, _)| name)),
        Datum::Message(value) => match (value.well_known(), value.info.stands_for, value.members().next()) {
            (Some(known), ..) => {
                let text = match known {
                    Known::Timestamp(seconds, nanos) => {
                        text::Timestamp::new(seconds, nanos).map(|time| time.to_string())
                    }
                    Known::Duration(seconds, nanos) => {
                        text::Duration::new(seconds, nanos).map(|time| time.to_string())
                    }
                    Known::FieldMask(paths) => {
                        let paths =
                            paths.iter().map(|path| if let Datum::Text(path) = path { path } else { "" });
                        text::write_mask(paths)
                    }
                };
                to.escaped(&text.map_err(Fault::other)?)
            }
            (None, StandsFor::Value, Some(Member::One(field, one))) => content(field, one, to),
            _ => members(value, to),
        },
    }
}
