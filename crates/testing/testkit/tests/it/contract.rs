//! The sessions in docs/RUNNER.md, replayed with every runner: its replies must match the document's.
//!
//! The comparison covers the fields, their kinds, and every value that does not depend on the machine or the time. Files, ports
//! and points in time in requests are filled in here; payloads, which the document abbreviates, are sent in full.

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
use std::collections::BTreeMap;
use std::path::Path;

use nix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use wiredyno_contract::live::LiveReader;
use wiredyno_contract::{Answer, Operation};
use wiredyno_testkit::{Runner, Source, Subject, payloads, rust};

/// A request of the document, and the reply below it.
struct Exchange {
    request: String,
    reply: Value,
}

impl Exchange {
    fn op(&self) -> String {
        self.request.split("\"op\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    }

    /// The object after `"payload":`, with its braces; it contains no other object.
    fn payload(&self) -> Option<&str> {
        let rest = self.request.split("\"payload\":").nth(1)?;
        rest.find('}').map(|end| &rest[..=end])
    }
}

/// All exchanges of the document, in order. Continuation lines are indented further.
fn exchanges() -> Vec<Exchange> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/RUNNER.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (mut exchanges, mut said) = (Vec::new(), Vec::<String>::new());
    for line in text.lines().chain([""]) {
        if let Some(rest) = line.strip_prefix("    > ").or(line.strip_prefix("    < ")) {
            said.push(rest.to_owned());
        } else if let Some(rest) = line.strip_prefix("       ") {
            if let Some(last) = said.last_mut() {
                last.push_str(rest.trim_start());
            }
        } else {
            for pair in std::mem::take(&mut said).chunks(2) {
                let [request, reply] = pair else { panic!("no reply to {pair:?}") };
                let reply = serde_json::from_str(reply).unwrap_or_else(|error| panic!("{error} in {reply}"));
                exchanges.push(Exchange { request: request.clone(), reply });
            }
        }
    }
    exchanges
}

/// The processes of one replay.
struct Replay<'a> {
    person: &'a Subject,
    small: &'a Subject,
    /// By their roles in the document.
    runners: BTreeMap<&'static str, Runner>,
    /// The port that the relay listens on.
    port: u64,
    folder: tempfile::TempDir,
    sources: Vec<Source>,
}

impl Replay<'_> {
    /// The process that an operation is sent to. Operations that must be the first of a process get their own.
    fn role(&mut self, op: &str, payload: Option<&str>) -> &'static str {
        let role = match op {
            "serve" | "finish-serving" => "relay",
            "subscribe" | "await-received" | "await-delivered" => "subscriber",
            "publish" | "warm-up" | "start" | "await-sent" | "write-sent" | "finish" | "stop" => "publisher",
            "call-first" | "encode-samples" | "decode-samples" => "fresh",
            _ if payload.is_some_and(|payload| payload.contains("\"small\"")) => "small",
            _ => "codecs",
        };
        if role == "fresh" {
            self.runners.remove(role);
        }
        if !self.runners.contains_key(role) {
            let mut runner = if role == "small" { self.small.start() } else { self.person.start() };
            if role == "publisher" {
                let source = Source::own(&self.person.payload, None).unwrap();
                runner.must(Operation::Load {
                    payload: source.wire(),
                    codec: "protobuf/prost".parse().unwrap(),
                    compression: "none".parse().unwrap(),
                    samples: None,
                });
                self.sources.push(source);
            }
            self.runners.insert(role, runner);
        }
        role
    }

    /// The request with files, ports and times filled in.
    fn request(&mut self, exchange: &Exchange) -> Value {
        let Some(payload) = exchange.payload() else {
            let mut request = serde_json::from_str(&exchange.request).unwrap();
            self.put(&mut request);
            return request;
        };
        let subject = if payload.contains("\"small\"") { self.small } else { self.person };
        let source = if payload.contains("\"training\"") {
            Source::training(&subject.payload, 50, 1000).unwrap()
        } else {
            Source::own(&subject.payload, None).unwrap()
        };
        let mut request: Value = serde_json::from_str(&exchange.request.replace(payload, "null")).unwrap();
        request["payload"] = serde_json::to_value(source.wire()).unwrap();
        self.sources.push(source);
        request
    }

    fn put(&self, request: &mut Value) {
        let Value::Object(fields) = request else { return };
        for (name, value) in fields {
            match name.as_str() {
                "port" if *value != json!(0) => *value = json!(self.port),
                "at_ns" => *value = json!(after_ns(10_000_000)),
                "until_ns" => *value = json!(after_ns(20_000_000_000)),
                "counters" => {
                    let path = self.folder.path().join("counters");
                    LiveReader::create(&path).unwrap();
                    *value = json!(path);
                }
                "records" | "sent" => *value = json!(self.folder.path().join("records")),
                _ => self.put(value),
            }
        }
    }

    fn ask(&mut self, exchange: &Exchange) {
        let role = self.role(&exchange.op(), exchange.payload());
        let request = self.request(exchange);
        let runner = self.runners.get_mut(role).unwrap();
        runner.send(&request.to_string());
        let reply = runner.reply();
        if let Answer::Ok(outcome) = &reply.answer
            && let Some(port) = serde_json::to_value(outcome).unwrap().pointer("/endpoint/port")
        {
            self.port = port.as_u64().unwrap();
        }
        let reply = serde_json::to_value(&reply).unwrap();
        let whole = exchange.op() != "describe";
        if let Err(why) = alike(&exchange.reply, &reply, "", whole) {
            panic!("{}\nin the document: {}\nhere: {reply}\n{why}", exchange.request, exchange.reply);
        }
    }
}

