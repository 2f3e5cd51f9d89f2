//! `wiredyno measure`: measures the phases of a codec now, or compares several codecs.

use std::process::ExitCode;

use anyhow::{anyhow, bail};
use wiredyno_answers::compare::{self, Wanted};
use wiredyno_conducting::codec_trial::CodecConductor;
use wiredyno_conducting::validity::Stand;
use wiredyno_contract::{BLIND_BYTES, CodecId, CompressionId};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::metric::{self, Loop};
use wiredyno_model::study::Study;
use wiredyno_model::summary::{Environment, RunInfo, SUMMARY_SCHEMA, Summary};
use wiredyno_model::trial::{CodecTrialRecord, Invalid};
use wiredyno_model::{CodecCell, CodecTrials, Limits};
use wiredyno_payloads::{Payload, PayloadName};
use wiredyno_planning::plan::PlannedCodecTrial;
use wiredyno_planning::ready::Order;
use wiredyno_planning::stock;
use wiredyno_report::quantity::quantity;
use wiredyno_running::run::Event;
use wiredyno_running::summarise;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::runners::Runners;

use crate::output::{Shape, errln, outln, print_answer};
use crate::progress::TrialsBar;
use crate::{exit, failure, interrupts, runner};

/// Trials per codec when several are compared: with ten, a difference of a third of the scatter between trials is found in
/// one of two cases.
const REPEATS: u32 = 10;

/// About how long a trial takes.
const TRIAL_NS: u64 = 700_000_000;

/// The metrics in which several codecs are compared.
const COMPARED: [&str; 6] = ["body", "total", "build", "encode", "decode", "read"];

#[derive(clap::Args)]
pub struct Arguments {
    /// The payload, for example person or opaque@1024, or its folder
    #[arg(long, value_name = "PAYLOAD|DIR")]
    payload: PayloadName,
    /// The codec, for example protobuf/prost; with several, the others are compared with the first
    #[arg(long, value_name = "CODEC,...", value_delimiter = ',', required = true)]
    codec: Vec<CodecId>,
    /// The compression of its bytes, for example zstd:3
    #[arg(long, default_value = CompressionId::NONE)]
    compression: CompressionId,
    /// Trials per codec when several are compared
    #[arg(long, default_value_t = REPEATS, value_parser = clap::value_parser!(u32).range(5..=1000))]
    repeats: u32,
    /// Print the raw record of the trial as JSON; with several codecs, the comparison
    #[arg(long)]
    json: bool,
}

/// Measures one codec's phases with heap and stack of one call, or compares several codecs.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let sandbox = runner::enter_sandbox()?;
    let interrupt = interrupts::catch_interrupts()?;
    let payload = failure::named(stock::payload(&arguments.payload))?;
    let bench = Bench { arguments, payload: &payload, sandbox: &sandbox, interrupt: &interrupt };
    match &arguments.codec[..] {
        [codec] => bench.one(codec),
        codecs => bench.several(codecs),
    }
}

struct Bench<'a> {
    arguments: &'a Arguments,
    payload: &'a Payload,
    sandbox: &'a Sandbox,
    interrupt: &'a Interrupt,
}

