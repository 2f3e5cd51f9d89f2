//! Estimates how long a build will take: from what must be compiled, and from how long such builds took on this machine.
//!
//! What is compiled already is known from the names in cargo's own folder of fingerprints. The figures below were measured on
//! one machine; each build notes how far they were off, and the median of the last ones corrects the next.
//!
//! Limits: a name says that something was compiled once, not that its source is still the same; downloads are not included.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cache::Cache;
use crate::composition::{Composition, SHORT};
use crate::desk::Desk;
use crate::parts;

/// CPU time of one library, of one of the project's crates in runners, of the types of a definition, of a codec for it, and of
/// linking a runner: a part for each and one for each field, in nanoseconds. Fitted to builds with cargo's `--timings` on two busy
/// cores (Rust 1.95): all codecs for `person` (4 fields), one for `current-status` (725), and two for `person` in an empty folder.
/// Half of the libraries in Cargo.lock are for other systems or for tests: the figure is the mean over all of them.
const LIBRARY_NS: u64 = 650_000_000;
const PART_NS: u64 = 250_000_000;
const TYPES_NS: u64 = 500_000_000;
const TYPES_FIELD_NS: u64 = 20_000_000;
const CODEC_NS: u64 = 850_000_000;
const CODEC_FIELD_NS: u64 = 20_000_000;
const RUNNER_NS: u64 = 600_000_000;

/// The same for the C++ of a codec: of those that there are for `person` and `kitchen-sink`, with g++ 12.
const NATIVE_NS: u64 = 2_500_000_000;
const NATIVE_FIELD_NS: u64 = 60_000_000;

/// The most compilers at work at once: crates wait for each other.
const MOST_AT_ONCE: u64 = 6;

/// How many builds are remembered.
const REMEMBERED: usize = 9;

/// A correction by more than this factor is taken for an outlier.
const MOST_CORRECTION: f64 = 8.0;

/// How long a build was expected to take, by the figures above only, and how long it took; nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Took {
    expected_ns: u64,
    took_ns: u64,
}

impl Cache {
    /// The estimated time to compile these runners in one build, in nanoseconds; 0 for none.
    pub fn estimate_ns(&self, compositions: &[Composition]) -> u64 {
        if compositions.is_empty() {
            return 0;
        }
        (expected_ns(&Desk::of(self).target, compositions) as f64 * correction(&self.took())) as u64
    }

    /// Notes how long a build took, and how long the figures alone had expected.
    pub(crate) fn note_build(&self, expected_ns: u64, took_ns: u64) {
        let mut all = self.took();
        all.push(Took { expected_ns, took_ns });
        let last = &all[all.len().saturating_sub(REMEMBERED)..];
        // Only estimates depend on it.
        if let Ok(text) = serde_json::to_vec(last) {
            let _ = std::fs::write(self.path().join(TIMES), text);
        }
    }

    fn took(&self) -> Vec<Took> {
        let text = std::fs::read(self.path().join(TIMES)).ok();
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }
}

/// The file with the times of builds, below the cache.
const TIMES: &str = "times.json";

/// The median of how far the figures were off; 1 without any data.
fn correction(took: &[Took]) -> f64 {
    let mut ratios: Vec<f64> =
        took.iter().map(|one| one.took_ns as f64 / one.expected_ns.max(1) as f64).collect();
    ratios.sort_by(f64::total_cmp);
    let median = match ratios.len() {
        0 => return 1.0,
        odd if odd % 2 == 1 => ratios[odd / 2],
        even => (ratios[even / 2 - 1] * ratios[even / 2]).sqrt(),
    };
    median.clamp(1.0 / MOST_CORRECTION, MOST_CORRECTION)
}

