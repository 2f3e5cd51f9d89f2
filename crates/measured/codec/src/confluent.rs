//! What the serializers of Confluent's schema registry write before a message: a zero byte and the id of its schema, four bytes big-endian. Before
//! Protobuf follows the message's place in its file, because a schema is a whole file there: how many numbers, then the numbers from the
//! outermost message inwards, as zigzag varints; the first message of a file is a single zero.
//!
//! Source: Confluent's documentation of the Schema Registry, "Formats, Serializers, and Deserializers", section "Wire format".
//!
//! A deserializer that has a registry looks up the id of each message among the schemas that it knows, and so does decode here. Limits: nobody
//! asks a registry, as in a program that has fetched its schema before; subjects, rules and another schema of the reader are not resolved; JSON is
//! not validated against a schema.

use std::collections::HashMap;

/// The first byte of every message.
pub const MAGIC: u8 = 0;

/// The id of the schema in every message. A registry gives its own, of the same length.
pub const SCHEMA_ID: u32 = 1;

/// The place of the first message of a file, written out: some serializers don't shorten it to a single zero.
const FIRST: [u8; 2] = [2, 0];

/// Bytes of magic and id.
const HEADER_BYTES: usize = 5;

/// Why bytes are not a message of a known schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unframed {
    /// There is no room for magic and id.
    #[error(
        "it has {0} bytes, and {HEADER_BYTES} stand before the message: it was written without a schema registry"
    )]
    Short(usize),
    /// The first byte is another.
    #[error("it begins with {0:#04x}, not {MAGIC:#04x}: it was written without a schema registry")]
    Magic(u8),
    /// Nothing is known about the schema.
    #[error("its schema has the id {0}, which is unknown here")]
    Unknown(u32),
    /// The file of the schema has several messages, and this is another.
    #[error("it is another message of the schema's file")]
    OtherMessage,
}

/// What one binding writes before each message, and the schemas that it knows.
#[derive(Debug)]
pub struct Framing {
    header: Vec<u8>,
    /// For each id the place of its message in the file, encoded; empty where a schema is one message.
    known: HashMap<u32, Vec<u8>>,
}

impl Framing {
    /// For formats of which a schema is one message: Avro, JSON.
    pub fn new() -> Self {
        Self::with(Vec::new())
    }

    /// For Protobuf: `indexes` is the message's index in its file, then of nested messages in their parents.
    pub fn of_file(indexes: &[u32]) -> Self {
        if indexes == [0] {
            return Self::with(vec![0]);
        }
        let mut place = Vec::new();
        put_zigzag(indexes.len() as u64, &mut place);
        for index in indexes {
            put_zigzag((*index).into(), &mut place);
        }
        Self::with(place)
    }

    fn with(place: Vec<u8>) -> Self {
        let header = [&[MAGIC], &SCHEMA_ID.to_be_bytes()[..], &place].concat();
        Framing { header, known: HashMap::from([(SCHEMA_ID, place)]) }
    }

    /// What stands before every message.
    #[inline]
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// The message behind it.
    ///
    /// # Errors
    /// When the bytes are not framed, or of a schema or message that is not known.
    #[inline]
    pub fn message<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], Unframed> {
        let Some((&[magic, ref id @ ..], rest)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
            return Err(Unframed::Short(bytes.len()));
        };
        if magic != MAGIC {
            return Err(Unframed::Magic(magic));
        }
        let id = u32::from_be_bytes(*id);
        let place = self.known.get(&id).ok_or(Unframed::Unknown(id))?;
        match rest.strip_prefix(place.as_slice()) {
            None if *place == [0] => rest.strip_prefix(&FIRST).ok_or(Unframed::OtherMessage),
            message => message.ok_or(Unframed::OtherMessage),
        }
    }
}

impl Default for Framing {
    fn default() -> Self {
        Self::new()
    }
}

