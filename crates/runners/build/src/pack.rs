//! Packs: a folder with the program and the runners of some studies, for machines of the same kind without a compiler, a network
//! or a checkout.
//!
//! | in the folder | holds |
//! |---|---|
//! | `wiredyno` | a shell script that checks whether the machine has what the programs need, and starts the program |
//! | `bin/wiredyno` | the program |
//! | `pack.json` | a [`Manifest`]; by it the program recognises that it is part of a pack |
//! | `runners/<key>/` | runners, as in a cache |
//! | `languages/<runner>/` | the folders of runners of other languages |
//! | `studies/`, `links/`, `payloads/` | what was packed and is not bundled with the program |
//! | `SHA256SUMS` | digests of all files, for `sha256sum -c` |
//!
//! A pack is only read. Each of its runners is checked against its digest before use.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::{FileHeader, SectionHeader};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The version of a pack's layout.
pub const PACK_SCHEMA: u32 = 1;

/// The file that makes a folder a pack.
pub const MANIFEST: &str = "pack.json";

/// The file with the digests of all others.
pub const DIGESTS: &str = "SHA256SUMS";

/// The contents of `pack.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the layout: [`PACK_SCHEMA`].
    pub schema: u32,
    /// Version of the program in `bin/wiredyno`.
    pub version: String,
    /// The compiler of the runners, as it prints its version.
    pub compiler: String,
    /// What the machine must have.
    pub machine: Machine,
    /// Ids of the studies that were packed.
    pub studies: Vec<String>,
    /// Brokers that some of their cells need, each with the command that installs it.
    pub brokers: Vec<String>,
    /// The packed runners of other languages, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub languages: BTreeMap<String, PackedLanguage>,
}

/// What built a packed runner of another language: not needed any more, but reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedLanguage {
    /// Version of the language.
    pub version: String,
    /// The version that each tool printed.
    pub tools: Vec<String>,
}

/// What a machine must have to run the programs of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// As `uname -m` prints it.
    pub architecture: String,
    /// The oldest GNU C library, `2.34`; absent where the programs need none.
    pub glibc: Option<String>,
    /// CPU features that the compiler was told to use, as /proc/cpuinfo names them.
    pub cpu: Vec<String>,
}

/// Why a program's requirements, or a digest, can't be determined.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// A file can't be read.
    #[error("{path}: {reason}")]
    Io {
        /// The file that could not be read or written.
        path: PathBuf,
        /// The error that the system reported.
        reason: io::Error,
    },
    /// The file is not a 64-bit ELF file.
    #[error("{path} is not a program that can be packed ({reason})")]
    Program {
        /// The file that could not be read or written.
        path: PathBuf,
        /// The error of the ELF parser.
        reason: object::Error,
    },
}

/// The pack that this program is part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pack {
    /// The folder with `pack.json`.
    pub root: PathBuf,
    /// The contents of `pack.json`.
    pub manifest: Manifest,
}

impl Pack {
    /// The pack that this program is part of, if any. A manifest of another layout counts as none.
    pub fn here() -> Option<&'static Pack> {
        static HERE: LazyLock<Option<Pack>> = LazyLock::new(|| {
            let program = std::env::current_exe().ok()?.canonicalize().ok()?;
            let root = program.parent()?.parent()?;
            Pack::read(root)
        });
        HERE.as_ref()
    }

    /// The pack in a folder; `None` where there is no manifest of this layout.
    pub fn read(root: &Path) -> Option<Pack> {
        let manifest: Manifest = serde_json::from_slice(&fs::read(root.join(MANIFEST)).ok()?).ok()?;
        (manifest.schema == PACK_SCHEMA).then(|| Pack { root: root.to_owned(), manifest })
    }

    /// The folder of its runners.
    pub fn runners(&self) -> PathBuf {
        self.root.join("runners")
    }

    /// The folder of the runners of other languages.
    pub fn languages(&self) -> PathBuf {
        self.root.join("languages")
    }

    /// Whether a file of the pack is unchanged.
    pub fn is_whole(&self, file: &Path) -> bool {
        let Ok(inside) = file.strip_prefix(&self.root) else { return false };
        let Ok(digests) = fs::read_to_string(self.root.join(DIGESTS)) else { return false };
        let Ok(digest) = digest(file) else { return false };
        digests.lines().any(|line| line == format!("{digest}  {}", inside.display()))
    }
}

