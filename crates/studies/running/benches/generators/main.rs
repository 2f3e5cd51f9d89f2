//! Our publisher and subscriber compared with other projects' load generators: the same broker and the same bodies of 100 bytes, one after
//! the other in each repeat.
//!
//! `make bench-generators`, or `cargo bench -p wiredyno-running --bench generators [-- ROW...]`; `WIREDYNO_BENCH_REPEATS` (5)
//! repeats. `amqp-0-9-1` is compared with RabbitMQ's PerfTest, `kafka` with ProducerPerformance and ConsumerPerformance,
//! `mqtt:qos1` with mosquitto_pub and a message for each line, `tcp` with iperf3. Maven fetches the first three once into target/bench. Both
//! DDS clients are compared with Cyclone's ddsperf, with bodies of 1,000 bytes, in rate received and in latency; see `perf`.
//!
//! Throughput per CPU second is of the client alone: for ours, what a role's process used over the measured part with all the work of
//! the stand (numbers, digests, records, waiting); for theirs, the difference between many messages and few, so that neither pays for
//! its start. Both send as fast as they can. Rates and latencies are of 5,000 messages a second.
//!
//! Limits: PerfTest has publisher and subscriber in one process, so it is compared with both of ours; iperf3 sends to its own server,
//! ours through a relay, which the client does not see; mosquitto_pub has no rate and reports no latency.

#[path = "../stand/mod.rs"]
mod stand;

mod foreign;
mod perf;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use foreign::{BODY_BYTES, jars, per_cpu_s};
use stand::Stand;
use wiredyno_bench::{Done, MachineState, Table, Value, keeps, repeats, words};
use wiredyno_contract::Endpoint;
use wiredyno_model::Study;
use wiredyno_store::MessageTrial;

/// Messages a second at a fixed rate, and the number of seconds.
const PER_S: u64 = 5_000;
const SECONDS: u64 = 6;

/// Messages after which the other generators are started and warm.
const FEW: u64 = 20_000;

/// Name, mode, messages as fast as possible. With more messages than there are packet identifiers (65,535) mosquitto_pub 2.0.11 ends before all
/// are sent, without an error.
const ROWS: [(&str, &str, u64); 4] = [
    ("PerfTest", "amqp-0-9-1:auto-ack", 200_000),
    ("ProducerPerformance", "kafka:acks-1", 1_000_000),
    ("mosquitto_pub", "mqtt:qos1", 60_000),
    ("iperf3", "tcp", 1_000_000),
];

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench generators: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Done<()> {
    let stand = Stand::new(&study("tcp", &[BODY_BYTES, perf::BODY_BYTES], "kind = \"batch\"", 1, "")?)?;
    let (repeats, words) = (repeats(5)?, words());
    println!("{}", MachineState::look()?);
    println!("{repeats} repeats, {BODY_BYTES} bytes, raw/wiredyno, loopback");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/bench");
    std::fs::create_dir_all(&folder)?;
    let scratch = tempfile::tempdir()?;
    let place = Place { jars: folder, scratch: scratch.path().to_owned() };
    let mut table = Table::default();
    for repeat in 0..repeats {
        for (name, mode, messages) in ROWS {
            if keeps(&words, &format!("{name} {mode}"))
                && let Err(error) = row(&stand, &place, (name, mode, messages), repeat, &mut table)
            {
                table.note(format!("{name} and {mode}: {error}"));
            }
        }
        for beside in perf::MODES {
            let mode = beside.0;
            if keeps(&words, &format!("ddsperf {mode}"))
                && let Err(error) = perf::row(&stand, beside, repeat, &mut table)
            {
                table.note(format!("ddsperf and {mode}: {error}"));
            }
        }
    }
    println!("{table}");
    Ok(())
}

/// Folders of jars and intermediate files.
struct Place {
    jars: PathBuf,
    scratch: PathBuf,
}

fn study(mode: &str, bodies: &[usize], kind: &str, messages: u64, options: &str) -> Done<Study> {
    let payloads: Vec<String> = bodies.iter().map(|bytes| format!("\"opaque@{bytes}\"")).collect();
    let payloads = payloads.join(", ");
    let text = format!(
        "name = \"generators\"\nwhy = \"How do we compare?\"\n[axes]\npayload = [{payloads}]\n\
         codec = [\"raw/wiredyno\"]\nmode = [\"{mode}\"]\nlink = [\"loopback\"]\n[load]\n{kind}\nmessages = {messages}\n\
         warmup = 1000\ndeadline = \"1s\"\ndrain = \"30s\"\n[trials]\nseed = 1\n{options}"
    );
    Ok(Study::parse("generators.toml", &text)?)
}

