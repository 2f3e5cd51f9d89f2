//! Frames: the body's length as u32, big-endian, then the body.

use std::io::{self, Read};

/// Size of the length, which is big-endian.
pub const HEADER_BYTES: usize = 4;

/// The largest body; a larger length indicates a stream that is not ours.
pub const BODY_LIMIT_BYTES: usize = crate::declared::BODY_LIMIT_BYTES as usize;

/// Reads complete frames from a stream with as few calls as possible.
pub struct FrameReader {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl FrameReader {
    /// A reader at the beginning of a stream.
    pub fn new() -> Self {
        FrameReader { buffer: vec![0; 64 << 10], start: 0, end: 0 }
    }

    /// All complete frames, with their headers, at least one; `None` at the stream's end.
    ///
    /// # Errors
    /// Those of [`FrameReader::next_frame`].
    pub fn next_frames(&mut self, stream: &mut impl Read) -> io::Result<Option<&[u8]>> {
        let Some(first) = self.next_frame(stream)?.map(<[u8]>::len) else { return Ok(None) };
        let begin = self.start - first;
        // An invalid frame is reported when it is the next.
        while let Some(wanted) = self.wanted_bytes().ok().filter(|wanted| self.end - self.start >= *wanted) {
            self.start += wanted;
        }
        Ok(Some(&self.buffer[begin..self.start]))
    }

    /// The next frame with its header, or `None` at the stream's end.
    ///
    /// # Errors
    /// When reading fails, the stream ends inside a frame, or a length exceeds [`BODY_LIMIT_BYTES`].
    pub fn next_frame(&mut self, stream: &mut impl Read) -> io::Result<Option<&[u8]>> {
        loop {
            let wanted = self.wanted_bytes()?;
            if self.end - self.start >= wanted {
                let frame = self.start..self.start + wanted;
                self.start += wanted;
                return Ok(Some(&self.buffer[frame]));
            }
            self.make_room(wanted);
            match stream.read(&mut self.buffer[self.end..]) {
                Ok(0) if self.start == self.end => return Ok(None),
                Ok(0) => {
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "the stream ended inside a message",
                    ));
                }
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Size of the frame at `start`, as far as known: at least the header.
    fn wanted_bytes(&self) -> io::Result<usize> {
        let Some(header) = self.buffer[self.start..self.end].first_chunk::<HEADER_BYTES>() else {
            return Ok(HEADER_BYTES);
        };
        let body_bytes = u32::from_be_bytes(*header) as usize;
        if body_bytes > BODY_LIMIT_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("a length of {body_bytes} bytes is past the limit of {BODY_LIMIT_BYTES}"),
            ));
        }
        Ok(HEADER_BYTES + body_bytes)
    }

    fn make_room(&mut self, wanted: usize) {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.buffer.len() - self.start < wanted || self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted.next_power_of_two(), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(out.len());
            out[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn frames_come_back_however_the_stream_is_cut() {
        let bodies: Vec<Vec<u8>> = [0, 1, 5, 70_000, 0, 300].iter().map(|&n| vec![n as u8; n]).collect();
        let mut stream = Vec::new();
        for body in &bodies {
            stream.extend((body.len() as u32).to_be_bytes());
            stream.extend(body);
        }
        for step in [1, 3, 4, 1000, usize::MAX] {
            let mut input = Trickle(&stream, step);
            let mut reader = FrameReader::new();
            for body in &bodies {
                assert_eq!(&reader.next_frame(&mut input).unwrap().unwrap()[HEADER_BYTES..], &body[..]);
            }
            assert!(reader.next_frame(&mut input).unwrap().is_none());
            let (mut input, mut reader, mut all) = (Trickle(&stream, step), FrameReader::new(), Vec::new());
            while let Some(frames) = reader.next_frames(&mut input).unwrap() {
                assert!(frames.len() >= HEADER_BYTES);
                all.extend_from_slice(frames);
            }
            assert_eq!(all, stream);
        }
    }

    #[test]
    fn a_cut_frame_and_an_absurd_length_are_errors() {
        let mut reader = FrameReader::new();
        let error = reader.next_frame(&mut &[0, 0, 0, 9, 1][..]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        let mut reader = FrameReader::new();
        let error = reader.next_frame(&mut &b"HTTP/1.1 400"[..]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
