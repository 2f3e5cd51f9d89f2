//! Which broker serves a run.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use wiredyno_store::RunFolder;
use wiredyno_transport_stand::{NOBODY, free_port};

use crate::processes::in_time;
use crate::stand::{CACHE, Desk, HOME, PROGRAM, array, assert_accounted, mode, said};

/// A mosquitto that the test starts on loopback, ended when dropped.
struct Mosquitto {
    child: Child,
    port: u16,
}

impl Mosquitto {
    fn start(desk: &Desk) -> Self {
        let port = free_port().unwrap();
        let user = said(Command::new("id").arg("-un")).well();
        let settings =
            format!("listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nuser {user}\n");
        std::fs::write(desk.file("mosquitto.conf"), settings).unwrap();
        let mut command = Command::new("mosquitto");
        command.arg("-c").arg(desk.file("mosquitto.conf")).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        assert!(in_time(|| TcpStream::connect(("127.0.0.1", port)).is_ok()));
        Mosquitto { child, port }
    }
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn external() {
    let desk = Desk::for_runs();
    let mut mosquitto = Mosquitto::start(&desk);
    // By host name: the runners themselves get only addresses.
    let broker = format!("mqtt=localhost:{}", mosquitto.port);
    let text = desk.wiredyno(&["run", "tiny.toml", "--out", "r", "--broker", &broker]).well();
    assert!(text.contains("not started by this run"), "{text}");
    let summary = desk.summary("r");
    assert_accounted(&summary, 2);
    for cell in array(&summary["cells"]) {
        let expected = if mode(cell).starts_with("mqtt") { "external" } else { "relay" };
        assert_eq!(cell["broker"]["id"], expected, "{cell}");
    }
    assert!(matches!(mosquitto.child.try_wait(), Ok(None)), "the run ended a broker that is not its own");
    let options = ["--broker", &broker, "--set", "link=lan"];
    let error = desk.wiredyno(&[&["run", "tiny.toml", "--out", "s"], &options[..]].concat()).refused(2);
    assert!(error.contains("an emulated link cannot reach"), "{error}");
}

pub fn absent() {
    let desk = Desk::for_runs();
    let port = NOBODY.port();
    let broker = format!("mqtt={NOBODY}");
    let options = ["--broker", &broker, "--set", "mode=mqtt:qos1,udp"];
    let said = desk.wiredyno(&[&["run", "tiny.toml", "--out", "r"], &options[..]].concat());
    assert_eq!(said.code, Some(3), "{}", said.err);
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("can't connect to 127.0.0.1:{port}")), "{text}");
    for cell in array(&desk.summary("r")["cells"]) {
        let valid = if mode(cell) == "udp" { 2 } else { 0 };
        assert_eq!(cell["valid_trials"], valid, "{cell}");
    }
}

pub fn managed() {
    let desk = Desk::for_runs();
    let set = ["--set", "mode=mqtt:qos1", "--set", "trials.repeats=1"];
    desk.wiredyno(&[&["run", "tiny.toml", "--out", "r"], &set[..]].concat()).well();
    let listed = desk.wiredyno(&["list", "brokers", "--json"]).json();
    let mosquitto = array(&listed).iter().find(|broker| broker["id"] == "mosquitto").unwrap();
    assert_eq!(mosquitto["installed"], true, "{mosquitto}");
    for cell in array(&desk.summary("r")["cells"]) {
        assert_eq!(cell["broker"]["id"], "mosquitto", "{cell}");
        assert_eq!(cell["broker"]["version"], mosquitto["version"], "{cell}");
    }
}

/// A user's folder replaces the bundled one of that name.
pub fn lifetimes() {
    let desk = Desk::for_runs();
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../brokers/mosquitto");
    let own = desk.file("brokers/mosquitto");
    std::fs::create_dir_all(&own).unwrap();
    for file in std::fs::read_dir(&bundled).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), own.join(file.file_name())).unwrap();
    }
    let text = std::fs::read_to_string(bundled.join("broker.toml")).unwrap();
    let set = ["--set", "mode=mqtt:qos0,mqtt:qos1", "--set", "trials.repeats=3"];
    // An invalid trial would add one more, so no limit on the machine's quiet applies.
    let calm = ["--set", "limits.utilisation=off", "--set", "trials.retries=0"];
    for (lifetime, data) in [("trial", "disk"), ("cell", "memory"), ("run", "memory")] {
        let keys = format!("lifetime = \"{lifetime}\"\ndata = \"{data}\"\nprogram =");
        std::fs::write(own.join("broker.toml"), text.replacen("program =", &keys, 1)).unwrap();
        desk.wiredyno(&[&["run", "tiny.toml", "--out", lifetime], &set[..], &calm[..]].concat()).well();
        let trials = RunFolder::open(&desk.file(lifetime)).unwrap().read_trials().unwrap().messages;
        let mut cells = BTreeMap::<String, Vec<u32>>::new();
        for trial in &trials {
            let served = trial.record.set_up.broker_served_trials.unwrap();
            cells.entry(trial.record.cell.to_string()).or_default().push(served);
        }
        for (cell, served) in &cells {
            match lifetime {
                "trial" => assert_eq!(*served, [0, 0, 0], "{cell}"),
                "cell" => assert_eq!(*served, [0, 1, 2], "{cell}"),
                // The order of cells is random in each repeat.
                _ => {
                    assert!(served.iter().zip(0..).all(|(of, repeat)| of / 4 == repeat), "{cell} {served:?}")
                }
            }
        }
        for trial in &trials {
            let storage = &trial.record.broker.as_ref().unwrap().storage;
            assert!(!storage.is_empty() && (data == "disk" || storage == "tmpfs"), "{lifetime} {storage:?}");
        }
    }
}

