//! The versions of the libraries that the project's crates use, from Cargo.lock.
//!
//! Codecs and transports state the library that does their work. Its version is looked up here, by the crate that depends on
//! it: both in the program, which compiles none of them, and in a runner, which is built with the same Cargo.lock.

include!(concat!(env!("OUT_DIR"), "/versions.rs"));

/// What our own code gives as its library.
const OWN: &str = "wiredyno";

/// The version of a library that one of the project's crates depends on directly; `None` if it does not. The version of
/// `wiredyno` is the project's own.
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
