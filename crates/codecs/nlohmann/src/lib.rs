//! JSON as people write it, with nlohmann's C++ library ("JSON for Modern C++").
//!
//! The code is in `nlohmann.hpp`, compiled for each definition. The same JSON as `json/serde-json` writes: field names as in message.proto,
//! numbers as numbers, enums as their names, bytes as base64 text, map keys as text, absent optional fields left out. Three differences
//! come from the library: members are in alphabetical order (its object is a sorted map), a `float` is held as a double and written with the double's
//! digits, and an exponent has a sign and two digits at least (`1e+16`).
//!
//! NaN and infinities are refused by build: the library would write null, an absent field. A body with a NUL is refused, because the library would stop
//! there. Base64 is our own code: the library has none.

pub mod declared;
