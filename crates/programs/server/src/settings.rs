//! The server's command line and settings.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use axum::http::HeaderName;

use crate::guard::{is_address, without_port};

#[derive(Debug, Clone, clap::Args)]
pub struct Arguments {
    /// Where to listen. Off loopback a token is required; the first one is printed once, at the first
    /// start
    #[arg(long, default_value = "127.0.0.1:8970", value_name = "ADDRESS:PORT")]
    pub listen: SocketAddr,
    /// The server's folder: queue, runs, uploaded payloads
    #[arg(long, default_value = "wiredyno-data", value_name = "FOLDER")]
    pub data: PathBuf,
    /// A name under which browsers reach the server, besides localhost and IP addresses; repeat for more
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,
    /// Create a token with this name, print it, and exit
    #[arg(long, value_name = "NAME", conflicts_with_all = ["revoke_token", "backup"])]
    pub new_token: Option<String>,
    /// Revoke the token with this name and its sessions, and exit
    #[arg(long, value_name = "NAME", conflicts_with = "backup")]
    pub revoke_token: Option<String>,
    /// Require a token on loopback too
    #[arg(long)]
    pub login: bool,
    /// Take the user's name from this header of a reverse proxy, which must set it itself in every request
    #[arg(long, value_name = "HEADER")]
    pub proxy_header: Option<String>,
    /// The address from which that proxy connects
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", requires = "proxy_header")]
    pub proxy: IpAddr,
    /// Serve TLS with this certificate and its intermediates, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// The key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// A running broker that tests may use: PROTOCOL=ADDRESS, as for `wiredyno run --broker`; repeat for
    /// more
    #[arg(long = "broker", value_name = "PROTOCOL=ADDRESS")]
    pub brokers: Vec<String>,
    /// How often to attempt a test whose run fails
    #[arg(long, default_value_t = 3, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub attempts: u32,
    /// The pause before the second attempt, in seconds; it doubles with each further attempt
    #[arg(long, default_value_t = 30, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(0..=86_400))]
    pub pause: u64,
    /// Most trials of a test
    #[arg(long, default_value_t = 20_000, value_name = "NUMBER")]
    pub most_trials: u64,
    /// Longest estimated duration of a test, in hours
    #[arg(long, default_value_t = 24, value_name = "HOURS")]
    pub most_hours: u64,
    /// Longest time for compiling a test's runners, in minutes
    #[arg(long, default_value_t = 60, value_name = "MINUTES")]
    pub most_compile: u64,
    /// Most tests that may wait or run at a time
    #[arg(long, default_value_t = 200, value_name = "NUMBER")]
    pub most_tests: u32,
    /// Write a copy of the queue's database into this file, even while a server is using it, and exit. Runs are folders: copy them
    #[arg(long, value_name = "FILE")]
    pub backup: Option<PathBuf>,
}

/// A reverse proxy that names the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    /// The header with the user's name.
    pub header: HeaderName,
    address: IpAddr,
}

impl Proxy {
    /// Whether a request comes from the proxy.
    pub fn is_from(&self, peer: IpAddr) -> bool {
        peer.to_canonical() == self.address
    }
}

/// The settings that parts of the server share.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Address and port to listen on.
    pub listen: SocketAddr,
    /// The data folder, absolute.
    pub data: PathBuf,
    /// Path of this program, which answers questions about runs.
    pub own: PathBuf,
    /// Path of the program `wiredyno`, which carries out runs.
    pub program: PathBuf,
    /// Names of the server besides localhost, in lower case without ports.
    hosts: Vec<String>,
    /// Whether a login is required.
    pub login_required: bool,
    /// The proxy that names the user, if there is one.
    pub proxy: Option<Proxy>,
    /// Files of certificate and key, as PEM; without them, plain HTTP.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// External brokers that tests may use, as PROTOCOL=ADDRESS.
    pub brokers: Vec<String>,
    /// Most attempts at a test.
    pub attempts: u32,
    /// The pause before the second attempt.
    pub pause: Duration,
    /// Most trials that a test may have.
    pub most_trials: u64,
    /// Longest estimated duration of a test, in seconds.
    pub most_seconds: u64,
    /// Limit for compiling the runners of a test.
    pub most_compile: Duration,
    /// Most tests that may wait or run at a time.
    pub most_tests: u32,
}

