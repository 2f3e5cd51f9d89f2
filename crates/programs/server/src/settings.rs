//! The server's command line and settings. One file because each option becomes a setting, and is checked in between.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use axum::http::{HeaderMap, HeaderName};

use crate::fleets;
use crate::host::{is_address, without_port};
use crate::places::client_of;

#[derive(Debug, Clone, clap::Args)]
pub struct Arguments {
    /// Where to listen. Off loopback a token is required; the first one is made at the first start, and
    /// printed once on a terminal or else written to the file `first-token` in the server's folder
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
    /// Take the user's name from this header of a reverse proxy, which must set it itself in every request;
    /// others need a token
    #[arg(long, value_name = "HEADER")]
    pub proxy_header: Option<String>,
    /// The address from which a reverse proxy connects, 127.0.0.1 with --proxy-header: what it says of its
    /// clients (X-Forwarded-For, X-Forwarded-Proto) is believed
    #[arg(long, value_name = "ADDRESS")]
    pub proxy: Option<IpAddr>,
    /// The path below which browsers reach the server, for example /bench, if a proxy serves other things too
    #[arg(long, value_name = "PATH", default_value = "/")]
    pub path: String,
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
    /// The file of a fleet that tests may ask for by its name, the file's without its ending (docs/FLEET.md); repeat for more
    #[arg(long = "fleet", value_name = "FILE")]
    pub fleets: Vec<PathBuf>,
    /// How often to attempt a test whose run fails
    #[arg(long, default_value_t = 3, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub attempts: u32,
    /// The pause before the second attempt, in seconds; it doubles with each further attempt
    #[arg(long, default_value_t = 30, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(0..=86_400))]
    pub pause: u64,
    /// Most trials of a test
    #[arg(long, default_value_t = 20_000, value_name = "NUMBER")]
    pub most_trials: u64,
    /// Longest duration of a test, in hours: a longer estimate is refused, a longer run ends
    #[arg(long, default_value_t = 24, value_name = "HOURS")]
    pub most_hours: u64,
    /// The largest run folder, in gigabytes: a run that needs more ends
    #[arg(long, default_value_t = 20, value_name = "GIGABYTES")]
    pub most_gigabytes: u64,
    /// Delete runs that are older than this, in days; pinned ones stay
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    pub keep_days: Option<u32>,
    /// Delete the oldest runs when all together have more than this, in gigabytes; pinned ones stay
    #[arg(long, value_name = "GIGABYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub keep_gigabytes: Option<u64>,
    /// Free space below which no test is accepted or begun, in gigabytes
    #[arg(long, default_value_t = 1, value_name = "GIGABYTES")]
    pub least_free: u64,
    /// Longest time for compiling a test's runners, in minutes
    #[arg(long, default_value_t = 60, value_name = "MINUTES")]
    pub most_compile: u64,
    /// Most tests that may wait or run at a time
    #[arg(long, default_value_t = 200, value_name = "NUMBER")]
    pub most_tests: u32,
    /// Show nothing of trials while they run, as `wiredyno run --no-live`
    #[arg(long)]
    pub no_live: bool,
    /// Write a copy of the queue's database into this file, even while a server is using it, and exit. Runs are folders: copy them
    #[arg(long, value_name = "FILE")]
    pub backup: Option<PathBuf>,
}

/// A reverse proxy whose headers are believed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Proxy {
    address: IpAddr,
    /// The header with the user's name, if it names users.
    user: Option<HeaderName>,
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
    /// The reverse proxy, if there is one.
    proxy: Option<Proxy>,
    /// The path below which browsers reach the server: empty, or with a slash in front and none behind.
    pub path: String,
    /// Files of certificate and key, as PEM; without them, plain HTTP.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// External brokers that tests may use, as PROTOCOL=ADDRESS.
    pub brokers: Vec<String>,
    /// Files of the fleets that tests may ask for, by their names.
    pub fleets: BTreeMap<String, PathBuf>,
    /// Most attempts at a test.
    pub attempts: u32,
    /// The pause before the second attempt.
    pub pause: Duration,
    /// Most trials that a test may have.
    pub most_trials: u64,
    /// Longest duration of a test, in seconds.
    pub most_seconds: u64,
    /// The largest run folder, in bytes.
    pub most_bytes: u64,
    /// Free space below which no test is accepted or begun, in bytes.
    pub least_free: u64,
    /// Age at which runs are deleted.
    pub keep_age: Option<Duration>,
    /// Size of all runs together at which the oldest are deleted, in bytes.
    pub keep_bytes: Option<u64>,
    /// Limit for compiling the runners of a test.
    pub most_compile: Duration,
    /// Most tests that may wait or run at a time.
    pub most_tests: u32,
    /// Whether running trials are shown second by second.
    pub live: bool,
}

