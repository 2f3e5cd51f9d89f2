//! Hosts as requests name them.

use std::net::IpAddr;

/// Whether a host, with or without port, is an IP address: names can be made to resolve elsewhere, addresses can't.
pub fn is_address(host: &str) -> bool {
    let bare = without_port(host);
    bare.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok()
}

/// A host without its port.
pub fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names_are_told_apart() {
        for address in ["127.0.0.1", "127.0.0.1:8080", "[::1]:8080", "[::1]"] {
            assert!(is_address(address), "{address}");
        }
        for name in ["localhost", "evil.example:8080", "127.0.0.1.evil.example", ""] {
            assert!(!is_address(name), "{name}");
        }
        assert_eq!(without_port("[::1]:80"), "[::1]");
    }
}
