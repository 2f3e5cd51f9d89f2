//! The tests. Bounds are explained in place; failures print what was measured.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use wiredyno_contract::{BitRate, Span};
use wiredyno_link::accounting::{Amount, Phase, Tally};
use wiredyno_link::check::CheckReport;
use wiredyno_link::spec::{Direction, LinkSpec, RateSpec};

use crate::roles::{Both, Transfer};
use crate::{role, stdout, this};

const MS: u64 = 1_000_000;

fn delayed(each_way_ms: u64) -> LinkSpec {
    let mut link = LinkSpec::unshaped();
    (link.up.delay, link.down.delay) = (Span { ns: each_way_ms * MS }, Span { ns: each_way_ms * MS });
    link
}

fn json(link: &LinkSpec) -> String {
    serde_json::to_string(link).unwrap()
}

fn exec(link: &LinkSpec, cloud: &str, command: &[&str]) -> Command {
    let mut exec = role("exec");
    exec.arg(json(link)).arg(cloud).args(command);
    exec
}

/// The minimum in ping's `rtt min/avg/max/mdev = a/b/c/d ms`.
fn least_ms(ping: &str) -> f64 {
    ping.split("mdev = ").nth(1).and_then(|tail| tail.split('/').next()).unwrap().parse().unwrap()
}

pub fn ping_shows_the_delay() {
    let mut ping = exec(&delayed(35), "-", &["sh", "-c", "ping -q -c 40 -i 0.05 $WIREDYNO_CLOUD"]);
    // No echo is faster than the model; on a busy machine many are slower, but not the fastest of 40.
    let text = stdout(&mut ping);
    assert!((70.0..=71.0).contains(&least_ms(&text)), "{text}");
}

pub fn ping_shows_the_loss() {
    let link = LinkSpec::unshaped().with_loss(0.1);
    // ping exits with 1 if some echoes were not answered; only its text matters.
    let script = "ping -q -c 2000 -i 0.002 -W 1 $WIREDYNO_CLOUD || true";
    let text = stdout(&mut exec(&link, "-", &["sh", "-c", script]));
    let received: f64 =
        text.split(" received").next().and_then(|head| head.rsplit(' ').next()).unwrap().parse().unwrap();
    // 1 - 0.9^2 = 19 %; for 2,000 the standard deviation is 0.88 %, so 3 % is 3.4 of them, and the seed is fixed.
    let lost = 100.0 * (1.0 - received / 2_000.0);
    assert!((16.0..=22.0).contains(&lost), "{lost}\n{text}");
}

fn transfer(link: &LinkSpec, bytes: usize, capture: Option<&Path>) -> Transfer {
    let mut command = role("transfer");
    command.arg(json(link)).arg(bytes.to_string());
    command.arg(capture.unwrap_or(Path::new("-")));
    serde_json::from_str(&stdout(&mut command)).unwrap()
}

pub fn tcp_through_loss() {
    let mut link = delayed(5).with_loss(0.05);
    link.congestion = "reno".to_owned();
    let transfer = transfer(&link, 500_000, None);
    assert!(transfer.intact);
    let counters = &transfer.counters;
    assert_eq!(counters.flows.len(), 1);
    let up = counters.flows_in(Phase::Measure, Direction::Up);
    assert!(up.dropped_loss.packets > 5, "{up:?}");
    assert!(up.entered.bytes > 500_000 + up.retransmitted.bytes);
    let without_fin = up.retransmitted.packets - up.retransmitted_fin_packets;
    assert_eq!(without_fin, transfer.kernel_retransmitted, "{up:?}");
    assert_eq!(counters.tun_dropped_packets, 0);
    assert_eq!(counters.undeliverable_packets, 0);
}

/// What each host sends, counted on its device, is what enters the link from it, repeats included.
pub fn taps_count_what_the_link_counts() {
    let both: Both = {
        let mut command = role("tapped");
        command.arg(json(&delayed(5).with_loss(0.05))).arg("300000");
        serde_json::from_str(&stdout(&mut command)).unwrap()
    };
    for (direction, tapped) in Direction::ALL.into_iter().zip(&both.tapped) {
        assert_eq!(tapped.incomplete, None);
        let of_link = both.counters.flows_in(Phase::Measure, direction);
        let (none, loss) = (Amount::default(), of_link.dropped_loss);
        let of_link = Tally { dropped_loss: none, ..of_link };
        assert_eq!(*tapped.sent.phase(Phase::Measure), of_link, "{direction:?}");
        assert_eq!(tapped.sent.total(), of_link, "nothing in another phase");
        if direction == Direction::Up {
            assert!(loss.packets > 5 && of_link.retransmitted.packets > 5, "{of_link:?}");
            assert!(of_link.entered.bytes > 300_000 + 20 * 3_000, "{of_link:?}");
        }
    }
}

