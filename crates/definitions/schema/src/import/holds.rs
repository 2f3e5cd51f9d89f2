//! Determines the kind of a JSON document from its content, so that a schema is recognised whatever its file is called.

use super::json::{Json, Kind};

/// The kinds of JSON document that are distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A JSON Schema of a message.
    JsonSchema,
    /// An Avro schema of a message.
    Avro,
    /// A description of an interface, such as OpenAPI, that contains schemas; with its name for messages.
    Interface(&'static str),
    /// An ordinary document: a sample.
    Values,
}

/// Descriptions of interfaces, by the key that has their version.
const INTERFACES: [(&str, &str); 3] = [
    ("openapi", "an OpenAPI document"),
    ("swagger", "a Swagger document"),
    ("asyncapi", "an AsyncAPI document"),
];

/// Determines the kind of a document.
pub fn holds(document: &Json) -> Holds {
    let has_text = |key: &str| document.get(key).and_then(Json::as_text).is_some();
    if let Some((_, name)) =
        INTERFACES.iter().find(|(key, _)| has_text(key) && document.get("info").is_some())
    {
        return Holds::Interface(name);
    }
    match &document.value {
        Kind::Object(_) if is_avro(document) => Holds::Avro,
        Kind::List(list) if !list.is_empty() && list.iter().all(is_avro) => Holds::Avro,
        Kind::Object(_) if is_json_schema(document) => Holds::JsonSchema,
        _ => Holds::Values,
    }
}

/// Whether it is a named Avro type.
fn is_avro(json: &Json) -> bool {
    let named = json.get("name").and_then(Json::as_text).is_some();
    let list = |key: &str| matches!(json.get(key).map(|value| &value.value), Some(Kind::List(_)));
    named
        && match json.get("type").and_then(Json::as_text) {
            Some("record" | "error") => list("fields"),
            Some("enum") => list("symbols"),
            Some("fixed") => json.get("size").is_some(),
            _ => false,
        }
}

/// Schemas are recognised by their keywords' values: under each is an object that names a type.
fn is_json_schema(json: &Json) -> bool {
    let has_text = |key: &str| json.get(key).and_then(Json::as_text).is_some();
    let of_schemas = |key: &str| match json.get(key).map(|value| &value.value) {
        Some(Kind::Object(pairs)) => !pairs.is_empty() && pairs.iter().all(|(_, schema)| is_schema(schema)),
        _ => false,
    };
    let is_object = json.get("type").and_then(Json::as_text) == Some("object");
    let lists = ["oneOf", "anyOf", "allOf"];
    let has_list =
        lists.iter().any(|key| json.get(key).is_some_and(|list| matches!(list.value, Kind::List(_))));
    let has_definitions = of_schemas("$defs") || of_schemas("definitions");
    has_text("$schema")
        || of_schemas("properties")
        || (is_object && json.get("properties").is_some_and(|all| all.value == Kind::Object(Vec::new())))
        || (has_definitions && (has_text("$ref") || has_list || is_object))
}

/// Whether an object names a type as schemas do.
fn is_schema(json: &Json) -> bool {
    const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "integer", "string"];
    let is_type = |json: &Json| json.as_text().is_some_and(|name| TYPES.contains(&name));
    let keywords = ["$ref", "oneOf", "anyOf", "allOf", "enum", "const", "properties", "items"];
    match json.get("type").map(|ty| (ty, &ty.value)) {
        Some((_, Kind::List(types))) => types.iter().all(is_type),
        Some((ty, _)) => is_type(ty),
        None => keywords.iter().any(|key| json.get(key).is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;

    #[test]
    fn a_schema_is_known_by_what_it_holds() {
        for (text, wanted) in [
            (r#"{"title":"Log","type":"object","properties":{"seq":{"type":"integer"}}}"#, Holds::JsonSchema),
            (r##"{"properties":{"seq":{"type":["integer","null"]},"x":{"$ref":"#/x"}}}"##, Holds::JsonSchema),
            (r##"{"$ref":"#/definitions/A","definitions":{"A":{"type":"object"}}}"##, Holds::JsonSchema),
            (r#"{"$schema":"https://json-schema.org/draft/2020-12/schema"}"#, Holds::JsonSchema),
            (r#"{"type":"record","name":"Log","fields":[]}"#, Holds::Avro),
            (
                r#"[{"type":"enum","name":"E","symbols":["A"]},{"type":"record","name":"R","fields":[]}]"#,
                Holds::Avro,
            ),
            (r#"{"openapi":"3.1.0","info":{}}"#, Holds::Interface("an OpenAPI document")),
            (r#"{"type":"Feature","properties":{"name":"a","type":"string"}}"#, Holds::Values),
            (r#"{"type":"object","properties":{"size":{"type":"large"}}}"#, Holds::Values),
            (r#"{"type":"record","name":"x","fields":3}"#, Holds::Values),
            (r#"{"definitions":{"a":1}}"#, Holds::Values),
            (r#"{"openapi":"x"}"#, Holds::Values),
            ("[]", Holds::Values),
            ("3", Holds::Values),
        ] {
            assert_eq!(holds(&json::parse(text, "f.json", 1).unwrap()), wanted, "{text}");
        }
    }
}
