//! The addresses outside a run that this machine may contact: a list in a file of its operator's, which no study, page or coordinator can change.
//!
//! One line for each, with `#` before comments: a host name, an address, or a network with the length of its prefix (RFC 4632 section 3.1, RFC 4291 section
//! 2.3), each with a port behind a colon or without one; IPv6 in brackets where a port follows.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

/// The list of the machine. If it exists, that of a user adds nothing.
const OF_MACHINE: &str = "/etc/wiredyno/addresses";

/// The list of a user, in the folder of configurations.
const OF_USER: &str = "wiredyno/addresses";

/// Why a list can't be used.
#[derive(Debug, thiserror::Error)]
pub enum AllowedError {
    /// It can't be read.
    #[error("{path}: {reason}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error for it.
        reason: io::Error,
    },
    /// A line is not an address.
    #[error(
        "{path}:{line}: `{text}` is no host, address or network: write broker.example:1883, 10.0.0.5, 10.0.0.0/8:1883 or [fd00::]/8:1883"
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What it contains.
        text: String,
    },
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    host: Host,
    /// Every port if absent.
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    /// In lower case.
    Name(String),
    /// An address, and how many of its first bits count.
    Network(IpAddr, u8),
}

/// What this machine may contact outside a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// The file; absent if there is none.
    path: Option<PathBuf>,
    places: Vec<Place>,
}

impl Allowed {
    /// The list of this machine's operator, else of this user; an empty one if there is none.
    ///
    /// # Errors
    /// When a list can't be read, or a line is not an address.
    pub fn of_machine() -> Result<Self, AllowedError> {
        for path in std::iter::once(PathBuf::from(OF_MACHINE)).chain(of_user()) {
            match fs::read_to_string(&path) {
                Ok(text) => return Self::parse(&path, &text),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(reason) => return Err(AllowedError::Read { path, reason }),
            }
        }
        Ok(Allowed::default())
    }

    fn parse(path: &Path, text: &str) -> Result<Self, AllowedError> {
        let mut places = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let wrong = || AllowedError::Line { path: path.to_owned(), line: number, text: line.to_owned() };
            places.push(Place::parse(line).ok_or_else(wrong)?);
        }
        Ok(Allowed { path: Some(path.to_owned()), places })
    }

    /// Whether there is a list.
    pub fn is_written(&self) -> bool {
        self.path.is_some()
    }

    /// Whether an address may be contacted, under the name by which it is known if it has one. Loopback always may.
    pub fn has(&self, name: Option<&str>, address: IpAddr, port: u16) -> bool {
        let name = name.map(str::to_lowercase);
        address.is_loopback() || self.places.iter().any(|place| place.is(name.as_deref(), address, port))
    }

    /// Where a line for another address belongs.
    pub fn file(&self) -> PathBuf {
        self.path.clone().or_else(of_user).unwrap_or_else(|| PathBuf::from(OF_MACHINE))
    }
}

fn of_user() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(folder.join(OF_USER))
}

/// Whether an address is one of this machine's: the kernel would send to it from itself. Nothing is sent. A socket could also be bound to groups and to
/// broadcast addresses.
pub fn is_own(address: IpAddr) -> bool {
    let any =
        if address.is_ipv4() { IpAddr::V4(Ipv4Addr::UNSPECIFIED) } else { IpAddr::V6(Ipv6Addr::UNSPECIFIED) };
    let from = |socket: UdpSocket| {
        socket.connect((address, 9))?;
        socket.local_addr()
    };
    UdpSocket::bind((any, 0)).and_then(from).is_ok_and(|from| from.ip() == address)
}

impl Place {
    fn parse(line: &str) -> Option<Self> {
        // Without brackets, several colons are those of an IPv6 address.
        let colons = line.matches(':').count();
        let (host, port) = match line.rsplit_once(':') {
            Some((host, port)) if colons == 1 || host.contains(']') => (host, Some(port.parse().ok()?)),
            _ => (line, None),
        };
        let (host, bits) = match host.split_once('/') {
            Some((host, bits)) => (host, Some(bits.parse::<u8>().ok()?)),
            None => (host, None),
        };
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let host = match bare.parse::<IpAddr>() {
            Ok(address) => {
                let most = if address.is_ipv4() { 32 } else { 128 };
                Host::Network(address, bits.unwrap_or(most)).checked(most)?
            }
            Err(_) if bits.is_none() && is_name(bare) => Host::Name(bare.to_lowercase()),
            Err(_) => return None,
        };
        Some(Place { host, port })
    }

