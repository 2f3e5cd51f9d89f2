//! Links the program without its symbol table, a fifth of its size: panics report their location without it. Also records the commit
//! that it is built from: here, so that a new commit recompiles only the program.

use std::env;
use std::process::Command;

use wiredyno_bundle::{Done, Workspace};

fn main() -> Done<()> {
    println!("cargo::rustc-link-arg-bins=-Wl,-s");
    println!("cargo::rerun-if-changed=build.rs");
    watch_commits()?;
    println!("cargo::rustc-env=WIREDYNO_COMMIT={}", git(&["rev-parse", "--short=12", "HEAD"]));
    Ok(())
}

/// Reruns this script when the commit changes. Missing files are not watched: cargo would rebuild each time.
fn watch_commits() -> Done<()> {
    let workspace = Workspace::of_package()?;
    // In a git worktree, `.git` is a file that locates the files below. A folder is not watched, because something in it changes
    // all the time.
    if workspace.folder().join(".git").is_file() {
        workspace.watch(".git");
    }
    for file in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--path-format=relative", "--git-path", file]);
        if env::current_dir()?.join(&path).is_file() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    Ok(())
}

/// The output of git in the package's folder, where build scripts run; `unknown` without git.
fn git(arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).output();
    let text = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    text.map_or_else(|| "unknown".into(), |text| String::from_utf8_lossy(&text).trim().to_owned())
}
