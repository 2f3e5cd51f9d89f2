//! The emulated link: pure seeded model, namespaces, TUN devices, capture.
pub mod accounting;
pub mod capture;
pub mod model;
mod packet;
mod random;
pub mod spec;
pub mod units;
