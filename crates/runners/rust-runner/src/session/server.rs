//! The server's role: taking the broker's part of a protocol, and recording what it superseded.

use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use wiredyno_contract::bulk::{SupersededRow, write_superseded};
use wiredyno_contract::{Endpoint, OptionTable, ServerTlsTerms, Success, TransportId};
use wiredyno_transport::{ServedSink, ServerSetup};
use xxhash_rust::xxh3::xxh3_128;

use super::roles::{address, resolved};
use super::{Done, Session};
use crate::refusal::{Refusal, failure};
use crate::secured::server_tls;

/// Messages that servers skipped in favour of newer ones.
#[derive(Default)]
pub struct Superseded(Mutex<Vec<SupersededRow>>);

impl ServedSink for Superseded {
    fn superseded(&self, body: &[u8], at_ns: i64) {
        let row = SupersededRow { digest: xxh3_128(body), at_ns };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(row);
    }
}

impl Session {
    pub fn serve(
        &mut self,
        transport: &TransportId,
        endpoint: &Endpoint,
        options: OptionTable,
        seed: u64,
        tls: Option<ServerTlsTerms>,
    ) -> Done {
        let transport = self.composition.find(transport)?;
        let setup = ServerSetup {
            bind: address(endpoint)?,
            options: resolved(transport, &options)?,
            seed,
            tls: tls.map(server_tls).transpose()?,
            sink: Arc::clone(&self.superseded) as Arc<dyn ServedSink>,
        };
        let server = transport.server(&setup).map_err(failure)?;
        let (address, certificate) = (server.address(), server.certificate().map(str::to_owned));
        self.servers.push(server);
        let endpoint = Endpoint { host: address.ip().to_string(), port: address.port() };
        Ok(Success::Serving { endpoint, certificate })
    }

    /// Servers end first, so that what they supersede until then is on record.
    pub fn finish_serving(&mut self, path: &str) -> Done {
        if self.servers.is_empty() {
            return Err(failure(Refusal::NotInRole("server", "serve")));
        }
        self.servers.clear();
        let superseded = std::mem::take(&mut self.superseded);
        let rows = std::mem::take(&mut *superseded.0.lock().unwrap_or_else(PoisonError::into_inner));
        let unwritable = |source| failure(Refusal::Records { path: path.to_owned(), source });
        let mut file = File::create(path).map_err(unwritable)?;
        write_superseded(&mut file, &rows).map_err(unwritable)?;
        Ok(Success::Finished {
            records: rows.len() as u64,
            fault: None,
            unfinished: None,
            memberships: Vec::new(),
        })
    }
}
