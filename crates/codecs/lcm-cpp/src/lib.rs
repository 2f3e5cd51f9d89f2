//! LCM with the classes that lcm-gen writes for C++.
//!
//! The same stand-ins as `lcm/wiredyno`: LCM's only unsigned integer is `byte`, an enum is `int32_t`, an optional field and each alternative of a
//! oneof is a list of at most one element, a map is a list of {key, value}. The members have the definition's names, from which the fingerprint is computed;
//! a name that means something else in C++ is refused.
//!
//! lcm-gen's decode allocates a list of the stated length before it looks at what follows, and takes a text of the length INT_MIN for one of 2
//! GiB. A definition with lists, optional fields (lists too) or texts is therefore walked first, inside the clock, so that a damaged count is
//! refused instead of taking all memory or reading what is not there. Its encode ends a text at the first NUL: such values are refused before
//! they are encoded. It checks no UTF-8; enums and ranges are checked when a value is handed back, not in decode.

pub mod declared;
