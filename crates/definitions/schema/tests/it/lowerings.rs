//! Translations to every interface language of the definition that has every construct.

use wiredyno_schema::idl::{IDLS, Idl, Lowered, proto, thrift};
use wiredyno_schema::{Definition, Message};

fn kitchen(name: &str) -> Definition {
    let path = format!("{}/../../testing/testkit/payloads/{name}/message.proto", env!("CARGO_MANIFEST_DIR"));
    Definition::from_source(&std::fs::read_to_string(path).unwrap(), "message.proto").unwrap()
}

fn kitchen_sink() -> Definition {
    kitchen("kitchen-sink")
}

#[test]
fn every_language_expresses_every_construct_and_says_how() {
    let (sink, flat) = (kitchen_sink(), kitchen("kitchen-flat"));
    for idl in IDLS {
        match idl.lower(&sink) {
            Ok(lowered) => says_all(*idl, &sink, &lowered),
            // The only construct that a language may refuse; kitchen-flat has all others.
            Err(refusal) => {
                assert!(refusal.reason.contains("it contains itself"), "{refusal}");
                says_all(*idl, &flat, &idl.lower(&flat).unwrap());
            }
        }
    }
}

/// One note per field; any other note is on something in the definition; the result is the same at each call.
fn says_all(idl: &dyn Idl, definition: &Definition, lowered: &Lowered) {
    let messages = || definition.messages.iter();
    let fields: Vec<String> = messages()
        .flat_map(|message| message.fields.iter().map(|field| format!("{}.{}", message.name, field.name)))
        .collect();
    let oneofs = messages()
        .flat_map(|message| message.oneofs.iter().map(|oneof| format!("{}.{}", message.name, oneof.name)));
    let enums = definition.enums.iter().map(|declared| declared.name.clone());
    let names = messages().map(|message| message.name.clone());
    let others: Vec<String> =
        oneofs.chain(enums).chain(names).chain([definition.package().to_owned()]).collect();
    for field in &fields {
        let notes = lowered.notes.iter().filter(|note| note.path == *field).count();
        assert_eq!(notes, 1, "{}: {field}", idl.id());
    }
    for note in &lowered.notes {
        let known = fields.contains(&note.path) || others.contains(&note.path);
        assert!(known, "{}: {} is nothing in the definition", idl.id(), note.path);
    }
    assert!(lowered.notes.iter().any(|note| note.path == definition.package()), "{}", idl.id());
    assert_eq!(*lowered, idl.lower(definition).unwrap(), "{} changes from call to call", idl.id());
}

#[test]
fn languages_are_listed_in_the_order_of_their_ids() {
    assert!(IDLS.is_sorted_by_key(|idl| idl.id()));
}

#[test]
fn plain_proto3_means_the_same_when_read_again() {
    let definition = kitchen_sink();
    let text = proto::Proto.lower(&definition).unwrap().text;
    // The root option is one of those that plain files lack.
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
