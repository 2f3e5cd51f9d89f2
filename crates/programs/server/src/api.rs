//! The routes and their OpenAPI documentation, from one list.

use std::collections::BTreeMap;

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, on};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::App;
use crate::error::ErrorBody;

type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// An operation of the API.
pub struct Route {
    method: &'static str,
    /// Parameters are in braces, as in OpenAPI: `/api/tests/{id}`.
    path: &'static str,
    id: &'static str,
    about: &'static str,
    parameters: Vec<(&'static str, Value, &'static str)>,
    query: Option<SchemaOf>,
    body: Option<SchemaOf>,
    status: u16,
    answer: Answer,
}

enum Answer {
    Json(SchemaOf),
    Other(&'static str),
}

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn whole_schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    T::json_schema(generator)
}

impl Route {
    fn new(method: &'static str, path: &'static str, id: &'static str, about: &'static str) -> Self {
        let answer = Answer::Other("text/plain");
        let (parameters, query, body) = (Vec::new(), None, None);
        Route { method, path, id, about, parameters, query, body, status: 200, answer }
    }

    /// A GET operation; `id` is the document's `operationId`, `about` its summary.
    pub fn get(path: &'static str, id: &'static str, about: &'static str) -> Self {
        Route::new("get", path, id, about)
    }

    /// A POST operation, with the same arguments as [`Route::get`].
    pub fn post(path: &'static str, id: &'static str, about: &'static str) -> Self {
        Route::new("post", path, id, about)
    }

    /// A DELETE operation, with the same arguments as [`Route::get`].
    pub fn delete(path: &'static str, id: &'static str, about: &'static str) -> Self {
        Route::new("delete", path, id, about)
    }

    /// Adds an integer path parameter.
    pub fn number(mut self, name: &'static str, about: &'static str) -> Self {
        let schema = json!({ "type": "integer", "minimum": 0, "maximum": 9_007_199_254_740_991_u64 });
        self.parameters.push((name, schema, about));
        self
    }

    /// Adds a string path parameter.
    pub fn word(mut self, name: &'static str, about: &'static str) -> Self {
        self.parameters.push((name, json!({ "type": "string" }), about));
        self
    }

    /// Adds the fields of a type as query parameters.
    pub fn query<T: JsonSchema>(mut self) -> Self {
        self.query = Some(whole_schema_of::<T>);
        self
    }

    /// Requires a JSON body of this type.
    pub fn body<T: JsonSchema>(mut self) -> Self {
        self.body = Some(schema_of::<T>);
        self
    }

    /// Answers JSON of this type.
    pub fn answers<T: JsonSchema>(mut self) -> Self {
        self.answer = Answer::Json(schema_of::<T>);
        self
    }

    /// The same with status 201, for operations that create something.
    pub fn makes<T: JsonSchema>(mut self) -> Self {
        self.status = 201;
        self.answers::<T>()
    }

    /// Answers with another media type than JSON.
    pub fn gives(mut self, media: &'static str) -> Self {
        self.answer = Answer::Other(media);
        self
    }

    fn operation(&self, generators: &mut Generators) -> Value {
        let Generators { answers: generator, requests } = generators;
        let mut parameters: Vec<Value> = self
            .parameters
            .iter()
            .map(|(name, schema, about)| {
                json!({ "name": name, "in": "path", "required": true, "schema": schema, "description": about })
            })
            .collect();
        if let Some(query) = self.query {
            let schema = query(requests).to_value();
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            for (name, of) in schema["properties"].as_object().into_iter().flatten() {
                parameters.push(json!({
                    "name": name, "in": "query", "required": required.contains(&json!(name)),
                    "schema": without_null(of), "description": of["description"],
                }));
            }
        }
        let (media, schema) = match self.answer {
            Answer::Json(schema) => ("application/json", schema(generator).to_value()),
            Answer::Other(media) => (media, json!({ "type": "string" })),
        };
        let error = json!({
            "description": "Refused.",
            "content": { "application/json": { "schema": schema_of::<ErrorBody>(generator) } },
        });
        let mut operation = json!({
            "operationId": self.id,
            "summary": self.about,
            "responses": {
                self.status.to_string(): { "description": "Done.", "content": { media: { "schema": schema } } },
                "4XX": error,
                "503": error,
            },
        });
        if !parameters.is_empty() {
            operation["parameters"] = json!(parameters);
        }
        if let Some(body) = self.body {
            operation["requestBody"] = json!({
                "required": true,
                "content": { "application/json": { "schema": body(requests) } },
            });
        }
        operation
    }
}

