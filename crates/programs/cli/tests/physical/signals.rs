//! Interrupting runs and builds, and progress on a terminal.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::processes::{Mark, in_time, inhabited};
use crate::stand::{CACHE, Desk, HOME, PROGRAM, Said, array, copy_runners, kept, payload, said};

/// A run over a link, long enough to be interrupted during its trials: minutes in two lanes.
const LONG: &str = "run tiny.toml --out r --set link=lte --set loss=0.05 --set mode=mqtt:qos1,mqtt:qos2,tcp \
                    --set load.interval=200ms --set load.messages=100 --set trials.lanes=2 \
                    --set codec_trials.enabled=false --set trials.repeats=5";

/// A running command.
struct Running {
    desk: Desk,
    mark: Mark,
    child: Child,
}

impl Running {
    /// Starts a command in its own process group, with its own folder for temporary files, and waits until
    /// it is `under_way`.
    fn start(mut command: Command, desk: Desk, under_way: impl Fn(&Mark, &Desk) -> bool) -> Self {
        let mark = Mark::new();
        std::fs::create_dir(desk.file("tmp")).unwrap();
        mark.put_on(&mut command);
        command.env("TMPDIR", desk.file("tmp")).current_dir(desk.path());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let child = command.spawn().unwrap();
        assert!(in_time(|| under_way(&mark, &desk)), "never came under way: {:?}", mark.programs());
        Running { desk, mark, child }
    }

    /// Starts the program with arguments.
    fn program(arguments: &str, under_way: impl Fn(&Mark, &Desk) -> bool) -> Self {
        let desk = Desk::for_runs();
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let mut command = desk.command(&arguments);
        command.stdin(Stdio::null());
        Self::start(command, desk, under_way)
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).unwrap())
    }

    /// Waits for its end and asserts that no process, host or temporary file is left, but a report of the trials so far.
    fn ends_in_good_order(self) -> Said {
        let (said, desk) = self.leaves_nothing();
        let summary = desk.summary("r");
        assert_eq!(summary["run"]["complete"], false);
        assert!(summary["notes"].to_string().contains("interrupted"), "{}", summary["notes"]);
        assert!(desk.file("r/report.html").is_file());
        desk.wiredyno(&["report", "r", "--format", "md"]).well();
        said
    }

    /// Waits for its end and asserts that no process, host or temporary file is left.
    fn leaves_nothing(self) -> (Said, Desk) {
        let hosts = self.mark.hosts();
        let said: Said = self.child.wait_with_output().unwrap().into();
        assert_eq!(said.code, Some(130), "{}{}", said.out, said.err);
        assert!(in_time(|| self.mark.programs().is_empty()), "left: {:?}", self.mark.programs());
        assert!(in_time(|| !inhabited(&hosts)), "a host is left");
        let left: Vec<_> = std::fs::read_dir(self.desk.file("tmp")).unwrap().flatten().collect();
        assert!(left.is_empty(), "left: {left:?}");
        (said, self.desk)
    }
}

/// Two lanes with their hosts, and runners in them.
fn sending(mark: &Mark, _: &Desk) -> bool {
    mark.hosts().len() >= 2 && mark.programs().len() >= 9
}

pub fn interrupted_group() {
    let run = Running::program(LONG, sending);
    killpg(run.pid(), Signal::SIGINT).unwrap();
    let said = run.ends_in_good_order();
    assert!(said.err.contains("Interrupted"), "{}", said.err);
    assert!(said.out.contains("interrupted"), "{}", said.out);
}

pub fn terminated() {
    let run = Running::program(LONG, sending);
    kill(run.pid(), Signal::SIGTERM).unwrap();
    run.ends_in_good_order();
}

pub fn interrupted_codec_trials() {
    let slow = "run tiny.toml --out r --set codec_trials.batch_time=1s --set codec_trials.batches=100 --set mode=tcp";
    // The outer process, the janitor, process 1, the program and a codec runner.
    let run =
        Running::program(slow, |mark, desk| desk.file("r/study.toml").exists() && mark.programs().len() >= 5);
    killpg(run.pid(), Signal::SIGINT).unwrap();
    run.ends_in_good_order();
}

