//! FlatBuffers with Google's C++ library and the classes that flatc generates.
//!
//! The code is in `flatbuffers.hpp`, compiled for each definition; the schema is that of `flatbuffers/planus`. The builder takes the
//! application's value as it is, so `build` is a call that does nothing. The library's object API is not used: it can't tell an absent
//! text or byte string from an empty one.
//!
//! Zero-copy: decoding runs the library's verifier over the whole buffer, as its documentation requires for untrusted bytes, and finds
//! the root; reading goes through the accessors. The verifier refuses what lies outside the buffer, nesting beyond 64 tables, and more than
//! a million tables. A walk stops once it has touched more bytes than the buffer has, which the verifier does not bound: many offsets may point at
//! one text. It checks no UTF-8, and not the alignment of a vector's elements, so damaged bytes can place a double at a multiple of four: x86-64 and AArch64
//! read it, other machines may not.

pub mod declared;
