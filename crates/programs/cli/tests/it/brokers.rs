//! Brokers as users see them: folders found next to a study, named on an axis, fetched by Maven, given by address
//! with a login. Measured ones are in `physical` and in the conformance suite of transports.

use std::path::PathBuf;

use crate::stand::{self, CACHE, Desk, array, programs, said};
use serde_json::Value;

/// The SHA-256 of `one\n` and of `two\n`, as sha256sum prints them.
const SUMS: &str = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806  toy-broker-1.2.jar\n\
                    27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a  other.jar\n";

/// Puts the files into `-DoutputDirectory` that Maven would.
const MAVEN: &str = r#"for word in "$@"; do case $word in -DoutputDirectory=*) out=${word#*=};; esac; done
mkdir -p "$out"; echo one > "$out/toy-broker-1.2.jar"; echo two > "$out/other.jar""#;

const TOML: &str = "id = \"toy\"\nabout = \"a toy\"\nprotocols = [\"mqtt\"]\nprogram = \"sh\"\narguments = []\n\
                    nodes = [1, 3]\n[version]\njar = \"toy-broker-\"\n[install]\nmaven = \"pom.xml\"\n";

/// A folder `brokers/toy` in the working directory.
fn toy(desk: &Desk, sums: &str) {
    let folder = desk.file("brokers/toy");
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in [("broker.toml", TOML), ("pom.xml", "<project/>"), ("SHA256SUMS", sums)] {
        std::fs::write(folder.join(file), text).unwrap();
    }
}

/// Installs the toy with the test's own cache and this script in place of Maven.
fn install(desk: &Desk, maven: Option<&str>) -> stand::Said {
    let scripts: Vec<(&str, &str)> = maven.map(|text| ("mvn", text)).into_iter().collect();
    let path = programs(desk, &scripts);
    // The scripts need a shell and what it calls, and must not find this machine's Maven.
    for program in ["sh", "mkdir"] {
        let found =
            said(std::process::Command::new("sh").args(["-c", &format!("command -v {program}")])).well();
        let link = desk.file("programs").join(program);
        let _ = std::os::unix::fs::symlink(found.trim(), link);
    }
    said(desk.command(&["doctor", "--install", "toy"]).env("PATH", path).env(CACHE, desk.file("cache")))
}

fn listed(desk: &Desk) -> Value {
    let listed = said(desk.command(&["list", "brokers", "--json"]).env(CACHE, desk.file("cache"))).json();
    array(&listed).iter().find(|entry| entry["id"] == "toy").unwrap().clone()
}

