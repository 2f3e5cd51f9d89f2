//! Whether the messages of a trial can be distinguished by their contents, as far as that is known beforehand.
//!
//! Contents recur when the number in the sequence field wraps, or at once if a payload has neither a number nor
//! differing samples. That is harmless as long as no two equal messages can be in flight together; otherwise messages can only
//! be counted ([`crate::accounting`]). In a closed loop one is in flight at a time.

use std::collections::HashMap;

use prost_reflect::{DynamicMessage, Value};
use wiredyno_codec::sequence::{SEQUENCE_SPAN, Sequence, ranged_span};
use wiredyno_contract::numbering::Numbering;
use wiredyno_contract::{Arrivals, LoadKind, Span};
use wiredyno_model::Load;
use wiredyno_payloads::{Payload, PayloadError, Samples};
use wiredyno_schema::canonical_bytes;
use xxhash_rust::xxh3::xxh3_128;

use crate::conduct::{distinct_of, loaded_of};

/// Equal contents must be apart for the drain and a tenth more: publishers are late now and then.
const MARGIN: f64 = 1.1;

/// How many standard deviations of a Poisson process the time for a number of messages stays within.
const DEVIATIONS: f64 = 6.0;

/// Why the messages of a payload can only be counted under a load; `None` if they can be matched. With a dictionary, other
/// samples are measured. `reads`: whether there may be more records than samples
/// ([`reads_more`](crate::conduct::reads_more)).
///
/// # Errors
/// When the payload's samples are not available.
pub fn counted_only(
    payload: &Payload,
    load: &Load,
    dictionary: bool,
    reads: bool,
) -> Result<Option<String>, PayloadError> {
    // Each message follows all earlier ones.
    if load.kind == LoadKind::Closed && load.window == 1 {
        return Ok(None);
    }
    let Some(after) = repeat_after(payload, load, dictionary, reads)? else { return Ok(None) };
    let remedy = remedy(payload);
    let times = if after == 1 { "every message is".to_owned() } else { format!("message {after} is again") };
    match load.kind {
        LoadKind::Open => {}
        LoadKind::Closed if after >= u64::from(load.window) => return Ok(None),
        LoadKind::Closed | LoadKind::Batch | LoadKind::Search => {
            return Ok(Some(format!(
                "{times} like the first, and both may be in flight at once: equal ones can't be distinguished \
                 ({remedy}, or a window of one help)"
            )));
        }
    }
    let apart = apart(load, after);
    if apart.ns as f64 >= load.drain.ns as f64 * MARGIN {
        return Ok(None);
    }
    Ok(Some(format!(
        "{times} like the first, {} later, and messages may be in flight for a drain of {}: equal ones can't be \
         distinguished ({remedy}, a longer interval or a closed loop help)",
        apart.rounded(),
        load.drain.rounded()
    )))
}

/// What would distinguish messages: a payload with a sequence field does not lack numbers, but they wrap too soon.
fn remedy(payload: &Payload) -> String {
    match payload.definition().sequence_path().as_deref().and_then(<[_]>::last) {
        None => "different samples, a sequence field".to_owned(),
        Some(field) => format!(
            "different samples, more digits at the end of the sequence field `{0}`, or a counter with a larger range in place of `{0}`",
            field.name
        ),
    }
}

/// The least time between messages this far from each other in the schedule; for a Poisson process almost surely.
fn apart(load: &Load, messages: u64) -> Span {
    let messages = match load.arrivals {
        Arrivals::Constant => messages as f64,
        Arrivals::Bursts(each) => (messages / u64::from(each.max(1)) * u64::from(each)) as f64,
        // Where the rate is highest.
        Arrivals::Ramp(from) if from.interval() < load.interval => {
            return Span { ns: messages.saturating_mul(from.interval().ns) };
        }
        Arrivals::Ramp(_) => messages as f64,
        Arrivals::Poisson => (messages as f64 - DEVIATIONS * (messages as f64).sqrt()).max(0.0),
    };
    Span { ns: (messages * load.interval.ns as f64) as u64 }
}

/// The least number of messages after which content recurs; `None` if it does not.
fn repeat_after(
    payload: &Payload,
    load: &Load,
    dictionary: bool,
    reads: bool,
) -> Result<Option<u64>, PayloadError> {
    let (messages, warmups) = (u64::from(load.messages), u64::from(load.warmup));
    let limit = loaded_of(load, reads) as usize;
    let samples: Samples<'_> = match dictionary && payload.can_train().is_ok() {
        true => payload.samples_apart(Some(limit), 0)?.0,
        false => payload.distinct_samples(limit)?,
    };
    let (mut span, mut kinds) = (payload.definition().sequence_field().map(|_| u64::MAX), Vec::new());
    for sample in samples {
        let mut sample = sample?;
        let own = without_number(payload, &mut sample);
        span = span.zip(own).map(|(least, own)| least.min(own));
        kinds.push(xxh3_128(&canonical_bytes(&sample)));
    }
    let records = match reads {
        true => Some(u64::from(distinct_of(load, reads).min(payload.distinct_count()?))),
        false => None,
    };
    let numbering = Numbering { samples: kinds.len() as u64, records, span, warmups };
    if numbering.own_numbers().is_some_and(|numbers| numbers >= messages) {
        return Ok(None);
    }
    let mut last: HashMap<(u128, u64), u64> = HashMap::new();
    let mut closest: Option<u64> = None;
    for message in 0..messages {
        let place = numbering.measured(message);
        let number = span.map_or(0, |span| place.number % span);
        // Records beyond the samples differ from them and from each other.
        let kind = kinds.get(place.sample as usize).copied();
        let content = (kind.unwrap_or_else(|| place.sample.into()), number);
        if let Some(before) = last.insert(content, message) {
            closest = Some(closest.map_or(message - before, |closest| closest.min(message - before)));
        }
    }
    Ok(closest)
}

