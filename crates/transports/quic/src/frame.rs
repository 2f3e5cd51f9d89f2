//! Messages preceded by their length as u32, big-endian, in a stream of bytes that arrives in pieces.

use bytes::Bytes;

use crate::declared::STREAM_LIMIT_BYTES;

/// Size of the length, which is big-endian.
pub const HEADER_BYTES: usize = 4;

/// A message preceded by its length, so that either form can be sent without another copy.
#[derive(Debug, Clone)]
pub struct Framed(Bytes);

impl Framed {
    /// From a body whose length fits the header.
    pub fn new(body: &[u8]) -> Self {
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
        Framed([&length.to_be_bytes(), body].concat().into())
    }

    /// From bytes that have room for the length before the body.
    pub fn behind_room(mut bytes: Vec<u8>) -> Self {
        let length = u32::try_from(bytes.len().saturating_sub(HEADER_BYTES)).unwrap_or(u32::MAX);
        if let Some(room) = bytes.first_chunk_mut::<HEADER_BYTES>() {
            *room = length.to_be_bytes();
        }
        Framed(bytes.into())
    }

    /// The body, preceded by its length.
    pub fn whole(&self) -> Bytes {
        self.0.clone()
    }

    /// The body without its length.
    pub fn body(&self) -> Bytes {
        self.0.slice(HEADER_BYTES.min(self.0.len())..)
    }
}

/// A length that exceeds every message's.
#[derive(Debug, thiserror::Error)]
#[error("a length of {0} bytes is past the limit of {STREAM_LIMIT_BYTES}")]
pub struct Absurd(u32);

/// Splits a stream into messages, whatever the pieces in which it arrives.
#[derive(Default)]
pub struct Deframer {
    /// The beginning of an incomplete message.
    begun: Vec<u8>,
}

impl Deframer {
    /// Reports the bodies that this piece completes.
    ///
    /// # Errors
    /// When a length exceeds the limit.
    pub fn feed(&mut self, mut piece: &[u8], mut body: impl FnMut(&[u8])) -> Result<(), Absurd> {
        while !piece.is_empty() {
            // Complete messages are reported without copying.
            if self.begun.is_empty() && is_whole(piece)? {
                let (message, rest) = piece.split_at(wanted_bytes(piece)?);
                body(&message[HEADER_BYTES..]);
                piece = rest;
                continue;
            }
            let (missing, rest) =
                piece.split_at((wanted_bytes(&self.begun)? - self.begun.len()).min(piece.len()));
            self.begun.extend_from_slice(missing);
            piece = rest;
            if is_whole(&self.begun)? {
                body(&self.begun[HEADER_BYTES..]);
                self.begun.clear();
            }
        }
        Ok(())
    }
}

/// Size of the first message, as far as known: at least the length's.
fn wanted_bytes(bytes: &[u8]) -> Result<usize, Absurd> {
    match bytes.first_chunk::<HEADER_BYTES>().map(|header| u32::from_be_bytes(*header)) {
        None => Ok(HEADER_BYTES),
        Some(length) if length <= STREAM_LIMIT_BYTES => Ok(HEADER_BYTES + length as usize),
        Some(length) => Err(Absurd(length)),
    }
}

fn is_whole(bytes: &[u8]) -> Result<bool, Absurd> {
    Ok(bytes.len() >= HEADER_BYTES && bytes.len() >= wanted_bytes(bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_come_back_however_the_stream_is_cut() {
        let bodies: Vec<Vec<u8>> = [0, 1, 5, 70_000, 0, 300].iter().map(|&n| vec![n as u8; n]).collect();
        let stream: Vec<u8> = bodies.iter().flat_map(|body| Framed::new(body).whole()).collect();
        for step in [1, 3, 4, 7, 1_000, usize::MAX] {
            let (mut deframer, mut got) = (Deframer::default(), Vec::new());
            for piece in stream.chunks(step.min(stream.len())) {
                deframer.feed(piece, |body| got.push(body.to_vec())).unwrap();
            }
            assert_eq!(got, bodies, "{step}");
        }
        let mut whole = 0;
        Deframer::default().feed(&stream[..stream.len() - 1], |_| whole += 1).unwrap();
        assert_eq!(whole, bodies.len() - 1);
    }

    #[test]
    fn an_absurd_length_is_an_error_and_room_is_filled() {
        assert!(Deframer::default().feed(b"HTTP/1.1 400", |_| ()).is_err());
        assert_eq!(Framed::behind_room(vec![9, 9, 9, 9, 1, 2]).whole(), Framed::new(&[1, 2]).whole());
        assert_eq!(Framed::new(&[]).body().len(), 0);
    }
}