/// The time that the figures alone predict, in nanoseconds.
pub(crate) fn expected_ns(target: &Path, compositions: &[Composition]) -> u64 {
    let compiled = compiled(target);
    let missing = |name: &str| !compiled.contains(name);
    let mut names: BTreeMap<String, u64> = BTreeMap::new();
    let mut parts = BTreeSet::new();
    for composition in compositions {
        let fields = composition.fields();
        let short = composition.definition().get(..SHORT).unwrap_or_default();
        names.insert(format!("made-types-{short}"), TYPES_NS + fields * TYPES_FIELD_NS);
        for codec in composition.declared() {
            let own = match codec.as_native() {
                Some(_) => NATIVE_NS + fields * NATIVE_FIELD_NS,
                None => CODEC_NS + fields * CODEC_FIELD_NS,
            };
            names.insert(Composition::crate_of(codec.id, short), own);
        }
        parts.extend(composition.parts().into_keys());
    }
    let encrypted = compositions.iter().any(|composition| composition.with_tls().next().is_some());
    let all = parts.clone();
    parts.retain(|package| missing(package));
    // A crate compiled without TLS needs more libraries with it.
    let asking = if encrypted { &all } else { &parts };
    let own: u64 = names.iter().filter(|(name, _)| missing(name)).map(|(_, ns)| ns).sum();
    let libraries = match asking.is_empty() {
        true => 0,
        false => libraries(asking, encrypted).iter().filter(|name| missing(name)).count(),
    };
    let cpu_ns = own
        + compositions.len() as u64 * RUNNER_NS
        + parts.len() as u64 * PART_NS
        + libraries as u64 * LIBRARY_NS;
    let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u64);
    cpu_ns / cpus.min(MOST_AT_ONCE)
}

/// The names of what is compiled already: those of cargo's fingerprints, which end with a hyphen and 16 hexadecimal digits.
fn compiled(target: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(target.join("release/.fingerprint")).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter_map(|name| Some(name.rsplit_once('-')?.0.to_owned())).collect()
}

/// Dependencies that only TLS needs: Cargo.lock does not say what is optional.
const TLS: [&str; 4] = ["rustls-native-certs", "rustls-pemfile", "rustls-webpki", "tokio-rustls"];

/// Everything that these packages depend on outside the project, by Cargo.lock; with TLS or without.
fn libraries(packages: &BTreeSet<String>, encrypted: bool) -> BTreeSet<String> {
    let files = parts::files().unwrap_or_default();
    let lock =
        files.iter().find(|(path, _)| path == parts::LOCK).map(|(_, text)| String::from_utf8_lossy(text));
    let mut all = needs(&lock.unwrap_or_default(), packages, encrypted);
    all.retain(|name| !name.starts_with(OURS));
    all
}

/// How the names of our own packages begin.
const OURS: &str = "wiredyno-";

/// What only tests of our packages need, which Cargo.lock does not distinguish.
const OF_TESTS: [&str; 4] =
    ["wiredyno-bench", "wiredyno-listed", "wiredyno-testkit", "wiredyno-transport-stand"];

