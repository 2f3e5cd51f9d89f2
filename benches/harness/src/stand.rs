//! The cost of the stand itself: CPU time per message of a publisher and a subscriber over loopback, with its own work separated.
//!
//! Both are runners as in trials, separate processes, with tcp between them, since its client does least. Messages
//! with an interval show the waits, those without the rest.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};

use nix::unistd::Pid;
use wiredyno_bench::Done;
use wiredyno_codec::{Definition, TableEntry};
use wiredyno_contract::{Client, Endpoint, Operation, OptionTable, PayloadSource, Reply, Request, Start, Success as Answered};
use wiredyno_payloads::Payload;
use wiredyno_rust_runner::Composition;
use wiredyno_transport::Transport;
use wiredyno_transport::clock::now_ns;

use crate::{Pair, SAMPLES};

/// The argument by which this program becomes a runner of the payload that follows.
pub const RUNNER: &str = "runner-of";

const TRANSPORT: &str = "tcp/wiredyno";
static TRANSPORTS: &[&dyn Transport] = &[wiredyno_transport_tcp::TRANSPORT];

/// Intervals and how many messages are sent at each.
const LOADS: [(&str, u64, u32); 4] =
    [("10 ms", 10_000_000, 200), ("1 ms", 1_000_000, 2_000), ("100 us", 100_000, 20_000), ("none", 1, 50_000)];

/// The time limit of every operation here.
const LIMIT_NS: i64 = 60_000_000_000;

/// Serves as a runner until its input ends.
pub fn serve(name: &str, pairs: &[Pair]) -> Done<ExitCode> {
    let payload = wiredyno_payloads::find(&name.parse()?)?;
    let own = pairs.iter().filter(|pair| pair.payload == name);
    let codecs: Vec<TableEntry> = own.map(|pair| *pair.ours).collect();
    let definition = Box::leak(Box::new(Definition {
        digest: payload.definition_digest().leak(),
        message: payload.definition().root().full_name.clone().leak(),
        codecs: codecs.leak(),
    }));
    Ok(wiredyno_rust_runner::main(Composition { definition: Some(definition), transports: TRANSPORTS, records: None }))
}

/// A runner in a process of its own.
struct Runner {
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Runner {
    fn start(payload: &str) -> Done<Runner> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut child =
            command.args([RUNNER, payload]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(requests), Some(replies)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a runner without pipes".into());
        };
        Ok(Runner { child, requests, replies: BufReader::new(replies) })
    }

    fn ask(&mut self, operation: Operation) -> Done<Answered> {
        writeln!(self.requests, "{}", serde_json::to_string(&Request { id: 1, operation })?)?;
        self.requests.flush()?;
        let mut line = String::new();
        self.replies.read_line(&mut line)?;
        let reply: Reply = serde_json::from_str(&line)?;
        Ok(Result::from(reply.answer)?)
    }

    /// The stand's own CPU time so far, after a wait.
    fn stand_ns(&mut self, wait: Operation) -> Done<u64> {
        match self.ask(wait)? {
            Answered::Progress { stand_cpu_ns: Some(ns), .. } => Ok(ns),
            other => Err(format!("no progress with the stand's own work: {other:?}").into()),
        }
    }

