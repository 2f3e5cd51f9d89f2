//! The axis `security` as a user sees it: brokers and relays that the run starts itself, unencrypted and encrypted.

use std::collections::BTreeMap;

use crate::languages;
use crate::stand::{Desk, Said, array, assert_accounted, installed, said};
use serde_json::Value;
use wiredyno_contract::{Security, TlsVersion};
use wiredyno_transport_stand::full;

/// A study of a second over these modes, with these securities; its temporary files are in a folder of their own.
fn run(desk: &Desk, out: &str, mode: &str, security: &str, more: &[&str]) -> Said {
    let scratch = desk.file("scratch");
    std::fs::create_dir_all(&scratch).unwrap();
    let mut command = desk.command(&["run", "tiny.toml", "--out", out, "--set", "codec=json/serde-json"]);
    command.args(["--set", "trials.repeats=1", "--set", "codec_trials.enabled=false"]);
    command.args(["--set", &format!("mode={mode}"), "--set", &format!("security={security}")]).args(more);
    let told = said(command.env("TMPDIR", &scratch));
    let left: Vec<_> = std::fs::read_dir(&scratch).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "what proves who it is goes with the run: {left:?}");
    told
}

/// The cells of a summary by mode and security.
fn cells(summary: &Value) -> BTreeMap<(String, String), Value> {
    let word = |cell: &Value, axis: &str| cell["axes"][axis].as_str().unwrap().to_owned();
    let all = array(&summary["cells"]).iter();
    all.map(|cell| ((word(cell, "mode"), word(cell, "security")), cell.clone())).collect()
}

fn assert_handshakes(summary: &Value, told_bytes: &[&str]) {
    for ((mode, security), cell) in cells(summary) {
        let has = |name: &str| cell["metrics"].get(name).is_some();
        let encrypted = security != "none";
        assert_eq!(has("handshake") && has("handshake_cpu"), encrypted, "{mode} {security}: {cell}");
        let tells = told_bytes.iter().any(|told| mode.starts_with(told));
        assert_eq!(has("handshake_bytes"), encrypted && tells, "{mode} {security}: {cell}");
        assert!(!encrypted || !has("message_wire"), "what is encrypted can't be read: {cell}");
    }
}

#[test]
fn a_broker_and_a_relay_of_the_runs_own_are_encrypted_and_what_a_protocol_lacks_is_told() {
    let desk = Desk::for_runs();
    let more = ["--set", "security.login=true"];
    run(&desk, "r", "mqtt:qos1,tcp,udp", "none,tls,mtls", &more).well();
    let summary = desk.summary("r");
    assert_accounted(&summary, 1);
    let keys: Vec<_> = cells(&summary).into_keys().collect();
    let expected = [
        ("mqtt:qos1", "mtls"),
        ("mqtt:qos1", "none"),
        ("mqtt:qos1", "tls"),
        ("tcp", "mtls"),
        ("tcp", "none"),
        ("tcp", "tls"),
        ("udp", "none"),
    ];
    assert_eq!(keys, expected.map(|(mode, security)| (mode.to_owned(), security.to_owned())));
    assert_handshakes(&summary, &["tcp"]);
    let not_run: Vec<_> =
        array(&summary["not_run"]).iter().map(|one| one["what"].as_str().unwrap()).collect();
    assert_eq!(not_run, ["udp with security tls", "udp with security mtls"]);
    let why = summary["not_run"][0]["why"].as_str().unwrap();
    assert_eq!(why, "udp has no security `tls` here, only none");
}

#[test]
fn a_handshake_is_resumed_where_a_study_says_so() {
    let desk = Desk::for_runs();
    run(&desk, "r", "tcp", "tls", &["--set", "security.resumption=true"]).well();
    let trials = wiredyno_store::RunFolder::open(&desk.file("r")).unwrap().read_trials().unwrap().messages;
    for trial in trials {
        let SetUps { publisher, subscriber } = SetUps::of(&trial.record.set_up);
        assert!(publisher && subscriber, "{:?}", trial.record.set_up);
    }
}

/// Whether the handshakes of publisher and subscriber were resumed.
struct SetUps {
    publisher: bool,
    subscriber: bool,
}

impl SetUps {
    fn of(set_up: &wiredyno_model::trial::SetUp) -> Self {
        let resumed = |of: Option<wiredyno_contract::Handshake>| of.is_some_and(|of| of.resumed);
        SetUps {
            publisher: resumed(set_up.publisher_handshake),
            subscriber: resumed(set_up.subscriber_handshake),
        }
    }
}

/// Python's clients over the run's own brokers: Paho's by Python's TLS, Kafka's by OpenSSL below librdkafka.
#[test]
fn clients_of_python_are_encrypted_and_present_their_certificates() {
    if !languages::python_is_here() {
        return;
    }
    let mut modes = vec!["mqtt:qos1"];
    modes.extend(["java", "mvn"].iter().all(|program| installed(program).is_ok()).then_some("kafka:acks-1"));
    let desk = Desk::for_runs();
    let python = ["--set", "codec=json/python-json", "--set", "payload=person", "--set", "link=loopback"];
    run(&desk, "r", &modes.join(","), "none,tls,mtls", &python).well();
    let summary = desk.summary("r");
    assert_accounted(&summary, 1);
    assert_eq!(array(&summary["cells"]).len(), 3 * modes.len(), "{summary}");
    let trials = wiredyno_store::RunFolder::open(&desk.file("r")).unwrap().read_trials().unwrap().messages;
    for trial in trials {
        let (cell, version) = (&trial.record.cell, trial.record.set_up.tls);
        let told =
            cell.security.is_some_and(|security| security != Security::None) && cell.mode.protocol == "mqtt";
        assert_eq!(version, told.then_some(TlsVersion::Tls13), "{cell}");
    }
}

