//! ROS 1 messages with roscpp's serialization, over the structs that gencpp writes.
//!
//! The same stand-ins as `ros1/wiredyno`: an optional field and each alternative of a oneof is a list of at most one element, a map is a list of
//! {key, value}, an enum is the narrowest integer. Recursive messages are refused, as gencpp does.
//!
//! roscpp allocates a list of the stated length before it looks at what follows. A definition with lists or optional fields (lists too) is
//! therefore walked first, inside the clock, so that a damaged count is refused instead of taking all memory. It checks no UTF-8; enums and ranges are
//! checked when a value is handed back, not in decode.

pub mod declared;
