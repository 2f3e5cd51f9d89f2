//! Machines that are namespaces: each has a network, processes and mounts of its own, and is linked to the others and to the coordinator. What a
//! machine has started is found below its first process, wherever that has hidden itself, and ends with it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::rc::Rc;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::packages::path;
use crate::processes::{arguments, in_time, is_dead, name, tree};
use crate::stand::{Desk, PROGRAM, Said, any_machine, said};

/// The address of the coordinator.
pub const CENTER: &str = "10.99.0.254";

/// What `setpriv` is to do with a program: end it with the thread of the test, should that be killed.
const ENDS_WITH_US: [&str; 2] = ["--pdeathsig", "KILL"];

/// The processes of a machine without an agent and without its daemons: its first, and one that only waits.
const IDLE: usize = 2;

/// Machines in a network; all of it ends when dropped.
pub struct Stage {
    folder: TempDir,
    child: Child,
    machines: Vec<Machine>,
}

/// One of the machines.
pub struct Machine {
    name: String,
    /// Its first process.
    first: Pid,
    /// What runs there without an agent.
    idle: BTreeSet<Pid>,
}

impl Stage {
    /// Starts machines. `center` is what a shell does beside them, `daemon` what one does on each, in the stage's folder, with the machine's name in `name`, which starts so
    /// many `daemons`; `files` are there, in which STAGE is that folder. They are up when `ready` says so.
    pub fn start(
        names: &[&str],
        center: &str,
        (daemon, daemons): (&str, usize),
        files: &[(&str, &str)],
        ready: impl Fn(&Stage) -> bool,
    ) -> Self {
        let folder = TempDir::new().unwrap();
        let at = folder.path().display().to_string();
        for (name, text) in [("center.sh", center), ("daemon.sh", daemon)].iter().chain(files) {
            std::fs::write(folder.path().join(name), text.replace("STAGE", &at)).unwrap();
        }
        let script = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fleets").join(name);
        let mut command = Command::new("setpriv");
        command.args(ENDS_WITH_US).args(["unshare", "--net", "--mount", "--pid", "--uts", "--fork"]);
        command.args(["--kill-child", "--mount-proc", "sh"]).arg(script("stage.sh")).arg(folder.path());
        command.arg(script("machine.sh")).args(names);
        command.env("PATH", path());
        let errors = std::fs::File::create(folder.path().join("said")).unwrap();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors).spawn().unwrap();
        let mut stage = Stage { folder, child, machines: Vec::new() };
        let is_up = in_time(|| stage.machine_processes(names).is_some() && ready(&stage));
        assert!(is_up, "the machines don't come up:\n{}", stage.told());
        assert!(
            in_time(|| {
                let first = stage.machine_processes(names).unwrap_or_default();
                first.len() == names.len() && first.iter().all(|first| living(*first).len() == IDLE + daemons)
            }),
            "machines are not idle: {:?}",
            tree(stage.pid()).into_iter().map(arguments).collect::<Vec<_>>()
        );
        let firsts = stage.machine_processes(names).unwrap();
        let machine = |(name, first): (&&str, Pid)| Machine {
            name: (*name).to_owned(),
            first,
            idle: living(first).into_iter().collect(),
        };
        stage.machines = names.iter().zip(firsts).map(machine).collect();
        stage
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).unwrap())
    }

    /// The first process of each machine; `None` as long as one is missing.
    fn machine_processes(&self, names: &[&str]) -> Option<Vec<Pid>> {
        let all = tree(self.pid());
        let of = |wanted: &&str| {
            let is_it = |pid: &&Pid| {
                let arguments = arguments(**pid);
                name(**pid) == "sh"
                    && arguments.get(1).is_some_and(|script| script.ends_with("machine.sh"))
                    && arguments.get(2).is_some_and(|name| name == *wanted)
            };
            all.iter().find(is_it).copied()
        };
        names.iter().map(of).collect()
    }

    /// The stage's folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A machine by its name.
    #[track_caller]
    pub fn machine(&self, name: &str) -> &Machine {
        self.find(name).unwrap()
    }

    /// A machine, if there is one of this name.
    pub fn find(&self, name: &str) -> Option<&Machine> {
        self.machines.iter().find(|machine| machine.name == name)
    }

    /// A command where the coordinator is.
    pub fn at_center(&self, program: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(ENDS_WITH_US).arg("nsenter").arg(format!("--net=/proc/{}/ns/net", self.child.id()));
        command.arg(program).env("PATH", path());
        command
    }

    /// Cuts a machine off, or links it again.
    pub fn link(&self, name: &str, state: &str) {
        let place = self.machines.iter().position(|machine| machine.name == name).unwrap();
        let link = format!("link{}", place + 1);
        said(self.at_center("ip").args(["link", "set", &link, state])).well();
    }

    /// Waits until nothing runs on the machines that did not run there before.
    #[track_caller]
    pub fn is_left_clean(&self) {
        let left = || self.machines.iter().flat_map(Machine::left).collect::<Vec<_>>();
        assert!(
            in_time(|| left().is_empty()),
            "left: {:?}\n{}",
            left().into_iter().map(arguments).collect::<Vec<_>>(),
            self.told()
        );
    }

    /// All that was written into the stage's folder: for a failed test.
    pub fn told(&self) -> String {
        let files = std::fs::read_dir(self.path()).unwrap().flatten().map(|entry| entry.path());
        let is_told = |path: &PathBuf| path.to_string_lossy().ends_with("said");
        let text = |path: PathBuf| {
            format!("{}:\n{}\n", path.display(), std::fs::read_to_string(&path).unwrap_or_default())
        };
        files.filter(is_told).map(text).collect()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let all = tree(self.pid());
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Each with what it is the first process of.
        in_time(|| all.iter().all(|pid| is_dead(*pid)));
    }
}

