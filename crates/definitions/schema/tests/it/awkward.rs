//! Untidy JSON: every document becomes a definition that reads its own sample back, or is refused
//! with line and reason.

use crate::documents::{CARRIED, REFUSED, file_of};
use wiredyno_schema::import::infer::{Inference, as_object};
use wiredyno_schema::import::json::documents;
use wiredyno_schema::{Definition, read_value, write_value};

/// The definition's text, and the samples as read back.
fn through(text: &str, file: &str) -> Result<(String, Vec<String>), String> {
    let mut inference = Inference::default();
    for document in documents(text, file) {
        inference.add(&as_object(document.map_err(|error| error.to_string())?));
    }
    let draft = inference.draft("awkward", file).map_err(|error| error.to_string())?;
    let proto = draft.to_proto();
    assert_eq!(
        proto,
        inference.draft("awkward", file).unwrap().to_proto(),
        "the same input, the same output"
    );
    let definition =
        Definition::from_source(&proto, "message.proto").unwrap_or_else(|error| panic!("{error}\n{proto}"));
    let mut samples = Vec::new();
    for document in documents(text, file) {
        let line = draft.sample(&as_object(document.unwrap()), file).map_err(|error| error.to_string())?;
        let value = read_value(&line, &definition.descriptor, "samples.jsonl", 1)
            .unwrap_or_else(|error| panic!("{error}\n{line}\n{proto}"));
        let back = write_value(&value).unwrap();
        let again = read_value(&back, &definition.descriptor, "samples.jsonl", 1).unwrap();
        assert_eq!(value, again, "{line}");
        samples.push(line);
    }
    Ok((proto, samples))
}

#[test]
fn awkward_documents_go_through() {
    for (text, wanted) in CARRIED {
        let (proto, _) = through(text, file_of(text)).unwrap_or_else(|error| panic!("{text}: {error}"));
        for part in *wanted {
            assert!(proto.contains(part), "{text}: no {part:?} in\n{proto}");
        }
    }
}

#[test]
fn what_can_not_be_carried_is_refused_with_its_line() {
    for (text, wanted) in REFUSED {
        let error = through(text, "awkward.jsonl").err().unwrap_or_else(|| panic!("{text} went through"));
        assert!(error.contains(wanted), "{text}: {error}");
    }
}

#[test]
fn keys_that_are_data_make_a_map() {
    let lines: String = (0..30)
        .map(|n| format!("{{\"speeds\":{{\"truck{n}\":{n},\"truck{}\":1,\"truck{}\":2}}}}\n", n + 30, n + 60))
        .collect();
    let (proto, samples) = through(&lines, "awkward.jsonl").unwrap();
    assert!(proto.contains("map<string, int32> speeds = 1;"), "{proto}");
    assert_eq!(samples[1], "{\"speeds\":{\"truck1\":1,\"truck31\":1,\"truck61\":2}}");
}

#[test]
fn lists_of_one_length_are_fixed_arrays_when_there_were_enough() {
    let lines: String = (0..10).map(|n| format!("{{\"position\":[{n}.5,2,3]}}\n")).collect();
    let (proto, _) = through(&lines, "awkward.jsonl").unwrap();
    assert!(proto.contains("repeated double position = 1 [(wiredyno.fixed_length) = 3];"), "{proto}");
}

#[test]
fn values_stay_what_they_were() {
    let (_, samples) =
        through("{\"a\":[1,\"x\",null,[2.5]],\"big\":9007199254740993,\"half\":0.5}", "awkward.jsonl")
            .unwrap();
    assert_eq!(
        samples[0],
        "{\"a\":[{\"value\":{\"number\":1}},{\"value\":{\"text\":\"x\"}},{},{\"value\":{\"list\":{\"value\":[2.5]}}}],\
         \"big\":\"9007199254740993\",\"half\":0.5}"
    );
}
