//! Agents in the pods of a Kubernetes whose control plane is where the coordinator is, with a real kubelet and containerd on each of two nodes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::sys::signal::{Signal, kill};

use crate::packages::{folder, path, unpacked};
use crate::processes::in_time;
use crate::stage::{Run, Stage, answered};
use crate::stand::{PROGRAM, array, number, said};

const NODES: [&str; 2] = ["n1", "n2"];

/// The environment variable with the folder of the programs that `make test-kubernetes` has built.
const BUILT: &str = "WIREDYNO_TEST_KUBERNETES";

/// How the names of the nodes' control groups begin, with the number of this process behind it.
const GROUP: &str = "wiredyno-test-";

/// What is needed.
pub fn here() -> Result<(), String> {
    let built = std::env::var_os(BUILT).ok_or_else(|| "make test-kubernetes".to_owned())?;
    if !Path::new(&built).join("kubelet").exists() {
        return Err(format!("{BUILT}: no Kubernetes is there"));
    }
    let programs =
        ["usr/bin/etcd", "usr/bin/containerd", "usr/bin/ctr", "usr/sbin/runc", "usr/lib/cni/bridge"];
    programs.iter().try_for_each(|program| unpacked(program).map(drop))
}

/// What holds a pod's namespaces: a program that does nothing.
const PAUSE: &str = "#include <unistd.h>\nint main(void) { for (;;) pause(); }\n";

/// The image of agents, as nodes know it.
const IMAGE: &str = "localhost/wiredyno:test";

/// Two nodes that are ready, at a stage.
struct Kubernetes {
    // Dropped in this order: the nodes end before their groups are removed.
    stage: Stage,
    _groups: Groups,
    /// A control plane and two kubelets are enough for a machine.
    _alone: MutexGuard<'static, ()>,
}

static ALONE: Mutex<()> = Mutex::new(());

/// The control groups of the nodes, which are the machine's: the beginning of their names.
struct Groups(String);

impl Groups {
    /// Those of this process, when those are removed that a killed one has left.
    fn new() -> Self {
        let is_over = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let number = name.trim_start_matches(GROUP).split('-').next().unwrap_or_default().to_owned();
            !Path::new("/proc").join(number).exists()
        };
        groups(GROUP).into_iter().filter(is_over).for_each(|group| remove(&group));
        Groups(format!("{GROUP}{}-", std::process::id()))
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        // What has been killed leaves its group a moment later.
        let is_gone = || {
            groups(&self.0).iter().for_each(|group| remove(group));
            groups(&self.0).is_empty()
        };
        assert!(in_time(is_gone) || std::thread::panicking(), "left: {:?}", groups(&self.0));
    }
}

/// All control groups whose names begin so, of each hierarchy.
fn groups(start: &str) -> Vec<PathBuf> {
    let root = PathBuf::from("/sys/fs/cgroup");
    let is_one =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
    let below = |folder: &PathBuf| folders(folder).into_iter().filter(is_one);
    below(&root).chain(folders(&root).iter().flat_map(below)).collect()
}

