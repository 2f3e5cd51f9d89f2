//! What this machine's programs print about themselves, remembered in the cache: starting one takes longer than everything else that
//! a list or a plan does.
//!
//! An answer is valid as long as everything it came from is the same file: same path, inode, length, and times of the last change of
//! content and of the file itself, in nanoseconds (`stat(2)`). Programs that can't be checked that way are asked every time: one
//! that is not an ELF file (a script may call another), one called by a name other than its own (links to a program that chooses
//! another, such as snap's) unless the real name only adds a version (`python3`, a link to `python3.11`), and one that gave no
//! answer. Two scripts are covered, because they take long: pyenv's shims, which start thirty processes to find the program, and Maven's
//! launcher, which starts Java. The files that determine what they say are checked too.
//!
//! Limits: a program that changes its answer without changing itself, through a configuration or a library beside it, goes
//! unnoticed. Those asked here have their version compiled in.
//!
//! One file because how a program is found decides how long its answer is valid.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::user_folder;

/// The folder of answers, below the cache.
const ANSWERS: &str = "answers";

/// The files that choose a toolchain for a folder and all below it (The rustup book, Overrides, "The toolchain file").
const TOOLCHAIN_FILES: [&str; 2] = ["rust-toolchain", "rust-toolchain.toml"];

/// An answer with everything it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Answer {
    /// The program, its arguments, and the variables and folders that its answer depends on.
    question: Vec<String>,
    /// Files as they were; `None` for one that did not exist.
    seen: Vec<(PathBuf, Option<Stamp>)>,
    said: String,
}

/// Distinguishes a file from one that replaced it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    /// Seconds and nanoseconds since 1970, of the last change of content.
    content: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let data: Metadata = std::fs::metadata(path).ok()?;
        Some(Stamp {
            device: data.dev(),
            inode: data.ino(),
            bytes: data.len(),
            content: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        })
    }
}

/// The answers that are remembered in a folder, which need not exist.
#[derive(Debug, Clone)]
pub(crate) struct Answers {
    folder: PathBuf,
}

impl Answers {
    /// Those of a cache's folder.
    pub(crate) fn below(cache: &Path) -> Self {
        Answers { folder: cache.join(ANSWERS) }
    }

    /// What a program prints for these arguments, on standard output and error, as `read` interprets it. It is started only
    /// where no answer is remembered, or the program has changed since.
    ///
    /// # Errors
    /// When it can't be started.
    pub(crate) fn ask(
        &self,
        program: &Path,
        arguments: &[String],
        read: impl Fn(&str) -> Option<String>,
    ) -> io::Result<Option<String>> {
        let Some(path) = find(program) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let mut question = vec![path.display().to_string()];
        question.extend_from_slice(arguments);
        let shim = Shim::of(&path).or_else(|| Shim::of_maven(&path));
        question.extend(shim.iter().flat_map(|shim| shim.goes_by.clone()));
        if let Some(said) = self.remembered(&question) {
            return Ok(Some(said));
        }
        // Before it is asked: after a change in the meantime it is asked again.
        // The path itself, too: a link may be redirected.
        let files = own_file(&path).map(|file| vec![file, path.clone()]).or(shim.map(|shim| shim.files));
        let seen =
            files.map(|files| files.into_iter().map(|path| (path.clone(), Stamp::of(&path))).collect());
        let output = Command::new(&path).args(arguments).stdin(Stdio::null()).output()?;
        let text = [output.stdout, output.stderr].concat();
        let said = read(&String::from_utf8_lossy(&text));
        if let (Some(said), Some(seen)) = (&said, seen) {
            self.remember(&Answer { question, seen, said: said.clone() });
        }
        Ok(said)
    }