/// Puts number 0 into the sequence field, and returns how many numbers it can hold; `None` without such a field.
fn without_number(payload: &Payload, sample: &mut DynamicMessage) -> Option<u64> {
    let path = payload.definition().sequence_path()?;
    let (field, outer) = path.split_last()?;
    let mut message = sample;
    for step in outer {
        message = message.get_field_by_name_mut(&step.name)?.as_message_mut()?;
    }
    let value = message.get_field_by_name_mut(&field.name)?;
    Some(match value {
        Value::String(text) => {
            let span = text.sequence_span();
            text.set_sequence(0);
            span
        }
        Value::Bytes(bytes) => {
            let mut own = bytes.to_vec();
            let span = own.sequence_span();
            own.set_sequence(0);
            *bytes = own.into();
            span
        }
        _ => {
            message.clear_field_by_name(&field.name);
            field.options.range.map_or(u64::from(SEQUENCE_SPAN), |(min, max)| ranged_span(min, max))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Load {
        let study = format!(
            "name = \"t\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"json/serde-json\"]\nmode = [\"udp\"]\n\
             link = [\"lte\"]\n[load]\nkind = \"open\"\ndeadline = \"2s\"\ndrain = \"8s\"\n{text}"
        );
        wiredyno_model::Study::parse("t.toml", &study).unwrap().load.unwrap()
    }

    fn why(payload: &str, load: &Load) -> Option<String> {
        counted_only(&wiredyno_payloads::find(&payload.parse().unwrap()).unwrap(), load, false, false)
            .unwrap()
    }

    #[test]
    fn a_number_that_wraps_tells_messages_apart_unless_it_wraps_within_the_drain() {
        assert_eq!(why("small", &load("interval = \"10ms\"\nmessages = 3000")), None);
        let fast = load("interval = \"1ms\"\nmessages = 3000");
        let reason = why("small", &fast).unwrap();
        assert!(reason.starts_with("message 998 is again like the first, 998 ms later"), "{reason}");
        assert_eq!(why("small", &load("interval = \"1ms\"\nmessages = 998")), None);
        assert!(why("small", &load("interval = \"1ms\"\nmessages = 999")).is_some());
        assert_eq!(why("opaque@8", &fast), None);
        assert_eq!(why("person", &fast), None);
        let poisson = "arrivals = \"poisson\"\nmessages = 3000";
        assert!(why("small", &load(&format!("interval = \"10ms\"\n{poisson}"))).is_some());
        assert_eq!(why("small", &load(&format!("interval = \"20ms\"\n{poisson}"))), None);
    }

    #[test]
    fn who_has_a_sequence_field_is_not_told_to_have_one() {
        let fast = load("interval = \"1ms\"\nmessages = 3000");
        let reason = why("small", &fast).unwrap();
        assert!(
            !reason.contains(", a sequence field,") && reason.contains("the sequence field `"),
            "{reason}"
        );
        let without = why("opaque@0", &load("interval = \"200ms\"\nmessages = 10")).unwrap();
        let desk = tempfile::tempdir().unwrap();
        let folder = desk.path().join("drawn");
        std::fs::create_dir(&folder).unwrap();
        let proto = "syntax = \"proto3\";\nimport \"wiredyno/options.proto\";\nmessage D { string id = 1 [(wiredyno.sequence) = true]; }";
        std::fs::write(folder.join("message.proto"), proto).unwrap();
        // A number only uses the digits at its end.
        let samples = "{\"id\": \"0b1c8d2e-5a7f-4222-8333-0123456789a7\"}\n{\"id\": \"1b1c8d2e-5a7f-4222-8333-0123456789a8\"}";
        std::fs::write(folder.join("samples.jsonl"), samples).unwrap();
        let reason = why(&folder.display().to_string(), &fast).unwrap();
        assert!(
            reason.contains("the sequence field `id`") && !reason.contains(", a sequence field,"),
            "{reason}"
        );
        assert!(without.contains(", a sequence field,") || without.contains("sequence field `"), "{without}");
    }

    #[test]
    fn messages_without_content_of_their_own_are_counted_unless_they_go_one_at_a_time() {
        let slow = load("interval = \"200ms\"\nmessages = 10");
        assert!(why("opaque@0", &slow).unwrap().starts_with("every message is like the first, 200 ms later"));
        assert_eq!(why("opaque@0", &load("interval = \"9s\"\nmessages = 10")), None);
        assert_eq!(why("opaque@0", &Load { kind: LoadKind::Closed, ..slow.clone() }), None);
        let window = |window| Load { kind: LoadKind::Closed, window, messages: 3000, ..slow.clone() };
        assert!(why("opaque@0", &window(2)).is_some() && why("small", &window(998)).is_none());
        assert!(
            why("small", &window(999)).unwrap().starts_with("message 998 is again like the first, and both")
        );
        let batch = |messages| Load { kind: LoadKind::Batch, messages, ..slow.clone() };
        assert!(why("small", &batch(998)).is_none() && why("small", &batch(999)).is_some());
        assert_eq!(why("opaque@0", &load("interval = \"200ms\"\nmessages = 1")), None);
        // 65,536 numbers, minus two.
        assert!(why("opaque@2", &load("interval = \"100us\"\nmessages = 70000")).is_some());
        assert_eq!(why("opaque@2", &load("interval = \"1ms\"\nmessages = 70000")), None);
    }
}
