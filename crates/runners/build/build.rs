//! Packs the sources that runners are composed of into the program: the runner's library, every codec and every transport,
//! and the project's crates that those need, following the path dependencies in their manifests; with the project's
//! Cargo.lock and a workspace manifest reduced to them.
//!
//! Tests, benches and what only they need are left out. The same sources give the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::{env, fs};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use toml::{Table, Value};
use wiredyno_bundle::{Done, Workspace};
use xxhash_rust::xxh3::xxh3_128;

/// The project's crates are those whose names begin with this.
const OURS: &str = "wiredyno-";

/// The crate that every runner has.
const RUNNER: &str = "wiredyno-rust-runner";

/// The crate of runners that read records from a database.
const RECORDS: &str = "wiredyno-records";

/// Folders of registries: every crate in them is packed.
const REGISTRIES: [&str; 2] = ["crates/codecs", "crates/transports"];

/// The folder of crates in the packed workspace. It differs from the project's: cargo distinguishes crates of two
/// workspaces that share a target folder by their paths.
const PLACE: &str = "parts";

/// The parts of a manifest that only tests and benches need.
const LEFT_OUT: [&str; 4] = ["dev-dependencies", "test", "bench", "example"];

fn main() -> Done<()> {
    let project = Workspace::of_package()?;
    let manifest: Table = toml::from_str(&project.read("Cargo.toml")?)?;
    let mut places = places(&manifest)?;
    let mut packed = Packed { files: BTreeMap::new() };
    let mut open = vec![RUNNER.to_owned(), RECORDS.to_owned()];
    for registry in REGISTRIES {
        project.watch(registry);
        for entry in fs::read_dir(project.folder().join(registry))? {
            let entry = entry?;
            if entry.path().join("Cargo.toml").is_file() {
                let place = format!("{registry}/{}", entry.file_name().display());
                let name = name_in(&project.read(&format!("{place}/Cargo.toml"))?)?;
                places.insert(name.clone(), place);
                open.push(name);
            }
        }
    }
    let mut crates = BTreeMap::new();
    while let Some(name) = open.pop() {
        if crates.contains_key(&name) {
            continue;
        }
        let from = places.get(&name).ok_or_else(|| format!("no crate `{name}` in the workspace"))?;
        let needs = packed.package(&project, from, &format!("{PLACE}/{name}"))?;
        crates.insert(name.clone(), needs.clone());
        open.extend(needs);
    }
    packed.put("Cargo.toml", workspace(manifest, &crates)?.into_bytes());
    let lock = project.read("Cargo.lock")?;
    // Also in the crate that states versions, so that it is not recompiled whenever cargo writes the other one.
    packed.put(&format!("{PLACE}/wiredyno-versions/Cargo.lock"), lock.clone().into_bytes());
    packed.put("Cargo.lock", lock.into_bytes());

    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&packed.bytes())?;
    fs::write(out.join("parts.bin"), encoder.finish()?)?;
    let mut generator = Packed { files: BTreeMap::new() };
    for part in ["crates/definitions/schema/src", "crates/definitions/schema/Cargo.toml"] {
        generator.tree(&project, part, part)?;
    }
    let generator = format!(
        "/// Digest of what writes the generated crates.\npub(crate) static GENERATOR: &str = \"{:032x}\";\n",
        xxh3_128(&generator.bytes())
    );
    fs::write(out.join("digests.rs"), digests(&packed, &crates)? + &generator)?;
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    println!("cargo::rustc-env=WIREDYNO_CPU_FEATURES={features}");
    Ok(())
}

fn name_in(manifest: &str) -> Done<String> {
    let manifest: Table = toml::from_str(manifest)?;
    let name = manifest.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
    Ok(name.ok_or("a manifest without a name")?.to_owned())
}

/// The folders of the crates according to the workspace's manifest.
fn places(manifest: &Table) -> Done<BTreeMap<String, String>> {
    let dependencies = manifest.get("workspace").and_then(|workspace| workspace.get("dependencies"));
    let dependencies = dependencies.and_then(Value::as_table).ok_or("no workspace.dependencies")?;
    let place = |value: &Value| value.get("path").and_then(Value::as_str).map(str::to_owned);
    Ok(dependencies.iter().filter_map(|(name, value)| Some((name.clone(), place(value)?))).collect())
}

