//! postcard's wire format (postcard.jamesmunns.com/wire-format): fields one after the other, integers as varints, signed ones zigzag,
//! floats little-endian, a byte before optional values, lengths before texts, byte strings, lists and maps, enums by index.

use wiredyno_codec::record::Fault;

use crate::described::Described;
use crate::objects::{self, Form};
use crate::value::Record;

pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    objects::record(value, &mut Fields(out))
}

struct Fields<'o>(&'o mut Vec<u8>);

impl Form for Fields<'_> {
    const OMITS: bool = false;

    fn object(&mut self, _: usize) {}

    fn name(&mut self, _: &str) {}

    fn absent(&mut self) {
        self.0.push(0);
    }

    fn present(&mut self) {
        self.0.push(1);
    }

    fn list(&mut self, count: usize) {
        self.unsigned(count as u64);
    }

    fn map(&mut self, count: usize) {
        self.unsigned(count as u64);
    }

    fn boolean(&mut self, value: bool) {
        self.0.push(value.into());
    }

    fn signed(&mut self, value: i64) {
        self.unsigned(((value << 1) ^ (value >> 63)).cast_unsigned());
    }

    fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn single(&mut self, value: f32) {
        self.0.extend(value.to_le_bytes());
    }

    fn double(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }

    fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
    }

    fn bytes(&mut self, value: &[u8]) {
        self.unsigned(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    fn variant(&mut self, place: usize, _: &str) {
        self.unsigned(place as u64);
    }
}
