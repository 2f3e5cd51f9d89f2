//! Agents that are brought by ssh to machines with a server of their own, whose user logs in with a key.

use std::path::Path;

use nix::sys::signal::Signal;

use crate::packages::{libraries, unpacked};
use crate::processes::in_time;
use crate::stage::{Run, Stage, answered};
use crate::stand::{PROGRAM, array, number};

/// What is needed.
pub fn here() -> Result<(), String> {
    if Path::new(PROGRAM).starts_with("/tmp") {
        return Err("this checkout is below /tmp, of which machines have their own".to_owned());
    }
    let programs = ["usr/sbin/sshd", "usr/bin/ssh", "usr/bin/ssh-keygen"];
    programs.iter().try_for_each(|program| unpacked(program).map(drop)).and_then(|()| libraries().map(drop))
}

/// How a machine starts its server: with users of its own, and with folders for temporary files that nothing else uses.
const SERVER: &str = r"
mkdir -p users
printf 'root:x:0:0::/root:/bin/sh\nsshd:x:100:65534::/run/sshd:/usr/sbin/nologin\n' > users/$name.passwd
printf 'root:*:19000:0:99999:7:::\nsshd:!:19000::::::\n' > users/$name.shadow
mount --bind users/$name.passwd /etc/passwd
mount --bind users/$name.shadow /etc/shadow
mount -t tmpfs tmpfs /run
mkdir -m 755 /run/sshd
cp host-key client-key.pub sshd.conf held /run/sshd/
chmod 600 /run/sshd/host-key
chmod 755 /run/sshd/held
mount -t tmpfs -o mode=1777 tmpfs /tmp
LD_LIBRARY_PATH=LIBRARIES SSHD -D -e -f /run/sshd/sshd.conf &
cd /
";

const CONFIGURATION: &str = "
ListenAddress 0.0.0.0:22
HostKey /run/sshd/host-key
AuthorizedKeysFile /run/sshd/client-key.pub
PidFile none
UsePAM no
PasswordAuthentication no
StrictModes no
PermitRootLogin yes
";

/// A program that stands still on one machine when it is asked for its version, until a file is removed.
const HELD: &str = "#!/bin/sh
if [ \"$(hostname)\" = pi2 ]; then
  : > /run/is-held
  while [ -e /run/is-held ]; do sleep 0.1; done
  exit 1
fi
exec PROGRAM \"$@\"
";

/// The user's own configuration. Nobody has the address of `nowhere`.
const CLIENT: &str = "
Host pi1
  HostName 10.99.0.1
Host pi2
  HostName 10.99.0.2
Host nowhere
  HostName 10.99.0.9
Host *
  IdentityFile STAGE/client-key
  IdentitiesOnly yes
  UserKnownHostsFile STAGE/known
";

fn stage() -> Stage {
    let server = unpacked("usr/sbin/sshd").unwrap();
    let daemon = SERVER
        .replace("SSHD", &server.display().to_string())
        .replace("LIBRARIES", &libraries().unwrap().display().to_string());
    // Newer versions start a program for each connection.
    let parts =
        [("SshdSessionPath", "usr/lib/openssh/sshd-session"), ("SshdAuthPath", "usr/lib/openssh/sshd-auth")];
    let parts = parts
        .iter()
        .filter_map(|(word, file)| unpacked(file).ok().map(|path| format!("{word} {}\n", path.display())));
    let configuration = format!("{CONFIGURATION}{}", parts.collect::<String>());
    let center = "
ssh-keygen -q -t ed25519 -N '' -f host-key
ssh-keygen -q -t ed25519 -N '' -f client-key
echo \"* $(cat host-key.pub)\" > known
: > keys
";
    let daemon = format!("until [ -e keys ]; do sleep 0.01; done{daemon}");
    let held = HELD.replace("PROGRAM", PROGRAM);
    let files = [("sshd.conf", configuration.as_str()), ("client.conf", CLIENT), ("held", held.as_str())];
    Stage::start(&["pi1", "pi2"], center, (&daemon, 1), &files, |stage| {
        let client = stage.path().join("client.conf");
        let login = |name: &str| {
            let mut command = stage.at_center("ssh");
            command.arg("-F").arg(&client).args(["-o", "BatchMode=yes", "-o", "User=root", name, "true"]);
            answered(&mut command).is_some()
        };
        client.exists() && stage.path().join("keys").exists() && ["pi1", "pi2"].into_iter().all(login)
    })
}

/// The section of a file for these machines.
fn machines(all: &[&str]) -> String {
    let all: Vec<String> = all.iter().map(|name| format!("\"root@{name}\"")).collect();
    format!(
        "[fleet.ssh]\nmachines = [{}]\noptions = [\"-F\", \"STAGE/client.conf\"]\npatience = \"5s\"\n",
        all.join(", ")
    )
}

const HOSTS: &str = "edge = \"pi1\"\ncloud = \"pi2\"\n";

fn run(stage: &Stage, repeats: u32) -> Run<'_> {
    Run::start(stage, HOSTS, &machines(&["pi1", "pi2"]), repeats, &[])
}

