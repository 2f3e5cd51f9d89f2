//! Decides on types from what was seen.
//!
//! One file because it applies the rules of the parent module's table in order, and all of them share the draft being built.

use super::seen::{Example, MOST_KEYS, Objects, Seen, Texts};
use crate::import::draft::{
    Allowed, Draft, DraftEnum, DraftField, DraftMessage, DraftShape, DraftType, NO_SEQUENCE, Part,
    field_number, narrowest,
};
use crate::import::identifier::{
    Scope, called_like_a_number, identifier, is_identifier, is_value, type_name,
};
use crate::import::{ImportError, Mixed};

/// Larger integers are not all exact as doubles.
const EXACT_IN_DOUBLE: i128 = 1 << 53;

/// How many lists of numbers must be seen before their common length counts as fixed.
const LISTS_FOR_FIXED: u64 = 10;

/// The longest list whose length can count as fixed.
const LONGEST_FIXED: usize = 64;

/// How often each symbol of an enum must occur on average.
const TIMES_PER_SYMBOL: u64 = 4;

/// The fewest different keys of a map whose keys are all valid names.
const KEYS_OF_MAP: usize = 12;

pub fn draft(seen: &Seen, documents: u64, payload: &str, file: &str) -> Result<Draft, ImportError> {
    let mut maker = Maker { file, draft: Draft::default(), types: Scope::default() };
    maker.draft.payload = payload.to_owned();
    let name = maker.types.take(&type_name(payload, "Message"));
    if seen.objects.collapsed.is_some() {
        let line = seen.objects.first.as_ref().map_or(1, |first| first.line);
        return Err(ImportError::Refused {
            file: file.to_owned(),
            line,
            what: format!(
                "the documents have more than {MOST_KEYS} different keys, too many for the fields of a message"
            ),
            remedy: "if keys are data, put the object under a key of its own: there it becomes a map"
                .to_owned(),
        });
    }
    maker.record(&seen.objects, &name, "")?;
    let mut draft = maker.draft;
    draft.about = vec![format!(
        "Inferred from {documents} {} of {file}. Check every field: samples show what occurred, not what may occur.",
        if documents == 1 { "sample" } else { "samples" }
    )];
    sequence(&mut draft, seen);
    Ok(draft)
}

/// How many samples are needed for a field to count as rising if its name does not suggest a message number: of two samples, half of all fields rise.
const RISES: u64 = 4;

/// Marks the field that identifies messages, if there is one.
fn sequence(draft: &mut Draft, seen: &Seen) {
    let rises = |key: &str, least: u64| {
        let seen = seen.objects.keys.iter().find(|(known, _)| known == key).map(|(_, seen)| seen)?;
        let rising = match seen.values() {
            values if values == seen.integers.count => &seen.integers.rising,
            values if values == seen.texts.count => &seen.texts.rising,
            _ => return None,
        };
        rising.devices(least)
    };
    let usable = |field: &DraftField, least: u64| {
        let can = field.oneof.is_none()
            && matches!(field.shape, DraftShape::One)
            && (field.ty.is_integer() || field.ty == DraftType::String);
        if can { rises(&field.key, least) } else { None }
    };
    let fields = &mut draft.messages[0].fields;
    let by_name = |field: &DraftField| called_like_a_number(&field.name).then(|| usable(field, 2)).flatten();
    let found = |of: &dyn Fn(&DraftField) -> Option<u64>| {
        fields.iter().enumerate().find_map(|(at, field)| Some((at, of(field)?)))
    };
    match found(&by_name).or_else(|| found(&|field| usable(field, RISES))) {
        Some((at, devices)) => {
            fields[at].options.push("(wiredyno.sequence) = true".to_owned());
            fields[at].comments.push(match devices {
                1 => "It rises from sample to sample: it holds the message number.".to_owned(),
                devices => format!(
                    "It rises in each of {devices} devices that take turns: it holds the message number."
                ),
            });
        }
        None => draft.about.push(NO_SEQUENCE.to_owned()),
    }
}

struct Maker<'a> {
    file: &'a str,
    draft: Draft,
    types: Scope,
}

/// Formats a range: `3`, or `3 to 5`.
fn span(low: usize, high: usize) -> String {
    if low == high { low.to_string() } else { format!("{low} to {high}") }
}

