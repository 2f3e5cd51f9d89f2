//! Kafka's own tools for consumer groups and for logs, `kafka-consumer-groups.sh` and `kafka-log-dirs.sh`: one jar beside the broker's, of the broker's version,
//! fetched by Maven once. The broker itself comes from there as well.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use wiredyno_transport_stand::Broker;

/// What the tool says of a partition: the group's committed offset, and the partition's end.
pub type Offsets = (i64, i64);

/// The version of the broker's jars.
fn version(library: &Path) -> String {
    let names = std::fs::read_dir(library).unwrap().map(|entry| entry.unwrap().file_name());
    let version = |name: String| Some(name.strip_prefix("kafka-clients-")?.strip_suffix(".jar")?.to_owned());
    let mut versions = names.filter_map(|name| version(name.to_string_lossy().into_owned()));
    versions.next().unwrap()
}

/// The jar with the tools.
fn jar(library: &Path) -> PathBuf {
    let (version, folder) = (version(library), Path::new(env!("CARGO_TARGET_TMPDIR")).join("kafka-tools"));
    let jar = folder.join(format!("kafka-tools-{version}.jar"));
    if !jar.is_file() {
        let mut maven = Command::new("mvn");
        maven.args(["--quiet", "--batch-mode", "dependency:copy"]);
        maven.arg(format!("-Dartifact=org.apache.kafka:kafka-tools:{version}"));
        maven.arg(format!("-DoutputDirectory={}", folder.display()));
        let got = maven.output().unwrap_or_else(|error| panic!("{maven:?}: {error}"));
        assert!(got.status.success(), "{maven:?}: {}", String::from_utf8_lossy(&got.stdout));
    }
    jar
}

/// What a tool of Kafka's prints, and what it was asked.
fn said(broker: &Broker, class: &str, arguments: &[&str]) -> (String, String) {
    let library = broker.library().unwrap();
    let mut tool = Command::new("java");
    tool.args(["-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"]);
    tool.args(["-Djava.net.preferIPv4Stack=true", "-cp"]);
    tool.arg(format!("{}:{}/*", jar(library).display(), library.display()));
    tool.arg(format!("org.apache.kafka.tools.{class}"));
    tool.args(["--bootstrap-server", &broker.address().to_string(), "--describe"]).args(arguments);
    let said = tool.output().unwrap();
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let told = format!("{tool:?} says: {text}{}", String::from_utf8_lossy(&said.stderr));
    (text, told)
}

/// Bytes of a topic's logs on all nodes, as `kafka-log-dirs.sh` describes them in JSON.
pub fn logged(broker: &Broker, topic: &str) -> u64 {
    let (text, told) = said(broker, "LogDirsCommand", &["--topic-list", topic]);
    let mark = format!("\"partition\":\"{topic}-");
    let size = |part: &str| {
        let digits = part.split_once("\"size\":").map(|(_, rest)| rest.split([',', '}']).next());
        digits
            .flatten()
            .and_then(|digits| digits.trim().parse::<u64>().ok())
            .unwrap_or_else(|| panic!("{told}"))
    };
    let sizes: Vec<u64> = text.split(&mark).skip(1).map(size).collect();
    assert!(!sizes.is_empty(), "{told}");
    sizes.iter().sum()
}

/// The offsets of a group by partition, as `kafka-consumer-groups.sh` describes them.
pub fn described(broker: &Broker, group: &str, topic: &str) -> BTreeMap<u32, Offsets> {
    let arguments = ["--timeout", "60000", "--group", group];
    let (text, told) = said(broker, "consumer.group.ConsumerGroupCommand", &arguments);
    let mut rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let head = rows.find(|row| row.first() == Some(&"GROUP")).unwrap_or_else(|| panic!("{told}"));
    let column =
        |name: &str| head.iter().position(|title| *title == name).unwrap_or_else(|| panic!("{told}"));
    let (of_topic, partition) = (column("TOPIC"), column("PARTITION"));
    let (current, end) = (column("CURRENT-OFFSET"), column("LOG-END-OFFSET"));
    let number = |text: &str| text.parse::<i64>().unwrap_or_else(|_| panic!("{told}"));
    let rows = rows.filter(|row| row.get(of_topic) == Some(&topic));
    rows.map(|row| (number(row[partition]) as u32, (number(row[current]), number(row[end])))).collect()
}
