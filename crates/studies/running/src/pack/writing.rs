//! The files of a pack, with their checksums.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use wiredyno_build::pack::{
    DIGESTS, MANIFEST, Machine, Manifest, PackError, cpu_features, digest, glibc_needed,
};
use wiredyno_build::{Cache, CachedRunner};
use wiredyno_link::spec::{LinkSpec, RateSpec};
use wiredyno_payloads::Place;
use wiredyno_planning::catalogue::{Kind, find};

use super::{MakeError, Packed, at, beside};

/// The script that starts a pack's program.
const LAUNCHER: &str = include_str!("launcher.sh");

/// The readme of a pack.
const README: &str = include_str!("README.txt");

/// What the programs of a pack need on a machine.
pub(super) fn machine(program: &Path, runners: &[CachedRunner]) -> Result<Machine, MakeError> {
    let beside = beside(program)?;
    let programs = std::iter::once(program).chain(beside.iter().map(PathBuf::as_path));
    let mut glibc = None;
    let (composed, built): (Vec<&CachedRunner>, Vec<&CachedRunner>) =
        runners.iter().partition(|kept| kept.composed.runner.is_none());
    for program in programs.chain(composed.iter().map(|kept| kept.program.as_path())) {
        glibc = glibc.max(glibc_needed(program)?);
    }
    for kept in built {
        for file in files(&kept.program).map_err(at(&kept.program))? {
            match glibc_needed(&file) {
                // A build has other files besides programs.
                Err(PackError::Program { .. }) => {}
                needed => glibc = glibc.max(needed?),
            }
        }
    }
    Ok(Machine {
        architecture: std::env::consts::ARCH.to_owned(),
        glibc: glibc.map(|[major, minor]| format!("{major}.{minor}")),
        cpu: cpu_features(),
    })
}

pub(super) fn write(
    root: &Path,
    program: &Path,
    all: &[Packed],
    runners: &[CachedRunner],
    manifest: &Manifest,
) -> Result<(), MakeError> {
    let bin = root.join("bin");
    fs::create_dir_all(&bin).map_err(at(&bin))?;
    copy(program, &bin.join("wiredyno"))?;
    for broker in beside(program)? {
        copy(&broker, &bin.join(broker.file_name().unwrap_or_default()))?;
    }
    for kept in runners {
        Cache::copy_to(kept, &root.join("runners"))?;
    }
    for packed in all {
        if let Some(text) = &packed.text {
            put(&root.join("studies").join(format!("{}.toml", packed.study.name)), text)?;
        }
        for id in packed.study.axes.link.iter().filter(|id| id.is_emulated()) {
            let found = find(Kind::Link, id.as_str())?;
            let Some(path) = found.path else { continue };
            if id.is_path() {
                return Err(MakeError::LinkByPath(id.clone()));
            }
            put(&root.join("links").join(format!("{id}.toml")), &found.text)?;
            traces(&found.text, &path, &root.join("links"))?;
        }
        for payload in &packed.payloads {
            if matches!(payload.folder().place, Place::Disk(_)) {
                let to = root.join("payloads").join(&payload.id().name);
                payload.folder().copy_to(&to).map_err(at(&to))?;
            }
        }
    }
    let launcher = root.join("wiredyno");
    put(&launcher, &launcher_for(&manifest.machine))?;
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).map_err(at(&launcher))?;
    put(&root.join("README.txt"), &readme(manifest))?;
    put(&root.join(MANIFEST), &(serde_json::to_string_pretty(manifest)? + "\n"))?;
    let mut digests = String::new();
    for file in files(root).map_err(at(root))? {
        let below = file.strip_prefix(root).unwrap_or(&file);
        digests += &format!("{}  {}\n", digest(&file)?, below.display());
    }
    put(&root.join(DIGESTS), &digests)
}

/// Copies the traces to which a link's file refers, which are beside it.
fn traces(text: &str, path: &Path, links: &Path) -> Result<(), MakeError> {
    let link = LinkSpec::parse(text, path)?;
    for direction in [&link.up, &link.down] {
        // A computed trace has a name that belongs to no file.
        let RateSpec::Trace { name, .. } = &direction.rate else { continue };
        let file = path.parent().unwrap_or(Path::new("")).join(name);
        if !file.is_file() {
            continue;
        }
        if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(MakeError::TraceOutside { link: path.to_owned(), trace: name.clone() });
        }
        let to = links.join(name);
        let folder = to.parent().unwrap_or(links);
        fs::create_dir_all(folder).map_err(at(folder))?;
        copy(&file, &to)?;
    }
    Ok(())
}

pub(super) fn copy(from: &Path, to: &Path) -> Result<(), MakeError> {
    fs::copy(from, to).map(drop).map_err(at(from))
}

/// Writes a file, and creates its folder.
pub(super) fn put(file: &Path, text: &str) -> Result<(), MakeError> {
    let folder = file.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).and_then(|()| fs::write(file, text)).map_err(at(file))
}

fn launcher_for(machine: &Machine) -> String {
    LAUNCHER
        .replace("@ARCHITECTURE@", &machine.architecture)
        .replace("@GLIBC@", machine.glibc.as_deref().unwrap_or_default())
        .replace("@CPU@", &machine.cpu.join(" "))
}

fn readme(manifest: &Manifest) -> String {
    let machine = &manifest.machine;
    let glibc = match &machine.glibc {
        Some(version) => format!("glibc {version} or newer"),
        None => "no C library".to_owned(),
    };
    let brokers = match &manifest.brokers[..] {
        [] => "nothing else".to_owned(),
        lines => format!("for messages over {}", lines.join(", and over ")),
    };
    README
        .replace("@VERSION@", &manifest.version)
        .replace("@STUDIES@", &manifest.studies.join(", "))
        .replace("@FIRST@", manifest.studies.first().map_or("STUDY", String::as_str))
        .replace(
            "@MACHINE@",
            &format!("Linux on {}, {glibc}, CPU with {}", machine.architecture, machine.cpu.join(" ")),
        )
        .replace("@BROKERS@", &brokers)
}

/// All files below a folder, sorted.
pub(super) fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut waiting) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { waiting.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

pub(super) fn sum(root: &Path) -> io::Result<u64> {
    files(root)?.iter().map(|file| Ok(fs::metadata(file)?.len())).sum()
}
