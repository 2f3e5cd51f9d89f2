//! Processes as the kernel tells of them: what they use, their sockets, their trees, and how they are ended.
//!
//! Works for any program in any language. Limits: Linux with `/proc`; processes of other users can't be looked at.

pub mod clock;
pub mod socket;
pub mod step;
pub mod tree;
pub mod usage;
