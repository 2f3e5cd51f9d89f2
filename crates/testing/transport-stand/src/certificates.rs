//! Certificates for tests, created anew for each test program.

use std::path::{Path, PathBuf};
use std::process::Command;

use wiredyno_credentials::{Authority, LASTING, Signed};

/// The names in a valid server certificate.
const NAMES: [&str; 2] = ["localhost", "127.0.0.1"];

/// The name in the certificate of a different server.
const STRANGER: [&str; 1] = ["elsewhere.invalid"];

/// Topics that a client may publish and subscribe to in DDS Security, and those of another permissions document.
const TOPICS: [(&str, &str); 2] = [("permissions", "test/*"), ("elsewhere", "elsewhere/*")];

/// Years of validity of an expired certificate.
const OVER: [i32; 2] = [2020, 2021];

/// An authority with the certificates it has signed, valid and invalid ones, and a second authority with one client certificate, as files in PEM
/// form.
pub struct Certificates {
    folder: tempfile::TempDir,
}

impl Certificates {
    /// Creates all certificates, with new keys.
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

    /// One of the files: `ca.pem`, `other-ca.pem`; for the server certificates `good`, `expired` and `stranger` (another name) and the client
    /// certificates `client`, `expired-client` and `foreign-client` (signed by the other authority) each `.pem`, `.key` and `.both`. For DDS
    /// Security `ca` and `other-ca` have a signed `.governance`; `client` has `.permissions` for the topics `test/*` and `.elsewhere` for others.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// [`Certificates::file`] as text, for configuration files.
    pub fn path(&self, name: &str) -> String {
        self.file(name).display().to_string()
    }

    /// The valid server certificate with its key as PKCS 12, protected by this password, for brokers that accept no other form.
    pub fn archive(&self, password: &str) -> PathBuf {
        let archive = self.file("good.p12");
        let mut command = Command::new("openssl");
        command.args(["pkcs12", "-export", "-name", "good", "-passout", &format!("pass:{password}")]);
        command.arg("-inkey").arg(self.file("good.key")).arg("-in").arg(self.file("good.pem"));
        let made = command.arg("-out").arg(&archive).status();
        assert!(made.is_ok_and(|status| status.success()), "openssl is needed: sudo apt-get install openssl");
        archive
    }

    /// The folder of all files; deleted when this is dropped.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Default for Certificates {
    fn default() -> Self {
        Certificates::new()
    }
}
