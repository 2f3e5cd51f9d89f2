//! A broker's folder: finding and reading it, and finding its program.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use wiredyno_contract::{BrokerId, nearest};
use wiredyno_model::{FileError, TomlText, parse_toml};
use xxhash_rust::xxh3::Xxh3;

use crate::DEFINITION;
use crate::definition::{Broker, Install};

include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// Why a broker was not found, or its folder is not valid.
#[derive(Debug, thiserror::Error)]
pub enum BrokerFolderError {
    /// A file can't be read.
    #[error("{path}: {reason}")]
    Read {
        /// The file or folder that was to be read.
        path: PathBuf,
        /// The system's error for this path.
        reason: io::Error,
    },
    /// Its broker.toml is not valid.
    #[error(transparent)]
    Definition(#[from] FileError),
    /// There is no broker of that name.
    #[error("there is no broker `{name}`; {hint}")]
    Unknown {
        /// The name that was requested.
        name: String,
        /// The most similar known name, or how to list all.
        hint: String,
    },
    /// It can't have that number of nodes.
    #[error("the broker `{name}` can't have {nodes} nodes, only {known}: write {written}")]
    Nodes {
        /// Id of the broker, its folder's name.
        name: String,
        /// The number that was requested.
        nodes: u32,
        /// The numbers that it can have, in words.
        known: String,
        /// The same as ids, such as `kafka@3`.
        written: String,
    },
    /// Its version can't be determined.
    #[error(
        "the broker `{name}` does not report its version ({problem}); without a version nothing is measured"
    )]
    Version {
        /// Id of the broker, its folder's name.
        name: String,
        /// Why there is no version, in words.
        problem: String,
    },
}

/// A broker's folder with its files.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokerFolder {
    /// The contents of its broker.toml.
    pub broker: Broker,
    /// Its location; `None` for one that comes with the program.
    pub path: Option<PathBuf>,
    files: BTreeMap<String, Cow<'static, str>>,
}

/// All brokers, preferred ones first.
///
/// # Errors
/// When a folder with a broker.toml is broken.
pub fn all() -> Result<Vec<BrokerFolder>, BrokerFolderError> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let configuration = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    let of_user = configuration.map(|base| base.join("wiredyno/brokers"));
    let mut found: Vec<BrokerFolder> = Vec::new();
    for place in std::iter::once(PathBuf::from("brokers")).chain(of_user) {
        let Ok(entries) = std::fs::read_dir(&place) else { continue };
        for path in entries.flatten().map(|entry| entry.path()).filter(|path| path.join(DEFINITION).is_file())
        {
            let folder = BrokerFolder::read(&path)?;
            if !found.iter().any(|known| known.broker.id == folder.broker.id) {
                found.push(folder);
            }
        }
    }
    for (name, files) in bundled() {
        if !found.iter().any(|known| known.broker.id == name) {
            found.push(BrokerFolder::of(name, None, files)?);
        }
    }
    found.sort_by(|a, b| (a.broker.preference, &a.broker.id).cmp(&(b.broker.preference, &b.broker.id)));
    Ok(found)
}

/// The broker with an id.
///
/// # Errors
/// When there is none, or it can't have that number of nodes.
pub fn find(id: &BrokerId) -> Result<BrokerFolder, BrokerFolderError> {
    let known = all()?;
    let Some(folder) = known.iter().find(|folder| folder.broker.id == id.name) else {
        let near = nearest(&id.name, known.iter().map(|folder| folder.broker.id.as_str()));
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`wiredyno list brokers` shows what there is".to_owned(),
        };
        return Err(BrokerFolderError::Unknown { name: id.name.clone(), hint });
    };
    folder.nodes(id)?;
    Ok(folder.clone())
}

/// The folders that come with the program, with their files.
fn bundled() -> BTreeMap<&'static str, BTreeMap<String, Cow<'static, str>>> {
    let mut folders: BTreeMap<&str, BTreeMap<String, Cow<'static, str>>> = BTreeMap::new();
    for (path, text) in BUNDLED {
        // Below `brokers/`, each broker has a folder.
        let inside = path.split_once('/').and_then(|(_, below)| below.split_once('/'));
        if let Some((name, file)) = inside {
            folders.entry(name).or_default().insert(file.to_owned(), Cow::Borrowed(text));
        }
    }
    folders
}

