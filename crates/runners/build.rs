//! Takes the folders of runners into the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    // By the way from here: a checkout may be copied with its target folder.
    println!("cargo::rerun-if-changed=../../runners");
    let variable =
        |name: &str| env::var_os(name).map(PathBuf::from).ok_or_else(|| io::Error::other(name.to_owned()));
    let runners = variable("CARGO_MANIFEST_DIR")?.join("../../runners").canonicalize()?;
    let mut code = String::from(
        "/// Name, and files with their texts, of every runner that comes with the program.\n\
         static BUNDLED: &[(&str, &[(&str, &str)])] = &[\n",
    );
    for folder in sorted(&runners)?.into_iter().filter(|folder| folder.join("runner.toml").is_file()) {
        let mut files = Vec::new();
        collect(&folder, &mut files)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        writeln!(code, "    ({name:?}, &[").map_err(io::Error::other)?;
        for file in files {
            let inside = file.strip_prefix(&folder).map_err(io::Error::other)?.display().to_string();
            writeln!(code, "        ({inside:?}, include_str!({:?})),", file.display().to_string())
                .map_err(io::Error::other)?;
        }
        code.push_str("    ]),\n");
    }
    code.push_str("];\n");
    fs::write(variable("OUT_DIR")?.join("bundled.rs"), code)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// The files below a folder, without what is hidden or made by running it.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for path in sorted(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "__pycache__" {
            continue;
        }
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
