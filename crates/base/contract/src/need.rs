//! What a codec or a transport needs of the machine, beyond what cargo brings. Plans, `wiredyno doctor`, the steps of the Makefile that
//! install and exclude, and the reasons for which tests are ignored all come from these declarations; `wiredyno-needs` looks whether it is here.
//!
//! Limits: no I/O.

/// Something of the machine's without which a package can't be compiled or run: [`Need::library`] or [`Need::program`], and how it
/// is had. Its constructors are written out in one expression with literal words, as `scripts/needs` reads them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Need {
    /// As pkg-config, or the search path, calls it.
    pub name: &'static str,
    /// What it is, and so how it is looked for.
    pub kind: NeedKind,
    /// Which versions will do.
    pub version: NeedVersion,
    /// Debian's packages that bring it, with the headers of a library; empty where none of a fitting version does.
    pub debian: &'static [&'static str],
    /// Where Maven has a program for each machine, its artifact up to the machine's name: `group:artifact:version:type`.
    pub maven: Option<&'static str>,
    /// The variable that names a program which is not to be looked for on the search path.
    pub named_by: Option<&'static str>,
}

/// What a [`Need`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedKind {
    /// A library with its headers, which pkg-config knows.
    Library,
    /// A program of the search path.
    Program,
}

/// Which versions of a [`Need`] will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedVersion {
    /// All.
    Any,
    /// This and later ones, as pkg-config compares versions.
    Least(&'static str),
    /// This alone, as the program says it to `--version`.
    Just(&'static str),
}

impl NeedVersion {
    /// The version as a word; empty for all.
    pub const fn word(self) -> &'static str {
        match self {
            NeedVersion::Any => "",
            NeedVersion::Least(version) | NeedVersion::Just(version) => version,
        }
    }
}

impl Need {
    /// A library that pkg-config knows by this name, from a version on.
    pub const fn library(name: &'static str, least: &'static str) -> Self {
        Need::of(name, NeedKind::Library, NeedVersion::Least(least))
    }

    /// A program of this name, in any version.
    pub const fn program(name: &'static str) -> Self {
        Need::of(name, NeedKind::Program, NeedVersion::Any)
    }

    /// A program of this name, in just this version.
    pub const fn program_just(name: &'static str, version: &'static str) -> Self {
        Need::of(name, NeedKind::Program, NeedVersion::Just(version))
    }

    const fn of(name: &'static str, kind: NeedKind, version: NeedVersion) -> Self {
        Need { name, kind, version, debian: &[], maven: None, named_by: None }
    }

    /// The same, which these packages of Debian's bring.
    #[must_use]
    pub const fn debian(self, debian: &'static [&'static str]) -> Self {
        Need { debian, ..self }
    }

    /// The same, which Maven brings.
    #[must_use]
    pub const fn maven(self, artifact: &'static str) -> Self {
        Need { maven: Some(artifact), ..self }
    }

    /// The same, which this variable may name.
    #[must_use]
    pub const fn named_by(self, variable: &'static str) -> Self {
        Need { named_by: Some(variable), ..self }
    }
}
