//! The rows of the bench.

use std::net::Ipv4Addr;
use std::process::{Command, Stdio};
use std::time::Duration;

use wiredyno_contract::{BitRate, Ratio, Span};
use wiredyno_link::host::{Host, HostHandle, address};
use wiredyno_link::lane::Lane;
use wiredyno_link::model::Seeds;
use wiredyno_link::sandbox::Sandbox;
use wiredyno_link::spec::{Direction, LinkSpec, LossSpec, RateSpec};

use crate::goodput::{self, Pftk, Recovery};
use crate::paths::{echoes, stream, veth};
use wiredyno_bench::{Done, Value};

const MS: u64 = 1_000_000;
/// Number of echoes per value of the added round trip.
const ECHOES: usize = 3_000;
/// IP and Ethernet headers of a datagram's frame: 20 (RFC 791), 8 (RFC 768), 14.
const FRAME_HEADERS_BYTES: usize = 42;
/// Segment of a route with an MTU of 1500: less headers of 20 and 20 bytes, and 12 of TCP's timestamps (RFC
/// 7323).
const SEGMENT_BYTES: f64 = 1_448.0;

/// The lane, and the hosts and repeat, in which rows are measured.
pub struct Place<'a> {
    pub lane: &'a Lane,
    pub sandbox: &'a Sandbox,
    /// From 0; seeds the random values.
    pub repeat: u64,
}

impl Place<'_> {
    fn lay(&self, link: &LinkSpec) -> Done<()> {
        let seed = self.repeat + 1;
        Ok(self.lane.lay(link, Seeds { packets: seed, conditions: seed }, None)?)
    }

    fn hosts(&self) -> (HostHandle, HostHandle) {
        (self.lane.host(Host::Edge), self.lane.host(Host::Cloud))
    }
}

