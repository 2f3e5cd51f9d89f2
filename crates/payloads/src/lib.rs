//! The bundled payloads: what the schema crate generates for every folder in payloads/.
//!
//! One module per definition, and in it one per codec's object types; payloads whose definitions differ in comments alone
//! share it. Nothing here is written by hand: add a
//! folder with a message.proto and samples.jsonl or generator.toml, and build.
//!
//! ```
//! let payload = wiredyno_payloads::find(&"person".parse()?)?;
//! let mut bound = payload.bind(&"protobuf/prost".parse()?)?;
//! bound.load(&mut payload.samples(Some(100))?.map_while(Result::ok))?;
//! assert_eq!(bound.encoded_sample(0).map(<[u8]>::len), Some(33));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use wiredyno_codecs::{Payload, PayloadError};
use wiredyno_model::PayloadId;

include!(concat!(env!("OUT_DIR"), "/payloads.rs"));

/// Finds a bundled payload, with its size where it takes one.
pub fn find(id: &PayloadId) -> Result<Payload, PayloadError> {
    Payload::find(PAYLOADS, id)
}
