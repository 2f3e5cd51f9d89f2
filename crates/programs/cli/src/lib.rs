//! The program `wiredyno`: one file per subcommand; this one only dispatches.
//!
//! A library, so that tests can call it.

mod agent;
mod agents;
mod broker;
mod build;
mod building;
mod claims;
mod codec;
mod compare;
mod doctor;
mod exit;
mod failure;
mod fleet;
mod fleet_asked;
mod in_words;
mod interoperability;
mod interrupts;
mod link;
mod list;
mod listed;
mod live_words;
mod manual;
mod measure;
mod new;
mod output;
mod pack;
mod progress;
mod progress_lines;
mod recommend;
mod report;
mod run;
mod runner;
mod schema;
mod self_test;
mod server;
mod show;
mod size;
mod terminal;
mod threshold;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};

/// The test stand for moving messages: measures what every serialization format and messaging protocol costs
/// over the network you will have.
#[derive(Parser)]
#[command(name = "wiredyno", version, propagate_version = true, after_help = exit::TABLE)]
struct Program {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    terminal: terminal::Options,
}

#[derive(Subcommand)]
enum Command {
    /// Run a study: trials of every cell, results and a report
    Run(run::Arguments),
    /// Rewrite a run's report, or export its figures
    Report(report::Arguments),
    /// Compare two runs, or codecs, modes or other values in one run, with the significance of each difference
    Compare(compare::Arguments),
    /// Recommend a codec and mode, from a run, needs and weights
    Recommend(recommend::Arguments),
    /// Check whether a run keeps its study's thresholds, or is no worse than a stored run
    Threshold(threshold::Arguments),
    /// Show which published claims a run confirms or refutes
    Claims(claims::Arguments),
    /// List studies, codecs, protocols and everything else available
    List(list::Arguments),
    /// Show a payload, study or link
    Show(show::Arguments),
    /// Create a payload from a .proto file, an Avro schema, a JSON Schema or JSON samples
    New(new::Arguments),
    /// Translate message definitions, and show what interface languages can express
    #[command(subcommand)]
    Schema(schema::Command),
    /// Show the size of a payload's samples in every format, plain and compressed; nothing is compiled
    Size(size::Arguments),
    /// Compile runners in advance, list and delete them; other commands build what they need themselves
    Build(build::Arguments),
    /// Pack the program with the runners of studies, for machines without compiler and network
    Pack(pack::Arguments),
    /// Encode a sample or a value; bytes to standard output
    Encode(codec::EncodeArguments),
    /// Decode bytes; one JSON line to standard output
    Decode(codec::DecodeArguments),
    /// Show which codecs read what others of their format write, in whatever languages
    Interoperability(interoperability::Arguments),
    /// Measure the phases of one codec now, with heap and stack of one call, or compare several
    Measure(measure::Arguments),
    /// Use the emulated link on its own
    #[command(subcommand)]
    Link(link::Command),
    /// Invite agents on other machines, and show how well their clocks are known
    Agents(agents::Arguments),
    /// Put this machine at the service of a coordinator
    Agent(agent::Arguments),
    /// Start agents on other machines by ssh, Slurm or Kubernetes, to stay for several runs
    #[command(subcommand)]
    Fleet(fleet::Command),
    /// Show what this machine has, what it lacks, and how to install it
    Doctor(doctor::Arguments),
    /// Serve the web platform: set up tests, watch them run, explore the answers
    #[command(disable_help_flag = true)]
    Serve(server::Arguments),
    /// Submit a study to a server
    #[command(disable_help_flag = true)]
    Submit(server::Arguments),
    /// Show the state of a server's tests
    #[command(disable_help_flag = true)]
    Status(server::Arguments),
    /// Fetch a run from a server
    #[command(disable_help_flag = true)]
    Fetch(server::Arguments),
    /// Write the completions of a shell to standard output
    Completions(manual::CompletionsArguments),
    /// Write the manual pages
    Man(manual::ManArguments),
}

/// Removes the tip to pass an unknown option as a value, except where a command of the user's follows `--`.
fn plain(mut error: clap::Error) -> clap::Error {
    let takes_command = matches!(error.get(ContextKind::Usage), Some(ContextValue::StyledStr(usage)) if usage.to_string().contains("-- <"));
    if let (false, Some(ContextValue::StyledStrs(tips))) = (takes_command, error.get(ContextKind::Suggested))
    {
        let kept: Vec<_> =
            tips.iter().filter(|tip| !tip.to_string().contains("as a value")).cloned().collect();
        if kept.is_empty() {
            error.remove(ContextKind::Suggested);
        } else {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(kept));
        }
    }
    error
}

/// Runs the subcommand that the process arguments name, and returns its exit code.
pub fn main() -> ExitCode {
    // Only this program starts lane workers: the command is not offered to users.
    if std::env::args_os().nth(1).is_some_and(|first| first == wiredyno_link::lane::WORKER_COMMAND) {
        return exit::code(wiredyno_link::lane::worker_main());
    }
    let program = Program::try_parse().unwrap_or_else(|error| plain(error).exit());
    program.terminal.apply();
    let outcome = match program.command {
        Command::Run(arguments) => run::main(arguments),
        Command::Report(arguments) => report::main(&arguments),
        Command::Compare(arguments) => compare::main(&arguments),
        Command::Recommend(arguments) => recommend::main(&arguments),
        Command::Threshold(arguments) => threshold::main(&arguments),
        Command::Claims(arguments) => claims::main(&arguments),
        Command::List(arguments) => list::main(&arguments),
        Command::Show(arguments) => show::main(&arguments),
        Command::New(arguments) => new::main(arguments),
        Command::Schema(command) => schema::main(&command),
        Command::Size(arguments) => size::main(&arguments),
        Command::Build(arguments) => build::main(&arguments),
        Command::Pack(arguments) => pack::main(&arguments),
        Command::Encode(arguments) => codec::encode(&arguments),
        Command::Decode(arguments) => codec::decode(&arguments),
        Command::Interoperability(arguments) => interoperability::main(&arguments),
        Command::Measure(arguments) => measure::main(&arguments),
        Command::Link(command) => link::main(command),
        Command::Agents(arguments) => agents::main(&arguments),
        Command::Agent(arguments) => agent::main(&arguments),
        Command::Fleet(command) => fleet::main(&command),
        Command::Doctor(arguments) => doctor::main(&arguments),
        Command::Serve(arguments) => server::main("serve", &arguments),
        Command::Submit(arguments) => server::main("submit", &arguments),
        Command::Status(arguments) => server::main("status", &arguments),
        Command::Fetch(arguments) => server::main("fetch", &arguments),
        Command::Completions(arguments) => manual::completions(&arguments, Program::command()),
        Command::Man(arguments) => manual::man(&arguments, Program::command()),
    };
    outcome.unwrap_or_else(|error| failure::told(&error))
}
