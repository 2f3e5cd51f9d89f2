//! The credentials with which servers and clients of a run authenticate: an authority, certificates of a server and of a client,
//! a pre-shared key, a user with a password, and the authority's documents for DDS Security. All are created for each run, in a folder that
//! only this user can read, and deleted with it.
//!
//! Certificates are signed with ECDSA over P-256 and SHA-256 by an authority without intermediates, which is the shortest possible
//! chain: what a deployment's longer one adds to a handshake is not in a run's figures.

mod authority;
mod documents;

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use wiredyno_process::scratch::Scratch;

pub use authority::{Authority, LASTING, Signed};

/// The name in the certificate of the run's clients.
const CLIENT: &str = "wiredyno";

/// The topics that they may publish and subscribe to under DDS Security: those of a run's trials.
const TOPICS: &str = "wiredyno/*";

/// The user that a run's brokers let in if they require a login.
pub const USER: &str = "wiredyno";

/// The identity under which the run's clients use the pre-shared key.
pub const PSK_IDENTITY: &str = "wiredyno";

/// Bytes of the pre-shared key, and of a password before it is written in hexadecimal.
const SECRET_BYTES: usize = 16;

/// Why credentials could not be created.
#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    /// A certificate or key could not be created.
    #[error("a certificate could not be made: {0}; please report this")]
    Certificate(#[from] rcgen::Error),
    /// A document could not be signed.
    #[error("a document could not be signed: {0}; please report this")]
    Signature(cms::cert::x509::der::Error),
    /// The system gave no random bytes.
    #[error("this machine provides no random bytes: {0}")]
    Random(String),
    /// A file or folder could not be written.
    #[error("{path}: {reason}; is there room for temporary files?")]
    Io {
        /// The file, or the folder for temporary files.
        path: PathBuf,
        /// The system's error for this path.
        reason: io::Error,
    },
}

/// The credentials of one run; their files are deleted on drop.
pub struct Credentials {
    folder: Scratch,
    password: String,
    psk: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Credentials {
    /// Creates credentials, with a server's certificate for these names and IP addresses.
    ///
    /// # Errors
    /// When one can't be created or written.
    pub fn new(server_names: &[&str]) -> Result<Self, CredentialsError> {
        let at = |reason| CredentialsError::Io { path: std::env::temp_dir(), reason };
        let folder = Scratch::new("credentials-").map_err(at)?;
        let authority = Authority::new("A run of Wiredyno")?;
        let (server, client) = (authority.server(server_names, LASTING)?, authority.client(CLIENT, LASTING)?);
        let credentials = Credentials { folder, password: secret()?, psk: secret()? };
        credentials.put(&credentials.ca(), authority.pem())?;
        for (signed, [certificate, key, both]) in
            [(&server, credentials.server()), (&client, credentials.client())]
        {
            credentials.put(&certificate, &signed.certificate)?;
            credentials.put(&key, &signed.key)?;
            credentials.put(&both, &signed.both())?;
        }
        let documents = [authority.governance()?, authority.permissions(CLIENT, TOPICS)?];
        for (path, document) in credentials.documents().iter().zip(documents) {
            credentials.put(path, &document)?;
        }
        credentials.put(&credentials.psk_file(), &credentials.psk)?;
        credentials.put(&credentials.password_file(), &credentials.password)?;
        Ok(credentials)
    }

    /// The files with which a server on another machine authenticates, and those that clients share with it.
    pub fn of_server(&self) -> Vec<PathBuf> {
        let [certificate, key, both] = self.server();
        vec![self.ca(), certificate, key, both, self.psk_file(), self.password_file()]
    }

    /// The same on that machine, from copies of these files under their names.
    ///
    /// # Errors
    /// When one is missing, or can't be written.
    pub fn received(copies: &[(String, PathBuf)]) -> Result<Self, CredentialsError> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |reason| CredentialsError::Io { path, reason }
        };
        let folder = Scratch::new("credentials-").map_err(at(&std::env::temp_dir()))?;
        let mut credentials = Credentials { folder, password: String::new(), psk: String::new() };
        for (name, copy) in copies {
            credentials.put(&credentials.file(name), &std::fs::read_to_string(copy).map_err(at(copy))?)?;
        }
        if let Some(missing) = credentials.of_server().iter().find(|path| !path.is_file()) {
            return Err(at(missing)(io::ErrorKind::NotFound.into()));
        }
        let read = |path: PathBuf| std::fs::read_to_string(&path).map_err(at(&path));
        credentials.password = read(credentials.password_file())?;
        credentials.psk = read(credentials.psk_file())?;
        Ok(credentials)
    }

    fn put(&self, path: &Path, text: &str) -> Result<(), CredentialsError> {
        let write = || {
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
            file.write_all(text.as_bytes())
        };
        write().map_err(|reason| CredentialsError::Io { path: path.to_owned(), reason })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The authority's certificate; like all of these files in PEM form.
    pub fn ca(&self) -> PathBuf {
        self.file("ca.pem")
    }

    /// The server's certificate, its key, and a file with the key followed by the certificate.
    pub fn server(&self) -> [PathBuf; 3] {
        ["server.pem", "server.key", "server.both"].map(|name| self.file(name))
    }

    /// The same three files of the clients.
    pub fn client(&self) -> [PathBuf; 3] {
        ["client.pem", "client.key", "client.both"].map(|name| self.file(name))
    }

    /// The governance and the permissions document of DDS Security, both signed by the authority.
    pub fn documents(&self) -> [PathBuf; 2] {
        ["governance.p7s", "permissions.p7s"].map(|name| self.file(name))
    }

    /// The pre-shared key, in hexadecimal.
    pub fn psk(&self) -> &str {
        &self.psk
    }

    /// The file that contains only the pre-shared key.
    pub fn psk_file(&self) -> PathBuf {
        self.file("psk")
    }

    /// The password of [`USER`], in hexadecimal.
    pub fn password(&self) -> &str {
        &self.password
    }

    /// The file that contains only the password.
    pub fn password_file(&self) -> PathBuf {
        self.file("password")
    }
}

