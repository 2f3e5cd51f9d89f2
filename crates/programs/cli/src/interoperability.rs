//! `wiredyno interoperability`: which codecs read what others of their format write.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use wiredyno_answers::interoperability::{Interoperability, LeftOut};
use wiredyno_contract::{CodecDescription, CodecId, CompressionId};
use wiredyno_model::Known;
use wiredyno_payloads::{Payload, PayloadName};
use wiredyno_planning::ready::Order;
use wiredyno_planning::stock;
use wiredyno_running::interoperability::{Speaker, exchange};

use crate::output::{How, errln, print_answer};
use crate::{exit, failure, interrupts, runner};

#[derive(clap::Args)]
pub struct Arguments {
    /// The payloads whose samples are exchanged, for example person, or their folders
    #[arg(long, value_name = "PAYLOAD|DIR,...", value_delimiter = ',', default_value = "person")]
    payload: Vec<PayloadName>,
    /// Only these formats [default: all with at least two codecs]
    #[arg(long, value_name = "FORMAT,...", value_delimiter = ',')]
    formats: Vec<String>,
    /// Only codecs of these runners (`wiredyno list runners`) [default: all]
    #[arg(long, value_name = "RUNNER,...", value_delimiter = ',')]
    runners: Vec<String>,
    /// Most samples of each payload
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    samples: u32,
    /// Write the tables as a picture (SVG)
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    how: How,
}

/// Prints which codecs read what others write. What they misread is a finding, not a failure.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let sandbox = runner::enter_sandbox()?;
    let interrupt = interrupts::catch_interrupts()?;
    let mut found = Interoperability::default();
    for name in &arguments.payload {
        let payload = failure::named(stock::payload(name))?;
        let known = stock::known(std::slice::from_ref(&payload))?;
        arguments.check(&known)?;
        let none = CompressionId::none();
        let mut speakers = Vec::new();
        for (of, codecs) in arguments.by_runner(&known, &payload) {
            if interrupt.is_set() {
                return Ok(ExitCode::from(exit::INTERRUPTED));
            }
            let started = Order::new(&payload, &codecs, &none, arguments.samples as usize)
                .map_err(anyhow::Error::from)
                .and_then(|order| {
                    let provided = runner::provide(&order, &sandbox, &interrupt)?;
                    Ok(order.start("speaker", provided, runner::program()?, &interrupt)?)
                });
            match started {
                Ok(ready) => speakers.push(Speaker { ready, codecs }),
                Err(_) if interrupt.is_set() => return Ok(ExitCode::from(exit::INTERRUPTED)),
                Err(error) => {
                    let left = LeftOut { what: format!("the runner {of}"), why: format!("{error:#}") };
                    if !found.left_out.contains(&left) {
                        found.left_out.push(left);
                    }
                }
            }
        }
        let exchanged = exchange(&payload, arguments.samples, &mut speakers, &mut found);
        for speaker in speakers {
            speaker.ready.process.stop();
        }
        exchanged?;
    }
    if found.exchanges.is_empty() {
        return Err(failure::wrong(anyhow!(
            "no format has two codecs here that carry the payload: choose other formats, runners or payloads (`wiredyno list codecs`)"
        )));
    }
    if let Some(file) = &arguments.picture {
        let picture = wiredyno_report::interoperability_picture(&found);
        std::fs::write(file, picture).with_context(|| file.display().to_string())?;
        errln!("picture: {}", file.display());
    }
    print_answer(&wiredyno_report::interoperability(&found), &found, arguments.how.shape())?;
    Ok(exit::DONE)
}

impl Arguments {
    /// Refuses a format or runner that does not exist.
    fn check(&self, known: &Known) -> anyhow::Result<()> {
        let formats: Vec<&str> = known.codecs.iter().map(|codec| codec.id.format.as_str()).collect();
        let runners: Vec<&str> = known.codecs.iter().map(CodecDescription::runner_name).collect();
        for (option, asked, all) in
            [("--formats", &self.formats, formats), ("--runners", &self.runners, runners)]
        {
            if let Some(unknown) = asked.iter().find(|name| !all.contains(&name.as_str())) {
                let hint = wiredyno_contract::nearest(unknown, all.iter().copied());
                let hint = hint.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                return Err(failure::wrong(anyhow!("{option}: no codec has `{unknown}`{hint}")));
            }
        }
        Ok(())
    }

    /// The codecs that take part, by their runner: of formats of which at least two carry the payload.
    fn by_runner(&self, known: &Known, payload: &Payload) -> BTreeMap<String, Vec<CodecId>> {
        let described = known.payloads.iter().find(|described| described.name == payload.id().name);
        let carried = |codec: &&CodecDescription| {
            let refused =
                described.is_some_and(|payload| payload.not_carried.iter().any(|(id, _)| *id == codec.id));
            let meant = |list: &[String], name: &str| list.is_empty() || list.iter().any(|one| one == name);
            !refused && meant(&self.formats, &codec.id.format) && meant(&self.runners, codec.runner_name())
        };
        let carried: Vec<&CodecDescription> = known.codecs.iter().filter(carried).collect();
        let of_format = |format: &str| carried.iter().filter(|codec| codec.id.format == format).count();
        let mut by_runner: BTreeMap<String, Vec<CodecId>> = BTreeMap::new();
        for codec in carried.iter().filter(|codec| of_format(&codec.id.format) > 1) {
            by_runner.entry(codec.runner_name().to_owned()).or_default().push(codec.id.clone());
        }
        by_runner
    }
}
