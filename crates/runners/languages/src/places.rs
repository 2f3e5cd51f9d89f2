//! Placeholders in the commands of a runner.toml, for paths and names that only the program knows.
//!
//! | in a command | stands for | in |
//! |---|---|---|
//! | `{folder}` | the runner's folder | all |
//! | `{environment}` | what `environment.make` fills | all |
//! | `{schemas}` | a folder with the definition: `definition.binpb`, and `<language>/message.<end>` for each of `definition.schemas` | `definition.make` |
//! | `{message}` | the full name of the message | `definition.make` |
//! | `{definition}` | the definition's digest | `definition.make` |
//! | `{built}` | what `definition.make` fills; it is moved when it is complete | `definition.make`, `start` |

pub(crate) const FOLDER: &str = "{folder}";
pub(crate) const ENVIRONMENT: &str = "{environment}";
pub(crate) const SCHEMAS: &str = "{schemas}";
pub(crate) const MESSAGE: &str = "{message}";
pub(crate) const DEFINITION: &str = "{definition}";
pub(crate) const BUILT: &str = "{built}";

const ALL: [&str; 6] = [FOLDER, ENVIRONMENT, SCHEMAS, MESSAGE, DEFINITION, BUILT];

/// Placeholders allowed in `environment.make`.
pub(crate) const IN_ENVIRONMENT: &[&str] = &[FOLDER, ENVIRONMENT];
/// Placeholders allowed in `definition.make`.
pub(crate) const IN_DEFINITION: &[&str] = &ALL;
/// Placeholders allowed in `start` of a runner that is built for each definition; all others have the next list.
pub(crate) const IN_START: &[&str] = &[FOLDER, ENVIRONMENT, BUILT];
pub(crate) const IN_START_UNBUILT: &[&str] = &[FOLDER, ENVIRONMENT];

/// The first placeholder in a command that is not allowed there.
pub(crate) fn misplaced(words: &[String], allowed: &[&str]) -> Option<&'static str> {
    ALL.into_iter().find(|name| !allowed.contains(name) && names(words, name))
}

/// Whether a command uses a placeholder.
pub(crate) fn names(words: &[String], name: &str) -> bool {
    words.iter().any(|word| word.contains(name))
}

/// A command with its placeholders replaced.
pub(crate) fn filled(words: &[String], values: &[(&str, String)]) -> Vec<String> {
    let fill =
        |word: &String| values.iter().fold(word.clone(), |word, (name, value)| word.replace(name, value));
    words.iter().map(fill).collect()
}
