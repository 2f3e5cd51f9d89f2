//! Expands a study into cells and trials, schedules and starts them, and collects their results.
//!
//! The orchestrator is never part of a measured path: publishers, subscribers and relays are runner
//! processes, links and brokers are separate processes.

pub mod accounting;
pub mod catalogue;
pub mod codec_trial;
pub mod conduct;
pub mod contents;
pub mod cpu_cost;
mod crossing;
pub mod database;
pub mod environment;
pub mod here;
pub mod kept;
pub mod lanes;
pub mod left_out;
pub mod machine;
pub mod meaning;
pub mod needs;
pub mod noise;
pub mod observe;
pub mod pace;
pub mod pack;
pub mod plan;
pub mod preview;
pub mod ready;
pub mod resume;
pub mod room;
pub mod run;
pub mod runner;
pub mod runners;
mod search;
pub mod seat;
pub mod self_test;
pub mod serving;
pub mod steady;
pub mod stock;
pub mod stopping;
pub mod study;
pub mod summarise;
pub mod traffic;
pub mod validity;
