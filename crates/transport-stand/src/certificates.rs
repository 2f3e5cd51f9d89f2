//! Certificates for tests, made anew for each program that runs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};

/// The names that a good server's certificate is for.
const NAMES: [&str; 2] = ["localhost", "127.0.0.1"];

/// The one that a stranger's is for.
const STRANGER: [&str; 1] = ["elsewhere.invalid"];

/// An authority with the certificates that it has signed, good ones and bad ones, and another one that signs nothing, as files in PEM form.
pub struct Certificates {
    folder: tempfile::TempDir,
}

impl Certificates {
    /// New ones, with new keys.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let (params, key) = authority("Tests of Wiredyno");
        put("ca.pem", &params.self_signed(&key).unwrap().pem());
        let issuer = Issuer::new(params, key);
        let servers: [(&str, &[&str], [i32; 2]); 3] = [
            ("good", &NAMES, [2020, 2100]),
            ("expired", &NAMES, [2020, 2021]),
            ("stranger", &STRANGER, [2020, 2100]),
        ];
        for (name, names, years) in servers {
            let (params, key) = (server(names, years), KeyPair::generate().unwrap());
            let certificate = params.signed_by(&key, &issuer).unwrap().pem();
            put(&format!("{name}.pem"), &certificate);
            put(&format!("{name}.key"), &key.serialize_pem());
            put(&format!("{name}.both"), &(key.serialize_pem() + &certificate));
        }
        let (params, key) = authority("Others");
        put("other-ca.pem", &params.self_signed(&key).unwrap().pem());
        Certificates { folder }
    }

    /// One of the files: `ca.pem`, `other-ca.pem`; of `good`, `expired` and `stranger` (for another name) each `.pem`, `.key` and
    /// `.both`.
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

fn authority(name: &str) -> (CertificateParams, KeyPair) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    (params, KeyPair::generate().unwrap())
}

fn server(names: &[&str], [from, until]: [i32; 2]) -> CertificateParams {
    let mut params =
        CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap();
    params.distinguished_name.push(DnType::CommonName, "broker");
    params.not_before = date_time_ymd(from, 1, 1);
    params.not_after = date_time_ymd(until, 1, 1);
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    params
}
