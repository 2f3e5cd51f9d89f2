//! Where the roles of a trial sit: runners, brokers, links and the database, each a process of this machine on one of its hosts, and how
//! each is started, asked, watched and ended. The code that conducts a trial knows only seats, never a path, a process id or a clock of theirs.

pub mod allowed;
pub mod database;
pub mod here;
pub mod interrupt;
pub mod lane_brokers;
pub mod machine;
pub mod managed;
pub mod noise;
pub mod runner;
pub mod runner_error;
pub mod runners;
pub mod seat;
pub mod server_error;
pub mod serving;
