//! What this runner offers, derived from its composition.

use wiredyno_contract::{CONTRACT, Description, IdError, Runner, Success};

use crate::Composition;

/// The reply to `describe`.
///
/// # Errors
/// When a codec's id is invalid.
pub fn description(composition: &Composition) -> Result<Success, IdError> {
    let entries = composition.definition.map_or(&[][..], |definition| definition.codecs);
    let codecs = entries.iter().map(|entry| entry.codec.description()).collect::<Result<Vec<_>, _>>()?;
    let refused = entries.iter().zip(&codecs);
    let refused = refused
        .filter_map(|(entry, codec)| (entry.carries)().err().map(|why| (codec.id.clone(), why.to_string())));
    Ok(Success::Description(Box::new(Description {
        contract: CONTRACT,
        runner: Runner {
            name: "rust".into(),
            language: format!("Rust {}", env!("WIREDYNO_RUSTC_VERSION")),
            version: env!("CARGO_PKG_VERSION").into(),
        },
        not_carried: refused.collect(),
        codecs,
        compressions: wiredyno_compression::REGISTRY
            .iter()
            .map(|method| method.description())
            .collect::<Result<_, _>>()?,
        transports: composition.transports.iter().map(|transport| transport.description()).collect(),
        definition: composition.definition.map(|definition| definition.digest.to_owned()),
        reads_records: composition.records.is_some(),
    })))
}