    fn cpu_ns(&self) -> Done<u64> {
        let pid = Pid::from_raw(i32::try_from(self.child.id())?);
        let time = nix::time::clock_gettime(nix::time::clock_getcpuclockid(pid)?)?;
        Ok(time.tv_sec().unsigned_abs() * 1_000_000_000 + time.tv_nsec().unsigned_abs())
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// CPU time per message in nanoseconds: of the whole process, and the stand's part of it.
struct Use {
    all_ns: f64,
    stand_ns: f64,
}

/// Prints a line for each payload and interval.
pub fn print(pairs: &[Pair], keeps: impl Fn(&str) -> bool) -> Done<()> {
    println!("\nCPU time per message over tcp on loopback, us; the stand's own work is in no figure of a trial");
    println!("{:<50} {:>22} {:>22}", "", "publisher: all, stand", "subscriber: all, stand");
    for pair in pairs.iter().filter(|pair| pair.codec == "protobuf/prost") {
        for (interval, interval_ns, messages) in LOADS {
            let name = format!("{} {} interval {interval} stand", pair.payload, pair.codec);
            if keeps(&name) {
                let uses = measure(pair, interval_ns, messages)?;
                let [publisher, subscriber] = uses.map(|of| {
                    format!("{:>11.2} {:>10.2}", of.all_ns / 1e3, of.stand_ns / 1e3)
                });
                println!("{name:<50} {publisher} {subscriber}");
            }
        }
    }
    Ok(())
}

fn measure(pair: &Pair, interval_ns: u64, messages: u32) -> Done<[Use; 2]> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let payload = wiredyno_payloads::find(&pair.payload.parse()?)?;
    let load = Operation::Load {
        payload: source(&payload, folder.path())?,
        codec: pair.codec.parse()?,
        compression: wiredyno_contract::CompressionId::none(),
        samples: None,
    };
    let (mut far, mut near) = (Runner::start(pair.payload)?, Runner::start(pair.payload)?);
    let mut relay = Runner::start(pair.payload)?;
    let serve = Operation::Serve {
        transport: TRANSPORT.parse()?,
        endpoint: Endpoint { host: "127.0.0.1".to_owned(), port: 0 },
        options: OptionTable::new(),
        seed: 1,
        tls: None,
    };
    let Answered::Serving { endpoint, .. } = relay.ask(serve)? else { return Err("nothing serves".into()) };
    far.ask(load.clone())?;
    near.ask(load)?;
    let client = Client { seed: 1, ..Client::new(TRANSPORT.parse()?, endpoint, "stand") };
    far.ask(Operation::Subscribe(client.clone().into()))?;
    near.ask(Operation::Publish(client.into()))?;
    near.ask(Operation::WarmUp { messages: 2 })?;
    let until_ns = || now_ns() + LIMIT_NS;
    let stand = |near: &mut Runner, far: &mut Runner, name: &str| -> Done<[u64; 2]> {
        near.ask(Operation::AwaitSent { until_ns: until_ns(), acked: false })?;
        near.ask(Operation::WriteSent { records: path(name) })?;
        Ok([
            near.stand_ns(Operation::AwaitSent { until_ns: until_ns(), acked: false })?,
            far.stand_ns(Operation::AwaitDelivered { sent: path(name), until_ns: until_ns() })?,
        ])
    };
    let stand_before = stand(&mut near, &mut far, "warmup")?;
    let cpu_before = [near.cpu_ns()?, far.cpu_ns()?];
    near.ask(Operation::Start(Start::open(now_ns() + 10_000_000, messages, interval_ns)))?;
    let stand_after = stand(&mut near, &mut far, "measured")?;
    let cpu_after = [near.cpu_ns()?, far.cpu_ns()?];
    Ok([0, 1].map(|role| Use {
        all_ns: (cpu_after[role] - cpu_before[role]) as f64 / f64::from(messages),
        stand_ns: (stand_after[role] - stand_before[role]) as f64 / f64::from(messages),
    }))
}

fn source(payload: &Payload, folder: &std::path::Path) -> Done<PayloadSource> {
    let descriptor_set = folder.join("definition.binpb");
    std::fs::write(&descriptor_set, &payload.definition().descriptor_set)?;
    let samples = payload.write_samples(&folder.join("samples"), Some(SAMPLES), false)?;
    Ok(PayloadSource {
        name: payload.id().clone(),
        descriptor_set: descriptor_set.display().to_string(),
        definition: payload.definition_digest(),
        message: payload.definition().root().full_name.clone(),
        samples: samples.path.display().to_string(),
        samples_digest: samples.digest,
        training: None,
        sequence: None,
        schemas: Default::default(),
    })
}
