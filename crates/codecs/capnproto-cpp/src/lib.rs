//! Cap'n Proto, plain and packed, with its own C++ library and the classes of its compiler.
//!
//! The stand-ins are those of `capnproto/capnp`: a Bool before optional scalars, a union with `none` for a oneof, a list of {key, value} structs
//! for a map; empty texts, byte strings and lists are null pointers, except optional texts and byte strings.
//!
//! Against damaged bytes a walk may touch as many words as the message has and 1,024 more, and packed bytes become at most 16 words each and
//! 65,536 more. The library counts what a reader has touched, so each `read` makes a reader of its own, over segments that `decode` has found.

pub mod declared;