fn folders(below: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(below).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

/// Removes a group with those below it, as far as they are empty.
fn remove(group: &Path) {
    folders(group).iter().for_each(|below| remove(below));
    let _ = std::fs::remove_dir(group);
}

fn built() -> PathBuf {
    PathBuf::from(std::env::var_os(BUILT).unwrap())
}

/// The images that nodes have: of agents, made by the program, and of what holds a pod's namespaces.
fn images(at: &Path) -> [PathBuf; 2] {
    let [agent, pause, source, program] =
        ["agent.tar", "pause.tar", "pause.c", "pause"].map(|name| at.join(name));
    said(Command::new(PROGRAM).args(["fleet", "image", "--name", IMAGE]).arg(&agent)).well();
    std::fs::write(&source, PAUSE).unwrap();
    said(Command::new("cc").arg("-static").arg("-o").arg(&program).arg(source)).well();
    wiredyno_fleet::image::write(&pause, "localhost/pause:1", &program, &[]).unwrap();
    [agent, pause]
}

impl Kubernetes {
    fn start() -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let groups = Groups::new();
        let desk = tempfile::tempdir().unwrap();
        let [agent, pause] = images(desk.path()).map(|path| path.display().to_string());
        let filled = |text: &str| {
            text.replace("CLUSTER", &built().display().to_string())
                .replace("FLEET", &folder().canonicalize().unwrap().display().to_string())
                .replace("GROUP", &groups.0)
                .replace("IMAGES", &format!("{pause} {agent}"))
        };
        let (center, daemon) =
            (filled(include_str!("kubernetes/center.sh")), filled(include_str!("kubernetes/daemon.sh")));
        let all_ready = |stage: &Stage| {
            let nodes = kubectl(stage, &["get", "nodes", "--no-headers"]).unwrap_or_default();
            let account = kubectl(stage, &["get", "serviceaccounts", "default", "-o", "name"]);
            let ready = nodes.lines().filter(|line| line.contains(" Ready ")).count();
            // Pods are kept away from a node until a moment after it is ready.
            let taints = kubectl(stage, &["get", "nodes", "-o", "jsonpath={.items[*].spec.taints}"]);
            ready == NODES.len() && account.is_some() && taints.is_some_and(|taints| taints.is_empty())
        };
        let stage = Stage::start(&NODES, &center, (&daemon, 2), &[], all_ready);
        Kubernetes { stage, _groups: groups, _alone: alone }
    }

    fn run(&self, section: &str, repeats: u32) -> Run<'_> {
        let section = format!("[fleet.kubernetes]\nimage = \"{IMAGE}\"\npatience = \"5s\"\n{section}");
        Run::start(&self.stage, HOSTS, &section, repeats, &variables(&self.stage))
    }

    fn kubectl(&self, words: &[&str]) -> String {
        kubectl(&self.stage, words).unwrap_or_else(|| panic!("kubectl {words:?}"))
    }

    /// Waits until the cluster has nothing of a fleet, and no node anything of an agent.
    #[track_caller]
    fn is_clean(&self, run: &Run<'_>) {
        let left = || self.kubectl(&["get", "jobs,pods,secrets", "-A", "-l", "wiredyno-fleet", "-o", "name"]);
        assert!(in_time(|| left().is_empty()), "{}\n{}", left(), run.told());
        run.leaves_nothing();
    }
}

/// What kubectl needs in its environment.
fn variables(stage: &Stage) -> Vec<(&'static str, String)> {
    let programs =
        std::env::join_paths(std::iter::once(built()).chain(std::env::split_paths(&path()))).unwrap();
    let at = stage.path().display();
    vec![
        ("PATH", programs.to_string_lossy().into_owned()),
        ("KUBECONFIG", format!("{at}/admin.conf")),
        ("KUBECACHEDIR", format!("{at}/kubectl")),
    ]
}

fn kubectl(stage: &Stage, words: &[&str]) -> Option<String> {
    answered(stage.at_center("kubectl").args(words).envs(variables(stage)))
}

const HOSTS: &str = "edge = \"node=n1\"\ncloud = \"node=n2\"\n";

/// The pod of an agent on a node.
fn pod_on(kubernetes: &Kubernetes, node: &str) -> String {
    let of = format!("spec.nodeName={node}");
    kubernetes.kubectl(&["get", "pods", "--field-selector", &of, "-o", "jsonpath={.items[0].metadata.name}"])
}

/// A study of two hosts over the pods' own network, and over that of the nodes, with manifests of the user's own. What is created shows no invitation.
pub fn study() {
    let kubernetes = Kubernetes::start();
    let run =
        kubernetes.run("agents = 2\nrequests = { cpu = \"50m\" }\nlimits = { memory = \"300Mi\" }\n", 3);
    run.is_under_way(&NODES);
    let shown = kubernetes.kubectl(&["get", "jobs,pods,events", "-o", "json"]);
    let secret = kubernetes.kubectl(&["get", "secrets", "-o", "jsonpath={.items[*].data.invitations}"]);
    assert!(!secret.is_empty() && !shown.contains(&secret) && !shown.contains("10.99.0.254:"), "{shown}");
    let told = run.ends(Some(0));
    assert!(told.contains("starting 2 agent(s) on their machines"), "{told}");
    kubernetes.is_clean(&run);
    assert_eq!(addresses(&run), ["edge 10.100.1", "cloud 10.100.2"]);
    assert_eq!(number(&array(&run.desk.summary("r")["cells"])[0]["delivery"], "delivered"), 60);

    let folder = kubernetes.stage.path().join("own");
    said(Command::new(PROGRAM).args(["fleet", "manifests"]).arg(&folder)).well();
    // In a namespace that the manifests have.
    kubernetes.kubectl(&["create", "namespace", "bench"]);
    append(&folder.join("kustomization.yaml"), "namespace: bench\n");
    let section = "agents = 2\nhost_network = true\nmanifests = \"STAGE/own\"\n[fleet.kubernetes.labels]\nteam = \"bench\"\n";
    let own = kubernetes.run(section, 1);
    own.ends(Some(0));
    kubernetes.is_clean(&own);
    assert_eq!(addresses(&own), ["edge 10.99.0.1", "cloud 10.99.0.2"]);
}

