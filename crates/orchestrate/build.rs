//! Takes the project's links and studies into the program, with the compiler and commit it is made of.

use std::env;
use std::process::Command;

use wiredyno_bundle::{Done, Workspace};

fn main() -> Done<()> {
    wiredyno_bundle::bundle(&["links", "studies"], &[".toml", ".csv"])?;
    let rustc = env::var("RUSTC")?;
    println!("cargo::rustc-env=WIREDYNO_COMPILER={}", output(&rustc, &["--version"]));
    watch_commits()?;
    println!("cargo::rustc-env=WIREDYNO_COMMIT={}", output("git", &["rev-parse", "--short=12", "HEAD"]));
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
        let path = output("git", &["rev-parse", "--path-format=relative", "--git-path", file]);
        if env::current_dir()?.join(&path).is_file() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    Ok(())
}

/// What a program says in the package's folder, where build scripts run.
fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    text.map_or_else(|| "unknown".into(), |text| String::from_utf8_lossy(&text).trim().to_owned())
}
