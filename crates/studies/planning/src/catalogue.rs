//! The files that come with the program - links, studies - and the user's own files besides.
//!
//! A name is looked up as a path if it looks like one, else in the working directory's folder of that
//! kind, else in the pack that contains the program, else among the bundled files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use wiredyno_build::Pack;

include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// A kind of file in the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A link, `links/<id>.toml`.
    Link,
    /// A study, `studies/<id>.toml`.
    Study,
}

impl Kind {
    /// The name of its folder, `links` or `studies`.
    pub const fn folder(self) -> &'static str {
        match self {
            Kind::Link => "links",
            Kind::Study => "studies",
        }
    }

    /// The singular word for it, `link` or `study`.
    pub const fn word(self) -> &'static str {
        match self {
            Kind::Link => "link",
            Kind::Study => "study",
        }
    }
}

/// A file with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The name that errors and reports use.
    pub name: String,
    /// Its path, absent for a bundled file.
    pub path: Option<PathBuf>,
    /// The contents of the file, as TOML.
    pub text: String,
}

/// Why a file was not found.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// There is none with that name.
    #[error("there is no {word} `{id}`; {hint}")]
    Unknown {
        /// The kind, `link` or `study`.
        word: &'static str,
        /// The id that was requested.
        id: String,
        /// The most similar known name, or how to list all.
        hint: String,
    },
    /// The path is a folder instead of a file.
    #[error("{path} is a folder, not a {word}: name a file")]
    Folder {
        /// The kind, `link` or `study`.
        word: &'static str,
        /// The path that was requested.
        path: PathBuf,
    },
    /// The file can't be read.
    #[error("{path}: {source}")]
    Read {
        /// The path that was to be read.
        path: PathBuf,
        /// The system's error on reading it.
        source: io::Error,
    },
}

impl CatalogueError {
    /// Whether nothing has the requested name.
    pub fn names_nothing(&self) -> bool {
        matches!(self, CatalogueError::Unknown { .. })
    }
}

/// Finds a file by id or path.
///
/// # Errors
/// When there is none, or it can't be read.
pub fn find(kind: Kind, id: &str) -> Result<Found, CatalogueError> {
    let read = |path: &Path| {
        if path.is_dir() {
            return Err(CatalogueError::Folder { word: kind.word(), path: path.to_owned() });
        }
        let text = fs::read_to_string(path)
            .map_err(|source| CatalogueError::Read { path: path.to_owned(), source })?;
        Ok(Found { name: path.display().to_string(), path: Some(path.to_owned()), text })
    };
    if id.contains('/') || id.ends_with(".toml") {
        return read(Path::new(id));
    }
    let beside = folders(kind).into_iter().map(|folder| folder.join(format!("{id}.toml")));
    if let Some(file) = beside.into_iter().find(|file| file.is_file()) {
        return read(&file);
    }
    let name = format!("{}/{id}.toml", kind.folder());
    match bundled(&name) {
        Some(text) => Ok(Found { name, path: None, text: text.to_owned() }),
        None => {
            let ids = list(kind);
            let near = wiredyno_contract::nearest(id, ids.iter().map(String::as_str));
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("`wiredyno list {}` shows what there is", kind.folder()),
            };
            Err(CatalogueError::Unknown { word: kind.word(), id: id.to_owned(), hint })
        }
    }
}

/// Folders with files of a kind that do not come with the program: the working directory's, then the pack's.
fn folders(kind: Kind) -> Vec<PathBuf> {
    let packed = Pack::here().map(|pack| pack.root.join(kind.folder()));
    std::iter::once(PathBuf::from(kind.folder())).chain(packed).collect()
}

/// The ids of a kind: bundled ones, those of the pack and those in the working directory, sorted.
pub fn list(kind: Kind) -> Vec<String> {
    let mut ids: Vec<String> = bundled_in(kind.folder())
        .filter_map(|(name, _)| name.strip_suffix(".toml").map(str::to_owned))
        .filter(|name| !name.contains('/'))
        .collect();
    for entries in folders(kind).iter().filter_map(|folder| fs::read_dir(folder).ok()) {
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        ids.extend(names.filter_map(|name| name.strip_suffix(".toml").map(str::to_owned)));
    }
    ids.sort();
    ids.dedup();
    ids
}

/// The text of a bundled file, by its path in the project.
pub fn bundled(name: &str) -> Option<&'static str> {
    BUNDLED.iter().find(|(path, _)| *path == name).map(|(_, text)| *text)
}

/// Bundled files below a folder, with their paths inside it.
pub fn bundled_in(folder: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    BUNDLED.iter().filter_map(move |(path, text)| {
        path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).map(|rest| (rest, *text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundled_files_are_found_and_unknown_ones_get_a_hint() {
        assert!(find(Kind::Link, "lte").unwrap().text.contains("69.5"));
        let error = find(Kind::Link, "ltee").unwrap_err().to_string();
        assert!(error.contains("did you mean `lte`?"), "{error}");
        assert!(list(Kind::Study).contains(&"demo".to_owned()));
    }
}
