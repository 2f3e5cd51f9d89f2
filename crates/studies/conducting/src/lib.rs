//! One trial, from its start to its record: conducted through the seats of its roles, accounted message by message, observed, judged.
//!
//! Nothing here is inside a measured path: publishers, subscribers and relays are runner processes, links and brokers are processes of
//! their own.

pub mod accounting;
pub mod codec_trial;
pub mod conduct;
pub mod contents;
pub mod cpu_cost;
mod crossing;
pub mod live;
mod memberships;
pub mod messages;
pub mod observe;
pub mod pace;
mod search;
pub mod steady;
pub mod traffic;
pub mod validity;
