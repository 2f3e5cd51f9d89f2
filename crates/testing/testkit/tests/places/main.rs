//! Every runner measures at the same places: a codec and a transport that mark their calls (docs/RUNNER.md, "Probes") show that everything that
//! belongs to a message happens once, in order, and between the right stamps.
//!
//! The tests assert order, least times, and that a stamp is the transport's own; never durations. What only shows
//! while a publisher waits for a message is repeated with longer intervals until it waited.

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

mod marks;
mod messages;
mod phases;
mod probes;
mod walks;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Trial};
use wiredyno_contract::{Operation, PayloadSource, Success};
use wiredyno_payloads::Payload;
use wiredyno_process::scratch::Scratch;
use wiredyno_testkit::{Runner, Source, folders, payloads};

/// The argument that starts this program as Rust's runner with probes; the definition's digest follows.
const AS_RUNNER: &str = "--as-runner";

/// The same with a codec in C++.
const AS_CPP: &str = "--as-runner-of-c++";

/// The payload of the probes: one field of bytes, whose first eight are the message's number.
const PAYLOAD: &str = "opaque@16";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    if let [_, word, definition] = &words[..]
        && [AS_RUNNER, AS_CPP].contains(&word.as_str())
    {
        return probes::run(definition.clone(), word == AS_CPP);
    }
    let arguments = Arguments::from_args();
    let made = Scratch::new("probes-").unwrap();
    let probed = &*all(made.path()).leak();
    let mut trials = phases::tests(probed);
    trials.extend(messages::tests(probed));
    trials.extend(walks::tests(probed));
    let code = libtest_mimic::run(&arguments, trials).exit_code();
    drop(made);
    code
}

/// A runner with probes, and how to build and start it.
struct Probed {
    name: String,
    /// Program and arguments, or the reason why it can't be started here.
    start: Vec<OsString>,
    missing: Option<String>,
    /// The commands that build it, before its first start.
    make: Vec<Vec<OsString>>,
    made: OnceLock<()>,
    /// Whether it has a transport and roles.
    sends: bool,
    /// Marks that only its probes see, which every message has between its number and its build.
    marks: Vec<String>,
    /// The script that checks that its codecs build in one walk.
    walks: Option<Vec<OsString>>,
}

/// The content of `start.json` in the folder of a runner's probes. `{start.N}` is a word of what starts the runner, `{folder}` the probes' folder,
/// `{built}` the folder of the runner's program, `{made}` one for the output of `make`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    #[serde(default)]
    make: Vec<Vec<String>>,
    start: Vec<String>,
    #[serde(default = "yes")]
    sends: bool,
    #[serde(default)]
    marks: Vec<String>,
    #[serde(default)]
    walks: Option<Vec<String>>,
}

fn yes() -> bool {
    true
}

/// The probes of Rust's runner with codecs in Rust and in C++, of every bundled runner, and of the compiled one that only tests use. Files that are built for
/// them go below `made`.
fn all(made: &Path) -> Vec<Probed> {
    let own = std::env::current_exe().unwrap();
    let digest = payloads::find(PAYLOAD).definition_digest();
    let of_rust = |name: &str, word: &str, missing| Probed {
        name: name.into(),
        start: vec![own.clone().into(), word.into(), digest.clone().into()],
        missing,
        make: Vec::new(),
        made: OnceLock::new(),
        sends: true,
        marks: Vec::new(),
        walks: None,
    };
    let no_compiler = || "no C++ compiler when this was compiled: sudo apt-get install g++".to_owned();
    let missing = wiredyno_cpp_probe::probe().is_none().then(no_compiler);
    let rust = [of_rust("rust", AS_RUNNER, None), of_rust("cpp", AS_CPP, missing)];
    let mut bundled = folders::all();
    // If tests run in this package's folder, it is found there too.
    bundled.retain(|folder| folder.name != folders::COMPILED);
    let bundled = bundled.into_iter().map(|folder| (folder, "../../../runners"));
    let others = bundled.chain([(folders::compiled(), "runners")]).map(|(runner, place)| {
        // For a runner that is built for each definition, the program for the probes' payload.
        let subject = folders::over(&runner, &[PAYLOAD]).remove(0);
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(place);
        let folder = place.join(subject.runner).join("probes");
        let made = made.join(subject.runner);
        std::fs::create_dir(&made).unwrap();
        let file = folder.join("start.json");
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| {
            panic!("{}: {error}; every runner has probes, see docs/RUNNER.md", file.display())
        });
        let declared: Start =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let words = |words: Vec<String>| {
            words.iter().map(|word| filled(word, &subject.program, &folder, &made)).collect()
        };
        let missing = subject.program.is_empty().then(|| subject.missing[0].1.clone());
        Probed {
            name: subject.runner.to_owned(),
            start: words(declared.start),
            missing,
            make: declared.make.into_iter().map(words).collect(),
            made: OnceLock::new(),
            sends: declared.sends,
            marks: declared.marks,
            walks: declared.walks.map(words),
        }
    });
    rust.into_iter().chain(others).collect()
}