/// Appends a number that is not negative as a zigzag varint.
fn put_zigzag(number: u64, out: &mut Vec<u8>) {
    let mut left = number << 1;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

/// Implements [`CodecFor`](crate::CodecFor) for a unit struct: the codec `$inner`, with the framing before each message that
/// `|payload: type| -> Framing` gives.
#[macro_export]
macro_rules! confluent_codec {
    ($codec:ty, $inner:path, $framing:expr) => {
        impl<P: $crate::PayloadTypes> $crate::CodecFor<P> for $codec
        where
            $inner: $crate::CodecFor<P>,
        {
            type State = ($crate::confluent::Framing, <$inner as $crate::CodecFor<P>>::State);
            type Object = <$inner as $crate::CodecFor<P>>::Object;
            type Decoded<'a> = <$inner as $crate::CodecFor<P>>::Decoded<'a>;

            fn carries(&self) -> ::core::result::Result<(), $crate::Reason> {
                <$inner as $crate::CodecFor<P>>::carries(&$inner)
            }

            fn state(&self) -> ::core::result::Result<Self::State, $crate::Reason> {
                let framing: fn(&'static [u32]) -> $crate::confluent::Framing = $framing;
                Ok((framing(P::INDEXES), <$inner as $crate::CodecFor<P>>::state(&$inner)?))
            }

            fn build(&self, state: &Self::State, value: &P::Domain) -> Self::Object {
                <$inner as $crate::CodecFor<P>>::build(&$inner, &state.1, value)
            }

            fn encode(
                &self,
                state: &mut Self::State,
                object: &Self::Object,
                out: &mut ::std::vec::Vec<u8>,
            ) -> ::core::result::Result<(), $crate::EncodeError> {
                out.extend_from_slice(state.0.header());
                <$inner as $crate::CodecFor<P>>::encode(&$inner, &mut state.1, object, out)
            }

            fn decode<'a>(
                &self,
                state: &Self::State,
                bytes: &'a [u8],
            ) -> ::core::result::Result<Self::Decoded<'a>, $crate::DecodeError> {
                let message = state.0.message(bytes);
                let message = message.map_err(|fault| $crate::Codec::decode_error(self, &fault))?;
                <$inner as $crate::CodecFor<P>>::decode(&$inner, &state.1, message)
            }

            fn read(&self, decoded: &Self::Decoded<'_>) -> ::core::result::Result<u64, $crate::DecodeError> {
                <$inner as $crate::CodecFor<P>>::read(&$inner, decoded)
            }

            fn lift(
                &self,
                decoded: Self::Decoded<'_>,
            ) -> ::core::result::Result<P::Domain, $crate::DecodeError> {
                <$inner as $crate::CodecFor<P>>::lift(&$inner, decoded)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stands_behind_magic_id_and_its_place_in_the_file() {
        assert_eq!(Framing::new().header(), [0, 0, 0, 0, 1]);
        assert_eq!(Framing::of_file(&[0]).header(), [0, 0, 0, 0, 1, 0]);
        // Two numbers, 1 and 0: zigzag doubles them.
        assert_eq!(Framing::of_file(&[1, 0]).header(), [0, 0, 0, 0, 1, 4, 2, 0]);
        assert_eq!(Framing::of_file(&[100]).header(), [0, 0, 0, 0, 1, 2, 0xc8, 1]);
        for framing in [Framing::new(), Framing::of_file(&[0]), Framing::of_file(&[3, 200])] {
            let framed = [framing.header(), b"body"].concat();
            assert_eq!(framing.message(&framed), Ok(&b"body"[..]));
        }
    }

    #[test]
    fn bytes_of_something_else_are_refused_with_the_reason() {
        let framing = Framing::of_file(&[0]);
        assert_eq!(framing.message(b"\0\0\0\0"), Err(Unframed::Short(4)));
        assert_eq!(framing.message(b"{\"a\":1}"), Err(Unframed::Magic(b'{')));
        assert_eq!(framing.message(b"\0\0\0\0\x02\0body"), Err(Unframed::Unknown(2)));
        assert_eq!(framing.message(b"\0\0\0\0\x01\x02\x02"), Err(Unframed::OtherMessage));
        assert_eq!(framing.message(b"\0\0\0\0\x01\x02\0body"), Ok(&b"body"[..]));
        assert_eq!(Framing::new().message(b"\0\0\0\0\x01"), Ok(&[][..]));
    }
}
