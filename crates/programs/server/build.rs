//! Embeds the front end from `web/dist/server` in the program. It is not built here: cargo should need neither node nor npm once the
//! front end exists.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

/// Relative to the package, so that moving a checkout causes no rebuild.
const FRONT_END: &str = "../../../web/dist/server";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed={FRONT_END}");
    match bundle() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!(
                "cargo::error={FRONT_END}: {error}: run `make web` (needs node and npm), then build again"
            );
            ExitCode::FAILURE
        }
    }
}

fn bundle() -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    let mut names = Vec::new();
    find(Path::new(FRONT_END), "", &mut names)?;
    names.sort();
    if !names.iter().any(|name| name == "index.html" || name == "index.html.gz") {
        return Err("there is no index.html".into());
    }
    let mut table = String::from(
        "/// Name and bytes of every file of the front end; those that end in `.gz` are compressed.\n\
         static FILES: &[(&str, &[u8])] = &[\n",
    );
    for name in &names {
        // A file that also exists compressed is not needed twice.
        if names.iter().any(|other| *other == format!("{name}.gz")) {
            continue;
        }
        let copy = Path::new(&out).join("front-end").join(name);
        fs::create_dir_all(copy.parent().unwrap_or(Path::new(".")))?;
        fs::copy(Path::new(FRONT_END).join(name), copy)?;
        let from = format!("/front-end/{name}");
        writeln!(table, "    ({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), {from:?}))),")?;
    }
    table.push_str("];\n");
    fs::write(Path::new(&out).join("front_end.rs"), table)?;
    Ok(())
}

fn find(folder: &Path, below: &str, names: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{below}{name}");
        if entry.file_type()?.is_dir() {
            find(&entry.path(), &format!("{path}/"), names)?;
        } else if !name.ends_with(".map") && !name.ends_with(".br") && !name.starts_with('.') {
            names.push(path);
        }
    }
    Ok(())
}