/// What stands in the folders for temporary files of both machines.
fn files(stage: &Stage) -> Vec<String> {
    let folders = ["pi1", "pi2"].map(|name| stage.machine(name).file("/tmp"));
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap().flatten());
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Waits until no machine has anything of an agent: no process, no file.
#[track_caller]
fn becomes_clean(stage: &Stage, run: &Run<'_>) {
    run.leaves_nothing();
    assert!(in_time(|| files(stage).is_empty()), "left: {:?}", files(stage));
}

/// The same after a run that was to remove what it had brought, before its end.
#[track_caller]
fn is_clean(stage: &Stage, run: &Run<'_>) {
    let left: Vec<_> = files(stage).into_iter().filter(|name| name.starts_with("wiredyno-agent")).collect();
    assert!(left.is_empty(), "left: {left:?}\n{}", run.told());
    becomes_clean(stage, run);
}

/// A study of two hosts, with a third machine that is not there and that it does not need.
pub fn study() {
    let stage = stage();
    let run = Run::start(&stage, HOSTS, &machines(&["pi1", "nowhere", "pi2"]), 1, &[]);
    let told = run.ends(Some(0));
    assert!(told.contains("starting 3 agent(s) on their machines"), "{told}");
    is_clean(&stage, &run);
    let summary = run.desk.summary("r");
    let machines: Vec<_> = array(&summary["environment"]["agents"])
        .iter()
        .map(|of| format!("{} {} {}", of["host"], of["name"], of["address"]).replace('"', ""))
        .collect();
    assert_eq!(machines, ["edge pi1 10.99.0.1", "cloud pi2 10.99.0.2"]);
    assert_eq!(number(&array(&summary["cells"])[0]["delivery"], "delivered"), 20, "{summary}");
}

/// A fleet that stays for several runs.
pub fn stays() {
    let stage = stage();
    let run = crate::standing::stays(&stage, HOSTS, &machines(&["pi1", "pi2"]), &[]);
    is_clean(&stage, &run);
}

/// A machine that the study needs and that is not there: the run ends at once, and takes back what it has brought to the other.
pub fn unreached() {
    let stage = stage();
    let hosts = "edge = \"pi1\"\ncloud = \"nowhere\"\n";
    let run = Run::start(&stage, hosts, &machines(&["pi1", "nowhere"]), 1, &[]);
    let told = run.ends(Some(1));
    assert!(told.contains("the agent `nowhere`, needed as cloud, is gone"), "{told}");
    assert!(told.contains("ssh root@nowhere") && told.contains("10.99.0.9"), "{told}");
    is_clean(&stage, &run);
    assert!(!run.desk.file("r").exists());
}

/// Ctrl-C while agents are brought to their machines, and in the middle of a trial.
pub fn interrupted() {
    let stage = stage();
    let early = run(&stage, 1_000);
    early.says("starting 2 agent(s)", 1);
    assert!(in_time(|| !files(&stage).is_empty()), "{}", early.told());
    early.signal(Signal::SIGINT);
    early.ends(Some(130));
    is_clean(&stage, &early);
    let late = run(&stage, 1_000);
    late.is_under_way(&["pi1", "pi2"]);
    late.signal(Signal::SIGINT);
    let told = late.ends(Some(130));
    assert!(told.contains("Interrupted"), "{told}");
    is_clean(&stage, &late);
}

/// The coordinator is killed while it brings agents to their machines, and in the middle of a trial: roles end when the lease has lapsed, agents when their patience is
/// over, and the machines clean up by themselves.
pub fn killed() {
    let stage = stage();
    let early = run(&stage, 1_000);
    assert!(in_time(|| files(&stage).len() >= 2), "{}", early.told());
    early.signal(Signal::SIGKILL);
    early.ends(None);
    becomes_clean(&stage, &early);
    let late = run(&stage, 1_000);
    late.is_under_way(&["pi1", "pi2"]);
    late.signal(Signal::SIGKILL);
    late.ends(None);
    for name in ["pi1", "pi2"] {
        stage.machine(name).has_no_role();
    }
    becomes_clean(&stage, &late);
}

/// A machine is cut off while it is given its agent, and in the middle of a trial: the run says so, and how it can be resumed, and what is there ends by itself.
pub fn cut() {
    let stage = stage();
    let section = format!("{}program = \"/run/sshd/held\"\n", machines(&["pi1", "pi2"]));
    let early = Run::start(&stage, HOSTS, &section, 1, &[]);
    let held = stage.machine("pi2").file("/run/is-held");
    assert!(in_time(|| held.exists()), "{}", early.told());
    stage.link("pi2", "down");
    let told = early.ends(Some(1));
    assert!(
        told.contains("ssh root@pi2: exit status: 255: Timeout, server 10.99.0.2 not responding"),
        "{told}"
    );
    stage.link("pi2", "up");
    std::fs::remove_file(held).unwrap();
    becomes_clean(&stage, &early);
    let run = run(&stage, 1_000);
    run.is_under_way(&["pi1", "pi2"]);
    stage.link("pi2", "down");
    let told = run.ends(Some(1));
    assert!(told.contains("the agent pi2 is not connected"), "{told}");
    assert!(told.contains("to continue: wiredyno run --resume r --fleet fleet.toml"), "{told}");
    assert!(told.contains("the agent on root@pi2 may still be running until its lease expires"), "{told}");
    becomes_clean(&stage, &run);
}