impl Bench<'_> {
    fn one(&self, codec: &CodecId) -> anyhow::Result<ExitCode> {
        let settings = CodecTrials::default();
        let runners = self.runners(std::slice::from_ref(codec), &settings)?;
        let Some(trial) = self.trial(codec, 0, &runners, &settings)? else {
            return Ok(ExitCode::from(exit::INTERRUPTED));
        };
        if self.arguments.json {
            outln!("{}", serde_json::to_string_pretty(&trial)?);
        } else {
            print(&trial, &settings);
        }
        Ok(exit::DONE)
    }

    /// Trials alternate between codecs, so that drift affects all alike.
    fn several(&self, codecs: &[CodecId]) -> anyhow::Result<ExitCode> {
        for (place, codec) in codecs.iter().enumerate() {
            if codecs[..place].contains(codec) {
                return Err(failure::wrong(anyhow!("--codec: {codec} is named twice")));
            }
        }
        let settings = CodecTrials::default();
        // Codecs of one runner share a program, so that they are compiled alike.
        let known = stock::known(std::slice::from_ref(self.payload))?;
        let of_runner = |codec: &CodecId| {
            let described = known.codecs.iter().find(|described| described.id == *codec);
            described.map(|described| described.runner_name().to_owned())
        };
        let mut by_runner: Vec<(Option<String>, Vec<CodecId>)> = Vec::new();
        for codec in codecs {
            let runner = of_runner(codec);
            match by_runner.iter_mut().find(|(known, _)| *known == runner) {
                Some((_, of_one)) => of_one.push(codec.clone()),
                None => by_runner.push((runner, vec![codec.clone()])),
            }
        }
        let mut runners = Vec::new();
        for (_, of_one) in by_runner {
            let ready = self.runners(&of_one, &settings)?;
            runners.push((of_one, ready));
        }
        let mut trials: Vec<CodecTrialRecord> = Vec::new();
        let progress = TrialsBar::new();
        let planned = codecs.len() * self.arguments.repeats as usize;
        let estimate_ns = planned as u64 * TRIAL_NS;
        progress.show(&Event::Planned { codec_trials: planned, trials: 0, lanes: 1, estimate_ns });
        for repeat in 0..self.arguments.repeats {
            for codec in codecs {
                let Some((_, of_codec)) = runners.iter().find(|(of_one, _)| of_one.contains(codec)) else {
                    continue;
                };
                let Some(trial) = self.trial(codec, repeat, of_codec, &settings)? else {
                    progress.finish();
                    return Ok(ExitCode::from(exit::INTERRUPTED));
                };
                progress.show(&Event::CodecTrial { record: &trial, again: false });
                trials.push(trial);
            }
        }
        progress.finish();
        self.compare(codecs, &trials)
    }

    fn compare(&self, codecs: &[CodecId], trials: &[CodecTrialRecord]) -> anyhow::Result<ExitCode> {
        let is_known =
            |codec: &&CodecId| trials.iter().any(|trial| trial.cell.codec == **codec && trial.is_complete());
        if let Some(codec) = codecs.iter().find(|codec| !is_known(codec)) {
            let own: Vec<_> = trials.iter().filter(|trial| trial.cell.codec == *codec).collect();
            errln!(
                "none of {} trials of {codec} is complete: {}; measure again when the machine is quieter, or with more --repeats",
                own.len(),
                why_left_out(own.into_iter())
            );
            return Ok(ExitCode::from(exit::INCOMPLETE));
        }
        let summary = self.summary(codecs, trials)?;
        let names: Vec<String> = codecs.iter().map(ToString::to_string).collect();
        let wanted = Wanted { metrics: COMPARED.map(str::to_owned).to_vec(), ..Wanted::default() };
        let comparison = compare::along(&summary, "codec", &names, &wanted).map_err(anyhow::Error::msg)?;
        let shape = if self.arguments.json { Shape::Json } else { Shape::Text };
        print_answer(&wiredyno_report::comparison(&comparison), &comparison, shape)?;
        let invalid = trials.iter().filter(|trial| !trial.is_complete()).count();
        if invalid > 0 {
            errln!("{invalid} of {} trials were left out: {}", trials.len(), why_left_out(trials.iter()));
        }
        Ok(exit::DONE)
    }

    /// The summary of the trials, in the form of a run.
    fn summary(&self, codecs: &[CodecId], trials: &[CodecTrialRecord]) -> anyhow::Result<Summary> {
        let names: Vec<String> = codecs.iter().map(|codec| format!("\"{codec}\"")).collect();
        let text = format!(
            "name = \"measure\"\nwhy = \"?\"\n[axes]\npayload = [\"{}\"]\ncodec = [{}]\n",
            self.payload.id(),
            names.join(", ")
        );
        let of_codec = |codec: &CodecId| {
            let own: Vec<&CodecTrialRecord> =
                trials.iter().filter(|trial| trial.cell.codec == *codec).collect();
            summarise::codec_cell(&self.cell(codec), &own, 0, None)
        };
        Ok(Summary {
            schema: SUMMARY_SCHEMA,
            run: RunInfo {
                id: "measure".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                started: String::new(),
                duration_ns: 0,
                lanes: 1,
                utilisation: 0.0,
                steal: 0.0,
                complete: true,
            },
            study: Study::parse("measure", &text)?,
            environment: Environment::default(),
            codecs_described: Vec::new(),
            compressions_described: Vec::new(),
            transports_described: Vec::new(),
            cells: Vec::new(),
            codecs: codecs.iter().map(of_codec).collect(),
            not_run: Vec::new(),
            notes: Vec::new(),
            effects: Vec::new(),
            knees: Vec::new(),
            inputs: Default::default(),
            one_way_loss: Vec::new(),
            thresholds: Vec::new(),
        })
    }

    fn cell(&self, codec: &CodecId) -> CodecCell {
        CodecCell {
            payload: self.payload.id().clone(),
            codec: codec.clone(),
            compression: self.arguments.compression.clone(),
        }
    }

    fn runners(&self, codecs: &[CodecId], settings: &CodecTrials) -> anyhow::Result<Runners> {
        let order = Order::new(self.payload, codecs, &self.arguments.compression, settings.samples as usize)?;
        let provided = runner::provide(&order, self.sandbox, self.interrupt)?;
        Ok(order.provide(provided, runner::program()?, self.interrupt)?)
    }

    /// One trial; `None` if the user interrupts it.
    fn trial(
        &self,
        codec: &CodecId,
        repeat: u32,
        runners: &Runners,
        settings: &CodecTrials,
    ) -> anyhow::Result<Option<CodecTrialRecord>> {
        let planned = PlannedCodecTrial { cell: self.cell(codec), repeat, attempt: 0 };
        let (limits, stand) = (Limits::default(), Stand::here());
        let conductor = CodecConductor {
            settings,
            limits: &limits,
            stand,
            runners,
            sandbox: self.sandbox,
            interrupt: self.interrupt,
        };
        let Some(conducted) = conductor.conduct(repeat, &planned) else { return Ok(None) };
        if let Some(failure) = conducted.refusal {
            // The runner's name means nothing to someone who measures one codec.
            bail!("{failure}");
        }
        let trial = conducted.record;
        let broken = trial.failed.as_ref().or_else(|| match trial.invalid.first() {
            Some(Invalid::NotCarriedOut { error }) => Some(error),
            _ => None,
        });
        match broken {
            Some(error) => bail!("{error}"),
            None => Ok(Some(trial)),
        }
    }
}

