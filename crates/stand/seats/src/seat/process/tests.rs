use super::*;
use crate::runner::{PATIENCE, Runner};

fn process(script: &str) -> RunnerProcess {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    RunnerProcess::start("publisher", command, &Interrupt::default()).unwrap()
}

fn shell(script: &str) -> Runner {
    Runner::on(Box::new(process(script)))
}

#[test]
fn a_runner_that_dies_is_reported_with_what_it_said() {
    let mut runner = shell("echo out of luck >&2; exit 3");
    let error = runner.ask(Operation::Describe, PATIENCE).unwrap_err().to_string();
    assert!(error.contains("publisher ended") && error.contains("out of luck"), "{error}");
}

/// Every way in which a runner can break the contract during a request, each with its own limit and the error
/// that it gets. None of them takes longer than its limit and a few seconds, and no process of them is left.
#[test]
fn however_a_runner_breaks_the_contract_it_is_told_in_time_and_nothing_of_it_is_left() {
    let (short, long) = (Duration::from_millis(300), PATIENCE);
    // On a busy machine the answer begins late.
    let enough = Duration::from_secs(3);
    let ways = [
        ("silent", "sleep 1000", short, "did not answer `describe` within 0 s"),
        ("closes its output and lives", "exec >&-; sleep 1000", long, "closed its pipes but did not exit"),
        ("closes both and lives", "exec <&- >&-; sleep 1000", long, "closed its pipes but did not exit"),
        ("leaves somebody who holds its output", "sleep 1000 & exit 4", long, "ended before it answered"),
        ("ends in the middle of a line", "read line; printf '{\"id\":1,'; exit 5", long, "exit status: 5"),
        ("half a line", "read line; printf '{\"id\":1,'; sleep 1000", short, "did not answer `describe`"),
        ("an answer without end", "read line; exec cat /dev/zero", enough, "is incomplete"),
        ("an answer that never pauses", "read line; exec yes", long, "broke the contract"),
        ("nonsense", "read line; echo hello; sleep 1000", long, "broke the contract"),
        ("an empty line", "read line; echo; sleep 1000", long, "broke the contract"),
        ("no text", "read line; printf '\\377\\376\\n'; sleep 1000", long, "broke the contract"),
        ("no object", "read line; echo '[1]'; sleep 1000", long, "broke the contract"),
        (
            "another number",
            r#"read line; echo '{"id":7,"ok":{"outcome":"done"}}'; sleep 1000"#,
            long,
            "answered request 7 when asked 1",
        ),
        (
            "another answer",
            r#"read line; echo '{"id":1,"ok":{"outcome":"done"}}'; sleep 1000"#,
            long,
            "it answered `describe` with Done",
        ),
        (
            "an unknown answer",
            r#"read line; echo '{"id":1,"ok":{"outcome":"magic"}}'; sleep 1000"#,
            long,
            "broke the contract",
        ),
        ("an answer and no answer", r#"read line; echo '{"id":1}'; sleep 1000"#, long, "broke the contract"),
        ("killed", "read line; kill -9 $$", long, "signal: 9"),
        ("stopped", "read line; kill -STOP $$", short, "did not answer `describe`"),
        ("deaf to the end", "trap '' TERM INT HUP; while :; do sleep 1000; done", short, "did not answer"),
    ];
    for (way, script, limit, told) in ways {
        let process = process(script);
        let pid = process.group.id();
        let mut runner = Runner::on(Box::new(process));
        let begun = std::time::Instant::now();
        let error = match runner.ask(Operation::Describe, limit) {
            Ok(other) => runner.unexpected("describe", &other),
            Err(error) => error,
        };
        assert!(error.to_string().contains(told), "{way}: {error}");
        runner.stop();
        assert!(begun.elapsed() < long / 2, "{way}: {:?}", begun.elapsed());
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "{way}: it is left");
    }
}

/// A request of megabytes to a runner that reads nothing.
#[test]
fn a_runner_that_does_not_read_is_given_up() {
    let mut runner = shell("sleep 1000");
    let bodies = vec!["00".repeat(1 << 20)];
    let payload: wiredyno_contract::PayloadSource = serde_json::from_value(serde_json::json!({
        "name": "person", "descriptor_set": "", "definition": "", "message": "", "samples": "", "samples_digest": ""
    }))
    .unwrap();
    let codec = "json/serde-json".parse().unwrap();
    let decode = Operation::DecodeSamples { payload, codec, bodies };
    let error = runner.ask(decode, Duration::from_millis(300)).unwrap_err().to_string();
    assert!(error.contains("did not read the request `decode-samples`"), "{error}");
    runner.stop();
}

#[test]
fn a_runner_that_says_too_much_on_its_standard_error_is_told_by_the_end_of_it() {
    let mut runner = shell("head -c 3000000 /dev/zero >&2; printf '\\377 %s\\n' alas >&2; exit 3");
    let error = runner.ask(Operation::Describe, PATIENCE).unwrap_err().to_string();
    assert!(error.contains("alas") && error.len() < 20_000, "{} bytes", error.len());
}

#[test]
fn a_refusal_is_passed_on() {
    let mut runner = shell(r#"read line; echo '{"id":1,"failed":{"error":"no such codec"}}'; read line"#);
    let error = runner.ask(Operation::Describe, PATIENCE).unwrap_err().to_string();
    assert_eq!(error, "publisher: no such codec");
}

#[test]
fn a_runner_without_versions_is_refused() {
    let reply = r#"{"id":1,"ok":{"outcome":"description","contract":2,"runner":{"name":"x","language":"x","version":"1"},"codecs":[{"id":"json/x","library":"x","version":"","about":"","capabilities":[]}],"transports":[]}}"#;
    let mut runner = shell(&format!("read line; echo '{reply}'; read line"));
    let error = runner.describe().unwrap_err().to_string();
    assert!(error.contains("`json/x` states no library version"), "{error}");
}
