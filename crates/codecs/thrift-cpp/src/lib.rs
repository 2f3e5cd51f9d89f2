//! Apache Thrift with the classes of its own compiler, in C++.
//!
//! Canonical is the compact protocol, the variant `binary` the (strict) binary one; a plain struct without message header or frame, with the
//! stand-ins of `thrift/apache-thrift`, and the same bytes. A message that contains itself is a field with Thrift's `&`, a shared pointer in C++.
//! Structs nest at most 64 deep, the library's own limit.

pub mod declared;