fn append(file: &Path, text: &str) {
    let before = std::fs::read_to_string(file).unwrap();
    std::fs::write(file, before + text).unwrap();
}

/// A fleet that stays for several runs.
pub fn stays() {
    let kubernetes = Kubernetes::start();
    let section = format!("[fleet.kubernetes]\nagents = 2\nimage = \"{IMAGE}\"\n");
    let run = crate::standing::stays(&kubernetes.stage, HOSTS, &section, &variables(&kubernetes.stage));
    kubernetes.is_clean(&run);
}

/// Where the hosts of a run were: of an address of a pod only the network.
fn addresses(run: &Run<'_>) -> Vec<String> {
    let summary = run.desk.summary("r");
    let address = |of: &serde_json::Value| {
        let address = of["address"].as_str().unwrap();
        let shown =
            if address.starts_with("10.100.") { address.rsplit_once('.').unwrap().0 } else { address };
        format!("{} {shown}", of["host"].as_str().unwrap())
    };
    array(&summary["environment"]["agents"]).iter().map(address).collect()
}

/// An image that can't be had, one without the program, a quota, a rule of the namespace, nodes that there are not, among all and for a host; and more agents than the quota admits, of which a study needs fewer.
pub fn refused() {
    let kubernetes = Kubernetes::start();
    let ends = |section: &str, why: &[&str]| {
        let run = kubernetes.run(section, 1);
        let told = run.ends(Some(1));
        assert!(why.iter().all(|why| told.contains(why)), "{why:?} in {told}");
        kubernetes.is_clean(&run);
    };
    ends("agents = 2\nnamespace = \"none\"\n", &["namespaces \"none\" not found"]);
    // Nothing answers at that address.
    let own = kubernetes.stage.path().join("own");
    said(Command::new(PROGRAM).args(["fleet", "manifests"]).arg(&own)).well();
    let job = std::fs::read_to_string(own.join("job.yaml")).unwrap();
    std::fs::write(own.join("job.yaml"), job.replace("[\"wiredyno\"]", "[\"nothing\"]")).unwrap();
    ends("agents = 2\nmanifests = \"STAGE/own\"\n", &["it could not be started on n1", "\"nothing\""]);
    // What is not the fleet's own is neither created nor removed.
    kubernetes.kubectl(&["create", "namespace", "production"]);
    let text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: production}\n";
    std::fs::write(own.join("namespace.yaml"), text).unwrap();
    append(&own.join("kustomization.yaml"), "- namespace.yaml\n");
    ends("agents = 2\nmanifests = \"STAGE/own\"\n", &["`Namespace/production` is in the manifests"]);
    let phase = ["get", "namespace", "production", "-o", "jsonpath={.status.phase}"];
    assert_eq!(kubernetes.kubectl(&phase), "Active");

    kubernetes.kubectl(&["create", "namespace", "strict"]);
    kubernetes.kubectl(&["label", "namespace", "strict", "pod-security.kubernetes.io/enforce=restricted"]);
    let section = "agents = 2\nnamespace = \"strict\"\nhost_network = true\n";
    ends(section, &["violates PodSecurity", "hostNetwork=true"]);

    kubernetes.kubectl(&["create", "quota", "few", "--hard=pods=2"]);
    let fewer = kubernetes.run("agents = 3\n", 1);
    fewer.ends(Some(0));
    kubernetes.is_clean(&fewer);
    kubernetes.kubectl(&["delete", "quota", "few"]);
    kubernetes.kubectl(&["create", "quota", "few", "--hard=pods=1"]);
    let waits = kubernetes.run("agents = 2\n", 1);
    waits.says("exceeded quota", 1);
    waits.signal(Signal::SIGINT);
    waits.ends(Some(130));
    kubernetes.is_clean(&waits);
    kubernetes.kubectl(&["delete", "quota", "few"]);

    let nowhere = kubernetes.run("agents = 2\nnode_selector = { disk = \"ssd\" }\n", 1);
    nowhere.says("no node takes its pod: 0/2 nodes are available", 1);
    nowhere.signal(Signal::SIGINT);
    nowhere.ends(Some(130));
    kubernetes.is_clean(&nowhere);
    elsewhere(&kubernetes);
    pulled(&kubernetes);
}

