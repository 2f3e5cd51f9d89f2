//! The versions of the libraries that the project's crates use, as Cargo.lock has them.
//!
//! Codecs and transports state the library that does their work. Its version is looked up here, by the crate that depends on
//! it: in the program, which compiles none of them, and in a runner, which is built with the same Cargo.lock.

include!(concat!(env!("OUT_DIR"), "/versions.rs"));

/// What our own code is called where others have a library.
const OWN: &str = "wiredyno";

/// The version of a library on which one of the project's crates depends directly; `None` if it does not. That of `wiredyno`
/// is the project's own.
pub fn of(package: &str, library: &str) -> Option<&'static str> {
    if library == OWN {
        return Some(env!("CARGO_PKG_VERSION"));
    }
    VERSIONS.iter().find(|(of, name, _)| *of == package && *name == library).map(|(.., version)| *version)
}

#[cfg(test)]
mod tests {
    #[test]
    fn direct_dependencies_have_a_version_and_others_none() {
        let version = super::of("wiredyno-model", "serde").unwrap();
        assert!(version.starts_with("1."), "{version}");
        assert_eq!(super::of("wiredyno-model", "nonesuch"), None);
        assert_eq!(super::of("wiredyno-versions", "serde"), None);
    }
}