impl BrokerFolder {
    /// Reads a folder on disk, with the files directly in it.
    ///
    /// # Errors
    /// When a file can't be read or is not text, or its broker.toml is not valid.
    pub fn read(path: &Path) -> Result<Self, BrokerFolderError> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |reason| BrokerFolderError::Read { path, reason }
        };
        let path = path.canonicalize().map_err(at(path))?;
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(&path).map_err(at(&path))? {
            let file = entry.map_err(at(&path))?.path();
            let Some(name) = file.file_name().and_then(|name| name.to_str()) else { continue };
            if file.is_file() && !name.starts_with('.') {
                let text = std::fs::read_to_string(&file).map_err(at(&file))?;
                files.insert(name.to_owned(), Cow::Owned(text));
            }
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        BrokerFolder::of(&name, Some(path), files)
    }

    fn of(
        name: &str,
        path: Option<PathBuf>,
        files: BTreeMap<String, Cow<'static, str>>,
    ) -> Result<Self, BrokerFolderError> {
        let place = path.clone().unwrap_or_else(|| Path::new("brokers").join(name));
        let file = place.join(DEFINITION).display().to_string();
        let text = files.get(DEFINITION).map_or("", |text| text.as_ref());
        let broker: Broker = parse_toml(&file, text)?;
        let checked = broker.check(name, &|file| files.contains_key(file));
        checked.map_err(|refusal| TomlText { file: &file, text }.refuse(refusal))?;
        Ok(BrokerFolder { broker, path, files })
    }

    /// A folder that came from another machine, with its files by name.
    ///
    /// # Errors
    /// When its broker.toml is not valid.
    pub fn received(name: &str, files: BTreeMap<String, String>) -> Result<Self, BrokerFolderError> {
        let files = files.into_iter().map(|(name, text)| (name, Cow::Owned(text))).collect();
        BrokerFolder::of(name, None, files)
    }

    /// Its files by name, for another machine.
    pub fn texts(&self) -> BTreeMap<String, String> {
        self.files.iter().map(|(name, text)| (name.clone(), text.clone().into_owned())).collect()
    }

    /// The text of one of its files; empty if there is none of that name.
    pub(crate) fn text(&self, file: &str) -> &str {
        self.files.get(file).map_or("", |text| text.as_ref())
    }

    /// A digest of some of its files, 32 hexadecimal digits.
    pub(crate) fn digest_of(&self, files: &[&str]) -> String {
        let mut hash = Xxh3::new();
        for file in files {
            hash.update(self.text(file).as_bytes());
            hash.update(&[0]);
        }
        format!("{:032x}", hash.digest128())
    }

    /// The number of nodes that an id of this broker requests.
    ///
    /// # Errors
    /// When it can't have that number.
    pub fn nodes(&self, id: &BrokerId) -> Result<u32, BrokerFolderError> {
        let known = &self.broker.nodes;
        match id.nodes {
            None => Ok(known.first().copied().unwrap_or(1)),
            Some(nodes) if known.contains(&nodes) => Ok(nodes),
            Some(nodes) => {
                let listed = |before: &str| -> Vec<String> {
                    known.iter().map(|number| format!("{before}{number}")).collect()
                };
                Err(BrokerFolderError::Nodes {
                    name: id.name.clone(),
                    nodes,
                    known: listed("").join(" or "),
                    written: listed(&format!("{}@", id.name)).join(" or "),
                })
            }
        }
    }

    /// Where its program is on this machine; `None` when it is not installed.
    pub fn program_path(&self) -> Option<PathBuf> {
        program(&self.broker.program, &self.broker.paths)
    }

    /// The command line that installs it; a package is installed on Debian and its derivatives.
    pub fn install_line(&self) -> String {
        match &self.broker.install {
            Install::Debian(package) => format!("sudo apt-get install {package}"),
            Install::Maven(_) => format!("wiredyno doctor --install {}", self.broker.id),
            Install::Command(line) => line.clone(),
        }
    }
}

/// Finds a program: on PATH, in one of some folders, or beside this program, for one that comes with it.
pub(crate) fn program(name: &str, paths: &[PathBuf]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.to_owned()));
    let folders = std::env::split_paths(&path).chain(paths.iter().cloned()).chain(beside);
    folders.map(|folder| folder.join(name)).find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, files: &[&str]) -> Result<BrokerFolder, BrokerFolderError> {
        let desk = tempfile::tempdir().unwrap();
        let folder = desk.path().join("toy");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(DEFINITION), text).unwrap();
        for file in files {
            std::fs::write(folder.join(file), "x").unwrap();
        }
        BrokerFolder::read(&folder)
    }

    const SMALL: &str = "id = \"toy\"\nabout = \"x\"\nprotocols = [\"mqtt\"]\nprogram = \"sh\"\narguments = []\n\
        [version]\narguments = [\"-c\", \"echo toy 1.2\"]\nprefix = \"toy\"\n[install]\ncommand = \"make toy\"\n";

    #[test]
    fn bundled_folders_are_whole_and_what_people_deploy_comes_first() {
        let all = all().unwrap();
        let of_mqtt = all.iter().find(|folder| folder.broker.protocols.iter().any(|served| served == "mqtt"));
        assert_eq!(of_mqtt.map(|folder| folder.broker.id.as_str()), Some("mosquitto"));
        assert!(all.iter().any(|folder| folder.broker.id == "rumqttd"));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let error = |text: String| read(&text, &[]).unwrap_err().to_string();
        let with = |from: &str, to: &str| error(SMALL.replace(from, to));
        assert!(read(SMALL, &[]).is_ok());
        let told = with("id = \"toy\"", "id = \"joy\"");
        assert!(told.contains("broker.toml:1: the id is `joy`, but the folder is `toy`"), "{told}");
        assert!(with("about", "abuot").contains("did you mean `about`?"));
        assert!(with("arguments = []", "arguments = []\nfiles = [\"x.conf\"]").contains("no file `x.conf`"));
        let told = with("[version]", "[ready]\nlistens = [\"amqp\"]\n[version]");
        assert!(told.contains("`amqp` is not one of its ports: main"), "{told}");
        assert!(with("command = \"make toy\"", "maven = \"pom.xml\"").contains("no file `pom.xml`"));
    }

    #[test]
    fn nodes_are_those_that_it_has() {
        let folder = read(&SMALL.replace("program", "nodes = [1, 3]\nprogram"), &[]).unwrap();
        let nodes = |id: &str| folder.nodes(&id.parse().unwrap());
        assert_eq!((nodes("toy").unwrap(), nodes("toy@3").unwrap()), (1, 3));
        let error = nodes("toy@2").unwrap_err().to_string();
        assert_eq!(error, "the broker `toy` can't have 2 nodes, only 1 or 3: write toy@1 or toy@3");
    }

    #[test]
    fn an_unknown_name_gets_the_nearest() {
        let error = find(&"mosquito".parse().unwrap()).unwrap_err().to_string();
        assert!(error.contains("did you mean `mosquitto`?"), "{error}");
    }
}
