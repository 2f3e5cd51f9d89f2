//! Users who are not root.

use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::stand::{
    CACHE, Desk, HOME, PROGRAM, Said, TINY, array, assert_accounted, copy_runners, programs, said,
};

/// A temporary user, removed when dropped, with a desk, a copy of the program and a TUN device node.
struct OtherUser {
    name: String,
    id: u32,
    desk: Desk,
}

fn open(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

impl OtherUser {
    fn make() -> Self {
        let name = format!("wiredyno-cli-{}", std::process::id());
        said(Command::new("useradd").args(["--no-create-home", "--shell", "/bin/sh", &name])).well();
        let id = said(Command::new("id").args(["-u", &name])).well().trim().parse().unwrap();
        let desk = desk_with_stand_in();
        chown(desk.path(), Some(id), Some(id)).unwrap();
        open(desk.path(), 0o755);
        let user = OtherUser { name, id, desk };
        std::fs::copy(PROGRAM, user.desk.file("wiredyno")).unwrap();
        open(&user.desk.file("wiredyno"), 0o755);
        // The runners that it needs exist: it has no compiler, only the record of which one they were built with.
        copy_runners("person", &user.desk.file("cache"));
        programs(&user.desk, &[]);
        // Character device 10, 200 is the TUN driver (Documentation/networking/tuntap.rst of Linux).
        said(Command::new("mknod").arg(user.tun()).args(["c", "10", "200"])).well();
        user
    }

    fn tun(&self) -> PathBuf {
        self.desk.file("tun")
    }

    fn wiredyno(&self, arguments: &[&str]) -> Said {
        let mut command = Command::new("setpriv");
        command.arg(format!("--reuid={}", self.id)).arg(format!("--regid={}", self.id));
        command.args(["--clear-groups", "--", "env"]).arg(format!("WIREDYNO_TUN={}", self.tun().display()));
        command.arg(format!("{CACHE}={}", self.desk.file("cache").display()));
        let path = std::env::var("PATH").unwrap();
        command.arg(format!("PATH={}:{path}", self.desk.file("programs").display()));
        command.arg(self.desk.file("wiredyno")).args(arguments);
        said(command.current_dir(self.desk.path()).stdin(Stdio::null()))
    }
}

impl Drop for OtherUser {
    fn drop(&mut self) {
        let _ = Command::new("userdel").arg(&self.name).status();
    }
}

/// A study over a link and its stand-in without one, like the demo's.
fn desk_with_stand_in() -> Desk {
    let desk = Desk::for_runs();
    let over_a_link =
        TINY.replace("\n[axes]", "without_link = \"tiny-loopback\"\n\n[axes]\nlink = [\"lan\"]");
    std::fs::write(desk.file("over-a-link.toml"), over_a_link).unwrap();
    let stand_in = TINY.replace("\"tiny\"", "\"tiny-loopback\"");
    std::fs::create_dir(desk.file("studies")).unwrap();
    std::fs::write(desk.file("studies/tiny-loopback.toml"), stand_in).unwrap();
    desk
}

const RUN: [&str; 4] = ["run", "over-a-link.toml", "--out", "r"];

pub fn ordinary_user() {
    let user = OtherUser::make();
    open(&user.tun(), 0o666);
    let check = user.wiredyno(&["link", "check"]).well();
    assert!(check.contains("yes  an emulated link") && check.contains("no root needed"), "{check}");
    let text = user.wiredyno(&RUN).well();
    assert!(text.contains("person, lan"), "{text}");
    let summary = user.desk.summary("r");
    assert_eq!(array(&summary["cells"]).len(), 10);
    assert_accounted(&summary, 2);
    for cell in array(&summary["cells"]) {
        // The probe needs a raw socket on the host, which a user namespace allows too.
        assert_eq!(cell["metrics"]["link_round_trip"]["count"], 2, "{cell}");
    }
    assert!(!user.desk.file("r-tiny-loopback").exists());
}

/// The study's links are not run, with the reason; its codecs and the stand-in are.
fn assert_stood_in(said: Said, desk: &Desk, why: &str) {
    assert!(
        said.err.contains("Instead of what could not be run, the study `tiny-loopback`:"),
        "{}",
        said.err
    );
    assert!(said.out.contains(why) && said.out.contains("Left out"), "{}", said.out);
    said.well();
    let summary = desk.summary("r");
    assert_eq!((array(&summary["cells"]).len(), array(&summary["codecs"]).len()), (0, 2));
    assert_eq!(array(&summary["not_run"]).len(), 10);
    for not_run in array(&summary["not_run"]) {
        assert!(not_run["why"].as_str().unwrap().contains(why), "{not_run}");
    }
    assert!(std::fs::read_to_string(desk.file("r/report.html")).unwrap().contains(why));
    let stand_in = desk.summary("r-tiny-loopback");
    assert_eq!((array(&stand_in["cells"]).len(), array(&stand_in["codecs"]).len()), (10, 0));
    assert_accounted(&stand_in, 2);
}

pub fn no_device() {
    let user = OtherUser::make();
    open(&user.tun(), 0o600);
    let remedy = format!("sudo chmod 0666 {}", user.tun().display());
    let check = user.wiredyno(&["link", "check"]);
    assert_eq!(check.code, Some(1), "{}", check.err);
    assert!(check.out.contains("no   an emulated link") && check.out.contains(&remedy), "{}", check.out);
    let exec = user.wiredyno(&["link", "exec", "--", "true"]).refused(1);
    assert!(exec.contains(&remedy), "{exec}");
    assert_stood_in(user.wiredyno(&RUN), &user.desk, &remedy);
}

pub fn no_namespaces() {
    let desk = desk_with_stand_in();
    // A user namespace that allows no further ones, without CAP_SYS_ADMIN in it: no namespace can be created.
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && \
                  exec setpriv --bounding-set=-sys_admin --inh-caps=-all \"$0\" \"$@\"";
    let without = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "sh", "-c", script, PROGRAM]).args(arguments);
        said(command.current_dir(desk.path()).stdin(Stdio::null()).env(CACHE, HOME))
    };
    let check = without(&["link", "check"]);
    let remedy = "sudo sysctl user.max_user_namespaces=10000";
    assert_eq!(check.code, Some(1), "{}", check.err);
    assert!(check.out.contains("may not make namespaces") && check.out.contains(remedy), "{}", check.out);
    assert_stood_in(without(&RUN), &desk, remedy);
    let doctor = without(&["doctor"]).well();
    assert!(doctor.contains("missing  emulated link: "), "{doctor}");
}
