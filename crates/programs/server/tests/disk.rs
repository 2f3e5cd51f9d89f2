//! A disk that is really full: the server's folder is a file system of its own, which shrinks to what is in it while a test runs. Ignored, with the
//! reason in the name, without root, who alone may mount.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use libtest_mimic::Arguments;
use serde_json::json;
use wiredyno_listed::listed;

use crate::stand::{PATIENCE, STUDY, Server};

#[path = "stand/mod.rs"]
mod stand;

/// Space that is enough for tests; none of it is used before files fill it.
const ROOMY: &str = "4g";

fn main() {
    let is_root = nix::unistd::geteuid().is_root();
    let right = is_root.then_some(()).ok_or_else(|| "mounting needs root".to_owned());
    let name = "a_full_disk_refuses_new_tests_strands_nothing_and_is_recovered_from";
    libtest_mimic::run(&Arguments::from_args(), vec![listed(name, full, right)]).exit();
}

/// Runs `mount`; the thread has mounts of its own.
fn mount(arguments: &[&str], at: &Path) -> bool {
    Command::new("mount").args(arguments).arg(at).output().unwrap().status.success()
}

/// Leaves no block free.
fn fill(at: &Path) {
    let begun = Instant::now();
    loop {
        let about = nix::sys::statvfs::statvfs(at).unwrap();
        if about.blocks_available() == 0 {
            return;
        }
        // A test writes meanwhile: less than what is used is refused.
        let used = (about.blocks() - about.blocks_free()) * about.fragment_size();
        mount(&["-o", &format!("remount,size={used}")], at);
        assert!(begun.elapsed() < PATIENCE, "it can't be filled");
    }
}

fn full() {
    // SAFETY: a system call without pointers. Only this thread and its children are in the new namespace, which ends with them.
    assert_eq!(unsafe { libc::unshare(libc::CLONE_NEWNS) }, 0);
    assert!(mount(&["--make-rprivate"], Path::new("/")));
    let data = tempfile::tempdir().unwrap();
    assert!(mount(&["-t", "tmpfs", "-o", &format!("size={ROOMY}"), "tmpfs"], data.path()));
    let server = Server::start(data.path(), &["--pause", "0", "--attempts", "2"]);
    let first = server.submit(&STUDY.replace("repeats = 2", "repeats = 20").replace("tiny", "long"));
    let second = server.submit(STUDY);
    server.await_test(first, |test| test["progress"]["done"].as_u64() > Some(2));
    fill(data.path());
    let refused = server.post("/api/tests", &json!({ "study": STUDY }));
    assert_eq!(refused.refused(507), "disk");
    assert!(refused.text().contains("delete runs"), "{}", refused.text());
    // The running test stops, by itself or because it can write no more.
    let begun = Instant::now();
    let (mut made, mut since) = (0, Instant::now());
    while since.elapsed() < Duration::from_secs(5) {
        let now = server.test(first)["progress"]["done"].as_u64().unwrap_or_default();
        if now != made {
            (made, since) = (now, Instant::now());
        }
        assert!(begun.elapsed() < PATIENCE, "it goes on without a disk");
        std::thread::sleep(Duration::from_millis(100));
    }
    for page in ["/api/tests", "/api/runs", "/healthz", "/metrics"] {
        assert_eq!(server.get(page).status, 200, "{page}");
    }
    assert!(mount(&["-o", &format!("remount,size={ROOMY}")], data.path()));
    for id in [first, second, server.submit(STUDY)] {
        let test = server.await_end(id);
        assert_eq!(test["state"], "done", "{test:#}");
    }
    assert!(server.end());
}
