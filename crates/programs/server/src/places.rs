//! Places that are bounded in number, for all clients together and for each.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// The places, by client.
pub struct Places {
    all: usize,
    each: usize,
    taken: Mutex<HashMap<String, usize>>,
}

/// A place, free again when dropped.
pub struct Place {
    of: Arc<Places>,
    client: String,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// All places are taken.
    All,
    /// The client has its share.
    Client,
}

impl Places {
    /// This many in all, and this many for each client.
    pub fn new(all: usize, each: usize) -> Arc<Self> {
        Arc::new(Places { all, each, taken: Mutex::default() })
    }

    /// Takes a place for a client.
    ///
    /// # Errors
    /// When there is none for it.
    pub fn take(self: &Arc<Self>, client: &str) -> Result<Place, Full> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let of_client = taken.get(client).copied().unwrap_or_default();
        if of_client >= self.each {
            return Err(Full::Client);
        }
        if taken.values().sum::<usize>() >= self.all {
            return Err(Full::All);
        }
        taken.insert(client.to_owned(), of_client + 1);
        Ok(Place { of: Arc::clone(self), client: client.to_owned() })
    }

    /// How many are taken.
    pub fn taken(&self) -> usize {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.of.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(of_client) = taken.get_mut(&self.client) else { return };
        *of_client -= 1;
        if *of_client == 0 {
            taken.remove(&self.client);
        }
    }
}

/// The client behind an address: one that has an IPv6 network has all of its addresses, at least 64 bits (RFC 4291, section 2.5.4).
pub fn client_of(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) if address.is_loopback() => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn one_client_has_its_share_and_leaves_the_rest_to_others() {
        let places = Places::new(3, 2);
        let first = places.take("a").unwrap();
        let _second = places.take("a").unwrap();
        assert_eq!(places.take("a").err(), Some(Full::Client));
        let _third = places.take("b").unwrap();
        assert_eq!(places.take("c").err(), Some(Full::All));
        drop(first);
        assert!(places.take("a").is_ok() && places.take("c").is_ok());
    }

    #[test]
    fn an_ipv6_network_is_one_client() {
        let of = |text: &str| client_of(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(of("::1"), "::1");
    }
}
