//! Finds and reads a runner's folder, and asks its language for its version.
//!
//! One file because reading a folder, checking it and computing its key use the same list of its files.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use wiredyno_build::pack::PackedLanguage;
use wiredyno_build::{Composed, Pack};
use wiredyno_contract::{CodecDescription, RUST};
use wiredyno_model::{Place, Refusal, TomlText, parse_toml};
use wiredyno_schema::idl;
use xxhash_rust::xxh3::Xxh3;

use crate::declaration::{ComposedRunner, DeclaredRunner, Tool, Version};
use crate::error::RunnerFolderError;
use crate::taken::{stands_for, takes};
use crate::{DECLARATION, places};

include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// A runner's folder with its files, read and checked.
#[derive(Debug, Clone)]
pub struct RunnerFolder {
    /// The name of the folder.
    pub name: String,
    /// Where it is; `None` for a bundled one.
    pub path: Option<PathBuf>,
    /// The contents of its runner.toml.
    pub declared: DeclaredRunner,
    files: Vec<FolderFile>,
}

/// All runners that are folders, sorted by name.
///
/// # Errors
/// When a folder with a runner.toml is broken.
pub fn all() -> Result<Vec<RunnerFolder>, RunnerFolderError> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let configuration = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    let of_user = configuration.map(|base| base.join("wiredyno/runners"));
    let mut found: Vec<RunnerFolder> = Vec::new();
    let packed = Pack::here().map(Pack::languages);
    for place in std::iter::once(PathBuf::from("runners")).chain(of_user).chain(packed) {
        for folder in below(&place)? {
            if !found.iter().any(|known| known.name == folder.name) {
                found.push(folder);
            }
        }
    }
    for (name, files) in bundled() {
        if name != RUST && !found.iter().any(|known| known.name == name) {
            found.push(RunnerFolder::of(name, None, files)?);
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// The runners below a folder, which need not exist. The composed runner's folder, which a checkout has, is skipped.
fn below(place: &Path) -> Result<Vec<RunnerFolder>, RunnerFolderError> {
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    let folders = entries.filter(|path| path.join(DECLARATION).is_file() && !is_composed(path));
    folders.map(|path| RunnerFolder::read(&path)).collect()
}

fn is_composed(path: &Path) -> bool {
    let file = path.join(DECLARATION);
    let declares = |text: String| parse_toml::<ComposedRunner>(&file.display().to_string(), &text).is_ok();
    path.ends_with(RUST) && std::fs::read_to_string(&file).is_ok_and(declares)
}

/// A file's path inside its folder, and its text.
type FolderFile = (String, Cow<'static, str>);

/// The bundled folders, with their files.
fn bundled() -> BTreeMap<&'static str, Vec<FolderFile>> {
    let mut folders: BTreeMap<&str, Vec<FolderFile>> = BTreeMap::new();
    for (path, text) in BUNDLED {
        // Below `runners/`, one folder each.
        let inside = path.split_once('/').and_then(|(_, below)| below.split_once('/'));
        if let Some((name, file)) = inside {
            folders.entry(name).or_default().push((file.to_owned(), Cow::Borrowed(text)));
        }
    }
    folders
}

impl RunnerFolder {
    /// Reads a folder on disk.
    ///
    /// # Errors
    /// When a file can't be read or is not text, or its runner.toml is wrong.
    pub fn read(path: &Path) -> Result<Self, RunnerFolderError> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |reason| RunnerFolderError::Read { path, reason }
        };
        let path = path.canonicalize().map_err(at(path))?;
        let declaration = path.join(DECLARATION);
        let text = std::fs::read_to_string(&declaration).map_err(at(&declaration))?;
        let declared: DeclaredRunner = parse_toml(&declaration.display().to_string(), &text)?;
        let mut files = Vec::new();
        let mut waiting = vec![path.clone()];
        while let Some(folder) = waiting.pop() {
            for entry in std::fs::read_dir(&folder).map_err(at(&folder))? {
                let entry = entry.map_err(at(&folder))?.path();
                let inside = entry.strip_prefix(&path).unwrap_or(&entry).display().to_string();
                if entry.is_dir() {
                    // Hidden folders are not searched.
                    waiting.extend(takes(&[], &inside).then_some(entry));
                } else if takes(&declared.files, &inside) {
                    let text = std::fs::read_to_string(&entry).map_err(at(&entry))?;
                    files.push((inside, Cow::Owned(text)));
                }
            }
        }
        files.sort();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        RunnerFolder::of(&name, Some(path), files)
    }

    fn of(name: &str, path: Option<PathBuf>, files: Vec<FolderFile>) -> Result<Self, RunnerFolderError> {
        let place = path.clone().unwrap_or_else(|| Path::new("runners").join(name));
        if name == RUST {
            return Err(RunnerFolderError::Name { path: place });
        }
        let file = place.join(DECLARATION).display().to_string();
        let text = files.iter().find(|(name, _)| name == DECLARATION).map_or("", |(_, text)| text);
        let declared: DeclaredRunner = parse_toml(&file, text)?;
        let refuse = |refusal| TomlText { file: &file, text }.refuse(refusal);
        declared.check().map_err(refuse)?;
        let nothing = |entry: &&String| !files.iter().any(|(path, _)| stands_for(entry, path));
        if let Some(entry) = declared.files.iter().find(nothing) {
            let problem = format!(
                "`files` has `{entry}`, and the folder has no such file: correct or remove the entry"
            );
            return Err(refuse(Refusal::at(Place::of(["files"]).word(entry), problem)).into());
        }
        Ok(RunnerFolder { name: name.to_owned(), path, declared, files })
    }

    /// Its files with their texts, by their paths inside the folder.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(name, text)| (name.as_str(), text.as_ref()))
    }

    /// Identifies the folder together with the versions of its language and tools, 32 hexadecimal digits.
    ///
    /// # Errors
    /// When a tool is missing.
    pub(crate) fn key(&self, language_version: &str) -> Result<String, RunnerFolderError> {
        let mut hash = Xxh3::new();
        for (name, text) in self.files() {
            for part in [name, text] {
                hash.update(&(part.len() as u64).to_le_bytes());
                hash.update(part.as_bytes());
            }
        }
        hash.update(language_version.as_bytes());
        for said in self.tools()? {
            hash.update(&(said.len() as u64).to_le_bytes());
            hash.update(said.as_bytes());
        }
        Ok(format!("{:032x}", hash.digest128()))
    }

    /// The installed version of the language, as numbers with dots. It is remembered until the program changes. For a packed runner,
    /// the version it was made with.
    ///
    /// # Errors
    /// When it is missing, too old, or prints no version, or a tool is missing.
    pub fn language_version(&self) -> Result<String, RunnerFolderError> {
        if let Some(packed) = self.packed() {
            return Ok(packed.version.clone());
        }
        let version = self.declared.version.of(&self.name, &self.declared.language)?;
        self.tools()?;
        Ok(version)
    }

    /// What its tools print as their versions, remembered likewise.
    fn tools(&self) -> Result<Vec<String>, RunnerFolderError> {
        match self.packed() {
            Some(packed) => Ok(packed.tools.clone()),
            None => self.declared.tools.iter().map(|tool| tool.asked(&self.name)).collect(),
        }
    }

    fn packed(&self) -> Option<&'static PackedLanguage> {
        Pack::here()?.manifest.languages.get(&self.name)
    }

    /// What built it, for a pack.
    ///
    /// # Errors
    /// As [`RunnerFolder::language_version`].
    pub fn to_pack(&self) -> Result<PackedLanguage, RunnerFolderError> {
        Ok(PackedLanguage { version: self.language_version()?, tools: self.tools()? })
    }

    /// Whether what was built for a definition is what would be built now.
    pub fn would_build(&self, composed: &Composed) -> bool {
        let key = self.language_version().and_then(|version| self.key(&version));
        key.is_ok_and(|key| composed.parts.get(&self.name).is_some_and(|built| *built == key))
    }

    /// Writes its files into a folder.
    ///
    /// # Errors
    /// When a file can't be written.
    pub fn write_to(&self, folder: &Path) -> io::Result<()> {
        for (name, text) in self.files() {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
            std::fs::write(&path, text)?;
        }
        Ok(())
    }

    /// Its codecs, as it must describe them with this version of the language.
    pub fn codecs(&self, language_version: &str) -> Vec<CodecDescription> {
        self.declared.codecs.iter().map(|codec| codec.describe(language_version)).collect()
    }
}

