//! What a program of this machine needs to run on another: itself, its libraries, and their loader.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Makes the loader list the libraries instead of starting the program (ld.so(8)).
const TRACE: &str = "LD_TRACE_LOADED_OBJECTS";

/// The name of the program in its pack: none of a library.
const PROGRAM: &str = "runner";

/// The name of a file in a pack, and where it is on this machine.
pub(crate) type Named = (String, PathBuf);

/// A program with what it needs, as files of this machine.
pub(crate) struct Packed {
    pub(crate) files: Vec<Named>,
    pub(crate) program: String,
    /// Absent for a program that needs no libraries.
    pub(crate) loader: Option<String>,
    pub(crate) arguments: Vec<String>,
}

/// Packs a command.
///
/// # Errors
/// When the program or a library can't be read, or it is a script.
pub(crate) fn of(command: &Command) -> io::Result<Packed> {
    let path = Path::new(command.get_program());
    let at = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let mut magic = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).map_err(at)?;
    if magic != *b"\x7fELF" {
        return Err(io::Error::other(format!(
            "{} is a script or needs its language installed: only runners composed in Rust are sent to agents",
            path.display()
        )));
    }
    let arguments = command.get_args().map(|one| one.to_string_lossy().into_owned()).collect();
    let (libraries, loader) = needed(path)?;
    let mut files = vec![(PROGRAM.to_owned(), path.to_owned())];
    files.extend(libraries);
    Ok(Packed { files, program: PROGRAM.to_owned(), loader, arguments })
}

/// The libraries that a program needs, their loader included, as files of this machine.
///
/// # Errors
/// When the program can't be started, or one of them is missing.
pub fn libraries(program: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(needed(program)?.0.into_iter().map(|(_, path)| path).collect())
}

/// The libraries that a program needs, and the name of their loader.
fn needed(program: &Path) -> io::Result<(Vec<Named>, Option<String>)> {
    let at = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", program.display()));
    let mut traced = Command::new(program);
    traced.env_clear().env(TRACE, "1").stdin(Stdio::null()).stderr(Stdio::null());
    let listed = traced.output().map_err(at)?;
    parse(&String::from_utf8_lossy(&listed.stdout)).map_err(at)
}

/// The libraries that a loader lists, each with its name, and the name of the loader, which is one of them.
fn parse(listed: &str) -> io::Result<(Vec<Named>, Option<String>)> {
    let (mut all, mut loader) = (Vec::new(), None);
    for line in listed.lines().map(str::trim) {
        // `libm.so.6 => /lib/libm.so.6 (0x…)`, `/lib64/ld-linux-x86-64.so.2 (0x…)`, or the kernel's own without a file.
        let line = line.rsplit_once(" (").map_or(line, |(line, _)| line);
        match line.split_once(" => ") {
            Some((name, "not found")) => {
                return Err(io::Error::other(format!("its library {name} is missing")));
            }
            Some((name, path)) => all.push((name.to_owned(), PathBuf::from(path))),
            None if line.starts_with('/') => {
                let path = PathBuf::from(line);
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                loader.clone_from(&name);
                all.extend(name.map(|name| (name, path)));
            }
            None => {}
        }
    }
    // A loader by name may be listed with an arrow, too.
    Ok((all, loader))
}

/// SHA-256 of a file, in hexadecimal.
///
/// # Errors
/// When it can't be read.
pub(crate) fn digest_of(path: &Path) -> io::Result<String> {
    let at = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let mut file = File::open(path).map_err(at)?;
    let (mut so_far, mut piece) = (ring::digest::Context::new(&ring::digest::SHA256), vec![0; 256 << 10]);
    loop {
        match file.read(&mut piece).map_err(at)? {
            0 => return Ok(hex::encode(so_far.finish())),
            count => so_far.update(&piece[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_packed_with_its_loader_and_libraries_and_runs_from_there() {
        let mut command = Command::new("/bin/echo");
        command.arg("hello");
        let packed = of(&command).unwrap();
        let loader = packed.loader.clone().unwrap();
        assert!(packed.files.iter().any(|(name, _)| *name == loader), "{loader}");
        let desk = tempfile::tempdir().unwrap();
        for (name, path) in &packed.files {
            std::fs::copy(path, desk.path().join(name)).unwrap();
        }
        let mut from_there = Command::new(desk.path().join(loader));
        from_there.arg("--library-path").arg(desk.path()).arg(desk.path().join(&packed.program));
        let output = from_there.args(&packed.arguments).env_clear().output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "hello\n");
    }

    #[test]
    fn what_a_loader_lists_is_read() {
        let listed = "\tlinux-vdso.so.1 (0x1)\n\tlibm.so.6 => /lib/libm.so.6 (0x2)\n\t/lib64/ld-linux-x86-64.so.2 (0x3)\n";
        let (libraries, loader) = parse(listed).unwrap();
        let names: Vec<&str> = libraries.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["libm.so.6", "ld-linux-x86-64.so.2"]);
        assert_eq!(loader.as_deref(), Some("ld-linux-x86-64.so.2"));
        assert_eq!(parse("\tstatically linked\n").unwrap(), (Vec::new(), None));
        assert!(parse("libx.so => not found\n").unwrap_err().to_string().contains("libx.so is missing"));
    }

    #[test]
    fn a_script_is_refused_by_name() {
        let desk = tempfile::tempdir().unwrap();
        let script = desk.path().join("runner.py");
        std::fs::write(&script, "#!/bin/sh\n").unwrap();
        let error = of(&Command::new(&script)).err().unwrap().to_string();
        assert!(error.contains("runner.py is a script"), "{error}");
    }
}
