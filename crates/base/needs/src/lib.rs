//! Whether the machine has what codecs and transports need, as the build of their packages will look for it, and how to get it.
//!
//! A library is present if pkg-config (or the program that `PKG_CONFIG` names) says so, a header if the C++ compiler finds it; a program is
//! the first of its name on the search path, or the one that its variable names.
//!
//! Limits: each question starts a program, except whether a program is here whose version does not matter. What pkg-config and the
//! preprocessor say is remembered for a few seconds, because one command asks the same more than once.
//!
//! One file because library, header and program are three answers to one question, and share what is remembered.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use wiredyno_contract::{Need, NeedKind, NeedVersion};

/// Why a package can't be compiled on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// What is missing, in a sentence without a full stop.
    pub reason: String,
    /// How to get it: a command, or an instruction.
    pub remedy: String,
    /// Whether `remedy` is a command that can be typed as it is.
    pub is_command: bool,
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, self.remedy)
    }
}

/// The program that package builds ask for libraries.
const PKG_CONFIG: &str = "pkg-config";

/// The argument that makes a program print its version.
pub const VERSION_ARGUMENT: &str = "--version";

/// The first of these that is missing; `None` where all are present.
pub fn lack<'a>(needs: impl IntoIterator<Item = &'a Need>) -> Option<Lack> {
    lack_by(needs, &ask)
}

/// The same, for a caller that knows how to get a program's version.
pub fn lack_by<'a>(
    needs: impl IntoIterator<Item = &'a Need>,
    ask: &dyn Fn(&Path) -> Option<String>,
) -> Option<Lack> {
    needs.into_iter().find_map(|need| match need.kind {
        NeedKind::Library => library_lack(need, &pkg_config()),
        NeedKind::Header => header_lack(need),
        NeedKind::Program => program_by(need, ask).err(),
    })
}

/// The program that a need stands for, as a command starts it.
///
/// # Errors
/// With what is missing.
pub fn program(need: &Need) -> Result<PathBuf, Lack> {
    program_by(need, &ask)
}

/// What satisfies a need that is met, for people: the version of a library or header, and the path of a program.
pub fn here(need: &Need) -> String {
    let detail = match need.kind {
        NeedKind::Library | NeedKind::Header => version(need),
        NeedKind::Program => located(&named(need)).map(|path| path.display().to_string()),
    };
    match (need.version, detail) {
        (NeedVersion::Just(version), Some(path)) => format!("{} {version} ({path})", need.name),
        (_, Some(detail)) => format!("{} {detail}", need.name),
        (_, None) => need.name.to_owned(),
    }
}

/// Asks for the versions of many libraries and headers at once, so that [`version`] and [`lack`] know them: two programs are started instead of
/// one for each. A question that this leaves open is asked by itself later.
pub fn learn<'a>(needs: impl IntoIterator<Item = &'a Need>) {
    let (mut libraries, mut headers) = (BTreeSet::new(), BTreeMap::new());
    for need in needs {
        let asked = match need.kind {
            NeedKind::Library => library_question(&pkg_config(), need.name),
            NeedKind::Header => header_source(need),
            NeedKind::Program => continue,
        };
        if recalled(&asked).is_some() {
            continue;
        }
        match need.kind {
            NeedKind::Library => drop(libraries.insert(need.name)),
            _ => drop(headers.insert(need.name, need)),
        }
    }
    if libraries.is_empty() && headers.is_empty() {
        return;
    }
    std::thread::scope(|scope| {
        scope.spawn(|| learn_libraries(&libraries));
        learn_headers(headers.values().copied());
    });
}

fn learn_libraries(names: &BTreeSet<&str>) {
    let program = pkg_config();
    let arguments: Vec<&str> = std::iter::once("--modversion").chain(names.iter().copied()).collect();
    // It fails if one of them is missing.
    let Some(text) = said(Path::new(&program), &arguments) else { return };
    let versions: Vec<&str> = text.lines().collect();
    if versions.len() == names.len() {
        for (name, version) in names.iter().zip(versions) {
            remember(library_question(&program, name), Some(version.to_owned()));
        }
    }
}

fn learn_headers<'a>(needs: impl Iterator<Item = &'a Need> + Clone) {
    let included =
        |need: &Need| format!("#if __has_include(<{0}>)\n{1}#endif\n{END}\n", need.name, header_source(need));
    let source: String = needs.clone().map(included).chain([COMPILER_SOURCE.to_owned()]).collect();
    let Some(text) = preprocess(&source) else { return };
    let mut parts = text.split(END);
    for need in needs {
        let Some(part) = parts.next() else { return };
        let answer = part.contains(MARK).then(|| part.to_owned());
        remember(header_source(need), answer);
    }
    remember(COMPILER_SOURCE.to_owned(), parts.next().map(str::to_owned));
}

