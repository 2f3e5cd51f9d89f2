//! Resolves the name that a command line or study gives to a payload.
//!
//! An id means the payload of that name in the program, in `./payloads/<name>` or in `./<name>`. If it matches two payloads
//! of different content, it is an error: results identify a payload by its name, so a name must be unambiguous.
//!
//! Limits: the caller has to look up payloads that are known from elsewhere, such as an earlier build of another folder,
//! with [`PayloadFolder::read`].

use std::path::{Path, PathBuf};
use std::str::FromStr;

use wiredyno_contract::{IdError, PayloadId};

use crate::folder::{DEFINITION, PayloadFolder, Place, bundled_names};
use crate::payload::{Payload, PayloadError};

/// The most entries of a folder that are searched for similar names.
const MOST_BESIDE: usize = 1_000;

/// A payload as given on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayloadName {
    /// The id of a payload: `person`, `small@64`.
    Id(PayloadId),
    /// The path of a payload's folder, with a size in bytes where one follows an `@`.
    Folder(PathBuf, Option<u32>),
}

impl FromStr for PayloadName {
    type Err = IdError;
    /// Text that contains a slash or begins with a dot is a folder.
    fn from_str(text: &str) -> Result<Self, IdError> {
        if !text.contains('/') && !text.starts_with('.') {
            return Ok(PayloadName::Id(text.parse()?));
        }
        let sized = text.rsplit_once('@').and_then(|(path, size)| Some((path, size.parse().ok()?)));
        Ok(match sized {
            Some((path, size)) => PayloadName::Folder(path.into(), Some(size)),
            None => PayloadName::Folder(text.into(), None),
        })
    }
}

/// Finds a payload and opens it. A folder equal to the bundled one of its name is treated as the bundled one.
///
/// # Errors
/// When no payload has that name, when two that differ have it, or when it can't be opened.
pub fn find(name: &PayloadName) -> Result<Payload, PayloadError> {
    find_from(Path::new("."), name)
}

fn find_from(directory: &Path, name: &PayloadName) -> Result<Payload, PayloadError> {
    let (folder, size_bytes) = match name {
        PayloadName::Id(id) => (by_id(directory, id)?, id.size_bytes),
        PayloadName::Folder(path, size_bytes) => (by_path(path)?, *size_bytes),
    };
    Payload::open(folder, size_bytes)
}

fn by_path(path: &Path) -> Result<PayloadFolder, PayloadError> {
    let folder = PayloadFolder::read(path)?;
    match PayloadFolder::bundled(&folder.name) {
        Some(bundled) => same(bundled, path, &folder),
        None => Ok(folder),
    }
}

fn by_id(directory: &Path, id: &PayloadId) -> Result<PayloadFolder, PayloadError> {
    let mut found = PayloadFolder::bundled(&id.name);
    for path in [directory.join("payloads").join(&id.name), directory.join(&id.name)] {
        if path.join(DEFINITION).is_file() {
            let folder = PayloadFolder::read(&path)?;
            found = Some(match found {
                Some(first) => same(first, &path, &folder)?,
                None => folder,
            });
        }
    }
    found.ok_or_else(|| {
        if let Some(hint) = told_of_file(directory, &id.name) {
            return PayloadError::Unknown { id: id.to_string(), hint };
        }
        let beside = names_beside(directory);
        let mut names: Vec<&str> = bundled_names().collect();
        names.extend(beside.iter().map(String::as_str));
        let hint = match wiredyno_contract::nearest(&id.name, names) {
            Some(near) => format!("did you mean `{near}`? `wiredyno list payloads` shows all"),
            None => "`wiredyno list payloads` shows them".to_owned(),
        };
        PayloadError::Unknown { id: id.to_string(), hint }
    })
}

/// A hint for a user who gave a file's name instead of a payload's: how to make a payload from it, or that the file does not exist.
fn told_of_file(directory: &Path, name: &str) -> Option<String> {
    if directory.join(name).is_file() {
        return Some(format!("{name} is a file: `wiredyno new NAME --from {name}` makes a payload from it"));
    }
    let is_of_file = Path::new(name).extension().is_some();
    is_of_file.then(|| format!("there is no file {name} either; `wiredyno list payloads` shows payloads"))
}

/// The names of payloads in a working directory, for hints.
fn names_beside(directory: &Path) -> Vec<String> {
    let folders = [directory.join("payloads"), directory.to_owned()];
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok());
    let entries = entries.flat_map(|entries| entries.flatten().take(MOST_BESIDE));
    let payloads = entries.filter(|entry| entry.path().join(DEFINITION).is_file());
    payloads.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The first of two folders of the same name, if they are equal.
