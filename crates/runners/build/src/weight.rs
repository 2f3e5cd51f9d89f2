//! The weight of a program: the bytes of its file that are loaded, and those of the shared libraries that it needs. Names of symbols and
//! debug information are not loaded, so it does not matter whether a program was stripped.
//!
//! Limits: 64-bit ELF files. Libraries are those that glibc's dynamic loader finds (ld.so(8), `LD_TRACE_LOADED_OBJECTS`): what a program
//! opens later by itself is not seen.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::Endianness;
use object::elf::{FileHeader64, PT_LOAD};
use object::read::elf::{FileHeader, ProgramHeader};

/// Why a program can't be weighed.
#[derive(Debug, thiserror::Error)]
pub enum WeightError {
    /// A file can't be read.
    #[error("{path}: {reason}")]
    Io {
        /// The file that could not be read or written.
        path: PathBuf,
        /// The error that the system reported.
        reason: io::Error,
    },
    /// The file is not a 64-bit ELF file.
    #[error("{path} can't be weighed: it is not a 64-bit program ({reason})")]
    Program {
        /// The file that could not be read or written.
        path: PathBuf,
        /// The error of the ELF parser.
        reason: object::Error,
    },
}

/// The loaded bytes of a program and of its libraries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weight {
    program_bytes: u64,
    /// Loaded bytes of each library that it needs.
    libraries: BTreeMap<PathBuf, u64>,
}

impl Weight {
    /// The weight of a program. The loader is asked for its libraries, and `prepare` makes sure that it ends with this program.
    ///
    /// # Errors
    /// When a file can't be read, or is not a program.
    pub fn of(program: &Path, prepare: &dyn Fn(&mut Command)) -> Result<Weight, WeightError> {
        let program_bytes = loaded_bytes(program)?;
        let mut loader = Command::new(program);
        loader.env("LD_TRACE_LOADED_OBJECTS", "1").stdin(Stdio::null()).stderr(Stdio::null());
        prepare(&mut loader);
        let said = loader.output().map_err(|reason| WeightError::Io { path: program.to_owned(), reason })?;
        let mut libraries = BTreeMap::new();
        for path in paths(&String::from_utf8_lossy(&said.stdout)) {
            let bytes = loaded_bytes(&path)?;
            libraries.insert(path, bytes);
        }
        Ok(Weight { program_bytes, libraries })
    }

    /// How much more it weighs than another: the excess of its own file, and the libraries that the other does not need.
    pub fn above(&self, other: &Weight) -> u64 {
        let own = self.libraries.iter().filter(|(path, _)| !other.libraries.contains_key(*path));
        let libraries_bytes: u64 = own.map(|(_, bytes)| bytes).sum();
        (self.program_bytes + libraries_bytes).saturating_sub(other.program_bytes)
    }
}

/// The files in the loader's output: `NAME => /PATH (ADDRESS)`, or `/PATH (ADDRESS)`. What the kernel provides has none.
fn paths(said: &str) -> Vec<PathBuf> {
    let path = |line: &str| {
        let (file, _) = line.rsplit_once(" (")?;
        let file = file.rsplit("=> ").next()?.trim();
        file.starts_with('/').then(|| PathBuf::from(file))
    };
    said.lines().filter_map(path).collect()
}

/// The bytes of a file that are loaded (segments PT_LOAD of the System V ABI, chapter 5).
fn loaded_bytes(path: &Path) -> Result<u64, WeightError> {
    let data = fs::read(path).map_err(|reason| WeightError::Io { path: path.to_owned(), reason })?;
    let sum = || -> Result<u64, object::Error> {
        let file = FileHeader64::<Endianness>::parse(&*data)?;
        let endian = file.endian()?;
        let segments = file.program_headers(endian, &*data)?;
        let loaded = segments.iter().filter(|segment| segment.p_type(endian) == PT_LOAD);
        Ok(loaded.map(|segment| segment.p_filesz(endian)).sum())
    };
    sum().map_err(|reason| WeightError::Program { path: path.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_s_lines_are_read() {
        let said = "\tlinux-vdso.so.1 (0x00007ffd0)\n\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f1)\n\
                    \tlibgone.so => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f2)\n";
        let files = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib64/ld-linux-x86-64.so.2"];
        assert_eq!(paths(said), files.map(PathBuf::from));
    }

    #[test]
    fn a_program_weighs_less_than_its_file_and_nothing_more_than_itself() {
        let own = std::env::current_exe().unwrap();
        let weight = Weight::of(&own, &|_| {}).unwrap();
        let file_bytes = fs::metadata(&own).unwrap().len();
        assert!(weight.program_bytes > 100_000 && weight.program_bytes < file_bytes, "{weight:?}");
        let has = |name: &str| weight.libraries.keys().any(|path| path.to_string_lossy().contains(name));
        assert!(has("libc.so"), "{weight:?}");
        assert_eq!(weight.above(&weight), 0);
        let (mut bare, mut more) = (weight.clone(), weight.clone());
        bare.libraries.clear();
        assert_eq!(weight.above(&bare), weight.libraries.values().sum::<u64>());
        more.program_bytes += 7;
        assert_eq!((more.above(&weight), weight.above(&more)), (7, 0));
    }

    #[test]
    fn what_is_no_program_is_refused() {
        let desk = tempfile::tempdir().unwrap();
        let text = desk.path().join("text");
        fs::write(&text, "no program").unwrap();
        let refused = Weight::of(&text, &|_| {}).unwrap_err();
        assert!(refused.to_string().contains("it is not a 64-bit program"), "{refused}");
        assert!(matches!(Weight::of(&desk.path().join("none"), &|_| {}), Err(WeightError::Io { .. })));
    }
}