pub fn interrupted_database() {
    let long = "run tiny.toml --out r --set link=loopback --set records=postgresql --set mode=tcp \
                --set payload=small --set codec=protobuf/prost --set load.interval=200ms --set load.messages=100 \
                --set codec_trials.enabled=false --set trials.repeats=5";
    // Processes of the server, except its first, overwrite their environment when they rename themselves.
    let serving = |mark: &Mark, _: &Desk| {
        let programs = mark.programs();
        programs.iter().any(|program| program.contains("postgres"))
            && programs.iter().filter(|program| *program == "runner").count() >= 2
    };
    let run = Running::program(long, serving);
    killpg(run.pid(), Signal::SIGINT).unwrap();
    run.ends_in_good_order();
}

/// `script` gives a command its own terminal, and types its standard input there.
fn on_a_terminal(arguments: &str) -> Command {
    let mut command = Command::new("script");
    command.args(["-qefc", &format!("{PROGRAM} {arguments}"), "/dev/null"]).stdin(Stdio::piped());
    command.env(CACHE, HOME);
    command
}

pub fn control_c() {
    let mut run = Running::start(on_a_terminal(LONG), Desk::for_runs(), sending);
    let mut keyboard = run.child.stdin.take().unwrap();
    keyboard.write_all(b"\x03").unwrap();
    let said = run.ends_in_good_order();
    drop(keyboard);
    assert!(said.out.contains("Interrupted"), "{}", said.out);
}

pub fn killed() {
    let mut run = Running::program(LONG, sending);
    let hosts = run.mark.hosts();
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    assert!(in_time(|| run.mark.programs().is_empty()), "left: {:?}", run.mark.programs());
    assert!(in_time(|| !inhabited(&hosts)), "a host is left");
    // The janitor removes the temporary folders.
    let left = || std::fs::read_dir(run.desk.file("tmp")).unwrap().flatten().map(|entry| entry.file_name());
    assert!(in_time(|| left().next().is_none()), "left: {:?}", left().collect::<Vec<_>>());
}

pub fn progress_on_a_terminal() {
    let desk = Desk::for_runs();
    let mut script = on_a_terminal("run tiny.toml --out r --set mode=udp,tcp");
    script.current_dir(desk.path()).env("TERM", "xterm").stdout(Stdio::piped());
    let mut child = script.spawn().unwrap();
    let keyboard = child.stdin.take();
    let said: Said = child.wait_with_output().unwrap().into();
    drop(keyboard);
    let text = said.well();
    assert!(text.contains("4 codec trials, then 8 message trials in up to 1 lane"), "{text}");
    let shown = (1..=12).filter(|done| text.contains(&format!("trial {done} of 12, "))).count();
    assert!(shown >= 3, "the bar moved {shown} times: {text}");
    assert!(text.contains(" s left") && text.contains("5 of 5 delivered"), "{text}");
    // The bar is removed (erase line, ECMA-48 EL) before the tables come.
    let (bar, tables) = text.split_once("person, loopback").unwrap();
    assert!(bar.trim_end().ends_with("\u{1b}[2K") || bar.contains("\u{1b}[2K"), "{bar}");
    assert!(!tables.contains("of 12"), "{tables}");
    assert_eq!(array(&desk.summary("r")["cells"]).len(), 4);
}

/// A name that no earlier test run used: otherwise cargo would find everything compiled, and nothing could be interrupted.
fn new_name(stem: &str) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    format!("{stem}{}", now.as_millis())
}

