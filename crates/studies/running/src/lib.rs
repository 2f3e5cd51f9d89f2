//! One run, from its plan to its summary: trials side by side in lanes, repeats until the figures are narrow enough, room on the disk,
//! packs that run elsewhere, and the self-test of the machine.

pub mod environment;
pub mod interoperability;
pub mod pack;
pub mod preview;
pub mod room;
pub mod run;
pub mod self_test;
pub mod stopping;
pub mod summarise;
