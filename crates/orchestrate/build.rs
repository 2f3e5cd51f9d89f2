//! Takes the project's links, studies and brokers into the program, with the compiler and commit it is made of.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("../..");
    let root = root.canonicalize()?;
    let mut files = Vec::new();
    for folder in ["links", "studies", "brokers"] {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
        collect(&root, &root.join(folder), &mut files)?;
    }
    files.sort();
    let mut code = String::from(
        "/// Path in the project and text of every bundled file.\nstatic BUNDLED: &[(&str, &str)] = &[\n",
    );
    for (name, path) in files {
        writeln!(code, "    ({name:?}, include_str!({path:?})),").map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    fs::write(PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?).join("bundled.rs"), code)?;

    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    println!("cargo::rustc-env=WIREDYNO_COMPILER={}", output(&rustc, &["--version"]));
    println!("cargo::rerun-if-changed={}", root.join(".git/HEAD").display());
    println!("cargo::rerun-if-changed={}", root.join(".git/logs/HEAD").display());
    let commit = output("git", &["-C", &root.display().to_string(), "rev-parse", "--short=12", "HEAD"]);
    println!("cargo::rustc-env=WIREDYNO_COMMIT={commit}");
    Ok(())
}

/// Text files below a folder, with their path in the project.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|e| e == "toml" || e == "conf" || e == "csv") {
            println!("cargo::rerun-if-changed={}", path.display());
            let name = path.strip_prefix(root).map_err(io::Error::other)?.display().to_string();
            files.push((name, path.display().to_string()));
        }
    }
    Ok(())
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    text.map_or_else(|| "unknown".into(), |text| String::from_utf8_lossy(&text).trim().to_owned())
}
