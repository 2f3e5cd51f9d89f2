//! The emulated link: pure seeded model, namespaces, TUN devices, capture.
pub mod model;
mod random;
pub mod spec;
pub mod units;
