//! Conformance suites that iterate the registries, and the payloads that only they need.
//!
//! This crate has the shape of a crate for a payload of one's own: a folder of payloads, a build script that
//! calls the generator, and the generated modules included here.

pub mod foreign;

include!(concat!(env!("OUT_DIR"), "/payloads.rs"));