/// The reason of the first trial that is not complete.
fn why_left_out<'a>(mut trials: impl Iterator<Item = &'a CodecTrialRecord>) -> String {
    let reason = trials.find_map(|trial| trial.invalid.first()).map(Invalid::sentence);
    reason.unwrap_or_else(|| "they failed".to_owned())
}

#[expect(
    clippy::too_many_lines,
    reason = "the output read from top to bottom, a few lines for each kind of figure"
)]
fn print(trial: &CodecTrialRecord, settings: &CodecTrials) {
    // Figures of an invalid trial are shown too, with the reason below: it is the only trial.
    let counted = CodecTrialRecord { invalid: Vec::new(), ..trial.clone() };
    let summary = summarise::codec_cell(&trial.cell, &[&counted], 0, None);
    if let Some(body) = summary.metrics.get("body") {
        let plural = if body.count == 1 { "" } else { "s" };
        outln!("{}: {} sample{plural}", trial.cell, body.count);
    }
    for (name, title) in [("body", "body"), ("body_uncompressed", "uncompressed")] {
        if let Some(bytes) = summary.metrics.get(name) {
            outln!("{title:<14}{:>12.1} bytes mean, {} to {}", bytes.mean, bytes.min, bytes.max);
        }
    }
    if let Some(dictionary) = summary.dictionary {
        let (bytes, samples) = (dictionary.bytes, dictionary.training_samples);
        outln!("dictionary    {bytes:>12} bytes, trained on {samples} other samples");
    }
    outln!(
        "phase           ns median   largest   CPU ns  instructions  allocations  bytes allocated  peak heap    stack"
    );
    for Loop { name, .. } in metric::loops(!trial.cell.compression.is_none(), settings.empty) {
        let Some(time) = summary.metrics.get(name) else {
            continue;
        };
        let figure = |ending: &str, decimals: usize| {
            let metric = summary.metrics.get(&format!("{name}{ending}"));
            metric.map_or_else(|| "-".to_owned(), |metric| format!("{:.decimals$}", metric.median))
        };
        outln!(
            "{name:<14} {:>10.1} {:>9.1} {:>8} {:>13} {:>12} {:>16} {:>10} {:>8}",
            time.median,
            time.max,
            figure("_cpu", 1),
            figure("_instructions", 0),
            figure("_allocations", 2),
            figure("_allocated", 1),
            figure("_peak", 0),
            figure("_stack", 0),
        );
    }
    if let Some(first) = trial.first_calls {
        outln!(
            "first calls in a fresh process: set-up {}, encode {}, decode {}",
            quantity(first.setup_ns as f64, "ns"),
            quantity(first.encode_ns as f64, "ns"),
            quantity(first.decode_ns as f64, "ns")
        );
    }
    if let Some(memory) = trial.process_memory {
        outln!(
            "whole processes: one that encodes {}, one that decodes {}; idle {}",
            quantity(memory.encode_bytes as f64, "bytes"),
            quantity(memory.decode_bytes as f64, "bytes"),
            quantity(memory.idle_bytes as f64, "bytes")
        );
    }
    if let Some(disturbed) = summary.metrics.get("disturbed_batches") {
        outln!("batches that waited for a CPU: {} in the worst loop", quantity(disturbed.mean, "ratio"));
    }
    if let Some(collected) = summary.metrics.get("collected").filter(|collected| collected.mean > 0.0) {
        outln!("the collector worked: {} of the time in the worst loop", quantity(collected.mean, "ratio"));
    }
    for missing in &summary.missing {
        outln!("No {}: {}.", missing.what, missing.why);
    }
    outln!(
        "One trial, {} batches of at least {} each: no interval. encode writes into a reused buffer, encode_fresh into a new \
         one.\nHeap and stack are those of one call, measured without timing; stack below {BLIND_BYTES} bytes can't be \
         resolved.",
        settings.batches,
        settings.batch_time
    );
    for reason in &trial.invalid {
        outln!("Don't trust these figures: {}", reason.sentence());
    }
}
