//! A broker by address: `PROTOCOL=[SCHEME://][USER@]HOST[:PORT]`. Each protocol declares which schemes are encrypted and its default
//! port; passwords and authorities come from the environment.
//!
//! Limits: one password and one CA file for all brokers of a run.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use wiredyno_contract::{Addresses, Endpoint, Scheme, TlsTerms};
use wiredyno_seats::allowed::Allowed;
use wiredyno_seats::serving::{External, Login};

/// The environment variable with the password of a broker given by address.
const PASSWORD: &str = "WIREDYNO_BROKER_PASSWORD";

/// The environment variable with the path of a file that contains that password.
const PASSWORD_FILE: &str = "WIREDYNO_BROKER_PASSWORD_FILE";

/// The environment variable with the path of a file of authorities that are trusted instead of the system's.
const CA_FILE: &str = "WIREDYNO_BROKER_CA_FILE";

/// The first line of every certificate in PEM form (RFC 7468, section 5.1).
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----";

/// Parses a value of `--broker` into the protocol, and address, login and TLS of its broker.
///
/// # Errors
/// When the form is wrong, the host can't be resolved, or a password or CA file is missing.
pub fn parse(text: &str) -> anyhow::Result<(String, External)> {
    // A text that may contain a secret is not repeated.
    let told = if text.contains('@') { "PROTOCOL=USER@HOST:PORT" } else { text };
    let shape = || {
        format!(
            "--broker {told}: write the protocol and the broker's address, for example mqtt=127.0.0.1:1883 or \
             amqp-0-9-1=amqps://user@host:5671"
        )
    };
    let (protocol, address) = text.split_once('=').with_context(shape)?;
    let is_word = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    ensure!(!protocol.is_empty() && is_word(protocol), shape());
    let known = wiredyno_transport_registry::of_protocol(protocol).with_context(|| {
        let all = wiredyno_transport_registry::descriptions().into_iter().map(|known| known.id.protocol);
        format!(
            "--broker {protocol}=...: there is no protocol `{protocol}`, only {}",
            all.collect::<Vec<_>>().join(", ")
        )
    })?;
    ensure!(
        !known.addresses.clear.words.is_empty(),
        "--broker {protocol}=...: {protocol} has no broker, because publishers and subscribers find each other: leave it out"
    );
    let (word, rest) = address.split_once("://").unwrap_or(("", address));
    let (scheme, encrypted) = scheme(protocol, &known.addresses, word)?;
    let (user, place) = match rest.rsplit_once('@') {
        Some((user, place)) => (Some(user), place),
        None => (None, rest),
    };
    if user.is_some_and(|user| user.contains(':')) {
        // The text itself is not repeated: it holds a secret.
        bail!(
            "--broker: everyone on this machine can read a password on the command line: leave it out, and set the variable \
             {PASSWORD}, or {PASSWORD_FILE} to a file that holds it"
        );
    }
    ensure!(
        place.starts_with('[') || place.matches(':').count() < 2,
        "--broker {protocol}=...: write an IPv6 address in brackets: {protocol}=[::1] or {protocol}=[::1]:1883"
    );
    let (host, port) = place_of(place.trim_end_matches('/'), scheme).with_context(shape)?;
    let login =
        user.map(|user| Ok::<_, anyhow::Error>(Login { user: user.to_owned(), password: password(user)? }));
    let endpoint = Endpoint { host: resolved(host, port)?, port };
    let allowed = Allowed::of_machine()?;
    let is_allowed = endpoint.host.parse().is_ok_and(|address| allowed.has(Some(host), address, port));
    let named = Endpoint { host: host.to_owned(), port };
    ensure!(
        is_allowed,
        "--broker {protocol}=...: {named} is another machine, and this one loads only those that its operator allows: write the line `{named}` into {allowed}"
    );
    let tls = encrypted.then(|| Ok::<_, anyhow::Error>(TlsTerms::of(host.to_owned(), ca_file()?)));
    Ok((protocol.to_owned(), External { endpoint, login: login.transpose()?, tls: tls.transpose()? }))
}

/// The protocol's scheme for a word, and whether it uses TLS. Without a word it is unencrypted, except for a protocol that
/// never is.
fn scheme<'a>(protocol: &str, addresses: &'a Addresses, word: &str) -> anyhow::Result<(&'a Scheme, bool)> {
    let word = word.to_ascii_lowercase();
    let is_one = |scheme: &Scheme| scheme.words.contains(&word.as_str());
    let never_clear = addresses.clear.words.is_empty();
    match &addresses.tls {
        Some(tls) if never_clear && (word.is_empty() || is_one(tls)) => Ok((tls, true)),
        _ if word.is_empty() || is_one(&addresses.clear) => Ok((&addresses.clear, false)),
        Some(tls) if is_one(tls) => Ok((tls, true)),
        tls => {
            let all = |scheme: &Scheme| {
                let words = scheme.words.iter().map(|word| format!("{word}://"));
                words.collect::<Vec<_>>().join(", ")
            };
            if let (true, Some(tls)) = (never_clear, tls) {
                bail!(
                    "--broker {protocol}=...: its addresses begin with {}, or have no scheme; it is always encrypted",
                    all(tls)
                );
            }
            let encrypted = match tls {
                Some(tls) => format!("{} with TLS", all(tls)),
                None => "TLS is not supported here".to_owned(),
            };
            bail!(
                "--broker {protocol}=...: its addresses begin with {}, or have no scheme; {encrypted}",
                all(&addresses.clear)
            )
        }
    }
}