impl ComposedRunner {
    /// The bundled one.
    ///
    /// # Errors
    /// When its runner.toml is wrong.
    pub fn bundled() -> Result<Self, RunnerFolderError> {
        let file = format!("runners/{RUST}/{DECLARATION}");
        let text = BUNDLED.iter().find(|(path, _)| *path == file).map_or("", |(_, text)| *text);
        Ok(parse_toml(&file, text)?)
    }

    /// As [`RunnerFolder::language_version`].
    ///
    /// # Errors
    /// As there.
    pub fn language_version(&self) -> Result<String, RunnerFolderError> {
        self.version.of(RUST, &self.language)
    }
}

impl DeclaredRunner {
    /// Refuses declarations that are inconsistent.
    fn check(&self) -> Result<(), Refusal> {
        let start = if self.definition.is_some() { places::IN_START } else { places::IN_START_UNBUILT };
        let mut commands = vec![
            (Place::of(["start"]), "start", &self.start, start),
            (Place::of(["version", "ask"]), "version.ask", &self.version.ask, &[][..]),
        ];
        for (place, tool) in self.tools.iter().enumerate() {
            commands.push((Place::of(["tool"]).item(place).key("ask"), "tool.ask", &tool.ask, &[][..]));
        }
        for (place, command) in self.environment.iter().flat_map(|made| made.make.iter().enumerate()) {
            let at = Place::of(["environment", "make"]).item(place);
            commands.push((at, "environment.make", command, places::IN_ENVIRONMENT));
        }
        for (place, command) in self.definition.iter().flat_map(|build| build.make.iter().enumerate()) {
            let at = Place::of(["definition", "make"]).item(place);
            commands.push((at, "definition.make", command, places::IN_DEFINITION));
        }
        for (at, key, command, allowed) in commands {
            if command.is_empty() {
                return Err(Refusal::at(at, format!("`{key}` is empty: name a program with its arguments")));
            }
            if let Some(place) = places::misplaced(command, allowed) {
                let problem = format!(
                    "`{key}` names `{place}`, which is not known there: docs/FORMAT.md lists the placeholders"
                );
                return Err(Refusal::at(at, problem));
            }
        }
        let mut named = self.definition.iter().flat_map(|build| &build.schemas);
        let unknown = named.find(|id| idl::find(id).is_none_or(|language| language.id() != **id));
        unknown.map_or(Ok(()), |language| {
            let known = idl::IDLS.iter().map(|language| language.id()).collect::<Vec<_>>().join(", ");
            let at = Place::of(["definition", "schemas"]).word(language);
            let problem = format!(
                "`definition.schemas` has `{language}`, which is not an interface language; these are: {known}"
            );
            Err(Refusal::at(at, problem))
        })
    }
}

