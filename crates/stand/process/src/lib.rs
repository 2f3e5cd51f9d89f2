//! Processes as the kernel reports them: resource use, sockets and process trees, how to talk to them, how to end them,
//! and what they leave behind.
//!
//! Works for any program in any language. Limits: Linux with `/proc`; processes of other users can't be observed.

pub mod clock;
pub mod filesystem;
pub mod group;
pub mod patience;
pub mod pidfd;
pub mod port;
pub mod priority;
pub mod scratch;
pub mod socket;
pub mod step;
pub mod talk;
pub mod tree;
pub mod usage;
