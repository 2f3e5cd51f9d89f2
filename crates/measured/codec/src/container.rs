//! The car study's container around a message: a data type, the message as bytes, and the times of sending and receipt.
//!
//! Source: table 12 of V. Borosean, S. Eidukas, A. Dang, "Evaluating Data Marshalling Approaches for Embedded Real-Time Systems
//! on the Example of Autonomous Scaled Cars" (University of Gothenburg, 2015). Each format writes it in its own encoding, behind
//! its own header, in two codecs with the same bytes:
//!
//! - `:container` serializes message and container in one call of `encode`, and reads both in one of `decode`.
//! - `:container-alone` serializes the message in `build` and reads it in `read`: `encode` and `decode` are the container's
//!   work alone, around a message that is bytes already, as the study timed it.
//!
//! Data type and times are fixed, so that the same message always gives the same bytes.

use crate::codec::Reason;
use crate::record::{Fault, MessageInfo, Record};

/// The data type of every message.
pub const DATA_TYPE: u32 = 1;

/// Both times of every container.
pub const TIME: Time = Time { seconds: 1_430_000_000, microseconds: 250_000 };

/// A time as the middleware has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Time {
    /// Seconds since 1970.
    pub seconds: i32,
    /// Microseconds within the second, 0 to 999,999.
    pub microseconds: i32,
}

/// A container that was read; `B` holds the bytes of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened<B> {
    /// What kind of message it holds.
    pub data_type: u32,
    /// The message, still as bytes.
    pub message: B,
    /// When it was sent.
    pub sent: Time,
    /// When it was received.
    pub received: Time,
}

impl<B: AsRef<[u8]>> Opened<B> {
    /// The bytes of the message.
    ///
    /// # Errors
    /// When it is of another type than those sent here.
    #[inline]
    pub fn message(&self) -> Result<&[u8], Fault> {
        match self.data_type {
            DATA_TYPE => Ok(self.message.as_ref()),
            other => Err(another(other)),
        }
    }

    /// The same container with a copy of the message.
    #[inline]
    pub fn kept(&self) -> Opened<Vec<u8>> {
        let Opened { data_type, sent, received, .. } = *self;
        Opened { data_type, message: self.message.as_ref().to_vec(), sent, received }
    }
}

#[cold]
#[inline(never)]
fn another(data_type: u32) -> Fault {
    Fault::other(format_args!("the container has the data type {data_type}, not {DATA_TYPE}"))
}

/// A format's container, for [`container_alone!`](crate::container_alone).
pub trait Container: Send + 'static {
    /// What lives as long as the binding.
    type State: Send;
    /// What the message's bytes depend on beyond its value: LCM's fingerprint.
    type Key: Copy + Send;

    /// Whether the format can express the message.
    ///
    /// # Errors
    /// When it can't, with the reason.
    fn carries(_: &'static MessageInfo) -> Result<(), Reason> {
        Ok(())
    }

    /// Creates the state, outside every clock.
    fn state(message: &'static MessageInfo) -> Self::State;

    /// What the bytes of the state's message depend on.
    fn key(state: &Self::State) -> Self::Key;

    /// Appends the message without a container.
    ///
    /// # Errors
    /// When the format can't hold its value.
    fn write_message<M: Record>(key: Self::Key, message: &M, out: &mut Vec<u8>) -> Result<(), Fault>;

    /// Reads a message that occupies all bytes.
    ///
    /// # Errors
    /// When they are not those of a message.
    fn read_message<M: Record>(key: Self::Key, bytes: &[u8]) -> Result<M, Fault>;

    /// Appends the format's header and the container around a message.
    ///
    /// # Errors
    /// When the message is longer than the format's lengths can say.
    fn wrap(state: &mut Self::State, message: &[u8], out: &mut Vec<u8>) -> Result<(), Fault>;

    /// Reads header and container; the message stays bytes.
    ///
    /// # Errors
    /// When the bytes are not those of one container.
    fn open<'a>(state: &Self::State, bytes: &'a [u8]) -> Result<Opened<&'a [u8]>, Fault>;
}

/// Implements [`CodecFor`](crate::CodecFor) for a codec that works on a [`Container`] alone.
#[macro_export]
macro_rules! container_alone {
    ($codec:ty, $container:ty) => {
        impl<P: $crate::PayloadTypes> $crate::CodecFor<P> for $codec {
            type State = <$container as $crate::container::Container>::State;
            /// The message's bytes, or why it has none.
            type Object = ::core::result::Result<::std::vec::Vec<u8>, $crate::record::Fault>;
            type Decoded<'a> = (
                $crate::container::Opened<::std::vec::Vec<u8>>,
                <$container as $crate::container::Container>::Key,
            );

            fn carries(&self) -> ::core::result::Result<(), $crate::Reason> {
                let message = <P::Domain as $crate::record::Record>::INFO;
                <$container as $crate::container::Container>::carries(message)
            }

            fn state(&self) -> ::core::result::Result<Self::State, $crate::Reason> {
                let message = <P::Domain as $crate::record::Record>::INFO;
                Ok(<$container as $crate::container::Container>::state(message))
            }

            fn build(&self, state: &Self::State, value: &P::Domain) -> Self::Object {
                let mut message = ::std::vec::Vec::new();
                let key = <$container as $crate::container::Container>::key(state);
                <$container as $crate::container::Container>::write_message(key, value, &mut message)?;
                Ok(message)
            }

            fn encode(
                &self,
                state: &mut Self::State,
                object: &Self::Object,
                out: &mut ::std::vec::Vec<u8>,
            ) -> ::core::result::Result<(), $crate::EncodeError> {
                let message = object.as_ref().map_err(|fault| $crate::Codec::encode_error(self, fault))?;
                <$container as $crate::container::Container>::wrap(state, message, out)
                    .map_err(|fault| $crate::Codec::encode_error(self, &fault))
            }

            fn decode<'a>(
                &self,
                state: &Self::State,
                bytes: &'a [u8],
            ) -> ::core::result::Result<Self::Decoded<'a>, $crate::DecodeError> {
                let opened = <$container as $crate::container::Container>::open(state, bytes)
                    .map_err(|fault| $crate::Codec::decode_error(self, &fault))?;
                Ok((opened.kept(), <$container as $crate::container::Container>::key(state)))
            }

            fn read(&self, decoded: &Self::Decoded<'_>) -> ::core::result::Result<u64, $crate::DecodeError> {
                let value = $crate::container::message::<$container, P::Domain>(&decoded.0, decoded.1);
                let value = value.map_err(|fault| $crate::Codec::decode_error(self, &fault))?;
                Ok($crate::touch::digest_of(&value))
            }

            fn lift(
                &self,
                decoded: Self::Decoded<'_>,
            ) -> ::core::result::Result<P::Domain, $crate::DecodeError> {
                $crate::container::message::<$container, P::Domain>(&decoded.0, decoded.1)
                    .map_err(|fault| $crate::Codec::decode_error(self, &fault))
            }
        }
    };
}

/// The value of the message in a container that was read.
///
/// # Errors
/// When the container has another data type, or its bytes are not those of a message.
pub fn message<C: Container, M: Record>(opened: &Opened<Vec<u8>>, key: C::Key) -> Result<M, Fault> {
    C::read_message(key, opened.message()?)
}