/// Host and port; the scheme's default port if none is given. IPv6 addresses are in brackets.
fn place_of<'a>(place: &'a str, scheme: &Scheme) -> Option<(&'a str, u16)> {
    let bare = |host: &'a str| host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (bare(host), port.parse().ok()?),
        _ => (bare(place), scheme.port?),
    };
    (!host.is_empty()).then_some((host, port))
}

/// The password of a user, from the environment or a file, without the final line break.
fn password(user: &str) -> anyhow::Result<String> {
    if let Ok(password) = std::env::var(PASSWORD) {
        return Ok(password);
    }
    let path = std::env::var_os(PASSWORD_FILE).with_context(|| {
        format!("--broker: no password for `{user}`: set the variable {PASSWORD}, or {PASSWORD_FILE} to a file that holds it")
    })?;
    let path = PathBuf::from(path);
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("{PASSWORD_FILE}: {}", path.display()))?;
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}

/// The file of authorities that the environment names; `None` for the system's. Checked here, so that an error appears before runners
/// are compiled; clients read all of it.
fn ca_file() -> anyhow::Result<Option<String>> {
    let Some(path) = std::env::var_os(CA_FILE) else { return Ok(None) };
    let path = std::path::absolute(PathBuf::from(path)).with_context(|| format!("{CA_FILE} is empty"))?;
    let told = || format!("{CA_FILE}: {}", path.display());
    let bytes = std::fs::read(&path).with_context(told)?;
    ensure!(
        bytes.windows(CERTIFICATE.len()).any(|part| part == CERTIFICATE.as_bytes()),
        "{}: it contains no certificate in PEM form (`{CERTIFICATE}`): name the file of the CA that signed the broker's certificate",
        told()
    );
    let path = path.to_str().with_context(|| format!("{}: its name is not UTF-8", told()))?;
    Ok(Some(path.to_owned()))
}

/// Resolves a host name or address, preferring IPv4.
fn resolved(host: &str, port: u16) -> anyhow::Result<String> {
    let unknown = || format!("--broker: `{host}` can't be resolved: give its IP address");
    let all: Vec<SocketAddr> = (host, port).to_socket_addrs().with_context(unknown)?.collect();
    let chosen = all.iter().find(|address| address.is_ipv4()).or(all.first());
    Ok(chosen.with_context(unknown)?.ip().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MQTT: Addresses = Addresses::clear(&["mqtt", "tcp"], Some(1883)).or_tls(&["mqtts", "ssl"], 8883);

    #[test]
    fn schemes_say_whether_it_is_encrypted() {
        let encrypted = |word| scheme("mqtt", &MQTT, word).unwrap().1;
        assert_eq!(["", "mqtt", "TCP", "mqtts", "SSL"].map(encrypted), [false, false, false, true, true]);
        let error = scheme("mqtt", &MQTT, "amqps").unwrap_err().to_string();
        assert!(error.contains("mqtt://, tcp://, or have no scheme; mqtts://, ssl:// with TLS"), "{error}");
        let error = scheme("coap", &Addresses::clear(&["coap"], None), "coaps").unwrap_err().to_string();
        assert!(error.contains("TLS is not supported here"), "{error}");
        let quic = Addresses::encrypted(&["quic"]);
        assert_eq!(["", "quic"].map(|word| scheme("quic", &quic, word).unwrap().1), [true, true]);
        let error = scheme("quic", &quic, "udp").unwrap_err().to_string();
        assert!(error.contains("begin with quic://, or have no scheme; it is always encrypted"), "{error}");
    }

    #[test]
    fn an_address_of_ipv6_without_brackets_is_told_to_have_some() {
        for text in ["mqtt=::1", "mqtt=::1:1883", "mqtt=mqtt://fe80::1:1883"] {
            let error = parse(text).err().unwrap().to_string();
            assert!(error.contains("in brackets: mqtt=[::1]"), "{error}");
        }
        assert_eq!(parse("mqtt=[::1]:7").unwrap().1.endpoint.host, "::1");
    }

    #[test]
    fn ports_are_written_or_the_scheme_s_own() {
        for (place, expected) in [
            ("host:1", Some(("host", 1))),
            ("host", Some(("host", 1883))),
            ("127.0.0.1:7", Some(("127.0.0.1", 7))),
            ("[::1]:7", Some(("::1", 7))),
            ("[::1]", Some(("::1", 1883))),
            ("host:x", None),
            ("host:70000", None),
            (":7", None),
            ("", None),
        ] {
            assert_eq!(place_of(place, &MQTT.clear), expected, "{place}");
        }
        assert_eq!(place_of("host", &Scheme { words: &["tcp"], port: None }), None);
    }
}
