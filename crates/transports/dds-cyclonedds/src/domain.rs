//! The library's domain, which lives as long as any client uses it.

use std::ffi::CString;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use wiredyno_dds::Options;

use crate::sys::{self, Entity};

/// The open domains, with their configuration and number of clients.
static DOMAINS: Mutex<Vec<Known>> = Mutex::new(Vec::new());

struct Known {
    id: u32,
    config: String,
    entity: Entity,
    clients: usize,
}

/// A client's share in a domain.
pub struct Domain {
    pub id: u32,
}

impl Domain {
    /// Joins the options' domain, over the interface with this address.
    ///
    /// # Errors
    /// When the library refuses, or the domain is open over another interface or with other options.
    pub fn enter(options: &Options, address: IpAddr) -> Result<Self, String> {
        let (id, config) = (u32::from(options.domain), config(options, address));
        let mut domains = DOMAINS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = domains.iter_mut().find(|known| known.id == id) {
            if known.config != config {
                return Err(format!(
                    "domain {id} is open in this process over another interface or with other options"
                ));
            }
            known.clients += 1;
            return Ok(Domain { id });
        }
        let text = CString::new(config.as_str()).map_err(|error| error.to_string())?;
        // SAFETY: the string outlives the call.
        let entity = sys::checked(unsafe { sys::dds_create_domain(id, text.as_ptr()) })
            .map_err(|reason| format!("domain {id} over {address}: {reason}"))?;
        domains.push(Known { id, config, entity, clients: 1 });
        Ok(Domain { id })
    }
}

impl Drop for Domain {
    fn drop(&mut self) {
        let mut domains = DOMAINS.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(place) = domains.iter().position(|known| known.id == self.id) else { return };
        domains[place].clients -= 1;
        if domains[place].clients == 0 {
            let known = domains.swap_remove(place);
            // SAFETY: the handle is ours, and no client uses it any more.
            unsafe { sys::dds_delete(known.entity) };
        }
    }
}

/// The highest index of participants looked for without multicast: twelve of them, as many as RustDDS looks for.
const LAST_INDEX: u32 = 11;

/// Configuration in its own schema (CycloneDDS, options manual): one interface; on loopback no multicast, replaced by the ports of
/// participants on this host.
fn config(options: &Options, address: IpAddr) -> String {
    let Options { fragment_bytes, announcement_ns, write_batch, .. } = options;
    let (multicast, peers) = match address.is_loopback() {
        true => (
            "false",
            format!(
                "<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>{LAST_INDEX}</MaxAutoParticipantIndex>\
                 <Peers><Peer Address=\"{address}\"/></Peers>"
            ),
        ),
        false => ("default", String::new()),
    };
    format!(
        "<CycloneDDS><Domain Id=\"any\"><General><Interfaces><NetworkInterface address=\"{address}\"/></Interfaces>\
         <AllowMulticast>{multicast}</AllowMulticast><FragmentSize>{fragment_bytes} B</FragmentSize></General><Discovery>\
         <SPDPInterval>{announcement_ns} ns</SPDPInterval>{peers}</Discovery>\
         <Internal><WriteBatch>{write_batch}</WriteBatch></Internal></Domain></CycloneDDS>"
    )
}