fn needs(lock: &str, packages: &BTreeSet<String>, encrypted: bool) -> BTreeSet<String> {
    let mut of: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut name = "";
    for line in lock.lines() {
        if let Some(rest) = line.strip_prefix("name = \"") {
            name = rest.trim_end_matches('"');
            of.entry(name).or_default();
        } else if let Some(rest) = line.strip_prefix(" \"") {
            // `name`, or `name version` where there are several versions.
            let needed = rest.trim_end_matches(['"', ',']).split(' ').next().unwrap_or_default();
            of.entry(name).or_default().push(needed);
        }
    }
    let (mut all, mut open) = (BTreeSet::new(), packages.iter().map(String::as_str).collect::<Vec<_>>());
    while let Some(name) = open.pop() {
        for needed in of.get(name).into_iter().flatten() {
            let wanted = (encrypted || !TLS.contains(needed)) && !OF_TESTS.contains(needed);
            if wanted && all.insert((*needed).to_owned()) {
                open.push(needed);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use wiredyno_payloads::{Payload, PayloadFolder};

    fn person(codecs: &[&str]) -> Composition {
        let payload = Payload::open(PayloadFolder::bundled("person").unwrap(), None).unwrap();
        let codecs = codecs.iter().map(|id| wiredyno_codec_registry::find(&id.parse().unwrap()).unwrap());
        Composition::new(&payload, codecs, [])
    }

    #[test]
    fn what_is_compiled_already_takes_no_time() {
        let desk = tempfile::tempdir().unwrap();
        let one = person(&["json/serde-json"]);
        let expected = || expected_ns(desk.path(), std::slice::from_ref(&one));
        let put = |name: &str| {
            let folder = desk.path().join("release/.fingerprint").join(format!("{name}-0123456789abcdef"));
            std::fs::create_dir_all(folder).unwrap();
        };
        let mut before = expected();
        let short = &one.definition()[..SHORT];
        let parts = one.parts().into_keys();
        let names = [
            "serde_json".to_owned(),
            format!("made-types-{short}"),
            Composition::crate_of("json/serde-json", short),
        ];
        for name in names.into_iter().chain(parts) {
            put(&name);
            assert!(expected() < before, "{name}");
            before = expected();
        }
        let two = person(&["json/serde-json", "protobuf/prost"]);
        assert!(expected_ns(desk.path(), std::slice::from_ref(&two)) > before);
        // Common crates are compiled once.
        let empty = tempfile::tempdir().unwrap();
        let of = |compositions: &[Composition]| expected_ns(empty.path(), compositions);
        assert!(of(&[one.clone(), two.clone()]) < of(&[one]) + of(&[two]));
    }

    #[test]
    fn what_a_library_needs_counts_and_what_is_ours_or_of_tests_does_not() {
        let lock = "[[package]]\nname = \"wiredyno-a\"\ndependencies = [\n \"b\",\n \"wiredyno-x\",\n]\n\n[[package]]\nname = \
                    \"b\"\ndependencies = [\n \"c 1.0.0\",\n]\n\n[[package]]\nname = \"c\"\n\n[[package]]\nname = \"d\"\n";
        let of = |name: &str| needs(lock, &BTreeSet::from([name.to_owned()]), true);
        assert_eq!(of("wiredyno-a"), ["b", "c", "wiredyno-x"].map(str::to_owned).into());
        assert_eq!(of("c"), BTreeSet::new());
        assert!(libraries(&BTreeSet::from(["wiredyno-codec-json".to_owned()]), false).contains("serde_json"));
        let mqtt = |encrypted| libraries(&BTreeSet::from(["wiredyno-transport-mqtt".to_owned()]), encrypted);
        assert!(mqtt(false).contains("rumqttc") && mqtt(false).is_subset(&mqtt(true)));
        assert!(!mqtt(true).iter().any(|name| name.starts_with(OURS) || name == "rcgen"));
        assert_eq!(["ring", "rustls"].map(|name| mqtt(false).contains(name)), [false, false]);
        assert_eq!(["ring", "rustls"].map(|name| mqtt(true).contains(name)), [true, true]);
    }

    #[test]
    fn builds_on_this_machine_correct_the_next_estimate() {
        let desk = tempfile::tempdir().unwrap();
        let cache = Cache::at(desk.path().into());
        let one = [person(&["json/serde-json"])];
        let first = cache.estimate_ns(&one);
        assert!(first > 0 && cache.estimate_ns(&[]) == 0);
        for ratio in [2, 2, 40] {
            cache.note_build(1_000_000_000, ratio * 1_000_000_000);
        }
        assert_eq!(cache.estimate_ns(&one), first * 2);
        (0..20).for_each(|_| cache.note_build(1_000_000_000, 3_000_000_000));
        assert_eq!(cache.took().len(), REMEMBERED);
        assert_eq!(cache.estimate_ns(&one), first * 3);
        std::fs::write(desk.path().join(TIMES), "[{").unwrap();
        assert_eq!(cache.estimate_ns(&one), first);
    }
}
