//! Samples for payloads of one string or bytes field whose folder has no samples: `opaque@N`.
//!
//! The seam to `wiredyno_schema::generator`, which takes over for every payload with a generator.toml.
//! Bytes come from SplitMix64 (Steele, Lea, Flood, 2014), the same on every machine; text is its lower-case
//! letters, a sixth of them spaces.

use prost_reflect::{DynamicMessage, Kind, MessageDescriptor, Value};

struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Endless samples of `size_bytes` each; `None` where the message is not one string or bytes field.
pub fn samples(
    descriptor: &MessageDescriptor,
    size_bytes: u32,
) -> Option<impl Iterator<Item = DynamicMessage> + use<>> {
    let mut fields = descriptor.fields();
    let (field, None) = (fields.next()?, fields.next()) else {
        return None;
    };
    let kind = field.kind();
    if !matches!(kind, Kind::String | Kind::Bytes) || field.is_list() {
        return None;
    }
    let (descriptor, mut random) = (descriptor.clone(), SplitMix64(u64::from(size_bytes)));
    Some(std::iter::from_fn(move || {
        let bytes = (0..size_bytes).map(|_| random.next());
        let value = match kind {
            Kind::String => Value::String(
                bytes
                    .map(|n| b"abcdefghijklmnopqrstuvwxy     "[(n % 30) as usize] as char)
                    .collect(),
            ),
            _ => Value::Bytes(bytes.map(|n| n as u8).collect::<Vec<u8>>().into()),
        };
        let mut message = DynamicMessage::new(descriptor.clone());
        message.set_field(&field, value);
        Some(message)
    }))
}
