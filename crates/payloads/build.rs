//! Takes the texts of the project's payloads into the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The files of a payload that the program needs; those of `FILES` in src/folder.rs, in that order.
const FILES: [&str; 3] = ["message.proto", "samples.jsonl", "generator.toml"];

fn main() -> io::Result<()> {
    let payloads = folder("CARGO_MANIFEST_DIR")?.join("../../payloads").canonicalize()?;
    // Cargo looks at everything below, so that a new folder is noticed too. By the way from here: in a checkout that was moved
    // or copied with its target folder, cargo would else go on looking at the old place.
    println!("cargo::rerun-if-changed=../../payloads");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(&payloads)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    folders.retain(|folder| folder.join(FILES[0]).is_file());
    folders.sort();
    let mut code = String::from(
        "/// Name, and files with their texts, of every bundled payload; in the order of the names.\n\
         static BUNDLED: &[(&str, &[(&str, &str)])] = &[\n",
    );
    for folder in &folders {
        entry(folder, &mut code).map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    fs::write(folder("OUT_DIR")?.join("bundled.rs"), code)
}

fn folder(variable: &str) -> io::Result<PathBuf> {
    env::var_os(variable)
        .map(PathBuf::from)
        .ok_or_else(|| io::Error::other(format!("cargo set no {variable}")))
}

fn entry(folder: &Path, code: &mut String) -> std::fmt::Result {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    writeln!(code, "    ({name:?}, &[")?;
    for file in FILES {
        let path = folder.join(file);
        if path.is_file() {
            writeln!(code, "        ({file:?}, include_str!({:?})),", path.display().to_string())?;
        }
    }
    writeln!(code, "    ]),")
}