/// What separates headers in the output of the preprocessor.
const END: &str = "wiredyno_end";

fn library_question(pkg_config: &str, name: &str) -> String {
    format!("{pkg_config} {name}")
}

/// The version of what satisfies a need; `None` where it is missing or does not say.
pub fn version(need: &Need) -> Option<String> {
    match need.kind {
        NeedKind::Library => {
            let program = pkg_config();
            remembered(library_question(&program, need.name), || {
                said(Path::new(&program), &["--modversion", need.name])
            })
        }
        NeedKind::Header => header_version(need),
        NeedKind::Program => ask(&named(need)),
    }
}

/// What a C++ compiler calls itself, in the words of its own macros: `GCC 12.2.0`, `Clang 14.0.6`; `None` where there is none.
pub fn compiler() -> Option<String> {
    let text = preprocessed(COMPILER_SOURCE)?;
    let name: String = text.split('"').skip(1).step_by(2).collect();
    (!name.is_empty()).then_some(name)
}

/// A source of what a compiler calls itself.
const COMPILER_SOURCE: &str = "#ifdef __clang__\n__VERSION__\n#else\n\"GCC \" __VERSION__\n#endif\n";

/// What the C++ preprocessor makes of a source; `None` where there is none, or it refuses the source.
fn preprocessed(source: &str) -> Option<String> {
    remembered(source.to_owned(), || preprocess(source))
}

