//! Whether a library of the machine's is there, as the build of a package will ask: by pkg-config.

use std::process::{Command, Stdio};

use wiredyno_contract::SystemLibrary;

use crate::Protocol;

/// Why a package can't be compiled on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// What is missing, in a sentence without a full stop.
    pub reason: String,
    /// The Debian packages that bring it.
    pub debian: Vec<&'static str>,
}

/// What builds of packages ask.
const PKG_CONFIG: &str = "pkg-config";

impl Protocol {
    /// What this machine lacks to compile the package, with encryption where that is asked for; `None` where nothing is missing. Asks
    /// pkg-config each time.
    pub fn lack(&self, encrypted: bool) -> Option<Lack> {
        let wanted = self.needs.iter().chain(self.encrypts_with.iter().filter(|_| encrypted));
        let pkg_config = std::env::var("PKG_CONFIG").unwrap_or_else(|_| PKG_CONFIG.to_owned());
        wanted.into_iter().find_map(|library| lack(library, &pkg_config))
    }
}

/// What is missing of a library, by what this pkg-config says.
fn lack(library: &SystemLibrary, pkg_config: &str) -> Option<Lack> {
    let SystemLibrary { pkg_config: name, least, debian } = *library;
    let says_yes = |arguments: &[&str]| {
        let mut command = Command::new(pkg_config);
        command.args(arguments).arg(name).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().map(|status| status.success())
    };
    match says_yes(&[&format!("--atleast-version={least}")]) {
        Ok(true) => None,
        Ok(false) => {
            let old = says_yes(&["--exists"]).unwrap_or(false);
            let state = if old { "is older than" } else { "is not installed; needed is" };
            Some(Lack { reason: format!("the library {name} {state} {least}"), debian: vec![debian] })
        }
        Err(error) => {
            let reason = format!("{pkg_config} can't be asked for the library {name}: {error}");
            Some(Lack { reason, debian: vec![PKG_CONFIG, debian] })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const LIBRARY: SystemLibrary = SystemLibrary { pkg_config: "some", least: "1.2", debian: "libsome-dev" };

    /// A pkg-config that knows `some` in version 1.0.
    fn pretended(folder: &std::path::Path) -> String {
        let path = folder.join("pkg-config");
        let script =
            "#!/bin/sh\ncase \"$*\" in '--exists some'|'--atleast-version=1.0 some') exit 0;; esac\nexit 1\n";
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    #[test]
    fn there_too_old_missing_and_nobody_to_ask() {
        let folder = tempfile::tempdir().unwrap();
        let asked = pretended(folder.path());
        assert_eq!(lack(&SystemLibrary { least: "1.0", ..LIBRARY }, &asked), None);
        let old = lack(&LIBRARY, &asked).unwrap();
        assert_eq!(old.reason, "the library some is older than 1.2");
        let missing = lack(&SystemLibrary { pkg_config: "other", ..LIBRARY }, &asked).unwrap();
        assert_eq!(missing.reason, "the library other is not installed; needed is 1.2");
        assert_eq!(missing.debian, ["libsome-dev"]);
        let nobody = lack(&LIBRARY, "/nowhere/pkg-config").unwrap();
        assert!(nobody.reason.starts_with("/nowhere/pkg-config can't be asked for the library some"));
        assert_eq!(nobody.debian, ["pkg-config", "libsome-dev"]);
    }
}
