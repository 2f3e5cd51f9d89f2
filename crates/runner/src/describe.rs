//! What this runner has, taken from the registries.

use wiredyno_codecs::{Payload, PayloadEntry};
use wiredyno_model::{CodecId, IdError, PayloadId};
use wiredyno_runner_wire::message::Runner;
use wiredyno_runner_wire::{CONTRACT, Description, Outcome, PayloadDescription};

/// The reply to `describe` of a runner that has these payloads.
///
/// # Errors
/// When a registered codec has an id that is none.
pub fn description(payloads: &'static [PayloadEntry]) -> Result<Outcome, IdError> {
    let codecs = wiredyno_codecs::REGISTRY.iter().map(|codec| codec.description());
    let codecs = codecs.collect::<Result<Vec<_>, _>>()?;
    let ids: Vec<CodecId> = codecs.iter().map(|codec| codec.id.clone()).collect();
    Ok(Outcome::Description(Box::new(Description {
        contract: CONTRACT,
        runner: Runner {
            name: "rust".into(),
            language: format!("Rust {}", env!("WIREDYNO_RUSTC_VERSION")),
            version: env!("CARGO_PKG_VERSION").into(),
        },
        codecs,
        compressions: wiredyno_codecs::compression::REGISTRY
            .iter()
            .map(|method| method.description())
            .collect::<Result<_, _>>()?,
        transports: wiredyno_transports::REGISTRY.iter().map(|transport| transport.description()).collect(),
        payloads: payloads.iter().map(|entry| payload(payloads, entry, &ids)).collect(),
    })))
}

fn payload(
    payloads: &'static [PayloadEntry],
    entry: &PayloadEntry,
    codecs: &[CodecId],
) -> PayloadDescription {
    // A payload's table is in the order of the registry.
    let refused = codecs
        .iter()
        .zip(entry.table)
        .filter_map(|(codec, cell)| (cell.carries)().err().map(|reason| (codec.clone(), reason.to_string())));
    let id = PayloadId { name: entry.name.to_owned(), size_bytes: None };
    let (sized, samples, no_dictionary) = match Payload::find(payloads, &id) {
        Ok(payload) => {
            let no_dictionary = payload.can_train().err().map(|why| why.to_string());
            (payload.is_sized(), payload.sample_count().unwrap_or(0), no_dictionary)
        }
        Err(_) => (false, 0, None),
    };
    PayloadDescription {
        name: entry.name.to_owned(),
        sized,
        about: first_sentence(entry.proto),
        definition: entry.proto.to_owned(),
        samples,
        not_carried: refused.collect(),
        no_dictionary,
    }
}

/// The first sentence of the comment at the head of a message definition.
fn first_sentence(proto: &str) -> String {
    let comment = proto.lines().map(str::trim).skip_while(|line| !line.starts_with("//"));
    let lines = comment.map_while(|line| line.strip_prefix("//")).map(str::trim);
    let text = lines.collect::<Vec<_>>().join(" ");
    match text.split_once(". ") {
        Some((sentence, _)) => format!("{sentence}."),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_comment_of_a_definition_says_what_it_is() {
        let proto = "syntax = \"proto3\";\n\n// A record\n// of a person. More.\nmessage A {}\n// no\n";
        assert_eq!(first_sentence(proto), "A record of a person.");
        assert_eq!(first_sentence("message A {}"), "");
    }
}