fn living(first: Pid) -> Vec<Pid> {
    tree(first).into_iter().filter(|pid| !is_dead(*pid)).collect()
}

impl Machine {
    /// What runs there beside what always does. Slurm's own process of a job may stay for a minute after all that it had: it wants to tell this to a
    /// controller that it does not reach.
    pub fn left(&self) -> Vec<Pid> {
        let is_left = |pid: &Pid| !self.idle.contains(pid) && !name(*pid).starts_with("slurmstepd");
        living(self.first).into_iter().filter(is_left).collect()
    }

    /// A file on the machine, as it sees it.
    pub fn file(&self, path: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root{path}", self.first))
    }

    /// The agent there: the process that was started as one.
    pub fn agent(&self) -> Option<Pid> {
        let is_agent = |pid: &Pid| arguments(*pid).get(1).is_some_and(|word| word == "agent");
        self.left().into_iter().find(is_agent)
    }

    /// The daemon there.
    pub fn daemon(&self, named: &str) -> Pid {
        *self.idle.iter().find(|pid| name(**pid).starts_with(named)).unwrap()
    }

    fn roles(&self) -> bool {
        let is_role = |pid: Pid| arguments(pid).iter().any(|word| word.contains("/role-"));
        self.left().into_iter().any(is_role)
    }

    /// Waits until the agent there has a role.
    #[track_caller]
    pub fn has_role(&self) {
        assert!(in_time(|| self.roles()), "no role on {}", self.name);
    }

    /// Waits until the agent there has no role.
    #[track_caller]
    pub fn has_no_role(&self) {
        assert!(in_time(|| !self.roles()), "a role is left on {}", self.name);
    }

    /// Waits until there is no agent, nor anything that it has started.
    #[track_caller]
    pub fn has_no_agent(&self) {
        assert!(in_time(|| self.agent().is_none() && !self.roles()), "an agent is left on {}", self.name);
    }
}

/// A run that brings its agents up on a stage.
pub struct Run<'a> {
    stage: &'a Stage,
    pub desk: Rc<Desk>,
    child: RefCell<Child>,
}

/// How a complete trial begins among the lines of progress for programs.
const TRIAL: &str = "{\"type\":\"trial\"";

/// What every run measures: one cell.
const STUDY: [&str; 5] =
    ["mode=tcp", "payload=opaque@100", "load.messages=20", "trials.retries=9", "load.deadline=5s"];

impl<'a> Run<'a> {
    /// Starts a run of `iot-gateways` with as many repeats. `hosts` is what the file says of hosts, `fleet` its last section, in which STAGE is the stage's folder.
    pub fn start(
        stage: &'a Stage,
        hosts: &str,
        fleet: &str,
        repeats: u32,
        variables: &[(&str, String)],
    ) -> Self {
        let desk = Self::desk(stage, (hosts, 0), fleet);
        Self::on(stage, desk, ("r", repeats), variables)
    }