/// A broker whose first process ignores signals and leaves another one behind.
pub fn stubborn() {
    let desk = Desk::for_runs();
    let own = desk.file("brokers/stubborn");
    std::fs::create_dir_all(&own).unwrap();
    let configuration =
        "listener {port} {address}\nallow_anonymous true\nset_tcp_nodelay true\nuser {user}\n";
    std::fs::write(own.join("mosquitto.conf"), configuration).unwrap();
    let definition = r#"
        id = "stubborn"
        about = "does not end"
        protocols = ["mqtt"]
        program = "sh"
        paths = ["/usr/sbin"]
        arguments = ["-c", "trap '' TERM; PATH=$PATH:/usr/sbin; mosquitto -c {folder}/mosquitto.conf & while :; do sleep 1; done"]
        files = ["mosquitto.conf"]
        stop = { signal = "TERM", patience = "300ms" }
        version = { arguments = ["-c", "echo version 1"], prefix = "version" }
        install = { command = "true" }
    "#;
    std::fs::write(own.join("broker.toml"), definition).unwrap();
    let set = ["--set", "mode=mqtt:qos1", "--set", "broker=stubborn", "--set", "trials.repeats=2"];
    desk.wiredyno(&[&["run", "tiny.toml", "--out", "r"], &set[..]].concat()).well();
    assert_accounted(&desk.summary("r"), 2);
    let folder = "/stubborn-";
    let left = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let mut lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
        lines.any(|line| String::from_utf8_lossy(&line).contains(folder))
    };
    assert!(!left(), "a process of the broker's is left");
}

/// The program in a mount namespace without a usable mosquitto and without any broker's jars; nothing changes outside it.
pub fn without_brokers(desk: &Desk, arguments: &[&str]) -> Command {
    let script = "for folder in $(echo \"$PATH\" | tr : ' ') /usr/sbin /usr/local/sbin; do \
                  test -f $folder/mosquitto && mount --bind /dev/null $folder/mosquitto; done; \
                  jars=\"$XDG_CACHE_HOME/wiredyno/brokers\"; test -d \"$jars\" && mount -t tmpfs none \"$jars\"; exec \"$0\" \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, PROGRAM]).args(arguments);
    command.current_dir(desk.path()).stdin(Stdio::null()).env(CACHE, HOME);
    command
}

/// Whether the embedded broker is in the program's folder.
pub fn beside() -> Result<(), String> {
    let here = Path::new(PROGRAM).with_file_name("wiredyno-broker-rumqttd").is_file();
    here.then_some(()).ok_or_else(|| "`make broker` builds the one beside the program".to_owned())
}

pub fn embedded() {
    let desk = Desk::for_runs();
    let without = |arguments: &[&str]| said(&mut without_brokers(&desk, arguments));
    let listed = without(&["list", "brokers"]).well();
    assert!(listed.contains("not installed: sudo apt-get install mosquitto"), "{listed}");
    let set = ["--set", "link=lan", "--set", "loss=5%", "--set", "mode=mqtt:qos0,mqtt:qos1,mqtt:qos2"];
    let text = without(&[&["run", "tiny.toml", "--out", "r"], &set[..]].concat()).well();
    let label = "embedded, for a first look";
    assert_eq!(text.matches(label).count(), 1, "{text}");
    let summary = desk.summary("r");
    assert_accounted(&summary, 2);
    for cell in array(&summary["cells"]) {
        assert_eq!((&cell["broker"]["id"], &cell["broker"]["label"]), (&"rumqttd".into(), &label.into()));
        assert_eq!(
            (&cell["delivery"]["lost"], &cell["delivery"]["duplicated"]),
            (&0.into(), &0.into()),
            "{cell}"
        );
    }
    assert!(std::fs::read_to_string(desk.file("r/report.html")).unwrap().contains(label));
}
