//! A definition as files in other languages, for their compilers and libraries.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::{IDLS, Idl, Refusal};
use crate::model::Definition;

/// The stem of every file's name: compilers derive the names of generated code from it.
const STEM: &str = "message";

/// A definition as a file in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoweredFile {
    /// Its path below the folder of all languages: `avsc/message.avsc`. Each language has a subfolder, as some share an extension.
    pub path: String,
    /// The contents of the file.
    pub text: String,
}

/// Translates a definition to a file in a language.
///
/// # Errors
/// When the language can't express it.
pub fn lower_to_file(language: &dyn Idl, definition: &Definition) -> Result<LoweredFile, Refusal> {
    let path = format!("{}/{STEM}.{}", language.id(), language.extension());
    Ok(LoweredFile { path, text: language.lower(definition)?.text })
}

/// Writes a definition below a folder in every language that can express it. Returns the files by language id.
///
/// # Errors
/// When a file can't be written.
pub fn write_all(definition: &Definition, folder: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for language in IDLS {
        let Ok(lowered) = lower_to_file(*language, definition) else { continue };
        let path = folder.join(lowered.path);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        std::fs::write(&path, lowered.text)?;
        files.insert(language.id().to_owned(), path.display().to_string());
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_definition_stands_in_each_language_that_can_express_it() {
        let desk = tempfile::tempdir().unwrap();
        let source = "syntax = \"proto3\"; package p; message A { string text = 1; }";
        let definition = Definition::from_source(source, "message.proto").unwrap();
        let files = write_all(&definition, desk.path()).unwrap();
        assert!(files.keys().eq(IDLS.iter().map(|language| language.id())));
        assert!(files["avsc"].ends_with("/avsc/message.avsc"), "{files:?}");
        assert!(files.values().collect::<BTreeSet<_>>().len() == files.len(), "no shared file");
        let proto = std::fs::read_to_string(&files["proto"]).unwrap();
        assert!(proto.contains("message A") && !proto.contains("import"), "{proto}");
    }

    #[test]
    fn a_language_that_can_not_express_a_definition_is_left_out() {
        let desk = tempfile::tempdir().unwrap();
        // Thrift's field numbers have 16 bits.
        let source = "syntax = \"proto3\"; package p; message A { string text = 40000; }";
        let definition = Definition::from_source(source, "message.proto").unwrap();
        let refuses = |language: &&&dyn Idl| language.lower(&definition).is_err();
        let refused: Vec<&str> = IDLS.iter().filter(refuses).map(|language| language.id()).collect();
        let files = write_all(&definition, desk.path()).unwrap();
        assert!(!refused.is_empty() && refused.iter().all(|id| !files.contains_key(*id)), "{refused:?}");
        assert_eq!(files.len() + refused.len(), IDLS.len());
    }
}