fn left(desk: &Desk) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(desk.file("cache/wiredyno/brokers")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

#[test]
fn a_folder_in_the_working_directory_is_a_broker_and_maven_brings_its_library_checked_by_hash() {
    let desk = Desk::new();
    toy(&desk, SUMS);
    assert_eq!(
        (&listed(&desk)["installed"], &listed(&desk)["install"]),
        (&false.into(), &"wiredyno doctor --install toy".into())
    );
    let told = install(&desk, Some(MAVEN)).well();
    assert!(told.starts_with("toy 1.2: "), "{told}");
    assert_eq!((&listed(&desk)["installed"], &listed(&desk)["version"]), (&true.into(), &"1.2".into()));
    // It is installed: nothing is fetched again.
    install(&desk, Some("exit 1")).well();
    assert_eq!(left(&desk).len(), 1);
}

#[test]
fn a_file_that_is_another_one_too_many_or_missing_refuses_the_whole() {
    let first = SUMS.lines().next().unwrap();
    let with = |sums: &str, maven: &str| {
        let desk = Desk::new();
        toy(&desk, sums);
        let error = install(&desk, Some(maven)).refused(1);
        assert_eq!(left(&desk), Vec::<PathBuf>::new(), "{error}");
        assert_eq!(listed(&desk)["installed"], false);
        error
    };
    assert!(with(SUMS, &MAVEN.replace("echo two", "echo too")).contains("other.jar has the hash"));
    assert!(with(&format!("{first}\n"), MAVEN).contains("other.jar is not in SHA256SUMS"));
    assert!(with(&format!("{SUMS}{}  third.jar\n", "0".repeat(64)), MAVEN).contains("third.jar is missing"));
    let error = with(SUMS, "echo 'no route to the registry' >&2; exit 1");
    assert!(error.contains("mvn dependency:copy-dependencies") && error.contains("no route"), "{error}");
}

#[test]
fn what_can_not_be_installed_says_what_to_type() {
    let desk = Desk::new();
    toy(&desk, SUMS);
    let error = install(&desk, None).refused(1);
    assert!(error.contains("needs `mvn`: sudo apt-get install maven"), "{error}");
    let error = desk.wiredyno(&["doctor", "--install", "mosquitto"]).refused(1);
    assert!(error.contains("sudo apt-get install mosquitto"), "{error}");
    let error = desk.wiredyno(&["doctor", "--install", "mosquito"]).refused(2);
    assert!(error.contains("did you mean `mosquitto`?"), "{error}");
}

#[test]
fn a_broken_folder_is_refused_with_its_line() {
    let desk = Desk::new();
    toy(&desk, SUMS);
    std::fs::write(desk.file("brokers/toy/broker.toml"), TOML.replace("protocols", "protocol")).unwrap();
    let error = desk.wiredyno(&["list", "brokers"]).refused(1);
    assert!(
        error.contains("brokers/toy/broker.toml:3") && error.contains("did you mean `protocols`?"),
        "{error}"
    );
}

#[test]
fn brokers_are_an_axis_and_what_is_not_installed_is_not_run_with_the_line_that_helps() {
    let desk = Desk::new();
    toy(&desk, SUMS);
    let dry = |set: &str| {
        let mut command = desk.command(&["run", "tiny.toml", "--dry-run", "--json", "--set", set]);
        said(command.env(CACHE, desk.file("cache")))
    };
    let planned = dry("broker=toy@3").json();
    let not_run = array(&planned["not_run"]);
    let of_mqtt: Vec<&Value> =
        not_run.iter().filter(|one| one["what"].as_str().unwrap().contains("mqtt:")).collect();
    assert_eq!(of_mqtt.len(), 6, "{planned}");
    for one in of_mqtt {
        assert!(one["what"].as_str().unwrap().contains(" by toy@3 "), "{one}");
        assert!(one["why"].as_str().unwrap().contains("wiredyno doctor --install toy"), "{one}");
        assert_eq!(one["install"], "wiredyno doctor --install toy", "{one}");
    }
    for (set, code, part) in [
        ("broker=toy@2", 1, "the broker `toy` can't have 2 nodes, only 1 or 3: write toy@1 or toy@3"),
        ("broker=toys", 2, "did you mean `toy`?"),
        ("broker=toy,toy", 2, "names `toy` twice"),
    ] {
        let error = dry(set).refused(code);
        assert!(error.contains(part), "{error}");
    }
    let error = dry("broker=peer").refused(2);
    assert!(
        error.contains("`peer`, which serves amqp-1-0 and dds, and the study has no mode of it"),
        "{error}"
    );
    let error = desk
        .wiredyno(&["run", "tiny.toml", "--dry-run", "--set", "broker=toy", "--set", "mode=tcp"])
        .refused(2);
    assert!(error.contains("serves mqtt, and the study has no mode of it"), "{error}");
}

#[test]
fn a_password_is_never_taken_from_the_command_line() {
    let desk = Desk::new();
    let run = |broker: &str| desk.wiredyno(&["run", "tiny.toml", "--out", "r", "--broker", broker]);
    let error = run("mqtt=mqtt://me:secret@127.0.0.1:1").refused(2);
    assert!(error.contains("WIREDYNO_BROKER_PASSWORD") && !error.contains("secret"), "{error}");
    let error = run("mqtt://me:secret@127.0.0.1:1").refused(2);
    assert!(error.contains("write the protocol") && !error.contains("secret"), "{error}");
    let error = run("mqtt=mqtt://me@127.0.0.1:1").refused(2);
    assert!(error.contains("no password for `me`"), "{error}");
    let error = run("dds=127.0.0.1:1").refused(2);
    assert!(error.contains("dds has no broker") && error.contains("leave it out"), "{error}");
    let error = run("coap=coaps://127.0.0.1:1").refused(2);
    assert!(error.contains("TLS is not supported here"), "{error}");
    assert!(!desk.file("r").exists());
}