/// Both sides of one pair, in an order that changes from repeat to repeat.
fn row(stand: &Stand, place: &Place, row: (&str, &str, u64), repeat: u32, table: &mut Table) -> Done<()> {
    let (name, mode, messages) = row;
    let batch = study(mode, &[BODY_BYTES], "kind = \"batch\"", messages, "")?;
    let kept = format!("kind = \"open\"\nrate = \"{PER_S}/s\"");
    let rate = study(mode, &[BODY_BYTES], &kept, PER_S * SECONDS, "")?;
    let served = stand.served(&batch)?;
    let mut ours = None;
    if repeat.is_multiple_of(2) {
        ours = Some((stand.trial_at(&batch, repeat, &served)?, stand.trial_at(&rate, repeat, &served)?));
    }
    let theirs = theirs(name, place, served.endpoint.as_ref(), messages, repeat)?;
    let (batch, rate) = match ours {
        Some(ours) => ours,
        None => (stand.trial_at(&batch, repeat, &served)?, stand.trial_at(&rate, repeat, &served)?),
    };
    let roles = &batch.record.roles;
    let cpu = |used: &[u64]| batch.record.delivery.sent as f64 / (used.iter().sum::<u64>() as f64 / 1e9);
    let (publisher, subscriber) = (roles.publisher.cpu_ns, roles.subscriber.cpu_ns);
    let own = if name == "PerfTest" { cpu(&[publisher, subscriber]) } else { cpu(&[publisher]) };
    let mut add = |what: &str, unit, own: f64, other: f64| {
        table.add(Value::new(format!("{mode}: {what}"), unit, own));
        table.add(Value::new(format!("{name}: {what}"), unit, other));
        if other > 0.0 {
            table.add(Value::new(format!("{mode} / {name}: {what}"), "ratio", own / other));
        }
    };
    add("messages per CPU second", "1/s", own, theirs.per_cpu_s);
    if let Some(per_cpu_s) = theirs.subscriber_per_cpu_s {
        add("messages received per CPU second", "1/s", cpu(&[subscriber]), per_cpu_s);
    }
    if let Some(error) = theirs.rate_error {
        add("rate error at 5k/s", "%", rate.record.schedule.rate_error * 100.0, error * 100.0);
    }
    if let Some([median_us, p99_us]) = theirs.latency_us {
        let own = if name == "PerfTest" { latencies_us(&rate) } else { acknowledgements_us(&rate) };
        add("latency median at 5k/s", "us", own[0], median_us);
        add("latency p99 at 5k/s", "us", own[1], p99_us);
    }
    Ok(())
}

/// The results of another generator.
struct Theirs {
    per_cpu_s: f64,
    subscriber_per_cpu_s: Option<f64>,
    rate_error: Option<f64>,
    /// Median and 99th percentile, if the generator reports them.
    latency_us: Option<[f64; 2]>,
}