fn same(first: PayloadFolder, path: &Path, second: &PayloadFolder) -> Result<PayloadFolder, PayloadError> {
    let files = first.differences(second).join(" and ");
    if files.is_empty() {
        return Ok(first);
    }
    let (name, path) = (second.name.clone(), path.to_owned());
    Err(match first.place {
        Place::Bundled => PayloadError::Taken { name, path, files },
        Place::Disk(first) => PayloadError::Ambiguous { name, first, second: path, files },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_is_told_from_that_of_a_payload() {
        let desk = tempfile::tempdir().unwrap();
        std::fs::write(desk.path().join("here.jsonl"), "{}").unwrap();
        let error = |name: &str| find_from(desk.path(), &name.parse().unwrap()).err().unwrap().to_string();
        assert!(error("gone.jsonl").contains("there is no file gone.jsonl"), "{}", error("gone.jsonl"));
        assert!(
            error("here.jsonl").contains("wiredyno new NAME --from here.jsonl"),
            "{}",
            error("here.jsonl")
        );
        assert!(error("persn").contains("`person`"), "{}", error("persn"));
    }

    #[test]
    fn what_looks_like_a_path_is_a_folder() {
        let read = |text: &str| text.parse::<PayloadName>().unwrap();
        assert_eq!(read("person"), PayloadName::Id("person".parse().unwrap()));
        assert_eq!(read("./trips"), PayloadName::Folder("./trips".into(), None));
        assert_eq!(read("."), PayloadName::Folder(".".into(), None));
        assert_eq!(read("a/b@12"), PayloadName::Folder("a/b".into(), Some(12)));
        assert_eq!(read("a@b/c"), PayloadName::Folder("a@b/c".into(), None));
        assert!("Trips".parse::<PayloadName>().is_err());
    }

    /// A working directory that has the payload `trips` in one of its folders.
    fn desk(folder: &str) -> (tempfile::TempDir, PathBuf) {
        let desk = tempfile::tempdir().unwrap();
        let folder = desk.path().join(folder);
        PayloadFolder::bundled("person").unwrap().copy_to(&folder).unwrap();
        (desk, folder)
    }

    fn id(text: &str) -> PayloadName {
        PayloadName::Id(text.parse().unwrap())
    }

    #[test]
    fn a_name_is_looked_for_in_the_program_and_beside_it() {
        for place in ["payloads/trips", "trips"] {
            let (desk, folder) = desk(place);
            let payload = find_from(desk.path(), &id("trips")).unwrap();
            assert_eq!(payload.folder().place, Place::Disk(folder.canonicalize().unwrap()));
            let by_path = find(&PayloadName::Folder(folder, Some(7))).unwrap();
            assert_eq!(by_path.id().to_string(), "trips@7");
            assert_eq!(by_path.definition_digest(), payload.definition_digest());
        }
        let desk = tempfile::tempdir().unwrap();
        let payload = find_from(desk.path(), &id("opaque@12")).unwrap();
        assert_eq!((payload.folder().place.clone(), payload.id().size_bytes), (Place::Bundled, Some(12)));
        let error = find_from(desk.path(), &id("persn")).err().unwrap().to_string();
        assert_eq!(error, "no payload `persn`; did you mean `person`? `wiredyno list payloads` shows all");
        let (beside, _) = self::desk("trips");
        let error = find_from(beside.path(), &id("trps")).err().unwrap().to_string();
        assert!(error.contains("did you mean `trips`?"), "{error}");
        let error = find_from(desk.path(), &id("xyzzy")).err().unwrap().to_string();
        assert_eq!(error, "no payload `xyzzy`; `wiredyno list payloads` shows them");
    }

    #[test]
    fn a_folder_never_takes_a_bundled_name_silently() {
        for place in ["payloads/person", "person"] {
            let (desk, folder) = desk(place);
            let by_path = PayloadName::Folder(folder.clone(), None);
            for name in [id("person"), by_path.clone()] {
                let payload = find_from(desk.path(), &name).unwrap();
                assert_eq!(payload.folder().place, Place::Bundled, "equal content is accepted");
            }
            std::fs::write(folder.join("samples.jsonl"), "{}").unwrap();
            for name in [id("person"), by_path] {
                let error = find_from(desk.path(), &name).err().unwrap().to_string();
                assert!(error.contains("another samples.jsonl"), "{error}");
            }
        }
    }

    #[test]
    fn two_folders_of_one_name_must_be_equal() {
        let (desk, folder) = desk("payloads/trips");
        let other = desk.path().join("trips");
        PayloadFolder::read(&folder).unwrap().copy_to(&other).unwrap();
        assert!(find_from(desk.path(), &id("trips")).is_ok());
        std::fs::write(other.join("generator.toml"), "seed = 1\nsamples = 1").unwrap();
        let error = find_from(desk.path(), &id("trips")).err().unwrap().to_string();
        assert!(error.contains("differ in generator.toml: name the intended one"), "{error}");
        assert!(find(&PayloadName::Folder(other, None)).is_ok());
    }
}
