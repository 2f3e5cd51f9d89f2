//! JSON as people write it, with RapidJSON, Tencent's C++ library.
//!
//! The code is in `rapidjson.hpp`, compiled for each definition. The same JSON as `json/serde-json` writes: field names as in message.proto,
//! in its order, numbers as numbers, enums as their names, bytes as base64 text, map keys as text, absent optional fields left out. A
//! `float` is held as a double and written with the double's digits; some numbers are written without an exponent where serde_json has one. NaN
//! and infinities are refused, and so is a body with a NUL, because the library would stop there.
//!
//! Parsed with full precision, because the default is wrong in the last digits of some doubles, with validation of UTF-8, and without
//! recursion, whose depth the default does not limit. Each document takes a chunk of 64 KiB for its pool, as the library's default is.
//! Base64 is our own code: the library has none.

pub mod declared;
