//! The one list of codecs. To add one: a file, and a word here.

use prost_reflect::MessageDescriptor;

use crate::bind::Bound;
use crate::codec::{BindError, Codec, CodecFor, Reason};
use crate::payload::PayloadTypes;

/// Brings the two together, with the payload's name; or why the library refuses the schema.
pub type Bind = fn(&'static str, &MessageDescriptor) -> Result<Box<dyn Bound>, Reason>;

/// What a payload's table holds for one codec.
pub struct TableEntry {
    /// Whether the codec can carry the payload.
    pub carries: fn() -> Result<(), Reason>,
    /// Brings the two together.
    pub bind: Bind,
}

fn carries<C: CodecFor<P> + Default, P: PayloadTypes>() -> Result<(), Reason> {
    C::default().carries()
}

/// Makes the registry and, in its order, the table of every payload.
macro_rules! registry {
    ($($codec:path),* $(,)?) => {
        /// Every codec of this program.
        pub static REGISTRY: &[&dyn Codec] = &[$(&$codec),*];

        /// The codecs over one payload's types, in the registry's order.
        pub struct Table<P>(std::marker::PhantomData<P>);

        impl<P: PayloadTypes> Table<P>
        where
            $($codec: CodecFor<P> + Default),*
        {
            /// One entry per codec.
            pub const ENTRIES: &'static [TableEntry] =
                &[$(TableEntry { carries: carries::<$codec, P>, bind: <$codec as CodecFor<P>>::bind }),*];
        }
    };
}

registry![
    crate::raw::Raw,
    crate::json::SerdeJson,
    crate::messagepack::Named,
    crate::messagepack::Positional,
    crate::cbor::Ciborium,
    crate::avro::ApacheAvro,
    crate::protobuf::Prost,
    crate::flatbuffers::Planus,
    crate::ros1::Ros1,
    crate::asn1_uper::Uper,
    crate::rasn::Uper,
    crate::rasn::Aper,
    crate::rasn::Oer,
    crate::rasn::Coer,
    crate::rasn::Der,
    crate::ros1::Ros1Udp,
    crate::lcm::Lcm,
    crate::lcm::LcmUdp,
    crate::cdr::Cdr,
    crate::cdr::BigEndianCdr,
    crate::netstrings::Netstrings,
    crate::netstrings::NetstringsCrc,
    crate::netstrings::NetstringsVarint,
    crate::netstrings::NetstringsContainer,
    crate::ts_103_097::Ts103097,
    crate::protobuf_container::ProstContainer,
    crate::xml::QuickXml,
    crate::exi::Strict,
    crate::exi::DefaultFidelity,
    crate::exi::StrictMerged,
    crate::exi::DefaultFidelityMerged,
    crate::thrift::Compact,
    crate::thrift::Binary,
    crate::sonic::Sonic,
    crate::bson::Bson,
    crate::avro_static::Static,
    crate::postcard::Postcard,
    crate::bitcode::Bitcode,
    crate::rkyv::Rkyv,
    crate::upb::Upb,
    crate::capnproto::Plain,
    crate::capnproto::Packed,
];

/// Finds a codec by its id.
pub fn find(id: &str) -> Result<&'static dyn Codec, BindError> {
    REGISTRY.iter().copied().find(|codec| codec.id() == id).ok_or_else(|| BindError::UnknownCodec {
        codec: id.to_owned(),
        hint: hint(id, REGISTRY.iter().map(|codec| codec.id()), "codecs"),
    })
}

/// The nearest name, or how to list them all.
pub fn hint<'a>(wanted: &str, names: impl Iterator<Item = &'a str>, kind: &str) -> String {
    names
        .map(|name| (strsim::jaro_winkler(wanted, name), name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or_else(
            || format!("`wiredyno list {kind}` shows them"),
            |(_, name)| format!("is `{name}` meant? `wiredyno list {kind}` shows all"),
        )
}
