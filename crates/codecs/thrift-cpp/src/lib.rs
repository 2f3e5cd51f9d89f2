//! Apache Thrift with the classes of its own compiler, in C++.
//!
//! Canonical is the compact protocol, the variant `binary` the (strict) binary one; a plain struct without message header or frame, with the
//! stand-ins of `thrift/apache-thrift`. The same bytes, but for two cases: the compact protocol writes a step of 15 between two field numbers in one byte
//! where Rust's takes three, and keys of a map from 2^63 on, negative as i64, come first. A message that contains itself is a field with Thrift's `&`, a shared pointer in C++.
//! Structs nest at most 64 deep, the library's own limit.
//!
//! Against damaged bytes no text, byte string or list may be longer than the input has bytes. A list of structs is made in whole before its elements are read:
//! each level of lists may take the input's length times the size of a struct.

pub mod declared;