/// The schema of an optional parameter: an omitted one is absent, never null.
fn without_null(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(kinds) = schema["type"].as_array() {
        let kinds: Vec<Value> = kinds.iter().filter(|kind| **kind != json!("null")).cloned().collect();
        schema["type"] = kinds.first().cloned().unwrap_or_default();
    }
    if let Some(object) = schema.as_object_mut() {
        object.remove("description");
        object.remove("default");
    }
    schema
}

/// The routes registered so far, with their documentation.
pub struct Api {
    router: Router<App>,
    paths: BTreeMap<&'static str, Map<String, Value>>,
    generators: Generators,
}

/// Schemas of answers require every field that is always written, those of requests only fields without a default. No type is in both.
struct Generators {
    answers: SchemaGenerator,
    requests: SchemaGenerator,
}

impl Default for Api {
    fn default() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12()
                .with(|settings| settings.definitions_path = "/components/schemas".into())
        };
        let generators = Generators {
            answers: settings().for_serialize().into_generator(),
            requests: settings().into_generator(),
        };
        Api { router: Router::new(), paths: BTreeMap::new(), generators }
    }
}

impl Api {
    /// Adds a route and its handler.
    pub fn with<H, T>(mut self, route: Route, handler: H) -> Self
    where
        H: Handler<T, App>,
        T: 'static,
    {
        let filter = match route.method {
            "get" => MethodFilter::GET,
            "delete" => MethodFilter::DELETE,
            _ => MethodFilter::POST,
        };
        let path: Vec<String> = route.path.split('/').map(segment).collect();
        self.router = self.router.route(&path.join("/"), on(filter, handler));
        let operation = route.operation(&mut self.generators);
        self.paths.entry(route.path).or_default().insert(route.method.to_owned(), operation);
        self
    }

    /// The router and the OpenAPI document.
    pub fn finish(mut self) -> (Router<App>, Value) {
        let mut schemas = self.generators.answers.take_definitions(true);
        schemas.extend(self.generators.requests.take_definitions(true));
        let mut document = json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Wiredyno",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "The API that the pages of `wiredyno serve` use, open to other programs. Generated from the server's code.",
                "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            },
            "paths": self.paths,
            "components": {
                "schemas": schemas,
                "securitySchemes": {
                    "token": { "type": "http", "scheme": "bearer" },
                    "session": { "type": "apiKey", "in": "cookie", "name": crate::session::COOKIE },
                },
            },
            "security": [{}, { "token": [] }, { "session": [] }],
        });
        moved_definitions(&mut document);
        (self.router, document)
    }
}

/// Rewrites references of standalone schemas (`#/$defs/`) into references of this document (`#/components/schemas/`).
fn moved_definitions(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(reference)) = object.get_mut("$ref")
                && let Some(name) = reference.strip_prefix("#/$defs/")
            {
                *reference = format!("#/components/schemas/{name}");
            }
            object.values_mut().for_each(moved_definitions);
        }
        Value::Array(values) => values.iter_mut().for_each(moved_definitions),
        _ => {}
    }
}

/// A path segment in the router's syntax: `{id}` is `:id`, `{*path}` is `*path`.
fn segment(part: &str) -> String {
    match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
        Some("path") => "*path".to_owned(),
        Some(name) => format!(":{name}"),
        None => part.to_owned(),
    }
}
