use super::*;

/// The documents and samples that are created from files in a folder of their own, and the result.
fn made(from: (&str, &str), samples: Option<&str>) -> Result<(String, String, MadePayload), String> {
    let desk = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = desk.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let folder = desk.path().join("made");
    let new = NewPayload {
        id: "made".parse().unwrap(),
        from: file(from.0, from.1),
        message: None,
        samples: samples.map(|text| file("s.jsonl", text)),
        folder: folder.clone(),
        input: None,
    };
    let made = new.make().map_err(|error| error.to_string())?;
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    Ok((read(DOCUMENTS), read(SAMPLES), made))
}

#[test]
fn a_schema_is_known_as_one_by_what_it_holds() {
    let avro = r#"{"type":"record","name":"Log","fields":[{"name":"seq","type":"long"}]}"#;
    let json = r#"{"type":"object","properties":{"seq":{"type":"integer"}},"required":["seq"]}"#;
    for (name, text) in
        [("a.json", avro), ("a.avsc", avro), ("a.json", json), ("a.schema.json", json), ("a.avsc", json)]
    {
        let (documents, samples, made) = made((name, text), Some("{\"seq\":7}\n")).unwrap();
        assert_eq!((documents.as_str(), samples.as_str()), ("{\"seq\":7}\n", "{\"seq\":\"7\"}\n"), "{name}");
        assert!(!made.invented);
    }
    let error = made(("a.json", r#"{"openapi":"3.1.0","info":{}}"#), None).unwrap_err();
    assert!(error.contains("a.json:1: this is an OpenAPI document"), "{error}");
}

#[test]
fn documents_stand_beside_the_samples_of_a_proto_file() {
    let proto = "syntax = \"proto3\"; import \"google/protobuf/timestamp.proto\"; message A { uint32 seq = 1; google.protobuf.Timestamp at = 2; }";
    let (documents, samples, told) =
        made(("a.proto", proto), Some("{\"seq\": 1, \"at\": \"2026-01-02T03:04:05Z\"}\n")).unwrap();
    assert_eq!(documents, "{\"seq\":1,\"at\":\"2026-01-02T03:04:05Z\"}\n");
    assert!(samples.contains("\"seconds\""), "{samples}");
    assert!(!told.remarks.iter().any(|remark| remark.contains("JSON mapping")));
}

#[test]
fn samples_with_integers_that_some_readers_lack_are_counted() {
    let proto = "syntax = \"proto3\"; message A { uint64 n = 1; }";
    let samples = "{\"n\":1}\n{\"n\":\"9007199254740993\"}\n{\"n\":\"18446744073709551615\"}\n";
    assert_eq!(made(("a.proto", proto), Some(samples)).unwrap().2.wide, (2, 1));
}

#[test]
fn a_sample_that_would_lose_something_is_refused_with_its_line() {
    let proto = "syntax = \"proto2\"; message M { required uint32 seq = 1; extensions 100 to 200; } \
                     extend M { optional string ext = 100; }";
    let samples = "{\"seq\":1}\n{\"seq\":1,\"[ext]\":\"xy\"}\n";
    let error = made(("m.proto", proto), Some(samples)).unwrap_err();
    assert!(error.contains("s.jsonl:2: the value has the extension `ext`"), "{error}");
}