/// Random bytes in hexadecimal: letters and digits that have no special meaning in any configuration file.
fn secret() -> Result<String, CredentialsError> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| CredentialsError::Random(error.to_string()))?;
    Ok(hex::encode(bytes))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_server_elsewhere_has_the_same_and_no_key_of_clients() {
        let made = Credentials::new(&["localhost"]).unwrap();
        let named = |path: PathBuf| (path.file_name().unwrap().to_string_lossy().into_owned(), path);
        let files: Vec<(String, PathBuf)> = made.of_server().into_iter().map(named).collect();
        let received = Credentials::received(&files).unwrap();
        assert_eq!((received.psk(), received.password()), (made.psk(), made.password()));
        let read = |of: &Credentials| of.server().map(|path| std::fs::read(path).unwrap());
        assert_eq!(read(&received), read(&made));
        assert!(received.client().iter().all(|path| !path.exists()));
        assert!(Credentials::received(&files[1..]).unwrap_err().to_string().contains("ca.pem"));
    }

    #[test]
    fn files_are_this_users_alone_differ_from_run_to_run_and_go() {
        let [one, other] = [(); 2].map(|()| Credentials::new(&["localhost", "127.0.0.1"]).unwrap());
        let files = |of: &Credentials| {
            let all = of.server().into_iter().chain(of.client()).chain(of.documents()).chain([
                of.ca(),
                of.psk_file(),
                of.password_file(),
            ]);
            all.collect::<Vec<_>>()
        };
        for (file, of_other) in files(&one).iter().zip(files(&other)) {
            let mode = std::fs::metadata(file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
            assert_ne!(std::fs::read(file).unwrap(), std::fs::read(of_other).unwrap());
        }
        assert!(
            std::fs::read_to_string(&one.server()[2]).unwrap().starts_with("-----BEGIN PRIVATE KEY-----")
        );
        assert_eq!((one.psk().len(), one.password().len()), (32, 32));
        let files = files(&one);
        drop(one);
        assert!(files.iter().all(|file| !file.exists()));
    }
}