    /// The compiler that cargo uses in a folder, as it prints its version; `None` where there is none.
    pub(crate) fn compiler_in(&self, folder: &Path) -> Option<String> {
        let program = find(Path::new("rustc"))?;
        let rustup_home = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
        let rustup_home =
            rustup_home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".rustup")));
        let rustup_home = rustup_home.unwrap_or_default();
        let named = std::env::var_os("RUSTUP_TOOLCHAIN").unwrap_or_default();
        // A folder that does not exist has no toolchain file.
        let folder = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
        let question: Vec<String> =
            [program.as_os_str(), folder.as_os_str(), rustup_home.as_os_str(), &named]
                .map(|part| part.to_string_lossy().into_owned())
                .into();
        if let Some(said) = self.remembered(&question) {
            return Some(said);
        }
        let chooses = folder.ancestors().flat_map(|folder| TOOLCHAIN_FILES.map(|name| folder.join(name)));
        let chooses = chooses.chain([rustup_home.join("settings.toml"), program.clone()]);
        let mut seen: Vec<(PathBuf, Option<Stamp>)> =
            chooses.map(|path| (path.clone(), Stamp::of(&path))).collect();
        let ask = |program: &Path, argument: &[&str]| {
            let output = Command::new(program).args(argument).current_dir(folder).output().ok()?;
            output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        let said = ask(&program, &["--version"])?;
        // rustup starts the compiler of a toolchain; that compiler's file changes with an update.
        if let Some(root) = ask(&program, &["--print", "sysroot"]) {
            let real = Path::new(&root).join("bin/rustc");
            seen.push((real.clone(), Stamp::of(&real)));
            if is_same(&program, &real) || is_rustup(&program) {
                self.remember(&Answer { question, seen, said: said.clone() });
            }
        }
        Some(said)
    }

    fn remembered(&self, question: &[String]) -> Option<String> {
        let text = std::fs::read(self.folder.join(name(question))).ok()?;
        let answer: Answer = serde_json::from_slice(&text).ok()?;
        let holds =
            answer.question == question && answer.seen.iter().all(|(path, stamp)| Stamp::of(path) == *stamp);
        holds.then_some(answer.said)
    }

    /// Only saves time: an answer that can't be written is asked for again.
    fn remember(&self, answer: &Answer) {
        let write = || -> io::Result<()> {
            std::fs::create_dir_all(&self.folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            serde_json::to_writer(&mut file, answer)?;
            file.persist(self.folder.join(name(&answer.question))).map_err(|error| error.error)?;
            Ok(())
        };
        let _ = write();
    }
}

/// What a program of this machine prints for these arguments, on standard output and error, as `read` interprets it; remembered in the
/// user's cache where there is one.
///
/// # Errors
/// When it can't be started.
pub fn ask(
    program: &Path,
    arguments: &[String],
    read: impl Fn(&str) -> Option<String>,
) -> io::Result<Option<String>> {
    // Without a cache nothing is found and nothing is kept.
    let cache = user_folder::cache().unwrap_or_else(|_| PathBuf::from("/dev/null"));
    Answers::below(&cache).ask(program, arguments, read)
}

fn name(question: &[String]) -> String {
    format!("{:032x}.json", xxh3_128(question.join("\0").as_bytes()))
}

