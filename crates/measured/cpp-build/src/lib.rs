//! Compiles a codec in C or C++ for a definition, from the build script of the generated crate.
//!
//! Always with the same flags, stated here and in docs/METHODOLOGY.md, whatever the user's CFLAGS, CXXFLAGS, CC and CXX say (a runner's build does not pass
//! them on): [`FLAGS`]. Libraries, and the compiler's own, are linked as static ones: then a runner is one file, which a
//! pack can carry, and calls into a library are direct ones.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The result of a build script; cargo prints the error.
pub type Done<T> = Result<T, Box<dyn Error>>;

/// How code in C and C++ is compiled: the level that distributions build with, without assertions, as a release build does (CMake's
/// `Release` defines NDEBUG too); C++17, and the compiler's C.
pub const FLAGS: &str = "-O2 -DNDEBUG, C++17";

/// The level of [`FLAGS`].
const LEVEL: u32 = 2;

/// The beginning and end of the names of the variables in which cargo passes on the folders that packages [`offer`], by their `links`.
const OFFERED: (&str, &str) = ("DEP_WIREDYNO_", "_INCLUDE");

/// What a generated crate compiles and links.
#[derive(Debug, Clone, Copy)]
pub struct Made<'a> {
    /// The name of the library of its objects, unique in a runner.
    pub name: &'a str,
    /// Its files in `src`, other than headers; those that end in `.c` are C, the others C++.
    pub files: &'a [&'a str],
    /// The libraries that it needs, each before those that it needs itself, without `lib` and `.a`.
    pub libraries: &'a [&'a str],
}

/// Offers a folder of headers, relative to the package, to the build scripts of the packages that depend on it directly. The package
/// needs a `links` that begins with `wiredyno_`.
///
/// # Errors
/// When cargo's variables are missing.
pub fn offer(include: &str) -> Done<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!(
        "cargo::metadata=include={}",
        Path::new(&env::var("CARGO_MANIFEST_DIR")?).join(include).display()
    );
    Ok(())
}

/// The folders that the packages offer on which this one depends.
fn offered() -> impl Iterator<Item = PathBuf> {
    let is_one = |name: &String| name.starts_with(OFFERED.0) && name.ends_with(OFFERED.1);
    env::vars().filter(move |(name, _)| is_one(name)).map(|(_, folder)| PathBuf::from(folder))
}

/// Compiles again when one of the files in a folder changes. Each by its name: a folder would be out of date with every file in it.
fn watch(folder: &Path) -> Done<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => watch(&path)?,
            false => println!("cargo::rerun-if-changed={}", path.display()),
        }
    }
    Ok(())
}

/// Compiles a codec, and links it with its libraries.
///
/// # Errors
/// When a compiler fails, or a library is missing.
pub fn compile(made: &Made<'_>) -> Done<()> {
    let sources = Path::new("src");
    let includes: Vec<PathBuf> = offered().collect();
    watch(sources)?;
    for include in &includes {
        watch(include)?;
    }
    let (c, cpp): (Vec<&str>, Vec<&str>) = made.files.iter().partition(|file| file.ends_with(".c"));
    if !c.is_empty() {
        let mut build = settings(sources, &includes);
        build.files(c.iter().map(|file| sources.join(file))).try_compile(&format!("{}_c", made.name))?;
    }
    let mut build = settings(sources, &includes);
    build.cpp(true).std("c++17").cpp_link_stdlib(None).files(cpp.iter().map(|file| sources.join(file)));
    build.try_compile(made.name)?;
    let compiler = build.try_get_compiler()?;
    for library in made.libraries.iter().chain(&["stdc++"]) {
        link(&mut compiler.to_command(), library)?;
    }
    Ok(())
}

fn settings(sources: &Path, includes: &[PathBuf]) -> cc::Build {
    let mut build = cc::Build::new();
    // Where the tests compile a runner without optimisation, this too.
    let level = if env::var("OPT_LEVEL").is_ok_and(|level| level == "0") { 0 } else { LEVEL };
    build.opt_level(level).debug(false).define("NDEBUG", None).warnings(false).include(sources);
    // Not cc's -fPIC, under which GCC may not inline the functions of a file into each other.
    build.includes(includes).pic(false).flag("-fPIE");
    build
}

/// Links a static library where the compiler finds it. Not bundled into the crate's own: every codec would hold a copy.
fn link(compiler: &mut Command, library: &str) -> Done<()> {
    let name = format!("lib{library}.a");
    let said = compiler.arg(format!("-print-file-name={name}")).output()?;
    let path = PathBuf::from(String::from_utf8_lossy(&said.stdout).trim());
    let Some(folder) = path.parent().filter(|folder| path.is_file() && !folder.as_os_str().is_empty()) else {
        return Err(format!(
            "the static library {name} is missing, which the package with the library's headers usually has"
        )
        .into());
    };
    println!("cargo::rustc-link-search=native={}", fs::canonicalize(folder)?.display());
    println!("cargo::rustc-link-lib=static:-bundle={library}");
    Ok(())
}
