//! The emulated link: two hosts in network namespaces, and between them a seeded model of delay, rate, loss and
//! queue, with exact accounting and capture.
//!
//! [`model`] is pure and has no clock; everything else runs it in real time: [`sandbox`] obtains the rights,
//! [`lane`] starts the process that moves packets, [`host`] puts other processes on the hosts. [`tap`] counts packets on
//! a network that is not ours. Linux only.

pub mod accounting;
pub mod capture;
pub mod check;
pub mod clock;
pub mod exec;
pub mod host;
pub mod lane;
pub mod model;
mod packet;
pub mod probe;
mod random;
pub mod sandbox;
pub mod spec;
pub mod tap;