pub fn stalled_link_counts_its_drops() {
    stdout(&mut role("stall"));
}

pub fn congestion_control_is_the_links() {
    // The machine's default may be either; two links that differ must both get their own, on both ends.
    for name in ["reno", "cubic"] {
        let mut link = LinkSpec::unshaped();
        link.congestion = name.to_owned();
        assert_eq!(transfer(&link, 1_000, None).congestion, [name, name]);
    }
}

/// Each packet takes its time on the line, after those that entered before it. Computed from the times at which packets
/// entered, no segment may be acknowledged before it can have arrived; and only few may be much later, as they would be on
/// a slower line, where they wait behind the whole window. On a busy machine packets enter and arrive late, but the
/// arrivals of one of five transfers have an ordinary median.
pub fn rate_is_kept() {
    const DELAY_S: f64 = 1e-3;
    const RATE_BIT_PER_S: u64 = 20_000_000;
    let mut link = delayed(1);
    link.up.rate = RateSpec::Constant { rate: BitRate { bits_per_s: RATE_BIT_PER_S } };
    let median_s = |_| {
        let folder = tempfile::tempdir().unwrap();
        let capture = folder.path().join("link.pcapng");
        let transfer = transfer(&link, 2_000_000, Some(&capture));
        assert!(transfer.intact);
        let (mut free_s, mut newest): (f64, u64) = (0.0, 0);
        let mut on_the_way = VecDeque::new();
        let mut later = Vec::new();
        for packet in packets(&capture) {
            if packet.up {
                free_s = free_s.max(packet.entered_s) + packet.bytes as f64 * 8.0 / RATE_BIT_PER_S as f64;
                // For retransmitted data it is unknown which copy was acknowledged.
                if packet.sequence_end > newest {
                    newest = packet.sequence_end;
                    on_the_way.push_back((newest, free_s + DELAY_S));
                }
                continue;
            }
            while let Some((_, arrival_s)) = on_the_way.front().filter(|(end, _)| *end <= packet.acknowledged)
            {
                later.push(packet.entered_s - arrival_s);
                on_the_way.pop_front();
            }
        }
        assert!(later.len() > 1_000, "{}", later.len());
        later.sort_by(f64::total_cmp);
        // The capture's times are in nanoseconds; tshark prints all digits.
        assert!(later[0] > -1e-6, "{}", later[0]);
        later[later.len() / 2]
    };
    let medians_s: Vec<f64> = (0..5).map(median_s).collect();
    assert!(medians_s.iter().any(|median_s| *median_s < 5e-3), "{medians_s:?}");
}

/// A packet in a capture.
struct Packet {
    up: bool,
    /// Seconds since the first packet.
    entered_s: f64,
    bytes: u64,
    /// For TCP, the relative sequence number after its last byte; 0 for other packets.
    sequence_end: u64,
    acknowledged: u64,
}

fn packets(capture: &Path) -> Vec<Packet> {
    let fields =
        ["frame.interface_name", "frame.time_relative", "frame.len", "tcp.seq", "tcp.len", "tcp.ack"];
    let mut command = Command::new("tshark");
    command.arg("-r").arg(capture).args(["-T", "fields"]).args(fields.iter().flat_map(|field| ["-e", field]));
    let text = stdout(command.stderr(Stdio::null()));
    let packet = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |index: usize| fields.get(index).and_then(|field| field.parse().ok()).unwrap_or(0);
        Packet {
            up: fields[0] == "up",
            entered_s: fields[1].parse().unwrap(),
            bytes: number(2),
            sequence_end: if number(4) > 0 { number(3) + number(4) } else { 0 },
            acknowledged: number(5),
        }
    };
    text.lines().map(packet).collect()
}

/// Packets and bytes of the frames in a capture that match a filter.
fn tshark(capture: &Path, filter: &str) -> (u64, u64) {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(capture).args(["-Y", filter, "-T", "fields", "-e", "frame.len"]);
    let text = stdout(command.stderr(Stdio::null()));
    text.lines()
        .fold((0, 0), |(packets, bytes), line| (packets + 1, bytes + line.trim().parse::<u64>().unwrap()))
}