/// The SHA-256 digest of a file, 64 hexadecimal digits.
///
/// # Errors
/// When it can't be read.
pub fn digest(file: &Path) -> Result<String, PackError> {
    let at = |reason| PackError::Io { path: file.to_owned(), reason };
    let mut hash = Sha256::new();
    io::copy(&mut fs::File::open(file).map_err(at)?, &mut hash).map_err(at)?;
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The newest version of the GNU C library that a program needs, according to the symbols that it imports from it (their
/// versions, section `.gnu.version_r` of the Linux Standard Base, Core specification, "Symbol Versioning"); `None` where it
/// needs none.
///
/// # Errors
/// When it can't be read or is not a 64-bit ELF file.
pub fn glibc_needed(program: &Path) -> Result<Option<[u32; 2]>, PackError> {
    let data = fs::read(program).map_err(|reason| PackError::Io { path: program.to_owned(), reason })?;
    let names =
        version_names(&data).map_err(|reason| PackError::Program { path: program.to_owned(), reason })?;
    let number = |name: &String| {
        let (major, rest) = name.strip_prefix("GLIBC_")?.split_once('.')?;
        let minor = rest.split('.').next()?;
        Some([major.parse().ok()?, minor.parse().ok()?])
    };
    Ok(names.iter().filter_map(number).max())
}

/// The versions of symbols that a program imports from its libraries.
fn version_names(data: &[u8]) -> Result<Vec<String>, object::Error> {
    let file = FileHeader64::<Endianness>::parse(data)?;
    let endian = file.endian()?;
    let sections = file.sections(endian, data)?;
    let mut names = Vec::new();
    for section in sections.iter() {
        let Some((mut needed, strings)) = section.gnu_verneed(endian, data)? else { continue };
        let strings = sections.strings(endian, data, strings)?;
        while let Some((_, mut versions)) = needed.next()? {
            while let Some(version) = versions.next()? {
                names.push(String::from_utf8_lossy(version.name(endian, strings)?).into_owned());
            }
        }
    }
    Ok(names)
}

/// The CPU features that this program was compiled for, as /proc/cpuinfo names them.
pub fn cpu_features() -> Vec<String> {
    // Features that rustc names differently from the kernel (arch/x86/include/asm/cpufeatures.h, arch/arm64/kernel/cpuinfo.c).
    const OTHERWISE: [(&str, &str); 10] = [
        ("sse3", "pni"),
        ("cmpxchg16b", "cx16"),
        ("lahfsahf", "lahf_lm"),
        ("lzcnt", "abm"),
        ("sha", "sha_ni"),
        ("avx512bitalg", "avx512_bitalg"),
        ("avx512vnni", "avx512_vnni"),
        ("avx512vpopcntdq", "avx512_vpopcntdq"),
        ("avx512vbmi2", "avx512_vbmi2"),
        ("neon", "asimd"),
    ];
    // These are about linking, not about the CPU.
    const NONE: [&str; 2] = ["crt-static", "x87"];
    let stated = env!("WIREDYNO_CPU_FEATURES").split(',').filter(|name| !name.is_empty());
    let mut features: Vec<String> = stated
        .filter(|name| !NONE.contains(name))
        .map(|name| match OTHERWISE.iter().find(|(rustc, _)| *rustc == name) {
            Some((_, kernel)) => (*kernel).to_owned(),
            None => name.replace('.', "_"),
        })
        .collect();
    features.sort();
    features
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_needs_is_read_from_it() {
        let own = std::env::current_exe().unwrap();
        let [major, minor] = glibc_needed(&own).unwrap().unwrap();
        assert!(major == 2 && (17..100).contains(&minor), "{major}.{minor}");
        let desk = tempfile::tempdir().unwrap();
        let text = desk.path().join("text");
        fs::write(&text, "no program").unwrap();
        assert!(glibc_needed(&text).unwrap_err().to_string().contains("is not a program"));
    }

    #[test]
    fn the_features_of_this_cpu_hold_those_compiled_for() {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap();
        let line = cpuinfo.lines().find(|line| line.starts_with("flags") || line.starts_with("Features"));
        let has: Vec<&str> = line.unwrap().split_whitespace().collect();
        assert!(cpu_features().iter().all(|feature| has.contains(&feature.as_str())), "{:?}", cpu_features());
    }

    #[test]
    fn a_file_that_differs_from_its_digest_is_not_whole() {
        let desk = tempfile::tempdir().unwrap();
        let root = desk.path().canonicalize().unwrap();
        let file = root.join("a");
        fs::write(&file, "abc").unwrap();
        // FIPS 180-4's example.
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest(&file).unwrap(), known);
        fs::write(root.join(DIGESTS), format!("{known}  a\n")).unwrap();
        let machine = Machine { architecture: "x".into(), glibc: None, cpu: Vec::new() };
        let manifest = Manifest {
            schema: PACK_SCHEMA,
            version: "1".into(),
            compiler: "c".into(),
            machine,
            studies: Vec::new(),
            brokers: Vec::new(),
            languages: BTreeMap::new(),
        };
        fs::write(root.join(MANIFEST), serde_json::to_vec(&manifest).unwrap()).unwrap();
        let pack = Pack::read(&root).unwrap();
        assert!(pack.is_whole(&file));
        fs::write(&file, "abd").unwrap();
        assert!(!pack.is_whole(&file));
    }
}
