//! Packs the sources of which a payload's runner is made into the program: the crates that `own-runner` needs, by
//! the path dependencies in their manifests, with the project's Cargo.lock and a workspace manifest cut down to them.
//!
//! Tests, benches and what only they need stay out. The same sources give the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use toml::{Table, Value};
use xxhash_rust::xxh3::xxh3_128;

/// Crates of the project are those whose names begin so.
const OURS: &str = "wiredyno-";

/// The package that becomes the runner, a folder of this crate and of the packed workspace.
const OWN_RUNNER: &str = "own-runner";

/// What of a manifest only tests and benches need.
const LEFT_OUT: [&str; 4] = ["dev-dependencies", "test", "bench", "example"];

type Done<T> = Result<T, Box<dyn Error>>;

fn main() -> Done<()> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let root = here.join("../..");
    let mut packed = Packed { files: BTreeMap::new() };
    let mut crates = BTreeSet::new();
    let mut open = packed.package(&here.join(OWN_RUNNER), OWN_RUNNER)?;
    while let Some(name) = open.pop() {
        if crates.insert(name.clone()) {
            let folder = format!("crates/{name}");
            open.extend(packed.package(&root.join(&folder), &folder)?);
        }
    }
    let manifest = root.join("Cargo.toml");
    packed.put("Cargo.toml", workspace(&read(&manifest)?, &crates)?.into_bytes());
    let lock = root.join("Cargo.lock");
    packed.put("Cargo.lock", read(&lock)?.into_bytes());

    let bytes = packed.bytes();
    println!("cargo::rustc-env=WIREDYNO_SOURCES={:032x}", xxh3_128(&bytes));
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes)?;
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("sources.bin"), encoder.finish()?)?;
    Ok(())
}

fn read(path: &Path) -> Done<String> {
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// The project's manifest with these crates as its only members.
fn workspace(text: &str, crates: &BTreeSet<String>) -> Done<String> {
    let mut table: Table = toml::from_str(text)?;
    let workspace = table.get_mut("workspace").and_then(Value::as_table_mut).ok_or("no workspace")?;
    let members = crates.iter().map(|name| format!("crates/{name}")).chain([OWN_RUNNER.to_owned()]);
    workspace.insert("members".to_owned(), members.map(Value::String).collect::<Vec<_>>().into());
    if let Some(dependencies) = workspace.get_mut("dependencies").and_then(Value::as_table_mut) {
        dependencies.retain(|name, _| name.strip_prefix(OURS).is_none_or(|name| crates.contains(name)));
    }
    Ok(toml::to_string(&table)?)
}

/// Files by their path in the packed workspace.
struct Packed {
    files: BTreeMap<String, Vec<u8>>,
}

impl Packed {
    fn put(&mut self, path: &str, bytes: Vec<u8>) {
        self.files.insert(path.to_owned(), bytes);
    }

    /// Takes a package; gives the crates of the project, without their prefix, that it needs.
    fn package(&mut self, from: &Path, to: &str) -> Done<Vec<String>> {
        let mut manifest: Table = toml::from_str(&read(&from.join("Cargo.toml"))?)?;
        manifest.retain(|key, _| !LEFT_OUT.contains(&key));
        self.put(&format!("{to}/Cargo.toml"), toml::to_string(&manifest)?.into_bytes());
        for entry in ["build.rs", "src", "proto"] {
            self.tree(&from.join(entry), &format!("{to}/{entry}"))?;
        }
        let tables = ["dependencies", "build-dependencies"];
        let names = tables.iter().filter_map(|key| manifest.get(*key)?.as_table()).flat_map(Table::keys);
        Ok(names.filter_map(|name| name.strip_prefix(OURS)).map(str::to_owned).collect())
    }

    /// A file or everything below a folder; nothing where there is none.
    fn tree(&mut self, from: &Path, to: &str) -> Done<()> {
        if from.is_dir() {
            println!("cargo::rerun-if-changed={}", from.display());
            for entry in fs::read_dir(from)? {
                let name = entry?.file_name().into_string().map_err(|name| format!("{name:?} is no text"))?;
                self.tree(&from.join(&name), &format!("{to}/{name}"))?;
            }
        } else if from.is_file() {
            println!("cargo::rerun-if-changed={}", from.display());
            self.put(to, fs::read(from)?);
        }
        Ok(())
    }

    /// Each file as the lengths of path and content, 4 bytes each and little-endian, then both.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (path, content) in &self.files {
            bytes.extend_from_slice(&(path.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
            bytes.extend_from_slice(path.as_bytes());
            bytes.extend_from_slice(content);
        }
        bytes
    }
}
