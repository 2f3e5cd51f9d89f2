//! Parses message definitions for this crate's tests, with options and imports.

use prost_reflect::{DescriptorPool, MessageDescriptor};
use protox::Compiler;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

const OPTIONS: &str = r#"
syntax = "proto3";
package wiredyno;
import "google/protobuf/descriptor.proto";
extend google.protobuf.FieldOptions { optional bool sequence = 50001; }
"#;

struct InMemory(String);

impl FileResolver for InMemory {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match name {
            "wiredyno/options.proto" => File::from_source(name, OPTIONS),
            "message.proto" => File::from_source(name, &self.0),
            _ => Err(protox::Error::file_not_found(name)),
        }
    }
}

/// The message called `name` in a definition's text.
pub fn message_in(text: &str, name: &str) -> MessageDescriptor {
    let mut resolver = ChainFileResolver::new();
    resolver.add(InMemory(text.to_owned()));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).open_file("message.proto").unwrap_or_else(|error| panic!("{error:?}"));
    let pool = DescriptorPool::decode(compiler.encode_file_descriptor_set().as_slice()).unwrap();
    pool.all_messages().find(|message| message.name() == name).unwrap()
}

/// A file of a bundled payload.
pub fn payload_file(payload: &str, file: &str) -> String {
    let path = format!("{}/../../../payloads/{payload}/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}