/// Subfolders of the data folder.
const FOLDERS: [&str; 7] = ["runs", "payloads", "links", "studies", "orders", "logs", SCRATCH];
/// The subfolder of temporary files.
const SCRATCH: &str = "scratch";
/// Bytes of a gigabyte.
const GIGABYTE: u64 = 1_000_000_000;
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
        Settings::with_program(arguments, own)
    }

    fn with_program(arguments: &Arguments, own: PathBuf) -> anyhow::Result<Self> {
        let program = own.with_file_name(PROGRAM);
        let user = arguments.proxy_header.as_deref().map(|header| -> anyhow::Result<HeaderName> {
            header.parse().with_context(|| format!("--proxy-header {header}"))
        });
        let user = user.transpose()?;
        let address = arguments.proxy.or(user.is_some().then_some(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        let login_required = arguments.login || user.is_some() || !is_loopback(arguments.listen.ip());
        if let Some(host) =
            arguments.hosts.iter().find(|host| host.is_empty() || host.contains(['/', '@', ' ']))
        {
            bail!("--host {host}: write a name as in a browser's address bar, for example bench.example.org");
        }
        Ok(Settings {
            listen: arguments.listen,
            data: made(&arguments.data)?,
            path: plain_path(&arguments.path)?,
            program,
            own,
            hosts: arguments.hosts.iter().map(|host| without_port(host).to_ascii_lowercase()).collect(),
            login_required,
            proxy: address.map(|address| Proxy { address: address.to_canonical(), user }),
            tls: arguments.tls_certificate.clone().zip(arguments.tls_key.clone()),
            brokers: arguments.brokers.clone(),
            fleets: fleets::named(&arguments.fleets)?,
            attempts: arguments.attempts,
            pause: Duration::from_secs(arguments.pause),
            most_trials: arguments.most_trials,
            most_seconds: arguments.most_hours.saturating_mul(3600),
            most_bytes: arguments.most_gigabytes.saturating_mul(GIGABYTE),
            least_free: arguments.least_free.saturating_mul(GIGABYTE),
            keep_age: arguments.keep_days.map(|days| Duration::from_secs(u64::from(days) * 86_400)),
            keep_bytes: arguments.keep_gigabytes.map(|gigabytes| gigabytes.saturating_mul(GIGABYTE)),
            most_compile: Duration::from_secs(arguments.most_compile.saturating_mul(60)),
            most_tests: arguments.most_tests,
            live: !arguments.no_live,
        })
    }

    /// Whether a request comes from the reverse proxy.
    pub fn is_proxy(&self, peer: IpAddr) -> bool {
        self.proxy.as_ref().is_some_and(|proxy| peer.to_canonical() == proxy.address)
    }

    /// The header in which a peer names the user, if it is a proxy that does.
    pub fn user_header(&self, peer: IpAddr) -> Option<&HeaderName> {
        self.proxy.as_ref().filter(|_| self.is_proxy(peer))?.user.as_ref()
    }

    /// The client of a request, as limits count it, and whether its proxy says that it speaks TLS. Of the addresses that proxies list, only
    /// the last was written by ours.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> (String, bool) {
        let last = |name: &str| {
            let value = headers.get_all(name).iter().next_back().filter(|_| self.is_proxy(peer))?;
            Some(value.to_str().ok()?.rsplit(',').next()?.trim().to_owned())
        };
        let address = last("x-forwarded-for").and_then(|address| address.parse().ok());
        let encrypted = last("x-forwarded-proto").is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
        (client_of(address.unwrap_or(peer)), encrypted)
    }

    /// The folder of temporary files.
    pub fn scratch(&self) -> PathBuf {
        self.data.join(SCRATCH)
    }

    /// Whether only the proxy's users may come in, so that no token is needed.
    pub fn has_users(&self) -> bool {
        self.proxy.as_ref().is_some_and(|proxy| proxy.user.is_some())
    }

    /// Empties the folder of temporary files, which a server that was killed left behind. Only for the one that holds the lock.
    pub fn tidy(&self) {
        for entry in std::fs::read_dir(self.scratch()).into_iter().flatten().flatten() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
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

/// A path of a URL without the slash behind it.
fn plain_path(path: &str) -> anyhow::Result<String> {
    let bare = path.trim_end_matches('/');
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
    let is_plain = bare.is_empty() || bare.starts_with('/') && !bare.contains("//") && !bare.contains("..");
    ensure!(
        is_plain && bare.chars().all(plain),
        "--path {path}: write a path as in the browser's address bar, for example /bench"
    );
    Ok(bare.to_owned())
}

/// Creates the data folder and its subfolders, readable only by the user, whatever they were before.
fn made(data: &Path) -> anyhow::Result<PathBuf> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700);
    let told = || format!("--data {}", data.display());
    builder.create(data).with_context(told)?;
    let data = data.canonicalize().with_context(told)?;
    let was_open = data.metadata().with_context(told)?.permissions().mode() & 0o077 != 0;
    for folder in FOLDERS {
        builder.create(data.join(folder)).with_context(told)?;
    }
    if was_open {
        close(&data).with_context(told)?;
    }
    Ok(data)
}

