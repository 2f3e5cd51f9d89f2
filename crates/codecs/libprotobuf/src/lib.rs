//! Protobuf with Google's C++ library, libprotobuf, and the classes that protoc generates.
//!
//! The code is in `libprotobuf.hpp`, compiled for each definition. Two ways in which applications hold messages: as values on
//! the heap, and, in the variant `arena`, each in an arena of its own. The library is the machine's, linked as a static one.
//!
//! Maps are hash tables whose order changes from one to the next: where a definition has some, encoding asks the library for its
//! deterministic order, and reading sorts them, both inside the clock. A map's entry is written completely, even where prost leaves out
//! a default.
//!
//! The library refuses nesting beyond 100 levels and texts that are not UTF-8. Debian builds it without NDEBUG, with its own checks.

pub mod declared;