/// A point in time, relative to now, on the contract's clock.
fn after_ns(ns: i64) -> i64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap();
    now.tv_sec() * 1_000_000_000 + now.tv_nsec() + ns
}

/// Whether a value depends on the machine, the time or a version.
fn varies(name: &str) -> bool {
    let names =
        ["port", "iterations", "version", "language", "stack_bytes", "count", "peak_bytes", "missing"];
    name.ends_with("_ns") || names.contains(&name)
}

/// Whether a reply matches the document. A text may end in `...` for what is left out; unless `whole`
/// is set, fields and entries of lists may be left out too.
fn alike(said: &Value, here: &Value, name: &str, whole: bool) -> Result<(), String> {
    let differs = || Err(format!("`{name}` is {here}, and {said} in the document"));
    if varies(name) {
        let same_kind = std::mem::discriminant(said) == std::mem::discriminant(here);
        return if same_kind { Ok(()) } else { differs() };
    }
    match (said, here) {
        (Value::Object(said), Value::Object(here)) => {
            for (name, value) in said {
                alike(value, here.get(name).unwrap_or(&Value::Null), name, whole)?;
            }
            let more = here.iter().find(|(name, value)| !said.contains_key(*name) && !value.is_null());
            match more.filter(|(name, _)| whole && *name != "instructions") {
                Some((name, _)) => Err(format!("`{name}` is not in the document")),
                None => Ok(()),
            }
        }
        (Value::Array(said), Value::Array(here)) if !whole && said.iter().all(Value::is_object) => {
            let is_there = |entry: &Value| here.iter().any(|one| alike(entry, one, name, whole).is_ok());
            match said.iter().find(|entry| !is_there(entry)) {
                Some(entry) => Err(format!("`{name}` has no {entry}")),
                None => Ok(()),
            }
        }
        (Value::Array(said), Value::Array(here)) if name != "not_carried" && name != "ids" => {
            if said.len() != here.len() {
                return differs();
            }
            said.iter().zip(here).try_for_each(|(said, here)| alike(said, here, name, whole))
        }
        (Value::Array(said), Value::Array(here)) => {
            if said.iter().all(|one| here.contains(one)) {
                Ok(())
            } else {
                differs()
            }
        }
        (Value::String(said), Value::String(here)) if said.ends_with("...") => {
            if here.starts_with(said.trim_end_matches("...")) { Ok(()) } else { differs() }
        }
        _ if said == here => Ok(()),
        _ => differs(),
    }
}

#[test]
fn the_sessions_of_the_document_are_what_runners_answer() {
    let subjects = rust::subjects(|id| ["person", "small"].contains(&id)).unwrap();
    let of = |id: &'static str| subjects.iter().filter(move |subject| subject.payload.id().name == id);
    let mut exchanges = exchanges();
    assert_eq!(exchanges.len(), 24, "another number of sessions in the document: say it here");
    // In the document the relay's end follows its beginning; publisher and subscriber need it until they end.
    let end = exchanges.iter().position(|exchange| exchange.op() == "finish-serving").unwrap();
    let end = exchanges.remove(end);
    let stop = exchanges.iter().position(|exchange| exchange.op() == "stop").unwrap();
    exchanges.insert(stop, end);
    for (person, small) in of("person").zip(of("small")) {
        assert_eq!(payloads::samples(&person.payload, 2).len(), 1);
        let folder = tempfile::tempdir().unwrap();
        let (runners, sources) = (BTreeMap::new(), Vec::new());
        let mut replay = Replay { person, small, runners, port: 0, folder, sources };
        exchanges.iter().for_each(|exchange| replay.ask(exchange));
    }
}
