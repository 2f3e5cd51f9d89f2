//! Processes as the kernel tells of them: what they use, their sockets, their trees, how they are talked to
//! and how they are ended, and what they leave.
//!
//! Works for any program in any language. Limits: Linux with `/proc`; processes of other users can't be looked at.

pub mod clock;
pub mod filesystem;
pub mod group;
pub mod patience;
pub mod pidfd;
pub mod port;
pub mod scratch;
pub mod socket;
pub mod step;
pub mod talk;
pub mod tree;
pub mod usage;
