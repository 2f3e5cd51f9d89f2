//! The web platform: users submit tests from a page or a shell, watch them run and explore the answers.
//!
//! One program, one port, its data in one folder. Runs are child processes, one at a time ([`scheduler`]); so are queries of the
//! machine, which also have resource limits ([`helper`]); the queue is in SQLite ([`database`]); run folders are as `wiredyno run` writes them,
//! and the list of runs is read from them ([`runs`]). One place decides what a request may do ([`guard`]).

mod api;
mod audit;
mod caller;
mod change;
mod client;
mod clock;
mod database;
#[cfg(test)]
mod documented;
mod error;
mod events;
mod explore;
mod files;
mod first_page;
mod fleets;
mod front_end;
mod guard;
mod helper;
mod host;
mod links;
mod machine;
mod metrics;
mod options;
mod patience;
mod payloads;
mod places;
mod plan;
mod progress;
mod questions;
mod queue;
mod rate;
mod reader;
mod retention;
mod routes;
mod run_list;
mod runs;
mod scheduler;
mod serve;
mod session;
mod settings;
mod space;
mod start;
mod studies;
mod study;
mod test;
mod test_attempt;
mod watch;
mod work;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use serde_json::Value;
use tokio::sync::Semaphore;

/// The state that all handlers share.
type App = Arc<Shared>;

struct Shared {
    settings: settings::Settings,
    database: Arc<database::Database>,
    queue: Arc<queue::Queue>,
    scheduler: Arc<scheduler::Scheduler>,
    events: Arc<events::EventLog>,
    first_page: first_page::FirstPage,
    helper: Arc<helper::Helper>,
    options: options::OptionsCache,
    payloads: payloads::Payloads,
    links: links::Links,
    fleets: Arc<fleets::Fleets>,
    studies: studies::Studies,
    runs: runs::Runs,
    reader: reader::Reader,
    sessions: session::Sessions,
    rate: rate::Rate,
    login_rate: rate::Rate,
    question_rate: rate::Rate,
    streams: Arc<places::Places>,
    turns: helper::Turns,
    /// Bodies that are being read.
    senders: Arc<places::Places>,
    /// Kibibytes of request bodies that may be in memory.
    bodies: Arc<Semaphore>,
    document: Value,
    started_ms: i64,
}

/// The web platform of Wiredyno.
#[derive(Parser)]
#[command(name = "wiredyno", version, propagate_version = true)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the web platform: set up tests, watch them run, explore the answers
    Serve(Box<settings::Arguments>),
    /// Submit a study to a server and print the test's number
    Submit(client::SubmitArguments),
    /// Show the state of a server's tests
    Status(client::StatusArguments),
    /// Fetch a run from a server into a folder
    Fetch(client::FetchArguments),
    /// Answer one question, read from standard input, about the runs in a folder (started by the server)
    #[command(hide = true, name = reader::COMMAND)]
    Answer {
        /// The folder of the runs.
        runs: std::path::PathBuf,
    },
}

/// Runs the subcommand that the process arguments name, and returns its exit code.
pub fn main() -> ExitCode {
    let outcome = match Program::parse().command {
        Command::Serve(arguments) => start::main(&arguments),
        Command::Submit(arguments) => client::submit(&arguments),
        Command::Status(arguments) => client::status(&arguments),
        Command::Fetch(arguments) => client::fetch(&arguments),
        Command::Answer { runs } => reader::child(&runs),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("wiredyno: {error:#}");
            // The codes of `wiredyno --help`: 2 for a wrong command line, 1 for a failure.
            ExitCode::from(if error.is::<client::Wrong>() { 2 } else { 1 })
        }
    }
}

/// The OpenAPI document, generated from the routes.
pub fn openapi() -> Value {
    routes::api().finish().1
}
