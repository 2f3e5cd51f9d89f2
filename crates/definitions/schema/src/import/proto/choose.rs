//! Which message of the files is the payload.

use prost_reflect::{DescriptorPool, MessageDescriptor};

use crate::definition::flag;

pub(super) fn choose(
    pool: &DescriptorPool,
    file: &str,
    wanted: Option<&str>,
) -> Result<MessageDescriptor, (String, String)> {
    let all: Vec<MessageDescriptor> = match wanted {
        Some(_) => pool.all_messages().filter(|message| !message.is_map_entry()).collect(),
        None => pool
            .get_file_by_name(file)
            .into_iter()
            .flat_map(|file| file.messages().collect::<Vec<_>>())
            .collect(),
    };
    let mut all = all;
    // The file's own messages come first.
    all.sort_by_key(|message| message.parent_file().name() != file);
    let own = all.iter().filter(|message| message.parent_file().name() == file).count();
    let names = |messages: &[MessageDescriptor]| {
        let names: Vec<&str> = messages.iter().map(|message| message.full_name()).collect();
        names.join(", ")
    };
    if let Some(wanted) = wanted {
        let exact: Vec<_> = all.iter().filter(|m| m.full_name() == wanted).cloned().collect();
        let short: Vec<_> = all.iter().filter(|m| m.name() == wanted).cloned().collect();
        return match (exact.as_slice(), short.as_slice()) {
            ([one], _) | ([], [one]) => Ok(one.clone()),
            ([], []) => Err((
                format!("there is no message `{wanted}`"),
                format!("name one of {}", names(if own > 0 { &all[..own] } else { &all })),
            )),
            _ => Err((
                format!("several messages are called `{wanted}`"),
                format!("name one of {}", names(&short)),
            )),
        };
    }
    let marked: Vec<_> = all.iter().filter(|m| flag(&m.options(), "wiredyno.root")).cloned().collect();
    let used = |target: &MessageDescriptor| {
        let uses = |message: &MessageDescriptor| {
            message.fields().any(|field| field.kind().as_message() == Some(target))
        };
        all.iter().any(|message| message != target && with_nested(message).iter().any(uses))
    };
    // A message that has no fields but contains enums is just a scope for their values.
    let is_scope =
        |message: &MessageDescriptor| message.fields().len() == 0 && message.child_enums().len() > 0;
    let free: Vec<_> = all.iter().filter(|message| !used(message) && !is_scope(message)).cloned().collect();
    match (marked.as_slice(), all.as_slice(), free.as_slice()) {
        ([one], _, _) | ([], [one], _) | ([], _, [one]) => Ok(one.clone()),
        (_, [], _) => Err((
            "it has no message".to_owned(),
            "add one, or name one of an import with --message".to_owned(),
        )),
        _ => {
            Err(("the message is ambiguous".to_owned(), format!("say --message with one of {}", names(&all))))
        }
    }
}

/// A message and all messages declared in it, including the entries of its maps.
fn with_nested(message: &MessageDescriptor) -> Vec<MessageDescriptor> {
    let nested = message.child_messages().flat_map(|inner| with_nested(&inner));
    std::iter::once(message.clone()).chain(nested).collect()
}