/// The project's manifest with these crates in their new folders. Members are added when a runner is composed.
fn workspace(mut table: Table, crates: &BTreeMap<String, Vec<String>>) -> Done<String> {
    let workspace = table.get_mut("workspace").and_then(Value::as_table_mut).ok_or("no workspace")?;
    workspace.remove("members");
    workspace.remove("exclude");
    // Settings of packages that only the program has; cargo warns about each that is missing.
    if let Some(release) = table.get_mut("profile").and_then(|profiles| profiles.get_mut("release")) {
        release.as_table_mut().map(|release| release.remove("package"));
    }
    let workspace = table.get_mut("workspace").and_then(Value::as_table_mut).ok_or("no workspace")?;
    if let Some(dependencies) = workspace.get_mut("dependencies").and_then(Value::as_table_mut) {
        dependencies.retain(|name, _| !name.starts_with(OURS));
        for name in crates.keys() {
            let place = Table::from_iter([("path".to_owned(), Value::String(format!("{PLACE}/{name}")))]);
            dependencies.insert(name.clone(), place.into());
        }
    }
    Ok(toml::to_string(&table)?)
}

/// A digest of the sources of each crate and of the project's crates that it needs; the manifest and the lock file,
/// which determine how everything is compiled, are part of all of them.
fn digests(packed: &Packed, crates: &BTreeMap<String, Vec<String>>) -> Done<String> {
    let mut code = String::from("static DIGESTS: &[(&str, &str)] = &[\n");
    for name in crates.keys() {
        let (mut needed, mut open) = (BTreeSet::new(), vec![name]);
        while let Some(name) = open.pop() {
            if needed.insert(name) {
                open.extend(&crates[name]);
            }
        }
        let mut bytes = Vec::new();
        for (path, content) in &packed.files {
            let of = path.strip_prefix(PLACE).and_then(|rest| rest[1..].split('/').next());
            if of.is_none_or(|of| needed.iter().any(|name| *name == of)) {
                bytes.extend_from_slice(path.as_bytes());
                bytes.extend_from_slice(&xxh3_128(content).to_le_bytes());
            }
        }
        code.push_str(&format!("    ({name:?}, \"{:032x}\"),\n", xxh3_128(&bytes)));
    }
    Ok(code + "];\n")
}

/// Files by their path in the packed workspace.
struct Packed {
    files: BTreeMap<String, Vec<u8>>,
}

impl Packed {
    fn put(&mut self, path: &str, bytes: Vec<u8>) {
        self.files.insert(path.to_owned(), bytes);
    }

    /// Adds a package; returns the project's crates that it needs.
    fn package(&mut self, project: &Workspace, from: &str, to: &str) -> Done<Vec<String>> {
        let mut manifest: Table = toml::from_str(&project.read(&format!("{from}/Cargo.toml"))?)?;
        manifest.retain(|key, _| !LEFT_OUT.contains(&key));
        self.put(&format!("{to}/Cargo.toml"), toml::to_string(&manifest)?.into_bytes());
        for entry in ["build.rs", "src"] {
            self.tree(project, &format!("{from}/{entry}"), &format!("{to}/{entry}"))?;
        }
        let tables = ["dependencies", "build-dependencies"];
        let names = tables.iter().filter_map(|key| manifest.get(*key)?.as_table()).flat_map(Table::keys);
        Ok(names.filter(|name| name.starts_with(OURS)).cloned().collect())
    }

    /// Adds a file or everything below a folder; nothing where it does not exist.
    fn tree(&mut self, project: &Workspace, from: &str, to: &str) -> Done<()> {
        if project.folder().join(from).exists() {
            for (path, bytes) in project.files(from)? {
                self.put(&format!("{to}{}", path.strip_prefix(from).unwrap_or_default()), bytes);
            }
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
