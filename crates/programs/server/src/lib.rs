//! The web platform: people order tests on a page or from a shell, watch them run, and look at the answers.
//!
//! One program, one port, its data in one folder. Runs are children, one after the other ([`scheduler`]); what asks the machine something
//! is a child with limits ([`helper`]); the queue is in SQLite ([`database`]); run folders are as `wiredyno run` makes them, and the list
//! of runs is read from them ([`runs`]). What a request may do is decided in one place ([`guard`]).

mod api;
mod attempt;
mod change;
mod client;
mod clock;
mod database;
mod error;
mod events;
mod explore;
mod files;
mod front_end;
mod guard;
mod helper;
mod machine;
mod options;
mod payloads;
mod plan;
mod questions;
mod queue;
mod rate;
mod reader;
mod routes;
mod runs;
mod scheduler;
mod serve;
mod session;
mod settings;
mod start;
mod study;
mod test;
mod watch;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use serde_json::Value;
use tokio::sync::Semaphore;

/// What all handlers share.
type App = Arc<Shared>;

struct Shared {
    settings: settings::Settings,
    database: Arc<database::Database>,
    queue: Arc<queue::Queue>,
    scheduler: Arc<scheduler::Scheduler>,
    events: Arc<events::EventLog>,
    helper: Arc<helper::Helper>,
    options: options::OptionsCache,
    payloads: payloads::Payloads,
    runs: runs::Runs,
    reader: reader::Reader,
    sessions: session::Sessions,
    rate: rate::Rate,
    login_rate: rate::Rate,
    question_rate: rate::Rate,
    streams: Arc<Semaphore>,
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
    /// Serve the web platform: set up tests, watch them run, look at the answers
    Serve(Box<settings::Arguments>),
    /// Submit a study to a server; prints the test's number
    Submit(client::SubmitArguments),
    /// Say what a server's tests are doing
    Status(client::StatusArguments),
    /// Fetch a run from a server into a folder
    Fetch(client::FetchArguments),
    /// Answer one question of readers, on the input, about the runs in a folder: what a server starts
    #[command(hide = true, name = reader::COMMAND)]
    Answer {
        /// The folder of the runs.
        runs: std::path::PathBuf,
    },
}

/// Does what the arguments of the process say; gives its exit code.
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
            // As `wiredyno --help` has it: the command line is wrong, or it could not be done.
            ExitCode::from(if error.is::<client::Wrong>() { 2 } else { 1 })
        }
    }
}

/// The OpenAPI document, made from the routes.
pub fn openapi() -> Value {
    routes::api().finish().1
}
