//! Agents as a job of a Slurm with three nodes, whose controller is where the coordinator is.

use std::collections::BTreeSet;

use nix::sys::signal::{Signal, kill};

use crate::packages::{libraries, unpacked};
use crate::processes::in_time;
use crate::stage::{Run, Stage, answered};
use crate::stand::{array, number};

const NODES: [&str; 3] = ["n1", "n2", "n3"];

/// What is needed.
pub fn here() -> Result<(), String> {
    let programs = [
        "usr/sbin/slurmctld-wlm",
        "usr/sbin/slurmd-wlm",
        "usr/sbin/slurmstepd-wlm",
        "usr/bin/sbatch",
        "usr/bin/srun",
    ];
    programs.iter().try_for_each(|program| unpacked(program).map(drop)).and_then(|()| libraries().map(drop))
}

/// No accounts and no control groups. A node that does not answer is down after seconds instead of minutes.
const CONFIGURATION: &str = "
ClusterName=wiredyno
SlurmctldHost=center(10.99.0.254)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
PluginDir=PLUGINS
StateSaveLocation=STAGE/state
SlurmdSpoolDir=STAGE/spool-%n
SlurmctldPidFile=STAGE/slurmctld.pid
SlurmdPidFile=STAGE/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MpiDefault=none
ReturnToService=2
SlurmdTimeout=3
MessageTimeout=2
KillWait=2
SwitchType=switch/none
SlurmdParameters=config_overrides
NodeName=n1 NodeAddr=10.99.0.1 CPUs=2 RealMemory=1000
NodeName=n2 NodeAddr=10.99.0.2 CPUs=2 RealMemory=1000
NodeName=n3 NodeAddr=10.99.0.3 CPUs=2 RealMemory=1000
PartitionName=main Nodes=n[1-3] Default=YES MaxTime=60 State=UP
";

/// Nodes that are idle, at a stage.
struct Slurm {
    stage: Stage,
}

impl Slurm {
    fn start() -> Self {
        let (libraries, of) = (libraries().unwrap(), |file| unpacked(file).unwrap().display().to_string());
        let variables = variables("STAGE");
        let exports: String =
            variables.iter().map(|(name, value)| format!("export {name}='{value}'\n")).collect();
        let center = format!(
            "hostname center\nmkdir state\n{exports}{} -D -i > slurmctld.said 2>&1 &\n",
            of("usr/sbin/slurmctld-wlm")
        );
        let node = format!(
            "{exports}mkdir spool-$name\n{} -D -N $name -d {} > $name.slurmd.said 2>&1 &\n",
            of("usr/sbin/slurmd-wlm"),
            of("usr/sbin/slurmstepd-wlm")
        );
        let plugins = libraries.join("slurm-wlm").display().to_string();
        let configuration = CONFIGURATION.replace("PLUGINS", &plugins);
        let files = [("slurm.conf", configuration.as_str())];
        let all_idle =
            |stage: &Stage| states(stage).is_some_and(|states| states == BTreeSet::from(["idle".into()]));
        Slurm { stage: Stage::start(&NODES, &center, (&node, 1), &files, all_idle) }
    }

    fn run(&self, hosts: &str, agents: u32, repeats: u32) -> Run<'_> {
        self.run_with(hosts, &format!("agents = {agents}\npartition = \"main\"\n"), repeats)
    }

    fn run_with(&self, hosts: &str, section: &str, repeats: u32) -> Run<'_> {
        let section = format!("[fleet.slurm]\npatience = \"5s\"\n{section}");
        Run::start(
            &self.stage,
            hosts,
            &section,
            repeats,
            &variables(&self.stage.path().display().to_string()),
        )
    }

    /// Waits until there is no job, and nothing of an agent on any node.
    #[track_caller]
    fn is_clean(&self, run: &Run<'_>) {
        run.leaves_nothing();
        let jobs = || command(&self.stage, "squeue", &["--noheader"]);
        assert!(
            in_time(|| jobs().is_some_and(|jobs| jobs.is_empty())),
            "{:?}\n{}",
            jobs(),
            self.stage.told()
        );
    }
}

/// What Slurm's programs need in their environment: their configuration, and their own libraries.
fn variables(stage: &str) -> Vec<(&'static str, String)> {
    let libraries = libraries().unwrap();
    vec![
        ("SLURM_CONF", format!("{stage}/slurm.conf")),
        ("LD_LIBRARY_PATH", format!("{0}/slurm-wlm:{0}", libraries.display())),
    ]
}

/// What a command of Slurm answers.
fn command(stage: &Stage, name: &str, arguments: &[&str]) -> Option<String> {
    let variables = variables(&stage.path().display().to_string());
    answered(stage.at_center(name).args(arguments).envs(variables))
}

/// The states that nodes are in.
fn states(stage: &Stage) -> Option<BTreeSet<String>> {
    let said = command(stage, "sinfo", &["--noheader", "--Node", "--format=%T"])?;
    let states: Vec<String> = said.lines().map(|line| line.trim().to_owned()).collect();
    (states.len() == NODES.len()).then(|| states.into_iter().collect())
}

