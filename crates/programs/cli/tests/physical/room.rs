//! Full devices: the cache's, and the run's.

use std::process::Command;

use crate::stand::{CACHE, Desk, HOME, PROGRAM, array, number, payload, said};

/// Starts a program in its own namespaces, where it may mount.
const OWN: [&str; 5] = ["--user", "--map-root-user", "--mount", "sh", "-c"];

/// Whether a small device can be mounted here.
pub fn of_its_own() -> Result<(), String> {
    let mount = "mount -t tmpfs -o size=4096 tmpfs /mnt";
    let output = Command::new("unshare").args(OWN).arg(mount).output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err("no memory can be mounted as a device".to_owned()) }
}

/// A runner takes about two megabytes, and the cache has one.
pub fn none_for_a_runner() {
    let desk = Desk::new();
    payload(&desk, "roomy", "uint32 id = 1; string roomy = 2;", "{\"id\":1}\n");
    let cache = desk.file("cache");
    std::fs::create_dir(&cache).unwrap();
    // What is left is checked before the device disappears with the namespace.
    let script = format!(
        "mount -t tmpfs -o size=1m tmpfs {0} && {1} build ./roomy --codec json/serde-json; code=$?; \
         ls -A {0}/wiredyno/runners; exit $code",
        cache.display(),
        PROGRAM
    );
    let mut command = Command::new("unshare");
    command.args(OWN).arg(script).current_dir(desk.path()).env(CACHE, &cache);
    let error = said(&mut command).refused(1);
    assert!(error.contains("no space left on the device") || error.contains("the disk is full"), "{error}");
    assert!(error.contains("`wiredyno build --gc --limit 0` deletes runners"), "{error}");
}

/// The device fills up in the middle of a run, which ends with the reason and resumes when there is room again.
pub fn none_for_a_trial() {
    let desk = Desk::for_runs();
    std::fs::create_dir(desk.file("disk")).unwrap();
    let run = "run ../tiny.toml --out r --set mode=tcp --set trials.repeats=8 --set load.messages=20";
    let script = format!(
        "mount -t tmpfs -o size=6m tmpfs disk && cd disk || exit 99
         {PROGRAM} {run} > ../said 2>&1 & run=$!
         until [ $(ls r/trials 2>/dev/null | wc -l) -ge 20 ]; do kill -0 $run || exit 98; sleep 0.01; done
         cat /dev/zero > filler 2>/dev/null
         wait $run; echo $? > ../code
         rm filler; {PROGRAM} report r --format json > ../cut.json || exit 97
         {PROGRAM} run --resume r >> ../said 2>&1; code=$?
         cp -r r .. && exit $code"
    );
    let mut command = Command::new("unshare");
    command.args(OWN).arg(script).current_dir(desk.path()).env(CACHE, HOME);
    let ended = said(&mut command);
    let text = std::fs::read_to_string(desk.file("said")).unwrap_or_default();
    assert_eq!(ended.code, Some(0), "{}{}{text}", ended.out, ended.err);
    assert_eq!(std::fs::read_to_string(desk.file("code")).unwrap().trim(), "1", "{text}");
    assert!(text.contains("No space left on device") || text.contains("has no room left"), "{text}");
    assert!(text.contains("wiredyno run --resume r"), "{text}");
    let cut: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(desk.file("cut.json")).unwrap()).unwrap();
    assert_eq!(cut["run"]["complete"], false);
    let summary = desk.summary("r");
    assert_eq!(summary["run"]["complete"], true);
    let mut kept = 0;
    for (then, now) in array(&cut["cells"]).iter().zip(array(&summary["cells"])) {
        assert_eq!(number(now, "valid_trials"), 8, "{now}");
        let now = array(&now["made"]);
        // A cell without a trial has no list.
        let then = then["made"].as_array().map_or(&[][..], Vec::as_slice);
        assert!(then.iter().all(|trial| now.contains(trial)), "{then:?} {now:?}");
        kept += then.len();
    }
    assert!(kept > 0, "{cut}");
}