fn preprocess(source: &str) -> Option<String> {
    let mut command = Command::new(CPP);
    command.args(["-E", "-P", "-x", "c++", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().ok()?;
    // Closed at the end of the statement, which ends the compiler's input.
    let written = child.stdin.take().map(|mut input| input.write_all(source.as_bytes()));
    let output = child.wait_with_output().ok()?;
    let is_done = written.is_some_and(|result| result.is_ok()) && output.status.success();
    is_done.then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A word that no header has, before the values of its macros.
const MARK: &str = "wiredyno_version";

/// A source that has a header, and the values of the macros that make up its version.
fn header_source(need: &Need) -> String {
    format!("#include <{}>\n{MARK} {}\n", need.name, need.macros.join(" "))
}

/// The version that a header's macros say; `None` without macros, or where the header is missing.
fn header_version(need: &Need) -> Option<String> {
    let text = preprocessed(&header_source(need))?;
    let parts: Vec<&str> = text.rsplit_once(MARK)?.1.split_whitespace().collect();
    let is_number = |part: &&str| part.starts_with(|c: char| c.is_ascii_digit());
    (!parts.is_empty() && parts.iter().all(is_number)).then(|| parts.join("."))
}

/// What is missing of a header, according to the C++ compiler.
fn header_lack(need: &Need) -> Option<Lack> {
    let is_here = preprocessed(&header_source(need)).is_some();
    (!is_here).then(|| lacks(need, &[], format!("the header {} is missing", need.name)))
}

/// The C++ compiler that builds of packages use.
const CPP: &str = "c++";

/// The version in a program's output: its first word that begins with a digit.
pub fn version_in(said: &str) -> Option<String> {
    said.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned)
}

fn ask(program: &Path) -> Option<String> {
    version_in(&said(program, &[VERSION_ARGUMENT])?)
}

/// How long an answer is remembered: longer than a command takes to plan, shorter than anybody takes to install something.
const REMEMBERED: Duration = Duration::from_secs(3);

/// What was asked, and when and what the answer was.
type Answers = BTreeMap<String, (Instant, Option<String>)>;

static ANSWERS: Mutex<Answers> = Mutex::new(Answers::new());

/// The answer to a question, asked again when it is older than [`REMEMBERED`].
fn remembered(question: String, ask: impl FnOnce() -> Option<String>) -> Option<String> {
    if let Some(answer) = recalled(&question) {
        return answer;
    }
    let answer = ask();
    remember(question, answer.clone());
    answer
}

/// An answer that is not too old.
fn recalled(question: &str) -> Option<Option<String>> {
    let answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    let (at, answer) = answers.get(question)?;
    (at.elapsed() < REMEMBERED).then(|| answer.clone())
}

fn remember(question: String, answer: Option<String>) {
    let mut answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    answers.insert(question, (Instant::now(), answer));
}

/// What a program prints, if it succeeds.
fn said(program: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output = output.ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn pkg_config() -> String {
    std::env::var("PKG_CONFIG").unwrap_or_else(|_| PKG_CONFIG.to_owned())
}

/// What to call a program by: its name, or what its variable says.
fn named(need: &Need) -> PathBuf {
    let named = need.named_by.and_then(std::env::var_os);
    named.map_or_else(|| PathBuf::from(need.name), PathBuf::from)
}

/// Where a program is: as given where the name contains a slash, else the first on the search path.
fn located(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.is_file().then(|| program.to_owned());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn program_by(need: &Need, ask: &dyn Fn(&Path) -> Option<String>) -> Result<PathBuf, Lack> {
    let program = named(need);
    let will_do = match need.version {
        NeedVersion::Any => located(&program).is_some(),
        NeedVersion::Just(version) => ask(&program).is_some_and(|its| its == version),
        NeedVersion::Least(least) => ask(&program).is_some_and(|its| numbers(&its) >= numbers(least)),
    };
    if will_do {
        return Ok(program);
    }
    let what = format!("{} {}", need.name, need.version.word());
    Err(lacks(need, &[], format!("{} is missing", what.trim_end())))
}

/// The numbers of a version, for comparing.
fn numbers(version: &str) -> Vec<u64> {
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

/// What is missing of a library, according to this pkg-config.
fn library_lack(need: &Need, pkg_config: &str) -> Option<Lack> {
    let name = need.name;
    let ask = |arguments: &[&str]| {
        let mut command = Command::new(pkg_config);
        command.args(arguments).arg(name).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().map(|status| status.success())
    };
    // An error is not remembered.
    let says_yes = |arguments: &[&str]| {
        let question = format!("{pkg_config} {} {name}", arguments.join(" "));
        match remembered(question, || ask(arguments).ok().map(|yes| yes.to_string())) {
            Some(answer) => Ok(answer == true.to_string()),
            None => ask(arguments),
        }
    };
    let wanted = need.version.word();
    let asked = match need.version {
        NeedVersion::Any => "--exists".to_owned(),
        NeedVersion::Least(_) => format!("--atleast-version={wanted}"),
        NeedVersion::Just(_) => format!("--exact-version={wanted}"),
    };
    // Versions of numbers alone are compared here, if this one is known already.
    if let (NeedVersion::Least(least), Some(Some(its))) =
        (need.version, recalled(&library_question(pkg_config, name)))
        && [&*its, least].iter().all(|version| version.split('.').all(|part| part.parse::<u64>().is_ok()))
        && numbers(&its) >= numbers(least)
    {
        return None;
    }
    match says_yes(&[&asked]) {
        Ok(true) => None,
        Ok(false) => {
            let state = match (says_yes(&["--exists"]).unwrap_or(false), need.version) {
                (true, NeedVersion::Just(_)) => format!(" is not {wanted}"),
                (true, _) => format!(" is older than {wanted}"),
                (false, NeedVersion::Any) => " is not installed".to_owned(),
                (false, _) => format!(" is not installed; version {wanted} is needed"),
            };
            Some(lacks(need, &[], format!("the library {name}{state}")))
        }
        Err(error) => {
            let reason = format!("{pkg_config} can't be asked for the library {name}: {error}");
            Some(lacks(need, &[PKG_CONFIG], reason))
        }
    }
}

/// The lack of a need, and how to get it, with other Debian packages before its own.
fn lacks(need: &Need, before: &[&str], reason: String) -> Lack {
    let lack = |remedy, is_command| Lack { reason, remedy, is_command };
    if let Some(artifact) = need.maven {
        // The machine's name in Maven, as Netty's os-maven-plugin has it.
        let machine = std::env::consts::ARCH.replace("aarch64", "aarch_64");
        let command =
            format!("`mvn dependency:copy -Dartifact={artifact}:linux-{machine} -DoutputDirectory=.`");
        let named_by = need.named_by.map(|variable| format!(" and name it in {variable}"));
        return lack(format!("{command}, make it executable{}", named_by.unwrap_or_default()), false);
    }
    let packages = [before, need.debian].concat();
    match packages[..] {
        [] => lack(format!("install {}", need.name), false),
        _ => lack(format!("sudo apt-get install {}", packages.join(" ")), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const LIBRARY: Need = Need::library("some", "1.2").debian(&["libsome-dev"]);

    /// A program that runs a script.
    fn pretended(folder: &Path, name: &str, script: &str) -> String {
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    #[test]
    fn a_library_is_there_too_old_missing_or_nobody_can_be_asked() {
        let folder = tempfile::tempdir().unwrap();
        // It has `some` in version 1.0.
        let script = "case \"$*\" in '--exists some'|'--atleast-version=1.0 some') exit 0;; esac\nexit 1";
        let asked = pretended(folder.path(), "pkg-config", script);
        assert_eq!(library_lack(&Need::library("some", "1.0"), &asked), None);
        let old = library_lack(&LIBRARY, &asked).unwrap();
        assert_eq!(old.to_string(), "the library some is older than 1.2: sudo apt-get install libsome-dev");
        let other = Need::library("other", "1.2").debian(&["libother-dev", "other-tools"]);
        let missing = library_lack(&other, &asked).unwrap();
        assert_eq!(missing.reason, "the library other is not installed; version 1.2 is needed");
        assert_eq!(missing.remedy, "sudo apt-get install libother-dev other-tools");
        assert!(missing.is_command);
        let nobody = library_lack(&LIBRARY, "/nowhere/pkg-config").unwrap();
        assert!(nobody.reason.starts_with("/nowhere/pkg-config can't be asked for the library some"));
        assert_eq!(nobody.remedy, "sudo apt-get install pkg-config libsome-dev");
    }

    #[test]
    fn a_program_is_there_missing_or_of_another_version() {
        let shell = Need::program("sh");
        assert_eq!(program(&shell), Ok(PathBuf::from("sh")));
        assert!(here(&shell).starts_with("sh /"), "{}", here(&shell));
        let none = Need::program("wiredyno-no-such-program").debian(&["nonesuch"]);
        let lack = program(&none).unwrap_err();
        assert_eq!(lack.to_string(), "wiredyno-no-such-program is missing: sudo apt-get install nonesuch");
        let just = Need::program_just("some", "36.2").maven("org.some:some:4.36.2:exe").named_by("SOME");
        let says = |version: &'static str| program_by(&just, &move |_| Some(version.to_owned()));
        assert_eq!(says("36.2"), Ok(PathBuf::from("some")));
        let lack = says("36.3").unwrap_err();
        assert_eq!(lack.reason, "some 36.2 is missing");
        assert!(lack.remedy.contains("-Dartifact=org.some:some:4.36.2:exe:linux-"), "{lack}");
        assert!(lack.remedy.ends_with("make it executable and name it in SOME"), "{lack}");
        assert!(!lack.is_command, "it takes more than the command");
    }

    #[test]
    fn the_first_lack_of_several_is_told_and_none_where_all_are_here() {
        let missing = [Need::program("wiredyno-no-first"), Need::program("wiredyno-no-second")];
        let all = [[Need::program("sh")].as_slice(), &missing].concat();
        assert_eq!(lack(&all).unwrap().reason, "wiredyno-no-first is missing");
        assert_eq!(lack(&all[..1]), None);
    }

    #[test]
    fn a_version_is_the_first_word_that_begins_with_a_digit() {
        assert_eq!(version_in("libprotoc 36.2\n").as_deref(), Some("36.2"));
        assert_eq!(version_in("no version"), None);
        let folder = tempfile::tempdir().unwrap();
        let program = pretended(folder.path(), "some", "echo some version 2.10");
        assert_eq!(ask(Path::new(&program)).as_deref(), Some("2.10"));
        assert!(numbers("2.10") > numbers("2.9") && numbers("2.10.0") >= numbers("2.10"));
    }

    #[test]
    fn many_are_asked_for_at_once_and_give_the_same_answers() {
        if compiler().is_none() {
            return;
        }
        let here = Need::header("cfloat").macros(&["FLT_RADIX"]);
        let missing = Need::header("wiredyno/no.h").macros(&["FLT_RADIX"]);
        learn([&missing, &here]);
        // Unless it was so long ago that they are forgotten.
        assert!(recalled(&header_source(&missing)).is_none_or(|answer| answer.is_none()));
        assert_eq!(version(&here).as_deref(), Some("2"));
        assert!(lack([&here]).is_none() && lack([&missing]).is_some());
        assert!(recalled(COMPILER_SOURCE).is_none_or(|answer| answer.is_some_and(|text| text.contains('"'))));
    }

    #[test]
    fn a_header_is_there_with_its_version_or_missing() {
        if compiler().is_none() {
            return;
        }
        let here = Need::header("climits").macros(&["CHAR_BIT", "CHAR_BIT"]);
        assert_eq!(lack([&here]), None);
        assert_eq!(version(&here).as_deref(), Some("8.8"));
        assert_eq!(version(&Need::header("climits")), None, "no macros say it");
        let missing = Need::header("wiredyno/none.h").debian(&["none-dev"]);
        let lack = lack([&missing]).unwrap();
        assert_eq!(lack.to_string(), "the header wiredyno/none.h is missing: sudo apt-get install none-dev");
    }

    #[test]
    fn a_compiler_calls_itself_by_its_macros() {
        match compiler() {
            Some(name) => {
                assert!(name.starts_with("GCC ") || name.contains("lang"), "{name}");
                assert!(name.contains(|c: char| c.is_ascii_digit()), "{name}");
            }
            None => assert!(program(&Need::program(CPP)).is_err(), "c++ is here and says nothing"),
        }
    }
}
