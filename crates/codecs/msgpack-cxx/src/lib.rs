//! MessagePack (specification of 2013, with str, bin and ext) with msgpack-cxx.
//!
//! Maps with field names, absent fields left out, enums as their names, bytes as bin, as `messagepack/rmp-serde` writes them. The library writes a
//! `double` or `float` without a fraction as an integer if it fits 64 bits, which is shorter for most doubles and longer for floats from 2^32 on, and loses the
//! sign of -0.0; all libraries read both.
//!
//! Against damaged bytes no text, byte string, list or map may be longer than the input has bytes, nested 200 deep. The tree of a list is allocated in whole before its elements
//! are read: 24 bytes for each, 48 in a map. It checks no UTF-8.

pub mod declared;