fn plural(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl Maker<'_> {
    fn record(&mut self, objects: &Objects, name: &str, path: &str) -> Result<usize, ImportError> {
        let index = self.draft.messages.len();
        self.draft.messages.push(DraftMessage { name: name.to_owned(), ..DraftMessage::default() });
        let mut scope = Scope::default();
        let mut fields = Vec::new();
        for (at, (key, seen)) in objects.keys.iter().enumerate() {
            let field_name = scope.take(&identifier(key, "field"));
            let path = format!("{path}.{key}");
            let mut decided = self.decide(seen, name, &field_name, &path)?;
            let there = seen.values() + seen.nulls;
            let mut comments = vec![format!("In {there} of {}.", plural(objects.count, "object"))];
            if field_name != *key {
                comments.push(format!("The key is {key:?} in documents."));
            }
            if there < objects.count || seen.nulls > 0 {
                if seen.nulls > 0 && there < objects.count {
                    comments.push(format!(
                        "Null in {}, absent from {}: both are absent here.",
                        seen.nulls,
                        objects.count - there
                    ));
                } else if seen.nulls > 0 {
                    comments.push(format!("Null in {}: absent here.", seen.nulls));
                }
                if decided.shape == DraftShape::One {
                    decided.shape = DraftShape::Optional;
                } else if decided.shape != DraftShape::Optional {
                    comments.push("Absent and empty are the same here.".to_owned());
                }
            }
            comments.append(&mut decided.comments);
            fields.push(DraftField {
                name: field_name,
                key: key.clone(),
                number: field_number(at),
                ty: decided.ty,
                shape: decided.shape,
                oneof: None,
                branch: None,
                allowed: Allowed::default(),
                invented: decided.invented,
                options: decided.options,
                comments,
            });
        }
        self.draft.messages[index].fields = fields;
        Ok(index)
    }

    fn decide(&mut self, seen: &Seen, parent: &str, name: &str, path: &str) -> Result<Part, ImportError> {
        let numbers = u64::from(seen.integers.count + seen.floats > 0);
        let kinds = u64::from(seen.bools > 0)
            + numbers
            + u64::from(seen.texts.count > 0)
            + u64::from(seen.lists.count > 0)
            + u64::from(seen.objects.count > 0);
        if kinds > 1 {
            return self.choice(seen, parent, name, path);
        }
        if seen.bools > 0 {
            return Ok(Part::one(DraftType::Bool));
        }
        if numbers > 0 {
            return self.number(seen, path);
        }
        if seen.texts.count > 0 {
            return Ok(self.text(&seen.texts, parent, name));
        }
        if seen.lists.count > 0 {
            return self.list(seen, parent, name, path);
        }
        if seen.objects.count > 0 {
            return self.object(&seen.objects, parent, name, path);
        }
        let mut decided = Part::one(DraftType::String);
        decided.shape = DraftShape::Optional;
        Ok(decided.saying("Always null: what it holds otherwise is unknown, string is a guess.".to_owned()))
    }

    fn number(&self, seen: &Seen, path: &str) -> Result<Part, ImportError> {
        if let Some(wide) = &seen.integers.too_wide {
            return Err(ImportError::Refused {
                file: self.file.to_owned(),
                line: wide.line,
                what: format!(
                    "`{}` is {}, an integer beyond 64 bits",
                    path.trim_start_matches('.'),
                    wide.text
                ),
                remedy: "no format here carries it as a number: write it as text".to_owned(),
            });
        }
        let (Some((least, low)), Some((most, high))) = (&seen.integers.least, &seen.integers.most) else {
            return Ok(Part::one(DraftType::Double)
                .saying(plural(seen.floats, "number") + " with point or exponent."));
        };
        let (least, most) = (*least, *most);
        if let (true, Some(float)) = (seen.floats > 0, &seen.first_float) {
            let inexact =
                [(least, low), (most, high)].into_iter().find(|(number, _)| number.abs() > EXACT_IN_DOUBLE);
            if let Some((_, example)) = inexact {
                return Err(self.mixed(
                    path,
                    "an integer that a double can't hold, and a fraction",
                    example,
                    float,
                ));
            }
            return Ok(Part::one(DraftType::Double).saying(format!(
                "{} of {} without a point.",
                seen.integers.count,
                plural(seen.integers.count + seen.floats, "number")
            )));
        }
        match narrowest(least, most) {
            Some(ty) => Ok(Part::one(ty).saying(match least == most {
                true => format!("Always {least}."),
                false => format!("From {least} to {most}."),
            })),
            None => Err(self.mixed(path, "no 64-bit integer type holds both", low, high)),
        }
    }

    fn mixed(&self, path: &str, problem: &str, first: &Example, second: &Example) -> ImportError {
        Box::new(Mixed {
            file: self.file.to_owned(),
            what: format!("`{}`: {problem}", path.trim_start_matches('.')),
            first_line: first.line,
            first: first.text.clone(),
            second_line: second.line,
            second: second.text.clone(),
            remedy: "write one of them differently, for example as text".to_owned(),
        })
        .into()
    }

    fn text(&mut self, texts: &Texts, parent: &str, name: &str) -> Part {
        let distinct = texts.symbols.len();
        let repeated = !texts.too_many && distinct >= 2 && texts.count >= TIMES_PER_SYMBOL * distinct as u64;
        let mut scope = Scope::default();
        let enum_name = type_name(&format!("{parent}_{name}"), "Symbol");
        let names =
            |symbol: &String| is_identifier(symbol) && symbol.len() <= 40 && is_value(symbol, &enum_name);
        let unique = texts.symbols.iter().all(|(symbol, _)| {
            let free = scope.is_free(symbol);
            scope.take(symbol);
            free
        });
        if repeated && unique && texts.symbols.iter().all(|(symbol, _)| names(symbol)) {
            let enum_name = self.types.take_enum(&enum_name);
            let mut symbols = texts.symbols.clone();
            symbols.sort();
            let listed = symbols.iter().map(|(symbol, times)| format!("{symbol} {times} times"));
            let comment = listed.collect::<Vec<_>>().join(", ") + ".";
            let values = symbols.into_iter().enumerate();
            self.draft.enums.push(DraftEnum {
                name: enum_name,
                comments: vec![
                    "Only these occurred; others are refused. Use string instead if more may occur."
                        .to_owned(),
                ],
                values: values.map(|(at, (symbol, _))| (symbol.clone(), at as i32, symbol)).collect(),
                ..DraftEnum::default()
            });
            return Part::one(DraftType::Enum(self.draft.enums.len() - 1)).saying(comment);
        }
        let mut decided = Part::one(DraftType::String);
        if repeated {
            decided.comments.push(format!("{distinct} different texts only."));
        }
        if !texts.not_times {
            decided
                .comments
                .push("All are RFC 3339 times; a fixed64 of milliseconds would be shorter.".to_owned());
        } else if !texts.not_base64 {
            decided.comments.push("All look like base64; bytes would be shorter.".to_owned());
        } else {
            decided.comments.push(format!("{} bytes long.", span(texts.shortest_bytes, texts.longest_bytes)));
        }
        decided
    }

    fn list(&mut self, seen: &Seen, parent: &str, name: &str, path: &str) -> Result<Part, ImportError> {
        let lists = &seen.lists;
        let path = format!("{path}[]");
        let mut decided = match &lists.element {
            None => Part::one(DraftType::String)
                .saying("Always empty: what it holds is unknown, string is a guess.".to_owned()),
            Some(element) => {
                let inner = self.decide(element, parent, name, &path)?;
                match (inner.shape, element.nulls) {
                    (DraftShape::One, 0) => inner,
                    _ => self.around(inner, element.nulls > 0, parent, name),
                }
            }
        };
        let numbers = matches!(
            decided.ty,
            DraftType::Bool
                | DraftType::Int32
                | DraftType::Int64
                | DraftType::Uint32
                | DraftType::Uint64
                | DraftType::Double
        );
        if numbers
            && lists.shortest == lists.longest
            && (1..=LONGEST_FIXED).contains(&lists.longest)
            && lists.count >= LISTS_FOR_FIXED
        {
            decided.options.push(format!("(wiredyno.fixed_length) = {}", lists.longest));
            decided.comments.push(format!("All {} have the same length.", plural(lists.count, "list")));
        } else {
            decided.comments.push(format!(
                "{} of {} elements.",
                plural(lists.count, "list"),
                span(lists.shortest, lists.longest)
            ));
        }
        decided.shape = DraftShape::List;
        Ok(decided)
    }

    /// Wraps a value in a message, because .proto can't have it as a list's element.
    fn around(&mut self, inner: Part, nulls: bool, parent: &str, name: &str) -> Part {
        self.draft.around(inner, nulls, &mut self.types, &format!("{parent}_{name}_Element"))
    }

    fn object(
        &mut self,
        objects: &Objects,
        parent: &str,
        name: &str,
        path: &str,
    ) -> Result<Part, ImportError> {
        if let Some(decided) = self.map(objects, parent, name, path)? {
            return Ok(decided);
        }
        let message = self.types.take(&type_name(&format!("{parent}_{name}"), "Nested"));
        Ok(Part::one(DraftType::Message(self.record(objects, &message, path)?)))
    }

    /// A map, if keys are data: many keys that few objects share, or keys that are not valid names.
    fn map(
        &mut self,
        objects: &Objects,
        parent: &str,
        name: &str,
        path: &str,
    ) -> Result<Option<Part>, ImportError> {
        let different = objects.keys.len();
        let names = objects.keys.iter().filter(|(key, _)| is_identifier(key)).count();
        let shared = objects.entries as f64 / (different.max(1) as f64 * objects.count as f64);
        let looks = objects.collapsed.is_some()
            || (different >= 2 && names == 0)
            || (different >= KEYS_OF_MAP && objects.count >= 2 && shared < 0.5);
        if !looks {
            return Ok(None);
        }
        let all = objects.all();
        let kinds =
            [all.bools, all.integers.count + all.floats, all.texts.count, all.lists.count, all.objects.count];
        let kinds = kinds.iter().filter(|count| **count > 0).count();
        if objects.collapsed.is_none() && kinds != 1 {
            return Ok(None);
        }
        let (messages, enums, types) =
            (self.draft.messages.len(), self.draft.enums.len(), self.types.clone());
        let value = self.decide(&all, parent, name, &format!("{path}[*]"))?;
        let value = match value.shape {
            DraftShape::One if all.nulls == 0 => value,
            _ => self.around(value, all.nulls > 0, parent, name),
        };
        // Objects whose keys differ from entry to entry have no common type.
        let mostly_absent = |index: usize| {
            let fields = &self.draft.messages[index].fields;
            fields.len() > KEYS_OF_MAP && fields.iter().all(|field| field.shape != DraftShape::One)
        };
        if let DraftType::Message(index) = value.ty
            && objects.collapsed.is_none()
            && mostly_absent(index)
        {
            self.draft.messages.truncate(messages);
            self.draft.enums.truncate(enums);
            self.types = types;
            return Ok(None);
        }
        let mut value = value;
        value.shape = DraftShape::Map(DraftType::String);
        value.comments.insert(
            0,
            format!(
                "A map: {} keys in {}, each in few of them.",
                objects.entries,
                plural(objects.count, "object")
            ),
        );
        Ok(Some(value))
    }

    /// Values of several kinds at one path: a message with a oneof.
    fn choice(&mut self, seen: &Seen, parent: &str, name: &str, path: &str) -> Result<Part, ImportError> {
        let message = format!("{parent}_{name}_Choice");
        let only = |take: fn(&mut Seen, &Seen)| {
            let mut one = Seen::default();
            take(&mut one, seen);
            one
        };
        let parts = [
            ("flag", seen.bools, only(|one, all| one.bools = all.bools)),
            (
                "number",
                seen.integers.count + seen.floats,
                only(|one, all| {
                    one.integers = all.integers.clone();
                    one.floats = all.floats;
                    one.first_float.clone_from(&all.first_float);
                }),
            ),
            ("text", seen.texts.count, only(|one, all| one.texts = all.texts.clone())),
            ("list", seen.lists.count, only(|one, all| one.lists = all.lists.clone())),
            ("object", seen.objects.count, only(|one, all| one.objects = all.objects.clone())),
        ];
        let mut alternatives = Vec::new();
        for (kind, count, part) in parts.into_iter().filter(|(_, count, _)| *count > 0) {
            let mut part = self.decide(&part, &message, kind, path)?;
            part.comments.insert(0, format!("{} of {}.", count, plural(seen.values(), "value")));
            alternatives.push((kind.to_owned(), part));
        }
        let choice = self.draft.choice(alternatives, &mut self.types, &message);
        Ok(choice.saying("Values of several kinds occurred.".to_owned()))
    }
}
