//! Takes `studies/published/*.toml` into the crate, so that a file there is all that a published study needs.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let folder = root.join("../../studies/published").canonicalize()?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            println!("cargo::rerun-if-changed={}", path.display());
            files.push(path);
        }
    }
    files.sort();
    let mut code = String::from(
        "/// Name and text of every file of published figures.\nstatic BUNDLED: &[(&str, &str)] = &[\n",
    );
    for path in files {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        writeln!(code, "    ({:?}, include_str!({path:?})),", format!("studies/published/{name}"))
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    fs::write(PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?).join("published.rs"), code)
}