    /// A desk with a fleet's file, which says at which port the coordinator listens.
    pub fn desk(stage: &Stage, (hosts, port): (&str, u16), fleet: &str) -> Rc<Desk> {
        let desk = Desk::for_runs();
        std::fs::create_dir(desk.file("tmp")).unwrap();
        let file = format!(
            "listen = \"{CENTER}:{port}\"\nhost = \"{CENTER}\"\nwithin = \"4min\"\npatience = \"2s\"\n[hosts]\n{hosts}\n{}",
            fleet.replace("STAGE", &stage.path().display().to_string())
        );
        std::fs::write(desk.file("fleet.toml"), file).unwrap();
        Rc::new(desk)
    }

    /// Starts a run with a desk's file, into a folder of this name, with as many repeats.
    pub fn on(
        stage: &'a Stage,
        desk: Rc<Desk>,
        (out, repeats): (&str, u32),
        variables: &[(&str, String)],
    ) -> Self {
        let repeats = format!("trials.repeats={repeats}");
        let settings = STUDY.into_iter().chain([repeats.as_str()]).flat_map(|setting| ["--set", setting]);
        let arguments = ["run", "iot-gateways", "--fleet", "fleet.toml", "--out", out];
        let child = Self::program(stage, &desk, variables)
            .args(arguments.into_iter().chain(["--progress", "json"]).chain(settings))
            .args(any_machine())
            .spawn()
            .unwrap();
        Run { stage, desk, child: RefCell::new(child) }
    }

    /// The program where the coordinator is; what it says is kept.
    pub fn program(stage: &Stage, desk: &Desk, variables: &[(&str, String)]) -> Command {
        let told = std::fs::File::create(desk.file("told")).unwrap();
        let mut command = stage.at_center(PROGRAM);
        command.current_dir(desk.path()).env(crate::stand::CACHE, crate::stand::HOME);
        command.env("TMPDIR", desk.file("tmp")).envs(variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(told.try_clone().unwrap()).stderr(told);
        command
    }

    /// How it ended, if it has.
    fn ended(&self) -> Option<ExitStatus> {
        self.child.borrow_mut().try_wait().unwrap()
    }

    /// What it has said.
    pub fn told(&self) -> String {
        std::fs::read_to_string(self.desk.file("told")).unwrap_or_default()
    }

    /// Waits until it has said something, so many times.
    #[track_caller]
    pub fn says(&self, what: &str, times: usize) {
        let is_said = || self.told().matches(what).count() >= times;
        in_time(|| is_said() || self.ended().is_some());
        assert!(is_said(), "no `{what}`:\n{}\n{}", self.told(), self.stage.told());
    }

    /// Waits until it is in the middle of a trial, with one behind it, and with roles on these machines.
    #[track_caller]
    pub fn is_under_way(&self, machines: &[&str]) {
        self.says(TRIAL, 1);
        machines.iter().for_each(|name| self.stage.machine(name).has_role());
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        // It has not been waited for: the number is its own.
        kill(Pid::from_raw(i32::try_from(self.child.borrow().id()).unwrap()), signal).unwrap();
    }

    /// Waits for its end, with this exit code (none: by a signal); returns what it said.
    #[track_caller]
    pub fn ends(&self, code: Option<i32>) -> String {
        assert!(in_time(|| self.ended().is_some()), "it does not end:\n{}", self.told());
        let status = self.ended().unwrap();
        assert_eq!(status.code(), code, "{}\n{}", self.told(), self.stage.told());
        self.told()
    }

    /// Waits until nothing is left on the machines, nor for temporary files where it ran.
    #[track_caller]
    pub fn leaves_nothing(&self) {
        self.stage.is_left_clean();
        let left =
            || std::fs::read_dir(self.desk.file("tmp")).unwrap().flatten().map(|entry| entry.file_name());
        assert!(in_time(|| left().next().is_none()), "left: {:?}", left().collect::<Vec<_>>());
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        let child = self.child.get_mut();
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// The output of a command at the coordinator's place.
pub fn answered(command: &mut Command) -> Option<String> {
    let said: Said = said(command);
    (said.code == Some(0)).then_some(said.out)
}
