use super::compile::{compile_any, compile_quickly};
use super::*;

/// The line of each message and field.
fn places(compiled: &Compiled) -> Vec<(&[i32], i32)> {
    let mut declared: HashSet<Vec<i32>> = HashSet::new();
    for message in compiled.pool.all_messages() {
        declared.insert(message.path().to_vec());
        declared.extend(message.fields().map(|field| field.path().to_vec()));
    }
    let all = compiled.positions.as_ref().unwrap().location.iter();
    let known = all.filter(|location| declared.contains(&location.path));
    known.map(|location| (location.path.as_slice(), location.span[0])).collect()
}

#[test]
fn the_quick_way_gives_what_the_compiler_gives() {
    let payloads = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../payloads");
    let mut quick = 0;
    for folder in std::fs::read_dir(payloads).unwrap() {
        let text = std::fs::read_to_string(folder.unwrap().path().join("message.proto")).unwrap();
        let any = compile_any(&text, SOURCE_NAME).unwrap();
        if let Some(compiled) = compile_quickly(&text) {
            assert!(compiled.descriptor_set == any.descriptor_set, "{text}");
            assert_eq!(places(&compiled), places(&any), "{text}");
            quick += 1;
        }
    }
    assert!(quick > 20, "only {quick}");
}

#[test]
fn a_list_that_is_not_packed_is_known_as_such() {
    let text =
        "syntax = \"proto3\"; message A { repeated int32 x = 1 [packed = false]; repeated int32 y = 2; }";
    let definition = Definition::from_source(text, "message.proto").unwrap();
    let packed: Vec<bool> = definition.descriptor.fields().map(|field| field.is_packed()).collect();
    assert_eq!(packed, [false, true]);
}

#[test]
fn what_is_wrong_is_never_compiled_quickly() {
    let head = "syntax = \"proto3\"; ";
    for text in [
        "message A { uint32 x = 1 [(wiredyno.sequence) = true]; }",
        "import \"wiredyno/options.proto\"; message A { uint32 x = 1 [(wiredyno.sequences) = true]; }",
        "import \"google/protobuf/timestamp.proto\"; message A { google.protobuf.Timestamp t = 1; }",
        "message A { B b = 1; }",
        "message A { ",
    ] {
        assert!(compile_quickly(&format!("{head}{text}")).is_none(), "{text}");
    }
}

#[test]
fn the_place_of_the_root_counts_the_messages_of_its_file() {
    let indexes = |text: &str| Definition::from_source(text, "message.proto").unwrap().indexes();
    let head = "syntax = \"proto3\";\nimport \"wiredyno/options.proto\";\n";
    let marked = "option (wiredyno.root) = true;";
    assert_eq!(indexes(&format!("{head}message A {{ uint32 x = 1; }}")), [0]);
    let second =
        format!("{head}message A {{ map<string, uint32> m = 1; }}\nmessage B {{ {marked} uint32 x = 1; }}");
    assert_eq!(indexes(&second), [1]);
}