/// The file of a program: as given where the name contains a slash, else the first on the search path.
fn find(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return Some(program.to_owned());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// A script that starts another program.
struct Shim {
    /// Variables and the folder that its choice depends on.
    goes_by: Vec<String>,
    /// The shim itself, and files that may choose a version or provide another one. A version that is changed in place goes
    /// unnoticed.
    files: Vec<PathBuf>,
}

impl Shim {
    /// Maven's launcher, `bin/mvn` beside `lib` with the jars of its version.
    fn of_maven(path: &Path) -> Option<Self> {
        let launcher = path.canonicalize().ok().filter(|file| file.file_name() == Some(OsStr::new("mvn")))?;
        let jars = launcher.parent()?.parent()?.join("lib");
        let goes_by = ["M2_HOME", "MAVEN_HOME"].map(|name| std::env::var(name).unwrap_or_default());
        jars.is_dir()
            .then(|| Shim { goes_by: goes_by.to_vec(), files: vec![path.to_owned(), launcher, jars] })
    }

    /// A script of pyenv's that starts the program of its name in the chosen version (pyenv's README, "Understanding Python version
    /// selection").
    fn of(path: &Path) -> Option<Self> {
        let mut text = String::new();
        // An entire shim, and enough of any other program to see that it is not one.
        std::fs::File::open(path).ok()?.take(4096).read_to_string(&mut text).ok()?;
        let mut lines = text.lines();
        let root = lines.find_map(|line| line.strip_prefix("export PYENV_ROOT=\"")?.strip_suffix('"'))?;
        lines
            .find(|line| line.starts_with("exec ") && line.ends_with("/pyenv\" exec \"$program\" \"$@\""))?;
        let root = Path::new(root);
        let of = |name: &str| std::env::var(name).unwrap_or_default();
        let folder = match of("PYENV_DIR") {
            folder if folder.is_empty() => std::env::current_dir().ok()?,
            folder => PathBuf::from(folder),
        };
        let mut files: Vec<PathBuf> =
            folder.ancestors().map(|folder| folder.join(".python-version")).collect();
        files.extend([path.to_owned(), root.join("version"), root.join("versions")]);
        // The version `system` means the next program on the search path.
        let search = std::env::var_os("PATH")?;
        files.extend(
            std::env::split_paths(&search).map(|folder| folder.join(path.file_name().unwrap_or_default())),
        );
        Some(Shim { goes_by: vec![of("PYENV_VERSION"), folder.display().to_string()], files })
    }
}

/// The ELF file that a path leads to, if it has that name, or that name and a version.
fn own_file(path: &Path) -> Option<PathBuf> {
    let file = path.canonicalize().ok()?;
    let mut magic = [0; 4];
    std::fs::File::open(&file).and_then(|mut file| file.read_exact(&mut magic)).ok()?;
    // Executable and Linkable Format, "ELF Identification".
    let [own, called] = [file.file_name()?, path.file_name()?].map(OsStr::to_string_lossy);
    let is_version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-');
    (magic == *b"\x7fELF" && own.strip_prefix(&*called).is_some_and(is_version)).then_some(file)
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Whether a program is rustup under another name: a link to it, or the same file.
fn is_rustup(program: &Path) -> bool {
    let beside = program.with_file_name("rustup");
    let linked = program.canonicalize().is_ok_and(|file| file.file_name() == Some(OsStr::new("rustup")));
    linked || Stamp::of(&beside).is_some_and(|stamp| Stamp::of(program) == Some(stamp))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_line(text: &str) -> Option<String> {
        text.lines().next().map(str::to_owned)
    }

    /// By another process: a file that this one writes can't be executed while another thread starts a process.
    fn copy_of_echo(to: &Path) {
        assert!(Command::new("cp").arg("/bin/echo").arg(to).status().unwrap().success());
    }

    /// `echo`, as a file of its own that may be replaced.
    fn echo(folder: &Path) -> PathBuf {
        let program = folder.join("echo");
        copy_of_echo(&program);
        program
    }

    #[test]
    fn an_answer_is_remembered_until_the_program_changes() {
        let desk = tempfile::tempdir().unwrap();
        let answers = Answers::below(&desk.path().join("cache"));
        let program = echo(desk.path());
        let arguments = ["v1".to_owned()];
        let ask = || answers.ask(&program, &arguments, first_line).unwrap();
        assert_eq!(ask().as_deref(), Some("v1"));
        // The remembered answer is returned without starting anything: it is one that the program would not give.
        let file = std::fs::read_dir(desk.path().join("cache/answers")).unwrap().next().unwrap().unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        std::fs::write(file.path(), text.replace("\"said\":\"v1\"", "\"said\":\"remembered\"")).unwrap();
        assert_eq!(ask().as_deref(), Some("remembered"));
        // Another file in its place, with the same content, length and time.
        let time = std::fs::metadata(&program).unwrap().modified().unwrap();
        let other = desk.path().join("other");
        copy_of_echo(&other);
        std::fs::File::options().append(true).open(&other).unwrap().set_modified(time).unwrap();
        std::fs::rename(&other, &program).unwrap();
        assert_eq!(ask().as_deref(), Some("v1"));
        // Other arguments are a different question.
        assert_eq!(answers.ask(&program, &["v2".to_owned()], first_line).unwrap().as_deref(), Some("v2"));
        std::fs::write(file.path(), "{\"question\":").unwrap();
        assert_eq!(ask().as_deref(), Some("v1"), "an answer that is cut short is asked again");
    }

    /// As `python3` is.
    #[test]
    fn a_link_to_a_program_of_its_name_and_a_version_is_remembered_until_it_leads_elsewhere() {
        let desk = tempfile::tempdir().unwrap();
        let answers = Answers::below(&desk.path().join("cache"));
        let link = desk.path().join("echo");
        let leads_to = |name: &str| {
            copy_of_echo(&desk.path().join(name));
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(name, &link).unwrap();
        };
        let ask = || answers.ask(&link, &["v1".to_owned()], first_line).unwrap();
        leads_to("echo3.11");
        ask();
        let file = std::fs::read_dir(desk.path().join("cache/answers")).unwrap().next().unwrap().unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        std::fs::write(file.path(), text.replace("\"said\":\"v1\"", "\"said\":\"remembered\"")).unwrap();
        assert_eq!(ask().as_deref(), Some("remembered"));
        leads_to("echo3.12");
        assert_eq!(ask().as_deref(), Some("v1"));
    }

    /// The text is that of pyenv 2.4's shims, with another program in pyenv's place.
    #[test]
    fn a_shim_of_pyenv_is_remembered_until_what_it_chooses_by_changes() {
        let desk = tempfile::tempdir().unwrap();
        let answers = Answers::below(&desk.path().join("cache"));
        let root = desk.path().join("root");
        std::fs::create_dir_all(root.join("versions")).unwrap();
        let executable = || std::os::unix::fs::PermissionsExt::from_mode(0o755);
        let script = |path: &Path, text: String| {
            std::fs::write(path, text).unwrap();
            std::fs::set_permissions(path, executable()).unwrap();
        };
        let asked = desk.path().join("asked");
        script(&root.join("pyenv"), format!("#!/bin/sh\necho x >> {}\necho v1\n", asked.display()));
        let shim = desk.path().join("python3");
        let text = format!(
            "#!/usr/bin/env bash\nset -e\nprogram=\"${{0##*/}}\"\n\nexport PYENV_ROOT=\"{0}\"\nexec \"{0}/pyenv\" exec \"$program\" \"$@\"\n",
            root.display()
        );
        script(&shim, text);
        let times = || {
            let said = answers.ask(&shim, &["--version".to_owned()], first_line).unwrap();
            assert_eq!(said.as_deref(), Some("v1"));
            std::fs::read_to_string(&asked).unwrap().lines().count()
        };
        assert_eq!((times(), times()), (1, 1));
        std::fs::write(root.join("version"), "3.12").unwrap();
        assert_eq!((times(), times()), (2, 2));
        std::fs::create_dir(root.join("versions/3.13")).unwrap();
        assert_eq!((times(), times()), (3, 3));
    }

    #[test]
    fn mavens_launcher_is_remembered_until_its_jars_change() {
        let desk = tempfile::tempdir().unwrap();
        let answers = Answers::below(&desk.path().join("cache"));
        let [bin, lib] = ["bin", "lib"].map(|name| desk.path().join(name));
        std::fs::create_dir_all(&bin).unwrap();
        let asked = desk.path().join("asked");
        let launcher = bin.join("mvn");
        std::fs::write(&launcher, format!("#!/bin/sh\necho x >> {}\necho v1\n", asked.display())).unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&launcher, executable).unwrap();
        let times = || {
            let said = answers.ask(&launcher, &["--version".to_owned()], first_line).unwrap();
            assert_eq!(said.as_deref(), Some("v1"));
            std::fs::read_to_string(&asked).unwrap().lines().count()
        };
        assert_eq!((times(), times()), (1, 2), "a script of that name alone is asked every time");
        std::fs::create_dir(&lib).unwrap();
        assert_eq!((times(), times()), (3, 3));
        std::fs::write(lib.join("maven-core.jar"), "").unwrap();
        assert_eq!((times(), times()), (4, 4));
    }

    #[test]
    fn scripts_links_and_what_gave_no_answer_are_asked_every_time() {
        let desk = tempfile::tempdir().unwrap();
        let answers = Answers::below(&desk.path().join("cache"));
        let script = desk.path().join("script");
        std::fs::write(&script, "#!/bin/sh\necho v1\n").unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, executable).unwrap();
        let link = desk.path().join("link");
        std::os::unix::fs::symlink(echo(desk.path()), &link).unwrap();
        for program in [&script, &link] {
            assert!(answers.ask(program, &["v1".to_owned()], first_line).unwrap().is_some());
        }
        assert_eq!(answers.ask(&desk.path().join("echo"), &[], |_| None).unwrap(), None);
        assert!(!desk.path().join("cache").exists());
        assert!(answers.ask(&desk.path().join("nothing"), &[], first_line).is_err());
    }

    #[test]
    fn the_compiler_is_the_one_of_the_folder_and_is_asked_again_when_a_toolchain_file_appears() {
        let desk = tempfile::tempdir().unwrap();
        let answers = Answers::below(&desk.path().join("cache"));
        let folder = desk.path().join("a/b");
        std::fs::create_dir_all(&folder).unwrap();
        let Some(said) = answers.compiler_in(&folder) else { panic!("no rustc here") };
        assert!(said.starts_with("rustc "), "{said}");
        assert_eq!(answers.compiler_in(&folder.join("not/there")).unwrap(), said);
        let question = |answers: &Answers| {
            let entries = std::fs::read_dir(&answers.folder).into_iter().flatten().flatten();
            let entries = entries.map(|entry| std::fs::read(entry.path()).unwrap());
            entries.map(|text| serde_json::from_slice::<Answer>(&text).unwrap()).next()
        };
        // Not remembered where rustc is neither rustup nor its toolchain's own file.
        let Some(answer) = question(&answers) else { return };
        assert_eq!(answers.remembered(&answer.question), Some(said));
        std::fs::write(desk.path().join("a/rust-toolchain.toml"), "").unwrap();
        assert_eq!(answers.remembered(&answer.question), None);
    }
}
