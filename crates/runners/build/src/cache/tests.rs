use std::time::Duration;

use nix::errno::Errno;
use wiredyno_payloads::{Payload, PayloadFolder};

use super::*;

const RUSTC: &str = "rustc 1";

fn composition(codecs: &[&str]) -> Composition {
    let payload = Payload::open(PayloadFolder::bundled("person").unwrap(), None).unwrap();
    let codecs = codecs.iter().map(|id| wiredyno_codec_registry::find(&id.parse().unwrap()).unwrap());
    Composition::new(&payload, codecs, [])
}

/// Keeps ten bytes as a runner, and releases it.
fn keep(cache: &Cache, composition: &Composition) -> CachedRunner {
    CachedRunner { held: Held::default(), ..put(cache, composition, "0123456789", false) }
}

fn put(cache: &Cache, composition: &Composition, program: &str, replace: bool) -> CachedRunner {
    let made = cache.folder("").unwrap().join("program");
    std::fs::write(&made, program).unwrap();
    cache.keep(&made, Composed::of(composition, RUSTC), replace).unwrap()
}

#[test]
fn a_runner_serves_who_asks_for_as_much_or_less_of_the_same() {
    let desk = tempfile::tempdir().unwrap();
    let cache = Cache::at(desk.path().into());
    let (one, two) = (composition(&["json/serde-json"]), composition(&["json/serde-json", "protobuf/prost"]));
    assert_eq!(cache.find(&one, RUSTC).unwrap(), None);
    let kept = keep(&cache, &two);
    assert_eq!(cache.find(&one, RUSTC).unwrap().unwrap(), kept);
    assert_eq!(cache.find_exactly(&one, RUSTC).unwrap(), None);
    assert_eq!(cache.find(&two, "rustc 2").unwrap(), None);
    let smaller = keep(&cache, &one);
    assert_eq!(cache.find(&one, RUSTC).unwrap().unwrap(), smaller);
    assert_eq!(cache.find(&composition(&["cbor/ciborium"]), RUSTC).unwrap(), None);
    // Built from other sources than the program has.
    let mut old = Composed::of(&two, RUSTC);
    old.parts.insert("wiredyno-codec-json".into(), "0".into());
    std::fs::write(kept.program.with_file_name(RECORD), serde_json::to_vec(&old).unwrap()).unwrap();
    assert_eq!(cache.find(&two, RUSTC).unwrap(), None);
}

#[test]
fn one_without_tls_serves_nobody_who_asks_for_it_and_has_another_key() {
    let desk = tempfile::tempdir().unwrap();
    let cache = Cache::at(desk.path().into());
    let payload = Payload::open(PayloadFolder::bundled("person").unwrap(), None).unwrap();
    let of = |protocol| wiredyno_transport_registry::of_protocol(protocol).unwrap();
    let clear = Composition::new(&payload, [], [of("mqtt"), of("udp")]);
    let encrypted = clear.clone().encrypted(&["mqtt", "udp", "kafka"].into());
    assert_eq!(encrypted.with_tls().collect::<Vec<_>>(), ["wiredyno-transport-mqtt"]);
    assert!(!encrypted.is_same(&clear) && clear.clone().and(&encrypted).is_same(&encrypted));
    assert_ne!(encrypted.key(RUSTC), clear.key(RUSTC));
    let kept = keep(&cache, &clear);
    assert_eq!(cache.find(&encrypted, RUSTC).unwrap(), None);
    let secure = keep(&cache, &encrypted);
    assert_eq!(cache.find(&encrypted, RUSTC).unwrap().unwrap(), secure);
    assert_eq!(cache.find(&clear, RUSTC).unwrap().unwrap(), kept, "the one with less serves");
}

#[test]
fn what_is_cut_short_is_no_runner() {
    let desk = tempfile::tempdir().unwrap();
    let cache = Cache::at(desk.path().into());
    let one = composition(&["json/serde-json"]);
    let kept = keep(&cache, &one);
    std::fs::write(kept.program.with_file_name(RECORD), "{\"key\":").unwrap();
    assert_eq!(cache.find(&one, RUSTC).unwrap(), None);
    let kept = keep(&cache, &one);
    std::fs::remove_file(&kept.program).unwrap();
    assert_eq!(cache.find(&one, RUSTC).unwrap(), None);
    // Its end is missing, as after a crash.
    let kept = keep(&cache, &one);
    std::fs::File::options().write(true).open(&kept.program).unwrap().set_len(9).unwrap();
    assert_eq!(cache.find(&one, RUSTC).unwrap(), None);
    let whole = keep(&cache, &one);
    assert_eq!(std::fs::read(whole.program).unwrap(), b"0123456789");
    let left = cache.folder("runners").unwrap().join(".making-7");
    std::fs::create_dir(&left).unwrap();
    cache.sweep().unwrap();
    assert!(!left.exists());
}