/// A host on a node that has no agent, although all have joined.
fn elsewhere(kubernetes: &Kubernetes) {
    let section = format!("[fleet.kubernetes]\nagents = 2\nimage = \"{IMAGE}\"\n");
    let hosts = "edge = \"node=n1\"\ncloud = \"node=n9\"\n";
    let run = Run::start(&kubernetes.stage, hosts, &section, 1, &variables(&kubernetes.stage));
    let told = run.ends(Some(1));
    assert!(told.contains("asks for another one, `node=n9`: they are agent-"), "{told}");
    kubernetes.is_clean(&run);
}

/// An image that nodes don't have, from a registry where nothing answers.
fn pulled(kubernetes: &Kubernetes) {
    let section = "[fleet.kubernetes]\nagents = 2\nimage = \"127.0.0.1:9/wiredyno:1\"\n";
    let run = Run::start(&kubernetes.stage, HOSTS, section, 1, &variables(&kubernetes.stage));
    let told = run.ends(Some(1));
    assert!(told.contains("the image 127.0.0.1:9/wiredyno:1 can't be pulled"), "{told}");
    assert!(told.contains("connection refused"), "{told}");
    kubernetes.is_clean(&run);
}

/// An agent is killed in the middle of a trial, and a pod is evicted: the run says so and how it can be resumed, and the cluster has nothing of it.
pub fn lost() {
    let kubernetes = Kubernetes::start();
    let run = kubernetes.run("agents = 2\n", 1_000);
    run.is_under_way(&NODES);
    kill(kubernetes.stage.machine("n2").agent().unwrap(), Signal::SIGKILL).unwrap();
    let told = run.ends(Some(1));
    assert!(told.contains("is not connected") && told.contains("it was killed on n2"), "{told}");
    assert!(told.contains("to continue: wiredyno run --resume r --fleet fleet.toml"), "{told}");
    kubernetes.is_clean(&run);

    let run = kubernetes.run("agents = 2\n", 1_000);
    run.is_under_way(&NODES);
    kubernetes.kubectl(&["drain", "n1", "--force", "--delete-emptydir-data"]);
    let told = run.ends(Some(1));
    assert!(told.contains("is not connected") && told.contains("its pod was removed"), "{told}");
    kubernetes.kubectl(&["uncordon", "n1"]);
    kubernetes.is_clean(&run);
}

/// A node is cut off in the middle: what is on it ends by itself, and its pod goes when it is back.
pub fn cut() {
    let kubernetes = Kubernetes::start();
    let run = kubernetes.run("agents = 2\n", 1_000);
    run.is_under_way(&NODES);
    let pod = pod_on(&kubernetes, "n2");
    kubernetes.stage.link("n2", "down");
    let told = run.ends(Some(1));
    assert!(told.contains("is not connected"), "{told}");
    assert!(told.contains(&format!("pod {pod} on n2 is deleted, and has not ended yet")), "{told}");
    kubernetes.stage.machine("n2").has_no_agent();
    kubernetes.stage.link("n2", "up");
    kubernetes.is_clean(&run);
}

/// Ctrl-C as soon as there is a job, and in the middle of a trial; and the coordinator is killed: roles end when the lease has lapsed, agents when their patience is over, and the cluster
/// removes their job.
pub fn ended() {
    let kubernetes = Kubernetes::start();
    let early = kubernetes.run("agents = 2\n", 1_000);
    early.says("starting 2 agent(s)", 1);
    early.signal(Signal::SIGINT);
    early.ends(Some(130));
    kubernetes.is_clean(&early);
    let late = kubernetes.run("agents = 2\n", 1_000);
    late.is_under_way(&NODES);
    late.signal(Signal::SIGINT);
    late.ends(Some(130));
    kubernetes.is_clean(&late);
    let killed = kubernetes.run("agents = 2\n", 1_000);
    killed.is_under_way(&NODES);
    killed.signal(Signal::SIGKILL);
    killed.ends(None);
    NODES.iter().for_each(|name| kubernetes.stage.machine(name).has_no_role());
    let left = || kubernetes.kubectl(&["get", "jobs,pods,secrets", "-l", "wiredyno-fleet", "-o", "name"]);
    assert!(in_time(|| left().is_empty()), "{}", left());
    kubernetes.stage.is_left_clean();
}
