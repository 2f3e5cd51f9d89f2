//! Lowerings into every interface language, over the definition that has every construct.

#![allow(clippy::unwrap_used)]

use wiredyno_schema::idl::{IDLS, Idl as _, proto, thrift};
use wiredyno_schema::{Definition, Message};

fn kitchen_sink() -> Definition {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../testkit/payloads/kitchen-sink/message.proto");
    Definition::from_source(&std::fs::read_to_string(path).unwrap(), "message.proto").unwrap()
}

#[test]
fn every_language_expresses_every_construct_and_says_how() {
    let definition = kitchen_sink();
    let fields: usize = definition.messages.iter().map(|message| message.fields.len()).sum();
    for idl in IDLS {
        let lowered = idl.lower(&definition).unwrap();
        assert_eq!(lowered.notes.len(), fields, "{}", idl.id());
        assert_eq!(lowered, idl.lower(&definition).unwrap(), "{} changes from call to call", idl.id());
    }
}

#[test]
fn languages_are_listed_in_the_order_of_their_ids() {
    assert!(IDLS.is_sorted_by_key(|idl| idl.id()));
}

#[test]
fn plain_proto3_means_the_same_when_read_again() {
    let definition = kitchen_sink();
    let text = proto::Proto.lower(&definition).unwrap().text;
    // The root's mark is one of the options that plain files lack.
    let marked = text
        .replace("message KitchenSink {", "message KitchenSink {\n  option (wiredyno.root) = true;")
        .replace("package ", "import \"wiredyno/options.proto\";\npackage ");
    let again = Definition::from_source(&marked, "message.proto").unwrap();
    assert_eq!(again.messages.len(), definition.messages.len(), "{text}");
    for (one, other) in definition.messages.iter().zip(&again.messages) {
        let shape = |message: &Message| -> Vec<_> {
            message.fields.iter().map(|field| (field.name.clone(), field.number, field.ty)).collect()
        };
        assert_eq!(shape(one), shape(other), "{}", one.name);
    }
}

#[test]
fn thrift_refuses_numbers_that_it_can_not_write() {
    let text = "syntax = \"proto3\";\npackage a;\nmessage Large { int32 number = 40000; }";
    let definition = Definition::from_source(text, "message.proto").unwrap();
    let refusal = thrift::Thrift.lower(&definition).unwrap_err().to_string();
    assert!(refusal.contains("Large.number") && refusal.contains("32767"), "{refusal}");
}