/// Takes a folder and what is in it from other users of the machine. Links are not followed.
fn close(path: &Path) -> std::io::Result<()> {
    let about = path.symlink_metadata()?;
    if about.is_symlink() {
        return Ok(());
    }
    // The execute bit of a file stays, for its owner.
    let mode = about.permissions().mode() & 0o700;
    std::fs::set_permissions(path, Permissions::from_mode(mode))?;
    if about.is_dir() {
        for entry in std::fs::read_dir(path)? {
            match close(&entry?.path()) {
                // Temporary files come and go.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                closed => closed?,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn of(arguments: &[&str]) -> anyhow::Result<Settings> {
        #[derive(clap::Parser)]
        struct Program {
            #[command(flatten)]
            arguments: Arguments,
        }
        let desk = tempfile::tempdir().unwrap();
        let data = desk.path().join("data").display().to_string();
        let all = ["serve", "--data", data.as_str()].into_iter().chain(arguments.iter().copied());
        let mut parsed = <Program as clap::Parser>::try_parse_from(all)?.arguments;
        parsed.data = desk.path().join("data");
        Settings::with_program(&parsed, PathBuf::from("/nowhere"))
    }

    #[test]
    fn only_the_proxy_says_who_the_client_is_and_only_its_last_word_counts() {
        let headers = |values: &[&str]| {
            let named = values
                .iter()
                .map(|value| (HeaderName::from_static("x-forwarded-for"), value.parse().unwrap()));
            named.collect::<HeaderMap>()
        };
        let (near, far): (IpAddr, IpAddr) = ("127.0.0.1".parse().unwrap(), "198.51.100.7".parse().unwrap());
        let settings = of(&["--proxy-header", "X-User"]).unwrap();
        assert!(settings.login_required, "a proxy that names users is no open door");
        let client = |peer, values: &[&str]| settings.client(peer, &headers(values)).0;
        assert_eq!(client(near, &["203.0.113.5"]), "203.0.113.5");
        assert_eq!(client(near, &["6.6.6.6, 203.0.113.5"]), "203.0.113.5");
        assert_eq!(client(near, &["6.6.6.6", "203.0.113.5"]), "203.0.113.5");
        assert_eq!(client(near, &["unknown"]), "127.0.0.1");
        assert_eq!(client(far, &["203.0.113.5"]), "198.51.100.7");
        assert_eq!((settings.user_header(near).is_some(), settings.user_header(far)), (true, None));
        let settings = of(&["--proxy", "198.51.100.7"]).unwrap();
        assert!(!settings.login_required && settings.is_proxy(far) && settings.user_header(far).is_none());
    }

    #[test]
    fn a_path_is_one_of_an_address_bar() {
        let path = |path: &str| of(&["--path", path]).map(|settings| settings.path).ok();
        assert_eq!(path("/").as_deref(), Some(""));
        assert_eq!(path("/bench/").as_deref(), Some("/bench"));
        for bad in ["bench", "/a//b", "/../x", "/a b", "/<script>"] {
            assert_eq!(path(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_folder_that_others_could_read_is_closed() {
        let desk = tempfile::tempdir().unwrap();
        let data = desk.path().join("data");
        std::fs::create_dir_all(data.join("runs/a")).unwrap();
        std::fs::write(data.join("runs/a/summary.json"), "{}").unwrap();
        for path in ["", "runs", "runs/a", "runs/a/summary.json"] {
            std::fs::set_permissions(data.join(path), Permissions::from_mode(0o755)).unwrap();
        }
        made(&data).unwrap();
        for path in ["", "runs", "runs/a", "runs/a/summary.json", "scratch"] {
            let mode = data.join(path).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{path}: {mode:o}");
        }
    }

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
