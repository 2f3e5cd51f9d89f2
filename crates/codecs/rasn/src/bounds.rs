//! The limits of the tables made for rasn. rasn is not used here: `wiredyno-dynamic` compiles this file too, and has
//! no library.

use wiredyno_codec::codec::Reason;
use wiredyno_codec::record::{FieldInfo, FieldType, MemberInfo, MessageInfo};

/// The most values of an enum and the most alternatives of a oneof.
pub const MAX_VALUES: usize = 1024;

/// Refuses enums and oneofs that are too large for the tables made for rasn.
///
/// # Errors
/// With the message and its number of values.
pub fn carries(message: &'static MessageInfo) -> Result<(), Reason> {
    let mut known: Vec<&'static MessageInfo> = vec![message];
    let mut at = 0;
    while let Some(message) = known.get(at).copied() {
        at += 1;
        for member in message.members {
            let fields: &'static [FieldInfo] = match member {
                MemberInfo::Field(field) => std::slice::from_ref(field),
                MemberInfo::Choice(choice) => choice.alternatives,
            };
            let most = fields.iter().map(values).max().unwrap_or(0).max(fields.len());
            if most > MAX_VALUES {
                let name = message.name;
                return Err(Reason(format!(
                    "an enum or oneof of `{name}` has {most} values; the tables made for rasn hold {MAX_VALUES}"
                )));
            }
            for field in fields {
                if let FieldType::Message(next) = field.ty
                    && !known.iter().any(|old| std::ptr::eq(*old, next))
                {
                    known.push(next);
                }
            }
        }
    }
    Ok(())
}

fn values(field: &FieldInfo) -> usize {
    match field.ty {
        FieldType::Enum(info) => info.values.len(),
        _ => 0,
    }
}