#[expect(clippy::too_many_lines, reason = "a case for each generator")]
fn theirs(name: &str, place: &Place, at: Option<&Endpoint>, messages: u64, repeat: u32) -> Done<Theirs> {
    let error = |rate: f64| (rate / PER_S as f64 - 1.0).abs();
    let broker = || at.ok_or("no broker");
    let per_s = PER_S.to_string();
    match name {
        "PerfTest" => {
            let (jars, at) = (jars(&place.jars, "com.rabbitmq", "perf-test", "2.22.1")?, broker()?);
            let call = |count: u64| {
                let count = count.to_string();
                foreign::perf_test(&jars, at, "bench-batch", &["-C", &count, "-D", &count])
            };
            let per_cpu_s = per_cpu_s(messages, FEW, call)?;
            let seconds = SECONDS.to_string();
            let kept = foreign::perf_test(&jars, at, "bench-rate", &["-r", &per_s, "-z", &seconds])?;
            let latency = kept.text.lines().rev().find(|line| line.contains("consumer latency"));
            let percentiles = latency.and_then(|line| {
                let numbers = line.split("99th").nth(1)?.split_whitespace();
                let all: Vec<f64> =
                    numbers.flat_map(|word| word.split('/')).filter_map(|word| word.parse().ok()).collect();
                Some([*all.get(1)?, *all.get(4)?])
            });
            let rate_error = Some(error(kept.behind("sending rate avg: ")?));
            Ok(Theirs { per_cpu_s, subscriber_per_cpu_s: None, rate_error, latency_us: percentiles })
        }
        "ProducerPerformance" => {
            let jars = jars(&place.jars, "org.apache.kafka", "kafka-tools", "4.3.1")?;
            let (at, topic) = (broker()?, format!("bench-{repeat}"));
            foreign::topic(&jars, at, &topic)?;
            foreign::topic(&jars, at, "bench-rate")?;
            let per_cpu = per_cpu_s(messages, FEW, |count| foreign::producer(&jars, at, &topic, count, -1))?;
            let consumed = per_cpu_s(messages, FEW, |count| foreign::consumer(&jars, at, &topic, count))?;
            let kept = foreign::producer(&jars, at, "bench-rate", PER_S * SECONDS, PER_S as i64)?;
            let latency_us = [kept.before(" ms 50th")? * 1e3, kept.before(" ms 99th")? * 1e3];
            Ok(Theirs {
                per_cpu_s: per_cpu,
                subscriber_per_cpu_s: Some(consumed),
                rate_error: Some(error(kept.before(" records/sec")?)),
                latency_us: Some(latency_us),
            })
        }
        "mosquitto_pub" => {
            let at = broker()?;
            let call = |count: u64| {
                let mut lines = String::new();
                for number in 0..count {
                    writeln!(lines, "{number:0>width$}", width = BODY_BYTES)?;
                }
                let path = place.scratch.join("lines");
                std::fs::write(&path, lines)?;
                foreign::mosquitto_pub(at, &path)
            };
            let per_cpu_s = per_cpu_s(messages, FEW, call)?;
            Ok(Theirs { per_cpu_s, subscriber_per_cpu_s: None, rate_error: None, latency_us: None })
        }
        _ => {
            let server = Iperf3::start()?;
            let bytes = |count: u64| (count * (BODY_BYTES as u64 + 4)).to_string();
            let per_cpu_s =
                per_cpu_s(messages, FEW, |count| foreign::iperf3(server.port, &["-n", &bytes(count)]))?;
            let bits = bytes(PER_S * 8);
            let seconds = SECONDS.to_string();
            let kept = foreign::iperf3(server.port, &["-b", &bits, "-t", &seconds])?;
            let told: serde_json::Value = serde_json::from_str(&kept.text)?;
            let bits_per_s =
                told["end"]["sum_sent"]["bits_per_second"].as_f64().ok_or("iperf3 reports no rate")?;
            let rate_error = Some(error(bits_per_s / 8.0 / (BODY_BYTES + 4) as f64));
            Ok(Theirs { per_cpu_s, subscriber_per_cpu_s: None, rate_error, latency_us: None })
        }
    }
}

/// The median and the 99th percentile, from nanoseconds.
fn percentiles_us(mut values: Vec<i64>) -> [f64; 2] {
    values.sort_unstable();
    let at = |share: f64| {
        let rank = (share * values.len() as f64).ceil() as usize;
        values.get(rank.saturating_sub(1)).map_or(f64::NAN, |ns| *ns as f64 / 1e3)
    };
    [at(0.5), at(0.99)]
}

/// From the intended send to the receipt: PerfTest counts from just before the call that sends.
fn latencies_us(trial: &MessageTrial) -> [f64; 2] {
    let latency = trial.messages.iter().filter_map(|m| Some(m.received_ns? - m.intended_send_ns));
    percentiles_us(latency.collect())
}

/// From the hand-over to the acknowledgement, as ProducerPerformance counts.
fn acknowledgements_us(trial: &MessageTrial) -> [f64; 2] {
    let acknowledged = trial.messages.iter().filter_map(|m| Some(m.acked_ns? - m.encoded_ns));
    percentiles_us(acknowledged.collect())
}

/// iperf3's server, ended on drop.
struct Iperf3 {
    child: Child,
    port: u16,
}

impl Iperf3 {
    fn start() -> Done<Self> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = Command::new("iperf3");
        command.args(["-s", "-p", &port.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| format!("iperf3: {error}"))?;
        // It listens within some milliseconds, and refuses probing connections.
        std::thread::sleep(Duration::from_millis(500));
        Ok(Iperf3 { child, port })
    }
}

impl Drop for Iperf3 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