/// Every command that needs a runner compiles it, and can be interrupted meanwhile; nothing is measured then.
pub fn interrupted_build() {
    let field = new_name("stopped");
    let fields = format!("uint32 id = 1; string {field} = 2;");
    for command in [
        "build ./stopped --codec json/serde-json",
        "measure --payload ./stopped --codec json/serde-json",
        "encode --payload ./stopped --codec json/serde-json",
        "run tiny.toml --out r --set payload=./stopped --set codec=json/serde-json",
    ] {
        let desk = Desk::new();
        payload(&desk, "stopped", &fields, "{\"id\":1}\n");
        let _ = desk.wiredyno(&["build", "--remove", "stopped"]);
        let arguments: Vec<&str> = command.split(' ').collect();
        let compiles = |mark: &Mark, _: &Desk| {
            !half_made().is_empty() && mark.programs().iter().any(|program| program == "rustc")
        };
        let running = Running::start(desk.command(&arguments), desk, compiles);
        kill(running.pid(), Signal::SIGINT).unwrap();
        let (said, desk) = running.leaves_nothing();
        assert!(said.err.contains("Interrupted: shutting down"), "{command}: {}", said.err);
        assert!(
            said.out.is_empty() && !said.err.contains("wiredyno: "),
            "{command}: {}{}",
            said.out,
            said.err
        );
        assert_eq!(half_made(), [""; 0], "{command}");
        assert!(kept(Path::new(HOME), "stopped").is_empty(), "{command}");
        assert!(!desk.file("r").exists());
    }
    // The interrupted runner can be built afterwards.
    let desk = Desk::new();
    payload(&desk, "stopped", &fields, "{\"id\":1}\n");
    let value = desk.wiredyno(&["encode", "--payload", "./stopped", "--codec", "json/serde-json"]).well();
    assert_eq!(value, format!(r#"{{"id":1,"{field}":""}}"#));
}

/// Nothing that cargo started outlives the program, and the next build removes leftovers.
pub fn killed_build() {
    let desk = Desk::new();
    let field = new_name("killed");
    payload(&desk, "killed", &format!("uint32 id = 1; string {field} = 2;"), "{\"id\":1}\n");
    let _ = desk.wiredyno(&["build", "--remove", "killed"]);
    let compiles = |mark: &Mark, _: &Desk| {
        !half_made().is_empty() && mark.programs().iter().any(|program| program == "rustc")
    };
    let command = desk.command(&["build", "./killed", "--codec", "json/serde-json"]);
    let mut running = Running::start(command, desk, compiles);
    running.child.kill().unwrap();
    running.child.wait().unwrap();
    assert!(in_time(|| running.mark.programs().is_empty()), "left: {:?}", running.mark.programs());
    assert!(kept(Path::new(HOME), "killed").is_empty());
    let encode = ["encode", "--payload", "./killed", "--codec", "json/serde-json"];
    assert_eq!(running.desk.wiredyno(&encode).well(), format!(r#"{{"id":1,"{field}":""}}"#));
    assert_eq!(half_made(), [""; 0]);
}

/// A runner in use by a run survives `--gc` and `--remove`, and is deleted after the run.
pub fn in_use() {
    let (desk, own) = (Desk::for_runs(), Desk::new());
    let cache = own.file("cache");
    copy_runners("person", &cache);
    let mut command = desk.command(&LONG.split_whitespace().collect::<Vec<_>>());
    command.stdin(Stdio::null()).env(CACHE, &cache);
    let run = Running::start(command, desk, sending);
    let call = |arguments: &[&str]| said(run.desk.command(arguments).env(CACHE, &cache));
    let collected = call(&["build", "--gc", "--limit", "0"]).well();
    assert!(collected.contains(" MB remain: runners that are in use"), "{collected}");
    assert_eq!(kept(&cache, "person").len(), 1);
    let refused = call(&["build", "--remove", "person"]).err;
    assert!(refused.contains("because a run or another command is using it"), "{refused}");
    assert_eq!(kept(&cache, "person").len(), 1);
    kill(run.pid(), Signal::SIGINT).unwrap();
    run.ends_in_good_order();
    let collected = said(own.command(&["build", "--gc", "--limit", "0"]).env(CACHE, &cache)).well();
    assert!(collected.contains("\n1 runner deleted, "), "{collected}");
}

/// Unfinished builds in the tests' cache.
fn half_made() -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(Path::new(HOME).join("wiredyno/runners")) else { return Vec::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(".making-")).collect()
}
