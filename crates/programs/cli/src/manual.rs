//! `wiredyno completions` and `wiredyno man`: completions and manual pages, generated from the definition of the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Command;
use clap_complete::Shell;

use crate::exit;
use crate::output::{out, outln};

#[derive(clap::Args)]
pub struct CompletionsArguments {
    /// The shell to write completions for
    shell: Shell,
}

#[derive(clap::Args)]
pub struct ManArguments {
    /// The folder to write the pages into, one per command; without it, the page of `wiredyno` goes to standard output
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Writes a shell's completions to standard output.
pub fn completions(arguments: &CompletionsArguments, mut program: Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "wiredyno", &mut script);
    out!("{}", String::from_utf8_lossy(&script));
    Ok(exit::DONE)
}

/// Writes one page to standard output, or all pages into a folder.
pub fn man(arguments: &ManArguments, program: Command) -> anyhow::Result<ExitCode> {
    let Some(folder) = &arguments.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(program).render(&mut page)?;
        out!("{}", String::from_utf8_lossy(&page));
        return Ok(exit::DONE);
    };
    let wrong =
        || format!("{}: can't write the pages; name a folder that you may write to", folder.display());
    std::fs::create_dir_all(folder).with_context(wrong)?;
    clap_mangen::generate_to(program, folder).with_context(wrong)?;
    outln!("{}", folder.display());
    Ok(exit::DONE)
}
