//! Rust's runners: composed for the suites, and kept in the tests' own cache.
//!
//! | payloads | codecs |
//! |---|---|
//! | those of [`OWN`](crate::payloads::OWN), which have every construct, and `person` | all |
//! | other bundled ones | those that a comparison needs; with `WIREDYNO_TEST_FULL` all |
//!
//! The cache is `target/test-cache/wiredyno` of the checkout, so that a second run compiles nothing, and runners that users have
//! built are not used. Generated code and the project's own are not optimised, which takes a fifth of the time: the suites check what
//! runners do. With `WIREDYNO_TEST_FULL` they are compiled as for measuring.

use std::path::{Path, PathBuf};

use wiredyno_build::{BuildError, BuildStep, Cache, CachedRunner, Composition, Level, Workshop};
use wiredyno_contract::{Capability, DeclaredCodec};
use wiredyno_payloads::{Payload, bundled_names};

use crate::{Subject, full, payloads};

/// The name of Rust's runners.
pub const NAME: &str = "rust";

/// The transport that every composed runner has.
pub const TCP: &str = "tcp/wiredyno";

/// Payloads that the suites use with some codecs only.
const SOME: &[(&str, &[&str])] = &[
    ("cam", &[JSON, XML, UPER, RASN, APER, OER, COER, DER, EXI, EXI_DEFAULT, THRIFT, THRIFT_BINARY]),
    ("current-status", &[JSON, PROST, "flatbuffers/planus"]),
    ("denm", &[JSON, XML, UPER, RASN, APER, OER, COER, DER, EXI, EXI_DEFAULT, THRIFT, THRIFT_BINARY]),
    ("denm-management", &[UPER, RASN]),
    ("envelope-1-certificate", &[JSON, ENVELOPE]),
    ("envelope-1-digest", &[JSON, ENVELOPE]),
    ("envelope-2", &[JSON, ENVELOPE]),
    ("envelope-3", &[JSON, ENVELOPE]),
    ("kafka-record@1176", KAFKA),
    ("kafka-record@4696", KAFKA),
    ("kafka-record@9312", KAFKA),
    ("laser-scan", ROBOTS),
    ("opaque@0", &[RAW]),
    ("opaque@3", &[RAW]),
    ("opaque@1024", &[RAW]),
    ("sensor-board-data", ROBOTS),
    ("small", &[RAW, JSON, PROST]),
    ("vehicle-control", ROBOTS),
    ("vehicle-data", ROBOTS),
];

const JSON: &str = "json/serde-json";
const RAW: &str = "raw/wiredyno";
const PROST: &str = "protobuf/prost";
const XML: &str = "xml/quick-xml";
const UPER: &str = "asn1-uper/wiredyno";
const RASN: &str = "asn1-uper/rasn";
const APER: &str = "asn1-aper/rasn";
const OER: &str = "asn1-oer/rasn";
const COER: &str = "asn1-oer/rasn:canonical";
const DER: &str = "asn1-der/rasn";
const EXI: &str = "exi/wiredyno:strict";
const EXI_DEFAULT: &str = "exi/wiredyno:default";
const THRIFT: &str = "thrift/apache-thrift";
const THRIFT_BINARY: &str = "thrift/apache-thrift:binary";
const ENVELOPE: &str = "ts-103-097/wiredyno";
const KAFKA: &[&str] = &[JSON, PROST, "messagepack/rmp-serde", "avro/apache-avro"];
const ROBOTS: &[&str] = &[
    JSON,
    "ros1/wiredyno",
    "ros1/wiredyno:udp",
    "ros1/wiredyno:container",
    "ros1/wiredyno:container-alone",
    "lcm/wiredyno",
    "lcm/wiredyno:udp",
    "lcm/wiredyno:container",
    "lcm/wiredyno:container-alone",
    "lcm/wiredyno:hashing",
    "lcm/wiredyno:container-alone-hashing",
    "cdr/wiredyno",
    "cdr/wiredyno:big-endian",
    "netstrings/wiredyno",
    "netstrings/wiredyno:crc",
    "netstrings/wiredyno:varint",
    "netstrings/wiredyno:container",
    "netstrings/wiredyno:container-alone",
    "lcm/lcm-gen",
    "ros1/roscpp",
    "netstrings/wiredyno-cpp",
];

/// Sizes at which sized payloads are tested, if [`SOME`] has none of them.
const SIZES: [(&str, &[u32]); 3] =
    [("kafka-record", &[4696]), ("opaque", &[0, 3, 1024]), ("opaque-text", &[1024])];

/// A payload with the codecs to test over it.
struct Wanted {
    payload: Payload,
    codecs: Vec<&'static DeclaredCodec>,
    missing: Vec<(String, String)>,
}