/// How many files with what agents said there are.
fn outputs(run: &Run<'_>) -> usize {
    let names = std::fs::read_dir(run.desk.path()).unwrap().flatten().map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().starts_with("wiredyno-fleet")).count()
}

const HOSTS: &str = "edge = \"node=n1\"\ncloud = \"agent-1\"\n";

/// Three agents of which a study needs two; and a partition that there is not.
pub fn study() {
    let slurm = Slurm::start();
    let run = slurm.run(HOSTS, 3, 1);
    let told = run.ends(Some(0));
    assert!(told.contains("starting 3 agent(s) on their machines"), "{told}");
    slurm.is_clean(&run);
    let summary = run.desk.summary("r");
    let machines: Vec<_> = array(&summary["environment"]["agents"])
        .iter()
        .map(|of| format!("{} {} {}", of["host"], of["name"], of["address"]).replace('"', ""))
        .collect();
    assert_eq!(machines, ["edge agent-0 10.99.0.1", "cloud agent-1 10.99.0.2"]);
    assert_eq!(number(&array(&summary["cells"])[0]["delivery"], "delivered"), 20, "{summary}");
    assert_eq!(outputs(&run), 0);

    let refused = slurm.run_with(HOSTS, "agents = 2\npartition = \"none\"\n", 1);
    let told = refused.ends(Some(1));
    assert!(told.contains("sbatch") && told.contains("invalid partition"), "{told}");
    slurm.is_clean(&refused);
}

/// A fleet that stays for several runs.
pub fn stays() {
    let slurm = Slurm::start();
    let variables = variables(&slurm.stage.path().display().to_string());
    let run = crate::standing::stays(&slurm.stage, HOSTS, "[fleet.slurm]\nagents = 2\n", &variables);
    slurm.is_clean(&run);
}

/// A node is down, so that fewer agents come than the file asks for; then its daemon dies while a job has an agent on it, and the run goes on to its end.
pub fn fewer() {
    let slurm = Slurm::start();
    kill(slurm.stage.machine("n3").daemon("slurmd"), Signal::SIGKILL).unwrap();
    let is_down =
        || states(&slurm.stage).is_some_and(|states| states.iter().any(|state| state.starts_with("down")));
    assert!(in_time(is_down), "{:?}", states(&slurm.stage));
    let run = slurm.run(HOSTS, 3, 3);
    run.is_under_way(&["n1", "n2"]);
    kill(slurm.stage.machine("n2").daemon("slurmd"), Signal::SIGKILL).unwrap();
    run.ends(Some(0));
    slurm.is_clean(&run);
    assert_eq!(number(&array(&run.desk.summary("r")["cells"])[0], "valid_trials"), 3);
}

/// An agent is killed in the middle: the run says so and how it can be resumed, and the job is gone.
pub fn agent_killed() {
    let slurm = Slurm::start();
    let run = slurm.run(HOSTS, 2, 1_000);
    run.is_under_way(&["n1", "n2"]);
    kill(slurm.stage.machine("n2").agent().unwrap(), Signal::SIGKILL).unwrap();
    slurm.stage.machine("n2").has_no_role();
    let told = run.ends(Some(1));
    assert!(told.contains("the agent agent-1 is not connected"), "{told}");
    assert!(told.contains("to continue: wiredyno run --resume r --fleet fleet.toml"), "{told}");
    slurm.is_clean(&run);
}

/// The node on which the job's own script runs is cut off in the middle: what is on both ends, and Slurm has no job any more.
pub fn cut() {
    let slurm = Slurm::start();
    let run = slurm.run(HOSTS, 2, 1_000);
    run.is_under_way(&["n1", "n2"]);
    slurm.stage.link("n1", "down");
    let told = run.ends(Some(1));
    assert!(told.contains("the agent agent-0 is not connected"), "{told}");
    slurm.stage.machine("n1").has_no_agent();
    slurm.stage.link("n1", "up");
    slurm.is_clean(&run);
}

/// Ctrl-C while the job waits, and in the middle of a trial.
pub fn interrupted() {
    let slurm = Slurm::start();
    // It may not begin yet.
    let waits = slurm.run_with(HOSTS, "agents = 3\noptions = [\"--begin=now+1hour\"]\n", 1);
    waits.says("is pending", 1);
    waits.signal(Signal::SIGINT);
    waits.ends(Some(130));
    slurm.is_clean(&waits);
    let late = slurm.run(HOSTS, 2, 1_000);
    late.is_under_way(&["n1", "n2"]);
    late.signal(Signal::SIGINT);
    late.ends(Some(130));
    slurm.is_clean(&late);
}

/// The coordinator is killed: roles end when the lease has lapsed, agents when their patience is over, and the job with them.
pub fn killed() {
    let slurm = Slurm::start();
    let run = slurm.run(HOSTS, 2, 1_000);
    run.is_under_way(&["n1", "n2"]);
    run.signal(Signal::SIGKILL);
    run.ends(None);
    for name in ["n1", "n2"] {
        slurm.stage.machine(name).has_no_role();
    }
    slurm.is_clean(&run);
    // It says how the agents ended, and nobody is there to remove it.
    assert_eq!(outputs(&run), 1);
}