#[test]
fn what_was_not_used_for_longest_goes_first() {
    let desk = tempfile::tempdir().unwrap();
    let cache = Cache::at(desk.path().into());
    let all = ["json/serde-json", "cbor/ciborium", "bson/bson"].map(|codec| composition(&[codec]));
    for (age, composition) in all.iter().enumerate() {
        let kept = keep(&cache, composition);
        let record = std::fs::File::options().append(true).open(kept.program.with_file_name(RECORD)).unwrap();
        record.set_modified(SystemTime::now() - Duration::from_secs(60 * (age as u64 + 1))).unwrap();
    }
    cache.touch(&cache.find(&all[2], RUSTC).unwrap().unwrap());
    // From another version, whose records this one can't read.
    let foreign = cache.folder("runners/0").unwrap();
    std::fs::write(foreign.join(PROGRAM), "0123456789").unwrap();
    std::fs::write(foreign.join(RECORD), "{\"key\": 7}").unwrap();
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    File::options().append(true).open(foreign.join(RECORD)).unwrap().set_modified(long_ago).unwrap();
    assert_eq!((cache.all().unwrap().len(), foreign.exists()), (3, true));
    let deleted = cache.limit(25).unwrap();
    assert!(!foreign.exists());
    assert_eq!(deleted.len(), 1);
    assert_eq!(deleted[0].composed.codecs, ["cbor/ciborium"]);
    assert_eq!(cache.all().unwrap().len(), 2);
}

#[test]
fn what_is_in_use_is_not_deleted_before_it_is_let_go() {
    let desk = tempfile::tempdir().unwrap();
    let cache = Cache::at(desk.path().into());
    let one = composition(&["json/serde-json"]);
    keep(&cache, &one);
    let (first, second) = (cache.find(&one, RUSTC).unwrap(), cache.find_exactly(&one, RUSTC).unwrap());
    assert_eq!(cache.limit(0).unwrap(), []);
    assert_eq!(cache.remove("person").unwrap(), (0, 1));
    drop(first);
    let copy = second.clone();
    drop(second);
    assert_eq!(cache.limit(0).unwrap(), []);
    drop(copy);
    assert_eq!(cache.limit(0).unwrap().len(), 1);
    assert_eq!(cache.find(&one, RUSTC).unwrap(), None);
    assert_eq!(names_in(&desk.path().join("runners")).unwrap(), Vec::<String>::new());
    let built = put(&cache, &one, "new", false);
    assert_eq!(cache.limit(0).unwrap(), [], "what was just built is held by who built it");
    drop(built);
    assert_eq!(cache.remove("person").unwrap(), (1, 0));
}

#[test]
fn one_of_the_same_key_stays_unless_it_is_to_be_replaced() {
    let desk = tempfile::tempdir().unwrap();
    let cache = Cache::at(desk.path().into());
    let one = composition(&["json/serde-json"]);
    let first = put(&cache, &one, "first", false);
    let inode = |kept: &CachedRunner| std::fs::metadata(&kept.program).unwrap().ino();
    let before = inode(&first);
    assert_eq!(inode(&put(&cache, &one, "second", false)), before);
    // In use or not: a process that started the old program continues with it, later ones get the new one.
    let open = File::open(&first.program).unwrap();
    let replaced = put(&cache, &one, "third", true);
    assert_eq!(std::fs::read_to_string(&replaced.program).unwrap(), "third");
    assert_eq!(io::read_to_string(open).unwrap(), "first");
    assert_eq!(cache.limit(0).unwrap(), []);
    drop((first, replaced));
    assert_eq!(names_in(&desk.path().join("runners")).unwrap().len(), 1, "the old one is left");
    assert_eq!(cache.limit(0).unwrap().len(), 1);
}

#[test]
fn no_space_says_what_to_do() {
    let full = at(Path::new("/x/runner"))(Errno::ENOSPC.into()).to_string();
    assert!(full.starts_with("/x/runner: no space") && full.contains("--gc --limit 0"), "{full}");
}

#[test]
fn a_name_means_the_folder_noted_last_and_can_be_forgotten() {
    let desk = tempfile::tempdir().unwrap();
    let cache = Cache::at(desk.path().into());
    assert_eq!(cache.folder_of("trips").unwrap(), None);
    assert_eq!(cache.name("trips", Path::new("/a/trips")).unwrap(), None);
    assert_eq!(cache.name("trips", Path::new("/b/trips")).unwrap(), Some("/a/trips".into()));
    assert_eq!(cache.names().unwrap(), [("trips".to_owned(), PathBuf::from("/b/trips"))]);
    assert_eq!(cache.remove("trips").unwrap(), (0, 0));
    assert_eq!(cache.names().unwrap(), []);
}