/// Java's clients, by its own TLS.
#[test]
fn clients_of_java_are_encrypted_and_present_their_certificates() {
    if !languages::java_is_here() {
        return;
    }
    let mut modes = vec!["mqtt:qos1", "mqtt5:qos1", "kafka:acks-1"];
    modes.extend(installed("rabbitmq-server").is_ok().then_some("amqp-0-9-1:manual-ack"));
    let desk = Desk::for_runs();
    let java = ["--set", "codec=json/jackson", "--set", "payload=person", "--set", "link=loopback"];
    run(&desk, "r", &modes.join(","), "mtls", &java).well();
    let summary = desk.summary("r");
    assert_accounted(&summary, 1);
    assert_eq!(array(&summary["cells"]).len(), modes.len(), "{summary}");
}

#[test]
fn what_can_not_be_is_refused_before_anything_is_done() {
    let desk = Desk::for_runs();
    for (security, part) in [("tsl", "dtls-psk"), ("tls,tls", "twice")] {
        let error = run(&desk, "r", "tcp", security, &[]).refused(2);
        assert!(error.contains(part), "{error}");
    }
    let error = run(&desk, "r", "tcp", "tls", &["--keylog"]).refused(2);
    assert!(error.contains("--capture"), "{error}");
    assert!(!desk.file("r").exists());
}

#[test]
fn each_client_of_a_protocol_has_its_own_securities() {
    let modes = "mode=dds:reliable,dds/cyclonedds:reliable";
    let plan = ["run", "tiny.toml", "--dry-run", "--set", modes, "--set", "security=dds-security"];
    let told = Desk::new().wiredyno(&plan).well();
    assert!(told.contains("not run: dds:reliable with security dds-security: dds has no security"), "{told}");
    assert!(!told.contains("not run: dds/cyclonedds:reliable with security"), "{told}");
}

/// DDS with Cyclone DDS, and which bytes of a body cross the link; the runner takes a minute to compile.
#[test]
fn dds_security_hides_bodies_and_costs_bytes() {
    if !full() {
        println!("slow: WIREDYNO_TEST_FULL=1");
        return;
    }
    let desk = Desk::for_runs();
    let wire = |out: &str, security: &str| {
        let more = ["--set", "link=lan", "--capture"];
        run(&desk, out, "dds/cyclonedds:reliable", security, &more).well();
        let summary = desk.summary(out);
        assert_accounted(&summary, 1);
        let [cell] = array(&summary["cells"]) else { panic!("{summary}") };
        let has = |name: &str| cell["metrics"].get(name).is_some();
        // The library reports nothing about its handshake, and the link can't read encrypted packets.
        assert!(!has("handshake") && has("publisher_connect") && has("setup_wire"), "{cell}");
        assert_eq!(has("message_wire"), security == "none", "{cell}");
        let captures = std::fs::read_dir(desk.file(out).join("captures")).unwrap();
        let packets: Vec<u8> =
            captures.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
        let clear = packets.windows(FIELD.len()).any(|bytes| bytes == FIELD.as_bytes());
        assert_eq!(clear, security == "none", "{security}");
        cell["metrics"]["wire_per_message"]["mean"].as_f64().unwrap()
    };
    let [clear, encrypted] = [wire("c", "none"), wire("d", "dds-security")];
    // Each message has the headers and tags of three protections.
    assert!(clear + 100.0 < encrypted, "{clear} {encrypted}");
    let keys = ["--set", "link=lan", "--capture", "--keylog", "--set", "trials.retries=0"];
    let told = run(&desk, "k", "dds/cyclonedds:reliable", "dds-security", &keys);
    assert!(format!("{}{}", told.out, told.err).contains("does not export its keys"), "{told:?}");
}

/// A field of every body, in JSON's form.
const FIELD: &str = "\"first_name\"";

/// Every protocol over every broker that can encrypt: they take seconds to start, and their runners a minute to compile.
#[test]
fn every_protocol_is_encrypted_over_every_broker_that_can() {
    if !full() {
        println!("slow: WIREDYNO_TEST_FULL=1");
        return;
    }
    let desk = Desk::for_runs();
    let brokers = ["--set", "broker=mosquitto,hivemq,rabbitmq,qpid,kafka"];
    let modes = "mqtt:qos1,mqtt5:qos1,amqp-0-9-1:manual-ack,amqp-1-0:unsettled,kafka:acks-1";
    run(&desk, "r", modes, "none,tls,mtls", &brokers).well();
    let summary = desk.summary("r");
    assert_accounted(&summary, 1);
    // mqtt and mqtt5 by two brokers each, amqp-0-9-1 by two, amqp-1-0 and kafka by one.
    assert_eq!(array(&summary["cells"]).len(), 3 * (2 + 2 + 2 + 1 + 1), "{summary}");
    let modes = "mqtt:qos1,amqp-0-9-1:manual-ack,amqp-1-0:unsettled,kafka:acks-1";
    run(&desk, "s", modes, "none,tls", &["--set", "security.login=true"]).well();
    assert_accounted(&desk.summary("s"), 1);
    run(&desk, "t", "coap:con,coap:non-block", "none,dtls-psk,dtls-cert", &[]).well();
    let summary = desk.summary("t");
    assert_accounted(&summary, 1);
    assert_handshakes(&summary, &["coap"]);
}
