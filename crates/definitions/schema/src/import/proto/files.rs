//! The files of a definition: what it imports, and where its parts stand in them.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use protox::file::{File, FileResolver, GoogleFileResolver};

use super::super::ImportError;
use super::super::editions::{in_older_words, with_both_ends};
use super::super::imports::{Missing, without_missing};
use super::{Editions, Files, OPTIONS_NAME, Refused};
use crate::definition::OPTIONS_PROTO;

/// Finds imports next to the file and in the folders above it.
pub(super) struct Above {
    pub(super) folders: Vec<PathBuf>,
    pub(super) editions: Editions,
    pub(super) refused: Refused,
    pub(super) files: Files,
}

impl Above {
    fn place(&self, name: &str) -> Option<PathBuf> {
        self.folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
    }

    fn is_there(&self, name: &str) -> bool {
        name == OPTIONS_NAME
            || self.place(name).is_some()
            || GoogleFileResolver::new().open_file(name).is_ok()
    }
}

impl FileResolver for Above {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        if name == OPTIONS_NAME {
            return File::from_source(name, OPTIONS_PROTO);
        }
        match self.place(name) {
            Some(path) => {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                let plain = text.strip_prefix('\u{feff}').unwrap_or(&text);
                let (whole, missing) = without_missing(plain, |import| self.is_there(import)).unzip();
                let plain = whole.as_deref().unwrap_or(plain);
                let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
                files.push((name.to_owned(), path.clone(), missing.unwrap_or_default()));
                drop(files);
                let with_both_ends = with_both_ends(plain);
                let plain = with_both_ends.as_deref().unwrap_or(plain);
                match in_older_words(plain) {
                    Ok(None) if plain.len() == text.len() => File::open(name, &path),
                    Ok(None) => File::from_source(name, plain),
                    Ok(Some(text)) => {
                        let mut editions = self.editions.lock().unwrap_or_else(PoisonError::into_inner);
                        editions.insert(name.to_owned());
                        File::from_source(name, &text)
                    }
                    Err(older) => {
                        let what = older.1.clone();
                        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
                        *refused = Some((name.to_owned(), older));
                        Err(protox::Error::new(what))
                    }
                }
            }
            None => Err(protox::Error::file_not_found(name)),
        }
    }
}

/// The files that were read, with their paths as the user knows them, for errors.
pub(super) struct Places {
    pub(super) own: (String, String),
    pub(super) read: Vec<(String, PathBuf, Vec<Missing>)>,
}

impl Places {
    /// The path of an imported file, in the style of the path that the user gave.
    fn of(&self, name: &str) -> String {
        if name == self.own.0 {
            return self.own.1.clone();
        }
        let Some((_, path, _)) = self.read.iter().find(|(known, ..)| known == name) else {
            return name.to_owned();
        };
        let here = std::env::current_dir().unwrap_or_default();
        let is_relative = Path::new(&self.own.1).is_relative();
        let short = if is_relative { path.strip_prefix(&here).unwrap_or(path) } else { path };
        short.display().to_string()
    }

    /// The compiler's error, with its position in the file.
    pub(super) fn refusal(&self, said: &str) -> ImportError {
        // It starts with file:line:column, or with the file alone.
        let parts = || {
            let (name, rest) = said.split_once(".proto:")?;
            let name = format!("{name}.proto");
            if let Some(what) = rest.strip_prefix(' ') {
                let line = self.of_name(&name, what.split('\'').nth(1).unwrap_or_default());
                return Some((name, line, what.to_owned()));
            }
            let (line, rest) = rest.split_once(':')?;
            let (_, what) = rest.split_once(": ")?;
            Some((name, line.parse::<usize>().ok()?, what.to_owned()))
        };
        let Some((name, line, what)) = parts() else {
            return self.refused(&self.own.0, 1, said.to_owned(), "fix it");
        };
        let missing =
            self.read.iter().find(|(known, ..)| *known == name).map(|(_, _, missing)| missing.as_slice());
        if let (Some([first, ..]), true) =
            (missing, what.contains("is not defined") || what.contains("not found"))
        {
            let lacks = what.split('\'').nth(1).unwrap_or_default();
            // Folders are often named after packages.
            let words = |text: &str| Vec::from_iter(text.split(['/', '.', '_']).map(str::to_ascii_lowercase));
            let alike = |one: &&Missing| {
                let of = words(&one.name);
                words(lacks).iter().filter(|word| of.contains(word)).count()
            };
            let likely = missing.unwrap_or_default().iter().rev().max_by_key(alike).unwrap_or(first);
            let what = format!("the import `{}` is missing, and line {line} needs `{lacks}`", likely.name);
            let remedy = format!("put it at {} in the folder of this file or in one above", likely.name);
            return self.refused(&name, likely.line, what, &remedy);
        }
        if let Some(import) = what.strip_prefix("import '").and_then(|rest| rest.strip_suffix("' not found"))
        {
            let remedy = format!("put it at {import} in the folder of this file or in one above");
            return self.refused(&name, line, format!("the import `{import}` is missing"), &remedy);
        }
        const RENAME: &str = "rename one of them: Protobuf's bytes have numbers in place of names";
        let named = |at: usize| what.split('\'').nth(at).unwrap_or_default();
        if what.contains("camel-case name of field") {
            let what = format!(
                "`{}` and `{}` differ in case or underscores alone, and the .proto compiler used here considers them the same name",
                named(1),
                named(3)
            );
            return self.refused(&name, line, what, RENAME);
        }
        if what.contains("a field with JSON name") {
            let what =
                "two fields of a message have the same name in JSON, so samples can't distinguish them"
                    .to_owned();
            return self.refused(&name, line, what, RENAME);
        }
        self.refused(&name, line, what, "fix it")
    }

    pub(super) fn refused(&self, name: &str, line: usize, what: String, remedy: &str) -> ImportError {
        ImportError::Refused { file: self.of(name), line, what, remedy: remedy.to_owned() }
    }

    /// The line of a file that first mentions a name's last component; 1 if none does.
    fn of_name(&self, file: &str, name: &str) -> usize {
        let last = name.rsplit('.').next().unwrap_or_default();
        let says_it = |line: &str| {
            let code = line.split("//").next().unwrap_or_default();
            code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == last)
        };
        let path = self.read.iter().find(|(known, ..)| known == file).map(|(_, path, _)| path);
        let text = path.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        text.lines().position(says_it).map_or(1, |at| at + 1)
    }

    /// The file and line that have one of this project's options on a field.
    pub(super) fn of_option(&self, field: &str) -> (String, usize) {
        let names_it = |line: &str| {
            let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            line.contains("wiredyno.") && words.any(|word| word == field)
        };
        let line = |path: &PathBuf| {
            std::fs::read_to_string(path).unwrap_or_default().lines().position(names_it).map(|at| at + 1)
        };
        let found = self.read.iter().find_map(|(name, path, _)| Some((self.of(name), line(path)?)));
        found.unwrap_or_else(|| (self.own.1.clone(), 1))
    }

    /// Remarks on the missing imports that were removed.
    pub(super) fn left_out(&self) -> Vec<String> {
        let all = self.read.iter().flat_map(|(name, _, missing)| missing.iter().map(move |one| (name, one)));
        all.map(|(name, one)| {
            format!(
                "{}:{}: the import `{}` is missing and left out: no message needs it, options of other programs don't change their bytes.",
                self.of(name),
                one.line,
                one.name
            )
        })
        .collect()
    }
}
