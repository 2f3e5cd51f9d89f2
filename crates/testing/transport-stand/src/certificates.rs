//! Certificates for tests, made anew for each program that runs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use wiredyno_credentials::{Authority, LASTING, Signed};

/// The names that a good server's certificate is for.
const NAMES: [&str; 2] = ["localhost", "127.0.0.1"];

/// The one that a stranger's is for.
const STRANGER: [&str; 1] = ["elsewhere.invalid"];

/// What a client may publish and subscribe to in DDS Security, and what another permission is for.
const TOPICS: [(&str, &str); 2] = [("permissions", "test/*"), ("elsewhere", "elsewhere/*")];

/// Years of what was good once.
const OVER: [i32; 2] = [2020, 2021];

/// An authority with the certificates that it has signed, good ones and bad ones, and another one with a client of its own, as files
/// in PEM form.
pub struct Certificates {
    folder: tempfile::TempDir,
}

impl Certificates {
    /// New ones, with new keys.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let put_all = |name: &str, signed: &Signed| {
            put(&format!("{name}.pem"), &signed.certificate);
            put(&format!("{name}.key"), &signed.key);
            put(&format!("{name}.both"), &signed.both());
        };
        let [authority, other] = ["Tests of Wiredyno", "Others"].map(|name| Authority::new(name).unwrap());
        put("ca.pem", authority.pem());
        put("other-ca.pem", other.pem());
        for (name, authority) in [("ca", &authority), ("other-ca", &other)] {
            put(&format!("{name}.governance"), &authority.governance().unwrap());
            for (document, topics) in TOPICS {
                put(&format!("{name}.{document}"), &authority.permissions("client", topics).unwrap());
            }
        }
        put_all("good", &authority.server(&NAMES, LASTING).unwrap());
        put_all("expired", &authority.server(&NAMES, OVER).unwrap());
        put_all("stranger", &authority.server(&STRANGER, LASTING).unwrap());
        put_all("client", &authority.client("client", LASTING).unwrap());
        put_all("expired-client", &authority.client("client", OVER).unwrap());
        put_all("foreign-client", &other.client("client", LASTING).unwrap());
        Certificates { folder }
    }

    /// One of the files: `ca.pem`, `other-ca.pem`; of `good`, `expired` and `stranger` (for another name), which are servers', and of
    /// `client`, `expired-client` and `foreign-client` (of the other authority) each `.pem`, `.key` and `.both`; of `ca` and `other-ca` what they
    /// have signed for DDS Security: `.governance`, and of `client` `.permissions` for the topics `test/*` and `.elsewhere` for others.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The same, in text.
    pub fn path(&self, name: &str) -> String {
        self.file(name).display().to_string()
    }

    /// The good one with its key as PKCS 12, behind this password, for those who take no other form.
    pub fn archive(&self, password: &str) -> PathBuf {
        let archive = self.file("good.p12");
        let mut command = Command::new("openssl");
        command.args(["pkcs12", "-export", "-name", "good", "-passout", &format!("pass:{password}")]);
        command.arg("-inkey").arg(self.file("good.key")).arg("-in").arg(self.file("good.pem"));
        let made = command.arg("-out").arg(&archive).status();
        assert!(made.is_ok_and(|status| status.success()), "openssl is needed: sudo apt-get install openssl");
        archive
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Default for Certificates {
    fn default() -> Self {
        Certificates::new()
    }
}
