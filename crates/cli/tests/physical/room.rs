//! A cache on a device that is full.

use std::process::Command;

use crate::stand::{CACHE, Desk, payload, said};

/// Starts a program in namespaces of its own, where it may mount.
const OWN: [&str; 5] = ["--user", "--map-root-user", "--mount", "sh", "-c"];

/// Whether a device of a few bytes can be had here.
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
    // What is left is looked at before the device goes with the namespace.
    let script = format!(
        "mount -t tmpfs -o size=1m tmpfs {0} && {1} build ./roomy --codec json/serde-json; code=$?; \
         ls -A {0}/wiredyno/runners; exit $code",
        cache.display(),
        crate::stand::PROGRAM
    );
    let mut command = Command::new("unshare");
    command.args(OWN).arg(script).current_dir(desk.path()).env(CACHE, &cache);
    let error = said(&mut command).refused(1);
    assert!(
        error.contains("no space is left on the device") || error.contains("the disk is full"),
        "{error}"
    );
    assert!(error.contains("`wiredyno build --gc --limit 0` takes away runners"), "{error}");
}
