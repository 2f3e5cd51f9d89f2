//! Untidy JSON, shared by the tests of the importer and of the program.

/// Documents with texts that the definition must contain.
pub const CARRIED: &[(&str, &[&str])] = &[
    ("{}", &["message Awkward {"]),
    ("{\"a\":null}", &["optional string a = 1;", "Always null"]),
    ("{\"a\":1}\n{\"a\":null}", &["optional int32 a = 1;", "Null in 1: absent here."]),
    ("{\"a\":1}\n{}", &["optional int32 a = 1;", "In 1 of 2 objects."]),
    ("{\"a\":1}\n{}\n{\"a\":null}", &["Null in 1, absent from 1: both are absent here."]),
    ("{\"a\":[]}", &["repeated string a = 1;", "Always empty"]),
    ("{\"a\":{}}", &["AwkwardA a = 1 [(wiredyno.required) = true];", "message AwkwardA {"]),
    (
        "{\"a\":[[1,2],[3]]}",
        &["message AwkwardAElement {", "repeated int32 value = 1;", "repeated AwkwardAElement a = 1;"],
    ),
    ("{\"a\":[[[\"x\"]]]}", &["Stands for a list or map in a list or map."]),
    ("{\"a\":[1,null,3]}", &["optional int32 value = 1;"]),
    ("{\"a\":[null,null]}", &["optional string value = 1;"]),
    (
        "{\"a\":[1,\"x\",true,{\"b\":1},[2]]}",
        &["oneof kind {", "option (wiredyno.required_choice) = true;", "bool flag = 1;"],
    ),
    ("{\"a\":1}\n{\"a\":\"one\"}", &["AwkwardAChoice a = 1", "int32 number = 1;", "string text = 2;"]),
    ("{\"a\":1}\n{\"a\":1.5}", &["double a = 1;"]),
    ("{\"a\":1.0}", &["double a = 1;"]),
    ("{\"a\":1e3}", &["double a = 1;"]),
    ("{\"a\":-0}", &["double a = 1;"]),
    ("{\"a\":9007199254740993}", &["int64 a = 1;"]),
    ("{\"a\":18446744073709551615}", &["uint64 a = 1;"]),
    ("{\"a\":4294967295}", &["uint32 a = 1;"]),
    ("{\"a\":-2147483649}", &["int64 a = 1;"]),
    (
        "{\"first-name\":\"x\",\"first_name\":\"y\"}",
        &["string first_name = 1;", "string first_name_v2 = 2;", "\"first-name\""],
    ),
    (
        "{\"\":1,\"größe\":2,\"漢字\":3,\"\\n\":4,\"🚚\":5}",
        &["int32 field = 1;", "int32 gr_e = 2;", "int32 field_v2 = 3;"],
    ),
    (
        "{\"message\":1,\"oneof\":2,\"repeated\":3,\"string\":\"x\",\"type\":true,\"self\":1,\"Self\":2,\"_\":3}",
        &["int32 message = 1;"],
    ),
    ("{\"userId\":1,\"user_id\":2,\"UserID\":3}", &["int32 userId = 1;", "int32 user_id_v2 = 2;"]),
    ("{\"a\":\"\\u0000\\u001f\\\"\\\\\\/\\ud83d\\ude9a\"}", &["string a = 1;"]),
    ("{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":[{\"f\":{\"g\":null}}]}}}}}", &["AwkwardAbCdE"]),
    ("[{\"a\":1},{\"a\":2}]", &["2 samples"]),
    ("[1,2,3]", &["repeated int32 value = 1;"]),
    ("\"just a text\"", &["string value = 1"]),
    ("null", &["optional string value = 1;"]),
    ("{\"t\":\"2026-11-21T03:30:00Z\"}\n{\"t\":\"2026-11-21T03:30:01.5+01:00\"}", &["RFC 3339"]),
    ("{\"a\":{\"2026-01-01\":1,\"2026-01-02\":2}}", &["map<string, int32> a = 1;"]),
    ("{\"a\":{\"b\":{\"x\":1},\"c\":{\"x\":2}}}\n{\"a\":{\"b\":{\"x\":1}}}", &["AwkwardAB b = 1"]),
    (
        "{\"s\":\"on\"}\n{\"s\":\"off\"}\n{\"s\":\"on\"}\n{\"s\":\"off\"}\n{\"s\":\"on\"}\n{\"s\":\"off\"}\n{\"s\":\"on\"}\n{\"s\":\"on\"}",
        &["enum AwkwardS {", "off = 0;", "on = 1;", "off 3 times, on 5 times."],
    ),
    (
        "{\"s\":\"true\"}\n{\"s\":\"optional\"}\n{\"s\":\"true\"}\n{\"s\":\"optional\"}\n{\"s\":\"true\"}\n{\"s\":\"optional\"}\n{\"s\":\"true\"}\n{\"s\":\"optional\"}",
        &["enum AwkwardS {"],
    ),
    (
        "{\"s\":\"ok\"}\n{\"s\":\"OK\"}\n{\"s\":\"ok\"}\n{\"s\":\"OK\"}\n{\"s\":\"ok\"}\n{\"s\":\"OK\"}\n{\"s\":\"ok\"}\n{\"s\":\"OK\"}",
        &["string s = 1;", "2 different texts only."],
    ),
    ("{\"id\":7}\n{\"id\":8}\n{\"id\":9}", &["int32 id = 1 [(wiredyno.sequence) = true];"]),
    ("{\"a\":{\"value\":1},\"aValue\":{\"x\":1},\"a_value\":[[1]]}", &["message AwkwardA {"]),
    ("\u{feff}{\"a\":1}", &["int32 a = 1"]),
    ("{\"a\":1}\r\n\r\n{\"a\":2}\r\n", &["2 samples"]),
];

/// Documents with the beginning of their refusal, or a part of it.
pub const REFUSED: &[(&str, &str)] = &[
    ("", "contains no sample"),
    (
        "{\"a\":123456789012345678901234567890}",
        "awkward.jsonl:1: `a` is `123456789012345678901234567890`, an integer beyond 64 bits",
    ),
    ("{\"a\":1}\n{\"a\":1.5}\n{\"a\":9007199254740993}", "line 3 has `9007199254740993`, line 2 has `1.5`"),
    ("{\"a\":-1}\n{\"a\":18446744073709551615}", "line 1 has `-1`, line 2 has `18446744073709551615`"),
    ("{\"a\":1}\n{\"a\":}", "awkward.jsonl:2: this is not JSON"),
    ("{\"a\":1,\"a\":2}", "awkward.jsonl:1: the key `a` appears twice"),
    ("{\"a\":1e999}", "awkward.jsonl:1: `a` is `1e999`, not a number that a double holds"),
    ("{'a':1}", "awkward.jsonl:1: this is not JSON"),
    ("{\"a\":NaN}", "awkward.jsonl:1: this is not JSON"),
];

/// The file name for a document: a list of samples is not JSON lines.
pub fn file_of(text: &str) -> &'static str {
    if text.starts_with('[') { "awkward.json" } else { "awkward.jsonl" }
}
