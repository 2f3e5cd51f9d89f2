//! What a codec or a transport needs on the machine, beyond what cargo provides. Plans, `wiredyno doctor`, the Makefile steps that install and
//! exclude, and the reasons for ignored tests all come from these declarations; `wiredyno-needs` checks whether it is present.
//!
//! Limits: no I/O.

/// Something that a package needs on the machine to be compiled or run: [`Need::library`], [`Need::header`] or [`Need::program`], and how to
/// get it.
/// Its constructors are written in one expression with literals, because `scripts/needs` parses them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Need {
    /// The name that pkg-config, a C++ compiler or the search path knows it by.
    pub name: &'static str,
    /// Library, header or program, which decides how it is looked for.
    pub kind: NeedKind,
    /// Which versions are accepted.
    pub version: NeedVersion,
    /// Debian packages that provide it, with a library's headers; empty where none has an accepted version.
    pub debian: &'static [&'static str],
    /// Where Maven has a program for each machine, its artifact without the machine's name at the end:
    /// `group:artifact:version:type`.
    pub maven: Option<&'static str>,
    /// The environment variable that names the program instead of the search path.
    pub named_by: Option<&'static str>,
    /// The macros of a header whose values are the parts of its version, the most significant one first.
    pub macros: &'static [&'static str],
}

/// What kind of thing a [`Need`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedKind {
    /// A library with its headers, known to pkg-config.
    Library,
    /// A header that C++ compilers find, of a library that pkg-config does not know, or only together with others.
    Header,
    /// A program on the search path.
    Program,
}

/// Which versions of a [`Need`] are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedVersion {
    /// Every version.
    Any,
    /// This and newer ones, as pkg-config compares versions.
    Least(&'static str),
    /// Only this one, as the program prints it for `--version`.
    Just(&'static str),
}

impl NeedVersion {
    /// The version as text; empty for all.
    pub const fn word(self) -> &'static str {
        match self {
            NeedVersion::Any => "",
            NeedVersion::Least(version) | NeedVersion::Just(version) => version,
        }
    }
}

impl Need {
    /// A library that pkg-config knows by this name, from a minimum version.
    pub const fn library(name: &'static str, least: &'static str) -> Self {
        Need::of(name, NeedKind::Library, NeedVersion::Least(least))
    }

    /// A header, as it is included, in any version.
    pub const fn header(name: &'static str) -> Self {
        Need::of(name, NeedKind::Header, NeedVersion::Any)
    }

    /// A program of this name, in any version.
    pub const fn program(name: &'static str) -> Self {
        Need::of(name, NeedKind::Program, NeedVersion::Any)
    }

    /// A program of this name, in exactly this version.
    pub const fn program_just(name: &'static str, version: &'static str) -> Self {
        Need::of(name, NeedKind::Program, NeedVersion::Just(version))
    }

    const fn of(name: &'static str, kind: NeedKind, version: NeedVersion) -> Self {
        Need { name, kind, version, debian: &[], maven: None, named_by: None, macros: &[] }
    }

    /// Sets the Debian packages that provide it.
    #[must_use]
    pub const fn debian(self, debian: &'static [&'static str]) -> Self {
        Need { debian, ..self }
    }

    /// Sets the macros of a header that make up its version.
    #[must_use]
    pub const fn macros(self, macros: &'static [&'static str]) -> Self {
        Need { macros, ..self }
    }

    /// Sets the Maven artifact that provides it.
    #[must_use]
    pub const fn maven(self, artifact: &'static str) -> Self {
        Need { maven: Some(artifact), ..self }
    }

    /// Sets the environment variable that may name it.
    #[must_use]
    pub const fn named_by(self, variable: &'static str) -> Self {
        Need { named_by: Some(variable), ..self }
    }
}