/// Subfolders of the data folder.
const FOLDERS: [&str; 5] = ["runs", "payloads", "orders", "logs", "scratch"];
/// The program that carries out runs, in this program's folder.
const PROGRAM: &str = "wiredyno";

impl Settings {
    /// From the arguments. Creates the data folder if it is missing.
    ///
    /// # Errors
    /// When the arguments are invalid, the folder can't be created, or the program `wiredyno` is missing.
    pub fn new(arguments: &Arguments) -> anyhow::Result<Self> {
        let own = std::env::current_exe().context("the path of this program can't be determined")?;
        let program = own.with_file_name(PROGRAM);
        ensure!(
            program.is_file(),
            "{} does not exist: it belongs in the folder of this program",
            program.display()
        );
        let proxy = arguments.proxy_header.as_deref().map(|header| -> anyhow::Result<Proxy> {
            let header = header.parse().with_context(|| format!("--proxy-header {header}"))?;
            Ok(Proxy { header, address: arguments.proxy.to_canonical() })
        });
        if let Some(host) =
            arguments.hosts.iter().find(|host| host.is_empty() || host.contains(['/', '@', ' ']))
        {
            bail!("--host {host}: write a name as in a browser's address bar, for example bench.example.org");
        }
        let data = made(&arguments.data)?;
        Ok(Settings {
            listen: arguments.listen,
            data,
            program,
            own,
            hosts: arguments.hosts.iter().map(|host| without_port(host).to_ascii_lowercase()).collect(),
            login_required: arguments.login || !is_loopback(arguments.listen.ip()),
            proxy: proxy.transpose()?,
            tls: arguments.tls_certificate.clone().zip(arguments.tls_key.clone()),
            brokers: arguments.brokers.clone(),
            attempts: arguments.attempts,
            pause: Duration::from_secs(arguments.pause),
            most_trials: arguments.most_trials,
            most_seconds: arguments.most_hours.saturating_mul(3600),
            most_compile: Duration::from_secs(arguments.most_compile.saturating_mul(60)),
            most_tests: arguments.most_tests,
        })
    }

    /// Path of the database in a data folder.
    pub fn database(data: &Path) -> PathBuf {
        data.join("queue.sqlite")
    }

    /// Whether a host, with or without port, is a name of this server. An IP address always is: it can't be made to resolve to another machine.
    pub fn is_own_name(&self, host: &str) -> bool {
        let name = without_port(host).to_ascii_lowercase();
        is_address(host) || name == "localhost" || self.hosts.contains(&name)
    }
}

fn is_loopback(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_loopback() || address == Ipv4Addr::LOCALHOST,
        IpAddr::V6(address) => address.is_loopback(),
    }
}

/// Creates the data folder and its subfolders, readable only by the user.
fn made(data: &Path) -> anyhow::Result<PathBuf> {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700);
    let told = || format!("--data {}", data.display());
    builder.create(data).with_context(told)?;
    let data = data.canonicalize().with_context(told)?;
    for folder in FOLDERS {
        builder.create(data.join(folder)).with_context(told)?;
    }
    // Leftovers of a server that was killed.
    for entry in std::fs::read_dir(data.join("scratch")).with_context(told)?.flatten() {
        let _ = std::fs::remove_dir_all(entry.path());
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn loopback_is_known_in_all_its_spellings() {
        for address in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert!(is_loopback(address.parse().unwrap()), "{address}");
        }
        for address in ["0.0.0.0", "::", "10.0.0.1", "::ffff:10.0.0.1"] {
            assert!(!is_loopback(address.parse().unwrap()), "{address}");
        }
    }
}