fn filled(word: &str, program: &[OsString], folder: &Path, made: &Path) -> OsString {
    let mut word = word.replace("{folder}", &folder.display().to_string());
    word = word.replace("{made}", &made.display().to_string());
    if let Some(built) = program.first().and_then(|program| Path::new(program).parent()) {
        word = word.replace("{built}", &built.display().to_string());
    }
    for (place, own) in program.iter().enumerate() {
        word = word.replace(&format!("{{start.{place}}}"), &own.to_string_lossy());
    }
    word.into()
}

impl Probed {
    /// A test that needs this runner, and perhaps another; ignored, with the reason in its name, if one is missing.
    fn trial(
        &'static self,
        other: Option<&'static Probed>,
        name: &str,
        run: impl FnOnce() + Send + 'static,
    ) -> Trial {
        let missing = self.missing.as_ref().or(other.and_then(|other| other.missing.as_ref()));
        let names = other.map_or_else(|| self.name.clone(), |other| format!("{}-{}", self.name, other.name));
        let why = missing.map_or(String::new(), |why| format!(" [{why}]"));
        let trial = Trial::test(format!("{name} {names}{why}"), move || {
            run();
            Ok(())
        });
        trial.with_ignored_flag(missing.is_some())
    }

    /// The id of its probes, both of the codec and the transport.
    fn id(&self) -> String {
        format!("probe/{}", self.name)
    }

    /// Builds it, if that is needed.
    fn make(&self) {
        self.made.get_or_init(|| {
            for words in &self.make {
                let (program, arguments) = words.split_first().unwrap();
                let output = Command::new(program).args(arguments).output().unwrap();
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{words:?}: {said}");
            }
        });
    }

    /// Starts it, with its probe loaded over a payload.
    fn load(&self, desk: &Desk, payload: &PayloadSource) -> Loaded {
        self.make();
        let marks =
            desk.path(&format!("marks-{}-{}", self.name, desk.runners.replace(desk.runners.get() + 1)));
        let mut runner = Runner::start_with(&self.start, &[(marks::MARKS, marks.to_str().unwrap())]);
        let loaded = runner.must(Operation::Load {
            payload: payload.clone(),
            codec: self.id().parse().unwrap(),
            compression: Default::default(),
            samples: None,
        });
        assert!(matches!(loaded, Success::Loaded { .. }), "{loaded:?}");
        Loaded { runner, marks }
    }
}

/// A runner whose probe is loaded.
struct Loaded {
    runner: Runner,
    marks: PathBuf,
}

impl Loaded {
    fn marks(&self) -> Vec<marks::Mark> {
        marks::read(&self.marks)
    }

    /// The same once this mark is among them: another thread writes it than the one that answers.
    fn marks_with(&self, what: &str, number: u64, limit: Duration) -> Vec<marks::Mark> {
        let until = Instant::now() + limit;
        loop {
            let marks = self.marks();
            if marks.iter().any(|mark| mark.what == what && mark.number == number) || Instant::now() > until {
                return marks;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The temporary files of a test.
struct Desk {
    folder: Scratch,
    source: Source,
    runners: std::cell::Cell<u32>,
}

impl Desk {
    /// Files with a number of a payload's own samples.
    fn of(payload: &Payload, samples: usize) -> Desk {
        let folder = Scratch::new("places-").unwrap();
        Desk {
            folder,
            source: Source::own(payload, Some(samples)).unwrap(),
            runners: std::cell::Cell::new(0),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }
}