pub fn capture_equals_counters() {
    let folder = tempfile::tempdir().unwrap();
    let capture = folder.path().join("link.pcapng");
    let transfer = transfer(&delayed(5).with_loss(0.05), 300_000, Some(&capture));
    let counters = &transfer.counters;
    let sums = |f: &dyn Fn(&Tally) -> (u64, u64), direction| f(&counters.total(direction));
    let entered = |t: &Tally| (t.entered.packets, t.entered.bytes);
    let dropped = |t: &Tally| (t.dropped_loss.packets, t.dropped_loss.bytes);
    for (direction, name) in [(Direction::Up, "up"), (Direction::Down, "down")] {
        let interface = format!("frame.interface_name == \"{name}\"");
        assert_eq!(tshark(&capture, &interface), sums(&entered, direction), "{name}");
        let lost = format!("{interface} && frame.comment == \"dropped: loss\"");
        assert_eq!(tshark(&capture, &lost), sums(&dropped, direction), "{name} dropped");
    }
    let flow = |protocol: u8| counters.flows.iter().find(|f| f.protocol == protocol).unwrap();
    let (tcp, udp) = (flow(6), flow(17));
    let filter = format!("tcp.port == {} && ip.src == 10.77.0.1", tcp.edge.port());
    assert_eq!(tshark(&capture, &filter), entered(&tcp.tallies.up.total()));
    // Later fragments carry no ports: all UDP upward belongs to this one flow, 3 packets per datagram.
    let up = udp.tallies.up.total();
    assert_eq!(
        tshark(&capture, "udp && !icmp || frame.interface_name == \"up\" && ip.proto == 17"),
        entered(&up)
    );
    assert_eq!(up.entered.packets, 60);
    assert!(counters.echoes.up.total().entered.packets >= 5, "pings are of no flow");
}

pub fn multicast_crosses() {
    stdout(&mut role("multicast"));
}

pub fn hosts_reach_nobody_else() {
    stdout(&mut role("elsewhere"));
}

pub fn lanes_are_apart() {
    stdout(&mut role("two-lanes"));
}

