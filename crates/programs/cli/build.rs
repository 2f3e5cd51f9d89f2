//! Links the program without its table of symbols, a fifth of its size: panics name their place without it. And names the commit
//! that it is made of: here, so that with another commit only the program is compiled again.

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

/// Looks at the commit again when there is another one. What does not exist is not watched: cargo would build anew each time.
fn watch_commits() -> Done<()> {
    let workspace = Workspace::of_package()?;
    // In a worktree of git, a file that says where the files below are. Not watched as a folder, in which something changes
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

/// What git says in the package's folder, where build scripts run.
fn git(arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).output();
    let text = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    text.map_or_else(|| "unknown".into(), |text| String::from_utf8_lossy(&text).trim().to_owned())
}