impl Tool {
    /// The version that it prints.
    fn asked(&self, runner: &str) -> Result<String, RunnerFolderError> {
        let Some((program, arguments)) = self.ask.split_first() else { return Ok(String::new()) };
        let asked = wiredyno_build::ask(Path::new(program), arguments, |said| Some(said.trim().to_owned()));
        asked.map(Option::unwrap_or_default).map_err(|_| RunnerFolderError::Missing {
            runner: runner.to_owned(),
            program: program.clone(),
            install: self.install.clone(),
        })
    }
}

impl Version {
    /// The installed version of the language.
    fn of(&self, runner: &str, language: &str) -> Result<String, RunnerFolderError> {
        let Some((program, arguments)) = self.ask.split_first() else { return Ok(String::new()) };
        let runner = runner.to_owned();
        let asked = wiredyno_build::ask(Path::new(program), arguments, |said| Some(said.trim().to_owned()));
        let Ok(said) = asked else {
            let install = self.install.clone();
            return Err(RunnerFolderError::Missing { runner, program: program.clone(), install });
        };
        let said = said.unwrap_or_default();
        let found = said.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let Some(found) = found else {
            return Err(RunnerFolderError::NoVersion { runner, command: self.ask.join(" "), said });
        };
        if numbers(found) < numbers(&self.least) {
            return Err(RunnerFolderError::TooOld {
                runner,
                language: language.to_owned(),
                least: self.least.clone(),
                found: found.to_owned(),
                install: self.install.clone(),
            });
        }
        Ok(found.to_owned())
    }
}