/// Whether a condition becomes true within ten seconds.
fn within_ten_seconds(condition: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(10) {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

fn processes_with_argument(argument: &str) -> usize {
    let read =
        |entry: std::io::Result<std::fs::DirEntry>| std::fs::read(entry.ok()?.path().join("cmdline")).ok();
    let lines = std::fs::read_dir("/proc").unwrap().filter_map(read);
    lines.filter(|line| line.split(|b| *b == 0).any(|word| word == argument.as_bytes())).count()
}

/// Which of the namespaces still have processes.
fn inhabited(namespaces: &str) -> bool {
    let of = |entry: std::fs::DirEntry| std::fs::read_link(entry.path().join("ns/net")).ok();
    let all: Vec<_> = std::fs::read_dir("/proc").unwrap().flatten().filter_map(of).collect();
    namespaces.split_whitespace().any(|name| all.iter().any(|link| link.as_os_str() == name))
}

fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    line.trim().to_owned()
}

fn dies_without_trace(command: &mut Command) {
    let mut outer = command.stdout(Stdio::piped()).spawn().unwrap();
    let namespaces = first_line(&mut outer);
    assert!(namespaces.starts_with("net:["), "{namespaces}");
    assert!(inhabited(&namespaces));
    assert!(within_ten_seconds(|| processes_with_argument("1077") == 2));
    outer.kill().unwrap();
    outer.wait().unwrap();
    assert!(within_ten_seconds(|| !inhabited(&namespaces)), "a namespace is left");
    assert!(within_ten_seconds(|| processes_with_argument("1077") == 0), "a process is left");
}

pub fn nothing_is_left() {
    dies_without_trace(&mut role("hold"));
}

pub fn statuses_pass_through() {
    let link = LinkSpec::unshaped();
    let code = |command: &[&str]| exec(&link, "-", command).status().unwrap().code();
    assert_eq!(code(&["sh", "-c", "exit 42"]), Some(42));
    assert_eq!(code(&["sh", "-c", "kill -9 $$"]), Some(137));
    assert_eq!(code(&["no-such-program-here"]), Some(99));
    // A signal to the outer process reaches the command, which handles it.
    let script = "trap 'exit 7' TERM; echo up; while :; do sleep 0.05; done";
    let mut outer = exec(&link, "-", &["sh", "-c", script]).stdout(Stdio::piped()).spawn().unwrap();
    assert_eq!(first_line(&mut outer), "up");
    // SAFETY: kill with a process id of our own child.
    unsafe { libc::kill(outer.id() as i32, libc::SIGTERM) };
    assert_eq!(outer.wait().unwrap().code(), Some(7));
}

pub fn server_on_cloud() {
    let script = "import os,socket\n\
                  s = socket.create_connection((os.environ['WIREDYNO_CLOUD'], 7700))\n\
                  print(s.recv(100).decode(), s.getpeername()[0])";
    let server = "import os,socket\n\
                  l = socket.create_server((os.environ['WIREDYNO_CLOUD'], 7700))\n\
                  c, _ = l.accept(); c.sendall(b'welcome'); c.close(); c, _ = l.accept()";
    let cloud = format!("exec python3 -c \"{server}\"");
    let text = stdout(&mut exec(&delayed(1), &cloud, &["python3", "-c", script]));
    assert_eq!(text.trim(), "welcome 10.77.0.2");
    assert!(within_ten_seconds(|| processes_with_argument(server) == 0));
}

pub fn check_measures() {
    let report: CheckReport = serde_json::from_str(&stdout(&mut role("check"))).unwrap();
    let floor = report.floor.unwrap();
    assert_eq!((floor.link.count, floor.shaped_excess.count), (2_000, 100));
    // No upper bound on time: a busy machine is not a bug. Only that packets were delayed at all is checked.
    assert!(floor.link.median_ns > 0 && floor.lateness.packets >= 200);
}

/// A user created for the test, removed when dropped.
struct OtherUser(String);

impl OtherUser {
    fn make() -> Self {
        let name = format!("wiredyno-{}", std::process::id());
        stdout(Command::new("useradd").args(["--no-create-home", "--shell", "/bin/sh", &name]));
        Self(name)
    }

    /// User id, also used as group id: all that matters is that it is not root.
    fn id(&self) -> String {
        stdout(Command::new("id").args(["-u", &self.0])).trim().to_owned()
    }
}

impl Drop for OtherUser {
    fn drop(&mut self) {
        let _ = Command::new("userdel").arg(&self.0).status();
    }
}

pub fn ordinary_user() {
    let user = OtherUser::make();
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    open(folder.path(), 0o755);
    let (program, tun) = (folder.path().join("physical"), folder.path().join("tun"));
    std::fs::copy(this(), &program).unwrap();
    open(&program, 0o755);
    stdout(Command::new("mknod").arg(&tun).args(["c", "10", "200"]));
    open(&tun, 0o600);
    let as_user = |role: &str| {
        // Unlike runuser, setpriv replaces itself by the program, so that killing it kills the program's outer process.
        let mut command = Command::new("setpriv");
        command.arg(format!("--reuid={}", user.id())).arg(format!("--regid={}", user.id()));
        command.args(["--clear-groups", "--", "env"]).arg(format!("WIREDYNO_TUN={}", tun.display()));
        command.arg(&program).arg(role);
        command
    };
    // A device node owned by another user: the reason and the remedy are given.
    let rights = stdout(&mut as_user("rights"));
    assert!(rights.contains("sudo chmod 0666"), "{rights}");
    open(&tun, 0o666);
    let script = "ping -q -c 20 -i 0.05 $WIREDYNO_CLOUD && id -u";
    let text = stdout(as_user("exec").arg(json(&delayed(35))).args(["-", "sh", "-c", script]));
    // Without real-time priority, on a possibly busy machine: only the delay itself is checked.
    assert!(least_ms(&text) >= 69.9, "{text}");
    assert!(text.trim_end().ends_with("\n0"), "root inside: {text}");
    let text = stdout(as_user("transfer").arg(json(&delayed(5).with_loss(0.05))).args(["100000", "-"]));
    let transfer: Transfer = serde_json::from_str(&text).unwrap();
    assert!(transfer.intact);
    stdout(&mut as_user("multicast"));
    dies_without_trace(&mut as_user("hold"));
}

pub fn without_rights() {
    // In a user namespace that allows no nested ones, and without CAP_SYS_ADMIN in it, no namespace can be created.
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && \
                  exec setpriv --bounding-set=-sys_admin --inh-caps=-all \"$0\" sleep-under-watchdog";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", script]).arg(this());
    let mut outer = command.stdout(Stdio::piped()).spawn().unwrap();
    let line = first_line(&mut outer);
    let (sleeper, missing): (u32, Option<String>) = serde_json::from_str(&line).unwrap();
    let missing = missing.unwrap();
    assert!(missing.contains("may not make namespaces"), "{missing}");
    assert!(missing.contains("sysctl user.max_user_namespaces=10000"), "{missing}");
    let alive = || Path::new(&format!("/proc/{sleeper}/exe")).exists();
    assert!(alive());
    outer.kill().unwrap();
    outer.wait().unwrap();
    assert!(within_ten_seconds(|| !alive()), "the watchdog left a process");
}
