//! MessagePack (github.com/msgpack/msgpack, spec.md) as rmp-serde writes it: integers, lengths and counts in their narrowest
//! form, floats in their own width, enums by name. Messages are maps with field names and absent fields omitted, or arrays with nil for
//! absent fields. Timestamps are the extension -1 in maps, and arrays of their fields in arrays.

use wiredyno_codec::record::Fault;
use wiredyno_codec::well_known::messagepack_time;

use crate::described::Described;
use crate::objects::{self, Form};
use crate::value::Record;

pub fn named(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    objects::record(value, &mut Items::<true>(out))
}

pub fn positional(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    objects::record(value, &mut Items::<false>(out))
}

struct Items<'o, const NAMED: bool>(&'o mut Vec<u8>);

impl<const NAMED: bool> Items<'_, NAMED> {
    fn put<const N: usize>(&mut self, first: u8, rest: [u8; N]) {
        self.0.push(first);
        self.0.extend(rest);
    }

    /// A count: in the first byte up to `most`, else in 2 or 4 bytes after the marker `wide` or the next one.
    fn count(&mut self, count: usize, fixed: u8, most: usize, wide: u8) {
        match count {
            _ if count <= most => self.0.push(fixed | count as u8),
            0..0x1_0000 => self.put(wide, (count as u16).to_be_bytes()),
            _ => self.put(wide + 1, (count as u32).to_be_bytes()),
        }
    }
}

impl<const NAMED: bool> Form for Items<'_, NAMED> {
    const OMITS: bool = NAMED;

    fn object(&mut self, fields: usize) {
        if NAMED { self.map(fields) } else { self.list(fields) }
    }

    fn name(&mut self, name: &str) {
        if NAMED {
            self.text(name);
        }
    }

    fn absent(&mut self) {
        self.0.push(0xc0);
    }

    fn list(&mut self, count: usize) {
        self.count(count, 0x90, 15, 0xdc);
    }

    fn map(&mut self, count: usize) {
        self.count(count, 0x80, 15, 0xde);
    }

    fn boolean(&mut self, value: bool) {
        self.0.push(if value { 0xc3 } else { 0xc2 });
    }

    fn signed(&mut self, value: i64) {
        match value {
            0.. => self.unsigned(value.cast_unsigned()),
            -32..0 => self.0.push(value as u8),
            -0x80..-32 => self.put(0xd0, (value as i8).to_be_bytes()),
            -0x8000..-0x80 => self.put(0xd1, (value as i16).to_be_bytes()),
            -0x8000_0000..-0x8000 => self.put(0xd2, (value as i32).to_be_bytes()),
            _ => self.put(0xd3, value.to_be_bytes()),
        }
    }

    fn unsigned(&mut self, value: u64) {
        match value {
            0..0x80 => self.0.push(value as u8),
            0x80..0x100 => self.put(0xcc, [value as u8]),
            0x100..0x1_0000 => self.put(0xcd, (value as u16).to_be_bytes()),
            0x1_0000..0x1_0000_0000 => self.put(0xce, (value as u32).to_be_bytes()),
            _ => self.put(0xcf, value.to_be_bytes()),
        }
    }

    fn single(&mut self, value: f32) {
        self.put(0xca, value.to_be_bytes());
    }

    fn double(&mut self, value: f64) {
        self.put(0xcb, value.to_be_bytes());
    }

    fn text(&mut self, value: &str) {
        match value.len() {
            length @ 32..0x100 => self.put(0xd9, [length as u8]),
            length => self.count(length, 0xa0, 31, 0xda),
        }
        self.0.extend_from_slice(value.as_bytes());
    }

    fn bytes(&mut self, value: &[u8]) {
        match value.len() {
            length @ 0..0x100 => self.put(0xc4, [length as u8]),
            length @ 0x100..0x1_0000 => self.put(0xc5, (length as u16).to_be_bytes()),
            length => self.put(0xc6, (length as u32).to_be_bytes()),
        }
        self.0.extend_from_slice(value);
    }

    fn variant(&mut self, _: usize, name: &str) {
        self.text(name);
    }

    /// The extension of type -1 (0xff): markers of their own for 4 and 8 bytes, one with a length for 12.
    fn timestamp(&mut self, seconds: i64, nanos: i32) -> Result<bool, Fault> {
        if !NAMED {
            return Ok(false);
        }
        let Some((bytes, length)) = messagepack_time(seconds, nanos) else {
            return Err(Fault::other(format_args!("a time has no {nanos} ns beside its seconds")));
        };
        match length {
            4 => self.put(0xd6, [0xff]),
            8 => self.put(0xd7, [0xff]),
            length => self.put(0xc7, [length as u8, 0xff]),
        }
        self.0.extend_from_slice(&bytes[..length]);
        Ok(true)
    }
}
