//! Other projects' load generators: how each is called, what it reports, and what its process used.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::sys::resource::{UsageWho, getrusage};
use wiredyno_bench::Done;
use wiredyno_contract::Endpoint;

/// Bytes of a message's body.
pub const BODY_BYTES: usize = 100;

/// The time limit of a generator, after which it is ended and its row reports that: some wait forever for a missing peer.
const LIMIT_S: &str = "180";

/// The output and CPU time of one generator run.
pub struct Said {
    pub text: String,
    /// CPU time of its processes, seconds.
    pub cpu_s: f64,
}

impl Said {
    /// The number before a word, of the last line that has it.
    pub fn before(&self, word: &str) -> Done<f64> {
        let line = self.text.lines().rev().find(|line| line.contains(word));
        let number = line.and_then(|line| line.split(word).next()?.split_whitespace().next_back());
        let number = number.and_then(|number| number.trim_matches(['(', ',']).parse().ok());
        number.ok_or_else(|| format!("no number before `{word}` in:\n{}", self.text).into())
    }

    /// The number after a word, of the last line that has it.
    pub fn behind(&self, word: &str) -> Done<f64> {
        let line = self.text.lines().rev().find(|line| line.contains(word));
        let rest = line.and_then(|line| line.split(word).nth(1)?.split_whitespace().next());
        let number = rest.and_then(|number| number.trim_end_matches([',', 'µ', 's']).parse().ok());
        number.ok_or_else(|| format!("no number behind `{word}` in:\n{}", self.text).into())
    }
}

/// Runs a command to its end, with lines on its input if there are any.
pub fn said(command: &mut Command, input: Option<&Path>) -> Done<Said> {
    let input = match input {
        Some(path) => Stdio::from(std::fs::File::open(path)?),
        None => Stdio::null(),
    };
    let before_s = children_cpu_s()?;
    let mut child = command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut text = String::new();
    let mut errors = child.stderr.take().ok_or("no standard error")?;
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = errors.read_to_string(&mut text);
        text
    });
    child.stdout.take().ok_or("no standard output")?.read_to_string(&mut text)?;
    let status = child.wait()?;
    let errors = reading.join().unwrap_or_default();
    if !status.success() {
        return Err(format!("{command:?} ended with {status}: {text}{errors}").into());
    }
    Ok(Said { text, cpu_s: children_cpu_s()? - before_s })
}

fn children_cpu_s() -> Done<f64> {
    let used = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(used.user_time()) + seconds(used.system_time()))
}

/// Messages per CPU second, from the difference between many messages and few, so that starting (a virtual machine, a connection) does not count.
pub fn per_cpu_s(many: u64, few: u64, call: impl Fn(u64) -> Done<Said>) -> Done<f64> {
    let (few_s, many_s) = (call(few)?.cpu_s, call(many)?.cpu_s);
    if many_s <= few_s {
        return Err(format!("{many} messages took {many_s:.3} s of CPU, {few} took {few_s:.3} s").into());
    }
    Ok((many - few) as f64 / (many_s - few_s))
}

/// The jars of an artifact and its dependencies, fetched by Maven once.
pub fn jars(folder: &Path, group: &str, artifact: &str, version: &str) -> Done<PathBuf> {
    let jars = folder.join(format!("{artifact}-{version}"));
    if !jars.join("whole").exists() {
        std::fs::create_dir_all(&jars)?;
        let pom = jars.join("pom.xml");
        std::fs::write(
            &pom,
            format!(
                "<project><modelVersion>4.0.0</modelVersion><groupId>wiredyno</groupId><artifactId>bench</artifactId>\
                 <version>1</version><dependencies><dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
                 <version>{version}</version></dependency></dependencies></project>"
            ),
        )?;
        let mut maven = Command::new("mvn");
        maven.args(["--quiet", "--batch-mode", "--file"]).arg(&pom).arg("dependency:copy-dependencies");
        said(maven.arg(format!("-DoutputDirectory={}", jars.display())), None)?;
        std::fs::write(jars.join("whole"), "")?;
    }
    Ok(jars)
}

fn java(jars: &Path, class: &str) -> Command {
    let mut java = Command::new("timeout");
    java.args([LIMIT_S, "java"]).args(["-Djava.net.preferIPv4Stack=true", "-XX:-UsePerfData", "-cp"]);
    java.arg(format!("{}/*", jars.display())).arg(class);
    java
}

/// RabbitMQ's PerfTest: publisher and subscriber in one process, transient messages, publisher confirms as in ours.
pub fn perf_test(jars: &Path, at: &Endpoint, queue: &str, terms: &[&str]) -> Done<Said> {
    let mut command = java(jars, "com.rabbitmq.perf.PerfTest");
    command.arg("-h").arg(format!("amqp://guest:guest@{}:{}", at.host, at.port));
    command.args(["-u", queue, "-ad", "true", "-s", &BODY_BYTES.to_string(), "-q", "200"]);
    said(command.args(terms), None)
}

/// Creates a topic of one partition, as ours does: the broker does not create topics by itself.
pub fn topic(jars: &Path, at: &Endpoint, topic: &str) -> Done<()> {
    let mut command = java(jars, "org.apache.kafka.tools.TopicCommand");
    command.args(["--create", "--if-not-exists", "--topic", topic, "--partitions", "1"]);
    said(command.args(["--bootstrap-server", &format!("{}:{}", at.host, at.port)]), None)?;
    Ok(())
}

/// Kafka's ProducerPerformance, with the settings of ours.
pub fn producer(jars: &Path, at: &Endpoint, topic: &str, records: u64, per_s: i64) -> Done<Said> {
    let mut command = java(jars, "org.apache.kafka.tools.ProducerPerformance");
    command.args(["--topic", topic, "--num-records", &records.to_string()]);
    command.args(["--record-size", &BODY_BYTES.to_string(), "--throughput", &per_s.to_string()]);
    command.args(["--bootstrap-server", &format!("{}:{}", at.host, at.port)]);
    said(command.args(["--command-property", "acks=1"]), None)
}

/// Kafka's ConsumerPerformance over the contents of a topic.
pub fn consumer(jars: &Path, at: &Endpoint, topic: &str, records: u64) -> Done<Said> {
    let mut command = java(jars, "org.apache.kafka.tools.ConsumerPerformance");
    command.args(["--topic", topic, "--num-records", &records.to_string(), "--timeout", "20000"]);
    said(command.args(["--bootstrap-server", &format!("{}:{}", at.host, at.port)]), None)
}

/// Mosquitto's publisher: a message for each line, at QoS 1. It has no rate.
pub fn mosquitto_pub(at: &Endpoint, lines: &Path) -> Done<Said> {
    let mut command = Command::new("timeout");
    command.args([LIMIT_S, "mosquitto_pub", "-h", &at.host, "-p", &at.port.to_string()]);
    command.args(["-q", "1", "-t", "bench", "-l"]);
    said(&mut command, Some(lines))
}

/// iperf3's client: writes of the length of a message with its frame, without Nagle's algorithm.
pub fn iperf3(port: u16, terms: &[&str]) -> Done<Said> {
    let mut command = Command::new("timeout");
    command.args([LIMIT_S, "iperf3", "-c", "127.0.0.1", "-p", &port.to_string(), "-N", "-J", "-l"]);
    said(command.arg((BODY_BYTES + 4).to_string()).args(terms), None)
}
