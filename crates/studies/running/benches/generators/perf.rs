//! Cyclone DDS's ddsperf compared with our DDS clients: reliable, over loopback, messages of 1,000 bytes in both.
//!
//! Rate is what a subscriber receives while a publisher sends as fast as it can. Latency is one way with one message in flight: ours from
//! the hand-over to the receipt, ddsperf's half of the round trip that it measures between ping and pong.
//!
//! Limits: ddsperf's type has a number and a key besides the bytes, and its size option covers all of it; its pong answers from the
//! receiving thread, ours notifies the publisher over a pipe.

use std::process::{Child, Command, Stdio};

use wiredyno_bench::{Done, Table, Value};

use crate::foreign::{Said, said};
use crate::stand::Stand;
use crate::{percentiles_us, study};

/// Bytes of a message's body.
pub const BODY_BYTES: usize = 1_000;

/// The modes of ours that are compared with it, with their options for sending as fast as possible: ddsperf batches samples.
pub const MODES: [(&str, &str); 2] =
    [("dds/cyclonedds:reliable", "[transport.dds]\nwrite_batch = true\n"), ("dds:reliable", "")];

/// How long ddsperf runs, seconds.
const SECONDS: u32 = 6;

/// Messages sent one at a time, and the most that are sent as fast as possible.
const ONE_BY_ONE: u64 = 20_000;
const BATCH: &str = "kind = \"batch\"\nduration = \"5s\"";
const MOST: u64 = 5_000_000;

/// Only loopback, without multicast, so that nothing leaves the machine.
const CONFIG: &str = "<CycloneDDS><Domain><General><Interfaces><NetworkInterface address=\"127.0.0.1\"/></Interfaces>\
    <AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex><Peers>\
    <Peer Address=\"127.0.0.1\"/></Peers></Discovery></Domain></CycloneDDS>";

fn ddsperf(seconds: u32) -> Command {
    let mut command = Command::new("ddsperf");
    command.env("CYCLONEDDS_URI", CONFIG).args(["-D", &seconds.to_string()]);
    command
}

/// The other side, ended on drop.
struct Other(Child);

impl Other {
    fn start(role: &[&str]) -> Done<Self> {
        let mut command = ddsperf(SECONDS + 10);
        command.args(role).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Other(command.spawn().map_err(|error| format!("ddsperf: {error}"))?))
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The median of the numbers before a word, one for each line; the first covers the start and is left out.
fn median_before(said: &Said, word: &str) -> Done<f64> {
    let before = |line: &str| line.split(word).next()?.split_whitespace().next_back()?.parse::<f64>().ok();
    let mut all: Vec<f64> =
        said.text.lines().filter(|line| line.contains(word)).filter_map(before).skip(1).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2)
        .copied()
        .ok_or_else(|| format!("no number before `{word}` in:\n{}", said.text).into())
}

/// Messages received a second, and the median of half the round trip in microseconds.
fn theirs() -> Done<[f64; 2]> {
    let size = BODY_BYTES.to_string();
    let publisher = Other::start(&["pub", "size", &size])?;
    let received = said(ddsperf(SECONDS).arg("sub"), None)?;
    drop(publisher);
    let pong = Other::start(&["pong"])?;
    let pinged = said(ddsperf(SECONDS).args(["ping", "size", &size]), None)?;
    drop(pong);
    Ok([median_before(&received, " kS/s")? * 1e3, median_before(&pinged, "us 90%")?])
}

/// One repeat of both sides, in an order that changes.
pub fn row(stand: &Stand, (mode, options): (&str, &str), repeat: u32, table: &mut Table) -> Done<()> {
    let ours = || -> Done<[f64; 2]> {
        let batch = study(mode, &[BODY_BYTES], BATCH, MOST, options)?;
        let sent = stand.trial(&batch, repeat)?.record;
        let receiving = sent.receiving.ok_or("nothing was received")?;
        let rate = sent.delivery.delivered as f64 / (receiving.last_ns as f64 / 1e9);
        let closed =
            stand.trial(&study(mode, &[BODY_BYTES], "kind = \"closed\"", ONE_BY_ONE, "")?, repeat)?;
        let way =
            closed.messages.iter().filter_map(|message| Some(message.received_ns? - message.encoded_ns));
        Ok([rate, percentiles_us(way.collect())[0]])
    };
    let (own, other) = match repeat % 2 {
        0 => {
            let own = ours()?;
            (own, theirs()?)
        }
        _ => {
            let other = theirs()?;
            (ours()?, other)
        }
    };
    for (place, (what, unit)) in
        [("received at 1 kB", "1/s"), ("latency median at 1 kB", "us")].into_iter().enumerate()
    {
        table.add(Value::new(format!("{mode}: {what}"), unit, own[place]));
        table.add(Value::new(format!("ddsperf: {what}"), unit, other[place]));
        table.add(Value::new(format!("{mode} / ddsperf: {what}"), "ratio", own[place] / other[place]));
    }
    Ok(())
}
