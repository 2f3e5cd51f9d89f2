//! The `read` phase: every field of a decoded object is touched and goes into a digest.
//!
//! All object types of one value give the same digest as the domain value itself, because they are walked in
//! the same order with the same rules; a decoder that skips work is detected by that, outside the clock. The
//! mixing step is that of the Fx hash (rotate, xor, multiply by 0x517cc1b727220a95, rustc-hash 1.x): cheap
//! enough that the walk, not the digest, is what is measured.

use std::collections::BTreeMap;

use crate::bytes::{Bytes, NativeBytes};

/// A digest of everything that was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Digest(u64);

impl Digest {
    /// Mixes in one number of up to 64 bits.
    #[inline]
    pub fn number(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    /// Mixes in a length and every byte, eight at a time.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.number(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.number(u64::from_le_bytes(word));
        }
    }

    /// The digest of everything so far.
    pub fn value(self) -> u64 {
        self.0
    }
}

/// A value whose every field can be read into a digest.
pub trait Touch {
    /// Mixes this value into the digest.
    fn touch(&self, digest: &mut Digest);

    /// Mixes a list of such values, with its length, into the digest.
    #[inline]
    fn touch_list(list: &[Self], digest: &mut Digest)
    where
        Self: Sized,
    {
        digest.number(list.len() as u64);
        for element in list {
            element.touch(digest);
        }
    }
}

/// The digest of one value.
pub fn digest_of<T: Touch>(value: &T) -> u64 {
    let mut digest = Digest::default();
    value.touch(&mut digest);
    digest.value()
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl Touch for $ty {
            #[inline]
            fn touch(&self, digest: &mut Digest) { digest.number(*self as u64) }
        }
    )*};
}
integers!(bool, i32, i64, u32, u64);

impl Touch for f32 {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        // The two zeros are equal, and some formats don't distinguish them.
        digest.number(if *self == 0.0 { 0 } else { u64::from(self.to_bits()) });
    }
}

impl Touch for f64 {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        digest.number(if *self == 0.0 { 0 } else { self.to_bits() });
    }
}

impl Touch for u8 {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        digest.number(u64::from(*self));
    }

    #[inline]
    fn touch_list(list: &[u8], digest: &mut Digest) {
        digest.bytes(list);
    }
}

impl Touch for str {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        digest.bytes(self.as_bytes());
    }
}

impl Touch for String {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        digest.bytes(self.as_bytes());
    }
}

impl Touch for Bytes {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        digest.bytes(&self.0);
    }
}

impl Touch for NativeBytes {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        digest.bytes(&self.0);
    }
}

impl<T: Touch> Touch for Option<T> {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        match self {
            Some(value) => {
                digest.number(1);
                value.touch(digest);
            }
            None => digest.number(0),
        }
    }
}

impl<T: Touch> Touch for Box<T> {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        (**self).touch(digest);
    }
}

impl<T: Touch> Touch for Vec<T> {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        T::touch_list(self, digest);
    }
}

impl<K: Touch, V: Touch> Touch for BTreeMap<K, V> {
    #[inline]
    fn touch(&self, digest: &mut Digest) {
        digest.number(self.len() as u64);
        for (key, value) in self {
            key.touch(digest);
            value.touch(digest);
        }
    }
}