/// All subjects of the suites whose payload ids `keeps` accepts. Missing runners are compiled in one
/// go.
///
/// # Errors
/// When a runner can't be compiled.
pub fn subjects(keeps: impl Fn(&str) -> bool) -> Result<Vec<Subject>, BuildError> {
    let mut ids: Vec<String> = payloads::OWN.into_iter().chain(["person"]).map(str::to_owned).collect();
    ids.extend(SOME.iter().map(|(id, _)| (*id).to_owned()));
    if full() {
        for name in bundled_names() {
            let sizes = SIZES.iter().find(|(sized, _)| *sized == name);
            ids.extend(match sizes {
                None => vec![name.to_owned()],
                Some((_, sizes)) => sizes.iter().map(|size| format!("{name}@{size}")).collect(),
            });
        }
        ids.sort();
        ids.dedup();
    }
    compose(ids.iter().map(|id| wanted(id)).collect(), keeps)
}

fn wanted(id: &str) -> Wanted {
    let some = SOME.iter().find(|(known, _)| *known == id).filter(|_| !full());
    let mut codecs = wiredyno_codec_registry::REGISTRY.clone();
    codecs.retain(|codec| some.is_none_or(|(_, codecs)| codecs.contains(&codec.id)));
    let mut missing = Vec::new();
    codecs.retain(|codec| {
        let lack = wiredyno_needs::lack(codec.needs);
        missing.extend(lack.iter().map(|lack| (codec.id.to_owned(), lack.to_string())));
        lack.is_none()
    });
    Wanted { payload: payloads::find(id), codecs, missing }
}

/// The compositions for the kept payloads.
fn compose(mut wanted: Vec<Wanted>, keeps: impl Fn(&str) -> bool) -> Result<Vec<Subject>, BuildError> {
    // Payloads with the same definition share a runner, which has the codecs of all of them, kept or not.
    let mut compositions: Vec<Composition> = Vec::new();
    for wanted in &wanted {
        let own = wanted.composition();
        match compositions.iter().position(|other| other.definition() == own.definition()) {
            Some(at) => compositions[at] = compositions[at].clone().and(&own),
            None => compositions.push(own),
        }
    }
    wanted.retain(|wanted| keeps(&wanted.payload.id().to_string()));
    let digests: Vec<String> = wanted.iter().map(|wanted| wanted.payload.definition_digest()).collect();
    compositions.retain(|composition| digests.iter().any(|digest| digest == composition.definition()));
    let kept = kept(&compositions)?;
    let subject = |(wanted, digest): (Wanted, &String)| {
        let at = compositions.iter().position(|composition| composition.definition() == digest);
        let program = at.map(|at| kept[at].program.clone().into()).into_iter().collect();
        let codecs = wanted.codecs.iter().map(|codec| codec.id.to_owned()).collect();
        Subject { missing: wanted.missing, ..Subject::new(NAME, program, wanted.payload, codecs) }
    };
    Ok(wanted.into_iter().zip(&digests).map(subject).collect())
}

impl Wanted {
    /// With all codecs, the transports that need mosquitto, another runner or no broker, for testing roles; otherwise the one for damaged and
    /// numbered messages. The other transports are tested with their brokers in their own packages.
    fn composition(&self) -> Composition {
        let few = SOME.iter().any(|(some, _)| *some == self.payload.id().to_string());
        let transports = wiredyno_transport_registry::REGISTRY.iter().copied().filter(|client| {
            let alone = [Capability::Brokerless, Capability::Direct];
            let served_here = alone.iter().any(|one| client.has(*one)) && client.needs.is_empty()
                || client.protocol.starts_with("mqtt");
            if few { client.describe().id.to_string() == TCP } else { served_here }
        });
        Composition::new(&self.payload, self.codecs.iter().copied(), transports)
    }
}

/// The runners of these compositions, in the same order.
///
/// # Errors
/// When a runner can't be compiled.
pub fn kept(compositions: &[Composition]) -> Result<Vec<CachedRunner>, BuildError> {
    let level = if full() { Level::Full } else { Level::None };
    let cache = Cache::at(folder()).with_level(level);
    let compiler = cache.compiler();
    let found = || {
        let all = compositions.iter().map(|composition| cache.find_exactly(composition, &compiler));
        all.collect::<Result<Vec<_>, _>>()
    };
    let missing = compositions.iter().zip(found()?).filter(|(_, found)| found.is_none());
    let missing: Vec<Composition> = missing.map(|(composition, _)| composition.clone()).collect();
    if !missing.is_empty() {
        let payloads: Vec<&str> = missing.iter().map(Composition::payload).collect();
        eprintln!("compiling runners for {}", payloads.join(", "));
        let workshop = Workshop { cache: &cache, prepare: &|_| {}, interrupted: &|| false };
        workshop.build_exactly(&missing, &mut |step| {
            if step == BuildStep::Waiting {
                eprintln!("waiting for another build to finish");
            }
        })?;
    }
    let all = found()?.into_iter().flatten().inspect(|kept| cache.touch(kept));
    Ok(all.collect())
}

/// The folder of the tests' own cache.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/test-cache/wiredyno")
}
