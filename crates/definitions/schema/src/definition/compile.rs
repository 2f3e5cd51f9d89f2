//! Compiles the text of a definition to descriptors, without reading any other file.

use std::sync::LazyLock;

use prost_reflect::DescriptorPool;
use prost_types::{FileDescriptorProto, SourceCodeInfo};
use protox::Compiler;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

use super::{DefinitionError, OPTIONS_NAME, OPTIONS_PROTO};

pub(super) const SOURCE_NAME: &str = "message.proto";

/// Resolves the one source file by a fixed name.
struct OneSource(String);

impl FileResolver for OneSource {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match name {
            SOURCE_NAME => File::from_source(name, &self.0),
            OPTIONS_NAME => File::from_source(name, OPTIONS_PROTO),
            _ => Err(protox::Error::file_not_found(name)),
        }
    }
}

/// A compiled source file.
pub(super) struct Compiled {
    pub(super) pool: DescriptorPool,
    /// The file and its imports, without source positions.
    pub(super) descriptor_set: Vec<u8>,
    /// Source positions in the file.
    pub(super) positions: Option<SourceCodeInfo>,
}

pub(super) fn compile(text: &str, file: &str) -> Result<Compiled, DefinitionError> {
    match compile_quickly(text) {
        Some(compiled) => Ok(compiled),
        None => compile_any(text, file),
    }
}

/// A fast path for a file that imports only the options, or nothing: the options, which would dominate the time, are compiled
/// once per process. Returns `None` for any other file and for any error, which [`compile_any`] then handles.
pub(super) fn compile_quickly(text: &str) -> Option<Compiled> {
    static OPTIONS: LazyLock<Option<DescriptorPool>> = LazyLock::new(|| {
        let mut options = FileDescriptorProto::from(File::from_source(OPTIONS_NAME, OPTIONS_PROTO).ok()?);
        options.source_code_info = None;
        let imports: Option<Vec<FileDescriptorProto>> = options
            .dependency
            .iter()
            .map(|import| Some(GoogleFileResolver::new().open_file(import).ok()?.into()))
            .collect();
        let mut pool = DescriptorPool::new();
        pool.add_file_descriptor_protos(imports?.into_iter().chain([options])).ok()?;
        Some(pool)
    });
    // Options that decide the encoding are applied too late here: lists would count as packed.
    if text.contains("packed") {
        return None;
    }
    let mut source = FileDescriptorProto::from(File::from_source(SOURCE_NAME, text).ok()?);
    let mut pool = match source.dependency.as_slice() {
        [] => DescriptorPool::new(),
        [only] if only == OPTIONS_NAME => OPTIONS.clone()?,
        _ => return None,
    };
    let positions = source.source_code_info.take();
    pool.add_file_descriptor_proto(source).ok()?;
    let descriptor_set = pool.encode_to_vec();
    Some(Compiled { pool, descriptor_set, positions })
}

/// Compiles any file; errors say what is wrong, and where.
pub(super) fn compile_any(text: &str, file: &str) -> Result<Compiled, DefinitionError> {
    let syntax = |reason: String| {
        let reason = reason.replace(&format!("{SOURCE_NAME}:"), "");
        let reason = reason.trim_start();
        let place = if reason.starts_with(|c: char| c.is_ascii_digit()) { "" } else { " " };
        DefinitionError::Syntax { file: file.to_owned(), reason: format!("{place}{reason}") }
    };
    let mut compiler = compiler(text.to_owned());
    compiler.open_file(SOURCE_NAME).map_err(|error| syntax(format!("{error:?}")))?;
    let descriptor_set = compiler.encode_file_descriptor_set();
    // Custom options survive only in the encoded form, hence the detour through bytes.
    let encoded = compiler.include_source_info(true).encode_file_descriptor_set();
    let pool = DescriptorPool::decode(encoded.as_slice()).map_err(|e| syntax(e.to_string()))?;
    let file = pool.get_file_by_name(SOURCE_NAME);
    let positions = file.and_then(|file| file.file_descriptor_proto().source_code_info.clone());
    Ok(Compiled { pool, descriptor_set, positions })
}

/// A compiler for this source, whose output includes imports but no source positions.
fn compiler(text: String) -> Compiler {
    let mut resolver = ChainFileResolver::new();
    resolver.add(OneSource(text));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).include_source_info(false);
    compiler
}