/// A group of rows that are measured together.
pub struct Bench {
    pub name: &'static str,
    pub run: fn(&Place<'_>) -> Done<Vec<Value>>,
}

/// All groups of rows, in the order of the table.
pub fn all() -> Vec<Bench> {
    let bench = |name, run| Bench { name, run };
    vec![
        bench("added", added as fn(&Place<'_>) -> Done<Vec<Value>>),
        bench("delay", delay),
        bench("rate", rate),
        bench("bursts", bursts),
        bench("goodput", goodput),
        bench("packets", packets),
        bench("iperf3", iperf3),
    ]
}

fn delayed(each_way_ms: u64) -> LinkSpec {
    LinkSpec::unshaped().with_delay(Span { ns: each_way_ms * MS })
}

/// The quantile of the times, in microseconds.
fn at_us(times_ns: &mut [u64], share: f64) -> f64 {
    times_ns.sort_unstable();
    let rank = (times_ns.len() as f64 * share).ceil() as usize;
    times_ns.get(rank.saturating_sub(1)).map_or(f64::NAN, |ns| *ns as f64 / 1e3)
}

fn added(place: &Place<'_>) -> Done<Vec<Value>> {
    let (edge, cloud) = place.hosts();
    place.lay(&LinkSpec::unshaped())?;
    let loopback = at_us(&mut echoes(&edge, (&edge, Ipv4Addr::LOCALHOST), ECHOES, None)?, 0.5);
    let link = at_us(&mut echoes(&edge, (&cloud, address(Host::Cloud)), ECHOES, None)?, 0.5);
    let mut values = vec![
        Value::new("round trip, loopback (median)", "us", loopback),
        Value::new("round trip, unshaped link (median)", "us", link),
        Value::new("the link adds to loopback", "us", link - loopback).aim("aim: at most", 100.0),
    ];
    let pair = veth(place)?;
    let veth = at_us(&mut echoes(&edge, (&cloud, pair), ECHOES, None)?, 0.5);
    values.push(Value::new("round trip, veth pair (median)", "us", veth));
    values.push(Value::new("the link adds to veth", "us", link - veth).aim("aim: at most", 100.0));
    Ok(values)
}

fn delay(place: &Place<'_>) -> Done<Vec<Value>> {
    let (edge, cloud) = place.hosts();
    place.lay(&delayed(35))?;
    let every = Some(Duration::from_millis(5));
    let mut times = echoes(&edge, (&cloud, address(Host::Cloud)), 400, every)?;
    let mean_us = times.iter().sum::<u64>() as f64 / times.len() as f64 / 1e3;
    let late = place.lane.counters()?.lateness;
    Ok(vec![
        Value::new("70 ms off by, mean", "us", mean_us - 70_000.0).aim("aim: at most", 300.0),
        Value::new("70 ms off by, p99", "us", at_us(&mut times, 0.99) - 70_000.0).aim("aim: at most", 600.0),
        Value::new("delivered later than planned, mean", "us", late.mean_ns / 1e3),
        Value::new("delivered later than planned, p99", "us", late.p99_ns as f64 / 1e3),
    ])
}

fn rate(place: &Place<'_>) -> Done<Vec<Value>> {
    const BODY_BYTES: usize = 1_200;
    let (edge, cloud) = place.hosts();
    let mut values = Vec::new();
    for (name, bits_per_s) in
        [("rate of 2 Mbit/s", 2e6), ("rate of 20 Mbit/s", 20e6), ("rate of 200 Mbit/s", 200e6)]
    {
        let mut link = delayed(1);
        link.up.rate = RateSpec::Constant { rate: BitRate { bits_per_s: bits_per_s as u64 } };
        place.lay(&link)?;
        let frame_bits = ((BODY_BYTES + FRAME_HEADERS_BYTES) * 8) as f64;
        // 50 % more than the line carries, for one second of the line's time.
        let count = bits_per_s / frame_bits;
        let arrived = stream(&edge, &cloud, count as u64, BODY_BYTES, count * 1.5)?;
        let span_s = (arrived.last_ns - arrived.first_ns) as f64 / 1e9;
        // The time begins with the first arrival, whose own bits came before.
        let measured = (arrived.numbers.len() as f64 - 1.0) * frame_bits / span_s;
        values.push(Value::new(name, "Mbit/s", measured / 1e6).model("requested", bits_per_s / 1e6));
    }
    Ok(values)
}

fn bursts(place: &Place<'_>) -> Done<Vec<Value>> {
    const COUNT: u64 = 40_000;
    let (edge, cloud) = place.hosts();
    let share = |ratio: f64| Ratio::new(ratio).unwrap_or_default();
    let (p, r) = (0.02, 0.25);
    let mut link = delayed(1);
    let (loss_good, loss_bad) = (Ratio::default(), share(1.0));
    link.up.loss = LossSpec::GilbertElliott { p: share(p), r: share(r), loss_good, loss_bad };
    place.lay(&link)?;
    let mut arrived = stream(&edge, &cloud, COUNT, 64, 20_000.0)?.numbers;
    let dropped = place.lane.counters()?.total(Direction::Up).dropped_loss.packets;
    arrived.sort_unstable();
    let gaps = arrived.windows(2).map(|pair| pair[1] - pair[0] - 1).filter(|gap| *gap > 0);
    let (lost, bursts) = gaps.fold((0, 0), |(lost, bursts), gap| (lost + gap, bursts + 1));
    let missing = COUNT - arrived.len() as u64;
    let percent = |count: u64| 100.0 * count as f64 / COUNT as f64;
    let stationary = 100.0 * link.up.loss.stationary();
    Ok(vec![
        Value::new("Gilbert-Elliott, lost at the receiver", "%", percent(missing))
            .model("p / (p + r)", stationary),
        Value::new("Gilbert-Elliott, dropped by the link", "%", percent(dropped))
            .model("p / (p + r)", stationary),
        Value::new("Gilbert-Elliott, mean burst", "packets", lost as f64 / f64::from(bursts))
            .model("1 / r", 1.0 / r),
    ])
}

/// Loss, and how long it is measured.
const LOSSES: [(&str, f64, u64); 5] =
    [("0.1 %", 0.001, 5), ("1 %", 0.01, 5), ("5 %", 0.05, 5), ("10 %", 0.1, 8), ("25 %", 0.25, 20)];

fn goodput(place: &Place<'_>) -> Done<Vec<Value>> {
    /// Linux: the smallest variance term of a retransmission timeout (TCP_RTO_MIN, 200 ms), added to the round
    /// trip.
    const LEAST_TIMEOUT_S: f64 = 0.2;
    const ROUND_TRIP_MS: u64 = 40;
    let (edge, cloud) = place.hosts();
    let mut values = Vec::new();
    for (recovery, of) in [(Recovery::Linux, "Linux's reno"), (Recovery::Plain, "plain reno")] {
        let _options = (recovery.set(&edge)?, recovery.set(&cloud)?);
        for (loss, p, seconds) in LOSSES {
            let mut link = delayed(ROUND_TRIP_MS / 2);
            link.up.loss = LossSpec::Independent { share: Ratio::new(p).unwrap_or_default() };
            link.congestion = "reno".to_owned();
            place.lay(&link)?;
            let (bytes_per_s, counted) = goodput::goodput(&edge, &cloud, Duration::from_secs(seconds))?;
            let measured = bytes_per_s * 8.0 / 1e6;
            let round_trip_s = ROUND_TRIP_MS as f64 / 1e3;
            let model = Pftk { p, round_trip_s, timeout_s: round_trip_s + LEAST_TIMEOUT_S, b: 1.0 };
            let mbit_per_s = |segments_per_s: f64| segments_per_s * SEGMENT_BYTES * 8.0 / 1e6;
            // The model's prediction from the loss indications and timeouts that occurred.
            let told = Pftk { p: counted.indications().max(1e-6), ..model };
            let told_per_s = told.arrive_with_share_per_s(counted.timeout_share());
            let row = |what: &str| format!("{of}, {loss} loss{what}");
            values.push(
                Value::new(row(": goodput"), "Mbit/s", measured)
                    .model("PFTK", mbit_per_s(model.arrive_per_s())),
            );
            values.push(Value::new(row(": PFTK given both counts below"), "Mbit/s", mbit_per_s(told_per_s)));
            values.push(
                Value::new(row(": indications"), "%", counted.indications() * 100.0).model("p", p * 100.0),
            );
            let share = counted.timeout_share() * 100.0;
            values.push(Value::new(row(": timeouts"), "%", share).model("Q", model.timeout_share() * 100.0));
        }
    }
    Ok(values)
}

fn packets(place: &Place<'_>) -> Done<Vec<Value>> {
    let (edge, cloud) = place.hosts();
    let mut most_per_s = 0.0;
    for per_s in [25e3, 50e3, 75e3, 100e3, 125e3, 150e3, 175e3, 200e3] {
        place.lay(&delayed(5))?;
        let count = (per_s / 2.0) as u64;
        let arrived = stream(&edge, &cloud, count, 64, per_s)?;
        if arrived.numbers.len() as u64 != count {
            break;
        }
        // A sender that can't send this fast offers less.
        most_per_s = f64::max(most_per_s, count as f64 * 1e9 / arrived.sending_ns as f64);
    }
    Ok(vec![
        Value::new("delayed packets of 64 bytes without loss", "1/s", most_per_s)
            .aim("aim: at least", 150_000.0),
    ])
}

/// TCP over an unshaped link, as the receiving iperf3 reports it.
fn iperf3(place: &Place<'_>) -> Done<Vec<Value>> {
    place.lay(&LinkSpec::unshaped())?;
    let on = |host: Host, arguments: &[&str]| {
        let mut command = Command::new("iperf3");
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        place.lane.host(host).enter(&mut command);
        place.sandbox.prepare(&mut command);
        command
    };
    let address = address(Host::Cloud).to_string();
    let mut server = on(Host::Cloud, &["-s"]).spawn().map_err(|error| format!("iperf3: {error}"))?;
    let once = || -> Done<Option<f64>> {
        let output = on(Host::Edge, &["-c", &address, "-t", "3", "-J"]).output()?;
        let told = serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap_or_default();
        Ok(told["end"]["sum_received"]["bits_per_second"].as_f64())
    };
    let mut told = Ok(None);
    // The server needs a moment before it listens.
    for _ in 0..50 {
        told = once();
        if !matches!(told, Ok(None)) {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    server.kill()?;
    server.wait()?;
    let bits_per_s = told?.ok_or("iperf3 reported no rate")?;
    Ok(vec![
        Value::new("TCP by iperf3, unshaped link", "Mbit/s", bits_per_s / 1e6).aim("aim: at least", 3_000.0),
    ])
}
