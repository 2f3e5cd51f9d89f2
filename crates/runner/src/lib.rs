//! The Rust runner: encodes, decodes, measures, publishes, subscribes and serves on request.
//!
//! `wiredyno` carries it as a subcommand. It speaks the contract of `wiredyno-runner-wire`: one request a
//! line on its input, one reply a line on its output; [`run`] is its main loop, and the payloads are its caller's. A runner has one role at a
//! time: publisher, subscriber, or none; it can serve the broker's role of any number of transports beside it.

mod codec;
mod describe;
mod gate;
pub mod load;
mod publisher;
mod refusal;
mod roles;
mod server;
mod session;
mod stamps;
mod subscriber;
mod tally;

pub use session::{RunError, run};
