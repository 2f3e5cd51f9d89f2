//! MessagePack (specification of 2013, with str, bin and ext) with msgpack-cxx.
//!
//! Maps with field names, absent fields left out, enums as their names, bytes as bin, as `messagepack/rmp-serde` writes them. The library writes a
//! `double` or `float` without a fraction as an integer, which is shorter than in other libraries; all read both.

pub mod declared;