/// The numbers of a version, for comparing.
fn numbers(version: &str) -> Vec<u64> {
    version.split(|c: char| !c.is_ascii_digit()).map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(text: &str) -> (tempfile::TempDir, Result<RunnerFolder, RunnerFolderError>) {
        let desk = tempfile::tempdir().unwrap();
        std::fs::write(desk.path().join(DECLARATION), text).unwrap();
        let read = RunnerFolder::read(desk.path());
        (desk, read)
    }

    const SMALL: &str = "language = \"Shell\"\nabout = \"x\"\nstart = [\"sh\", \"{folder}/run\"]\n\
        [version]\nask = [\"sh\", \"-c\", \"echo shell 2.10\"]\nleast = \"2.9\"\ninstall = \"get a shell\"\n\
        [[codec]]\nid = \"json/shell\"\nlibrary = \"sh\"\nversion = \"{version}\"\nabout = \"y\"\ncapabilities = []\n";

    #[test]
    fn what_comes_with_the_program_declares_codecs_of_its_own() {
        let all = all().unwrap();
        let python = all.iter().find(|folder| folder.name == "python").unwrap();
        assert!(python.declared.codecs.iter().any(|codec| codec.id.to_string() == "protobuf/upb-python"));
        assert!(python.files().any(|(name, _)| name == "requirements.txt"));
        assert!(
            python.declared.codecs.iter().all(|codec| codec.capabilities.is_sorted()),
            "in the order of labels"
        );
    }

    #[test]
    fn the_composed_runner_asks_for_the_compiler_that_the_project_needs() {
        let rust = ComposedRunner::bundled().unwrap();
        assert_eq!(rust.version.least, env!("CARGO_PKG_RUST_VERSION"));
        assert!(rust.language_version().unwrap().starts_with("1."));
        assert!(all().unwrap().iter().all(|folder| folder.name != RUST));
    }

    /// As when the program starts in a checkout.
    #[test]
    fn the_composed_runners_folder_is_passed_over_and_another_of_its_name_is_refused() {
        let names = |place: &Path| -> Result<Vec<String>, RunnerFolderError> {
            Ok(below(place)?.into_iter().map(|folder| folder.name).collect())
        };
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../runners");
        assert!(checkout.join(RUST).join(DECLARATION).is_file());
        let names_there = names(&checkout).unwrap();
        assert!(names_there.iter().any(|name| name == "python"), "{names_there:?}");
        assert!(!names_there.iter().any(|name| name == RUST), "{names_there:?}");
        let desk = tempfile::tempdir().unwrap();
        std::fs::create_dir(desk.path().join(RUST)).unwrap();
        std::fs::write(desk.path().join(RUST).join(DECLARATION), SMALL).unwrap();
        assert!(names(desk.path()).unwrap_err().to_string().contains("rename the folder"));
        assert_eq!(names(&desk.path().join("nowhere")).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_folder_is_read_and_its_language_asked() {
        let (_desk, read) = folder(SMALL);
        let read = read.unwrap();
        assert_eq!(read.language_version().unwrap(), "2.10");
        assert_eq!(read.codecs("2.10")[0].version, "2.10");
        assert_ne!(read.key("2.10").unwrap(), read.key("2.11").unwrap());
    }

    #[test]
    fn what_a_folder_does_not_name_is_not_read_and_changes_no_key() {
        let (desk, read) = folder(&SMALL.replace("[version]", "files = [\"src\", \"*.x\"]\n[version]"));
        assert!(read.is_err(), "there is no such file");
        std::fs::create_dir_all(desk.path().join("src/deep")).unwrap();
        for file in ["src/deep/a.y", "src/b", "c.x"] {
            std::fs::write(desk.path().join(file), "text").unwrap();
        }
        let key = || RunnerFolder::read(desk.path()).unwrap().key("1").unwrap();
        let before = key();
        // Not text, and not named.
        std::fs::write(desk.path().join("picture"), [0xff]).unwrap();
        assert_eq!(key(), before);
        let read = RunnerFolder::read(desk.path()).unwrap();
        let names: Vec<&str> = read.files().map(|(name, _)| name).collect();
        assert_eq!(names, ["c.x", DECLARATION, "src/b", "src/deep/a.y"]);
        std::fs::write(desk.path().join("src/b"), "other").unwrap();
        assert_ne!(key(), before);
    }

    #[test]
    fn what_comes_with_the_program_is_what_its_folder_names() {
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../runners/python");
        let of = |folder: &RunnerFolder| folder.files().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
        let bundled = bundled().remove("python").unwrap();
        let mut bundled: Vec<String> = bundled.into_iter().map(|(name, _)| name).collect();
        bundled.sort();
        assert_eq!(of(&RunnerFolder::read(&checkout).unwrap()), bundled);
        assert!(bundled.iter().any(|name| name == "wiredyno_runner/codecs/avro.py"), "{bundled:?}");
        assert!(!bundled.iter().any(|name| name == "README.md"), "{bundled:?}");
    }

    #[test]
    fn what_is_wrong_is_told_with_what_to_do() {
        let error = |text: String| match folder(&text).1 {
            Err(error) => error.to_string(),
            Ok(read) => read.language_version().unwrap_err().to_string(),
        };
        let with = |from: &str, to: &str| error(SMALL.replace(from, to));
        assert!(
            with("least = \"2.9\"", "least = \"3\"")
                .contains("needs Shell 3 or newer, this is 2.10: get a shell")
        );
        assert!(
            with("\"sh\", \"-c\", \"echo shell 2.10\"", "\"no-such-shell\"")
                .contains("needs `no-such-shell`: get a shell")
        );
        assert!(with("echo shell 2.10", "echo hello").contains("prints \"hello\" instead of a version"));
        let line = with("library = ", "libary = ");
        assert!(line.contains("runner.toml") && line.contains("did you mean `library`?"), "{line}");
        assert!(with("start = [\"sh\", \"{folder}/run\"]", "start = []").contains("`start` is empty"));
        let told = with("{folder}/run", "{built}/run");
        assert!(told.contains("`start` names `{built}`, which is not known there"), "{told}");
        let told = with("[version]", "files = [\"no/*.c\"]\n[version]");
        assert!(told.contains("`files` has `no/*.c`, and the folder has no such file"), "{told}");
        let tool =
            "[[tool]]\nask = [\"no-such-compiler\", \"--version\"]\ninstall = \"get a compiler\"\n[version]";
        assert!(with("[version]", tool).contains("needs `no-such-compiler`: get a compiler"));
        let build = "[definition]\nmake = []\nmissing = \"x\"\nschemas = [\"avro\"]\n[version]";
        let told = with("[version]", build);
        assert!(
            told.contains("`avro`, which is not an interface language; these are: ") && told.contains("avsc"),
            "{told}"
        );
    }
}