    fn is(&self, name: Option<&str>, address: IpAddr, port: u16) -> bool {
        let is_host = match &self.host {
            Host::Name(own) => name == Some(own.as_str()),
            Host::Network(own, bits) => is_within(address, *own, *bits),
        };
        is_host && self.port.is_none_or(|own| own == port)
    }
}

impl Host {
    fn checked(self, most: u8) -> Option<Self> {
        match self {
            Host::Network(_, bits) if bits > most => None,
            host => Some(host),
        }
    }
}

/// Labels of letters, digits and `-` (RFC 1123 section 2.1), at least one of them not a number.
fn is_name(text: &str) -> bool {
    let is_label =
        |label: &str| !label.is_empty() && label.chars().all(|one| one.is_ascii_alphanumeric() || one == '-');
    text.split('.').all(is_label) && text.contains(|one: char| one.is_ascii_alphabetic())
}

fn is_within(address: IpAddr, network: IpAddr, bits: u8) -> bool {
    let same = |address: u128, network: u128, width: u8| {
        let rest = u32::from(width.saturating_sub(bits));
        address.checked_shr(rest).unwrap_or_default() == network.checked_shr(rest).unwrap_or_default()
    };
    match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            same(u32::from(address).into(), u32::from(network).into(), 32)
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => same(address.into(), network.into(), 128),
        _ => false,
    }
}

impl fmt::Display for Allowed {
    /// The path of the file where the list is, or would be.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file().display().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Allowed {
        Allowed::parse(Path::new("addresses"), text).unwrap()
    }

    fn has(list: &Allowed, name: Option<&str>, address: &str, port: u16) -> bool {
        list.has(name, address.parse().unwrap(), port)
    }

    #[test]
    fn only_what_a_line_names_may_be_contacted_and_loopback() {
        let all = list(
            "# brokers\nbroker.Example:1883\n10.1.0.0/16:5672  # the lab\n192.168.7.10\n[fd00::]/8:8883\n2001:db8::1\n",
        );
        assert!(has(&all, Some("Broker.example"), "8.8.8.8", 1883));
        assert!(!has(&all, Some("broker.example"), "8.8.8.8", 1884));
        assert!(!has(&all, None, "8.8.8.8", 1883) && !has(&all, Some("a.broker.example"), "8.8.8.8", 1883));
        assert!(has(&all, None, "10.1.255.1", 5672) && !has(&all, None, "10.2.0.1", 5672));
        assert!(has(&all, None, "192.168.7.10", 9) && !has(&all, None, "192.168.7.11", 9));
        assert!(has(&all, None, "fdff::1", 8883) && !has(&all, None, "fe00::1", 8883));
        assert!(has(&all, None, "2001:db8::1", 1) && !has(&all, None, "2001:db8::2", 1));
        assert!(has(&Allowed::default(), None, "127.0.0.1", 1) && has(&Allowed::default(), None, "::1", 1));
        assert!(!has(&Allowed::default(), None, "10.0.0.1", 1));
        assert!(has(&list("0.0.0.0/0"), None, "1.2.3.4", 5) && !has(&list("0.0.0.0/0"), None, "fd00::1", 5));
    }

    #[test]
    fn what_is_no_address_is_told_with_its_line() {
        for line in
            ["a b", "10.0.0.0/33", "broker.example/8", "broker:99999", "[fd00::", "1.2.3", "-/-", ":1883"]
        {
            let error =
                Allowed::parse(Path::new("addresses"), &format!("\n{line}\n")).unwrap_err().to_string();
            assert!(error.contains(&format!("addresses:2: `{line}`")), "{error}");
        }
    }

    #[test]
    fn an_address_of_this_machine_is_its_own() {
        assert!(is_own("127.0.0.1".parse().unwrap()));
        // RFC 5737, for documentation alone; a group, and everybody.
        for other in ["198.51.100.77", "224.0.0.1", "255.255.255.255", "0.0.0.0"] {
            assert!(!is_own(other.parse().unwrap()), "{other}");
        }
    }
}
