//! Finds the first field in which two domain values differ. Floats are compared bit by bit, so that NaN
//! equals itself; the two zeros are equal.

use std::collections::BTreeMap;
use std::fmt::Debug;

/// A value that can report where another one differs.
pub trait Differ {
    /// The path below this value, then both values; `None` if they are equal.
    fn differ(&self, other: &Self) -> Option<String>;
}

/// The path of the first difference, then both values; `None` if they are equal.
pub fn first<T: Differ>(this: &T, other: &T) -> Option<String> {
    this.differ(other).map(|found| found.trim_start_matches('.').to_owned())
}

/// A difference in a struct's member.
pub fn member<T: Differ>(name: &str, this: &T, other: &T) -> Option<String> {
    this.differ(other).map(|found| format!(".{name}{found}"))
}

/// A difference of whole values.
pub fn leaf<T: Debug + ?Sized>(equal: bool, this: &T, other: &T) -> Option<String> {
    (!equal).then(|| format!(": {this:?} came back as {other:?}"))
}

macro_rules! compared {
    ($($ty:ty),*) => {$(
        impl Differ for $ty {
            fn differ(&self, other: &Self) -> Option<String> { leaf(self == other, self, other) }
        }
    )*};
}
compared!(bool, u8, i32, i64, u32, u64, String);

macro_rules! floats {
    ($($ty:ty),*) => {$(
        impl Differ for $ty {
            fn differ(&self, other: &Self) -> Option<String> {
                leaf(self == other || self.to_bits() == other.to_bits(), self, other)
            }
        }
    )*};
}
floats!(f32, f64);

impl<T: Differ> Differ for Option<T> {
    fn differ(&self, other: &Self) -> Option<String> {
        match (self, other) {
            (Some(this), Some(that)) => this.differ(that),
            (None, None) => None,
            (Some(_), None) => Some(": present, came back absent".to_owned()),
            (None, Some(_)) => Some(": absent, came back present".to_owned()),
        }
    }
}

impl<T: Differ> Differ for Box<T> {
    fn differ(&self, other: &Self) -> Option<String> {
        (**self).differ(other)
    }
}

impl<T: Differ> Differ for Vec<T> {
    fn differ(&self, other: &Self) -> Option<String> {
        if self.len() != other.len() {
            return Some(format!(": {} elements came back as {}", self.len(), other.len()));
        }
        let mut pairs = self.iter().zip(other).enumerate();
        pairs.find_map(|(index, (this, that))| Some(format!("[{index}]{}", this.differ(that)?)))
    }
}

impl<K: Ord + Debug, V: Differ> Differ for BTreeMap<K, V> {
    fn differ(&self, other: &Self) -> Option<String> {
        if !self.keys().eq(other.keys()) {
            return Some(format!(": {} keys came back as {} keys, or other ones", self.len(), other.len()));
        }
        let mut pairs = self.iter().zip(other.values());
        pairs.find_map(|((key, this), that)| Some(format!("[{key:?}]{}", this.differ(that)?)))
    }
}
