//! `wiredyno encode`, `decode` and `measure`: one codec, now.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use prost_reflect::DynamicMessage;
use wiredyno_model::metric::{self, Loop};
use wiredyno_model::trial::{BLIND_BYTES, CodecTrialRecord, Invalid};
use wiredyno_model::{CodecCell, CodecId, CodecTrials, CompressionId, Limits};
use wiredyno_orchestrate::codec_trial::CodecConductor;
use wiredyno_orchestrate::plan::PlannedCodecTrial;
use wiredyno_orchestrate::ready::Order;
use wiredyno_orchestrate::runner::{PATIENCE, RunnerError};
use wiredyno_orchestrate::validity::Stand;
use wiredyno_orchestrate::{stock, summarise};
use wiredyno_payloads::PayloadName;
use wiredyno_report::quantity::quantity;
use wiredyno_runner_wire::{Operation, PayloadSource, Success};
use wiredyno_schema::{canonical_bytes, read_value, write_value};

use crate::output::outln;
use crate::{exit, runner};

/// A payload with a codec and what is done to its bytes.
#[derive(clap::Args)]
pub struct Pair {
    /// The payload, for example person or opaque@1024, or its folder
    #[arg(long, value_name = "PAYLOAD|DIR")]
    payload: PayloadName,
    /// The codec, for example protobuf/prost
    #[arg(long)]
    codec: CodecId,
    /// What is done to its bytes, for example zstd:3
    #[arg(long, default_value = CompressionId::NONE)]
    compression: CompressionId,
}

/// Arguments of `encode`.
#[derive(clap::Args)]
pub struct EncodeArguments {
    #[command(flatten)]
    pair: Pair,
    /// Number of the sample, from 0; it is encoded as it stands
    #[arg(long, default_value_t = 0, conflicts_with = "value")]
    sample: u32,
    /// A file with one value in the proto3 JSON mapping, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    value: Option<PathBuf>,
    /// Print hexadecimal digits instead of bytes
    #[arg(long)]
    hex: bool,
}

/// Arguments of `decode`.
#[derive(clap::Args)]
pub struct DecodeArguments {
    #[command(flatten)]
    pair: Pair,
    /// The file with the bytes, or `-` for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// The bytes are written as hexadecimal digits
    #[arg(long)]
    hex: bool,
}

/// Arguments of `measure`.
#[derive(clap::Args)]
pub struct MeasureArguments {
    #[command(flatten)]
    pair: Pair,
    /// Print the raw record of the trial as JSON
    #[arg(long)]
    json: bool,
}

/// Encodes a sample or a value.
pub fn encode(arguments: &EncodeArguments) -> anyhow::Result<ExitCode> {
    let Pair { payload, codec, compression } = &arguments.pair;
    let payload = stock::payload(payload)?;
    let value = match &arguments.value {
        Some(file) => {
            let text = String::from_utf8(read(file)?).context("the value is not UTF-8 text")?;
            read_value(&text, payload.descriptor(), &name(file), 1)?
        }
        None => {
            let wanted = arguments.sample as usize;
            match payload.sample(wanted)? {
                Some(sample) => sample,
                None => bail!(
                    "no sample {wanted}: {} has {}, counted from 0",
                    payload.id(),
                    payload.sample_count()?
                ),
            }
        }
    };
    let mut ready = runner::start("codec runner", &payload, std::slice::from_ref(codec), compression, 1)?;
    let process = &mut ready.process;
    process.done(load(&ready.source, &arguments.pair), PATIENCE).map_err(plain)?;
    let encode = Operation::Encode { sample: None, value: Some(hex::encode(canonical_bytes(&value))) };
    let body = match process.ask(encode, PATIENCE).map_err(plain)? {
        Success::Encoded { body } => body,
        other => return Err(process.unexpected("encode", &other).into()),
    };
    ready.process.stop();
    if arguments.hex {
        outln!("{body}");
    } else {
        let bytes = hex::decode(body).context("the runner's hexadecimal digits")?;
        std::io::stdout().lock().write_all(&bytes).context("standard output")?;
    }
    Ok(exit::DONE)
}

/// Decodes bytes.
pub fn decode(arguments: &DecodeArguments) -> anyhow::Result<ExitCode> {
    let mut bytes = read(&arguments.file)?;
    if arguments.hex {
        let digits: Vec<u8> = bytes.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
        bytes = match hex::decode(&digits) {
            Ok(bytes) => bytes,
            Err(error) => {
                bail!("{}: {error}; --hex takes pairs of the digits 0-9 and a-f", name(&arguments.file))
            }
        };
    }
    let Pair { payload, codec, compression } = &arguments.pair;
    let payload = stock::payload(payload)?;
    let mut ready = runner::start("codec runner", &payload, std::slice::from_ref(codec), compression, 1)?;
    let process = &mut ready.process;
    process.done(load(&ready.source, &arguments.pair), PATIENCE).map_err(plain)?;
    let decode = Operation::Decode { body: hex::encode(bytes) };
    let value = match process.ask(decode, PATIENCE).map_err(plain)? {
        Success::Decoded { value } => value,
        other => return Err(process.unexpected("decode", &other).into()),
    };
    ready.process.stop();
    let value = hex::decode(value).context("the runner's hexadecimal digits")?;
    let value = DynamicMessage::decode(payload.descriptor().clone(), value.as_slice())
        .context("the runner's value")?;
    outln!("{}", write_value(&value)?);
    Ok(exit::DONE)
}

fn load(source: &PayloadSource, pair: &Pair) -> Operation {
    Operation::Load {
        payload: source.clone(),
        codec: pair.codec.clone(),
        compression: pair.compression.clone(),
        samples: None,
    }
}

/// What the runner said no to, without naming the runner: the user asked this program.
fn plain(error: RunnerError) -> anyhow::Error {
    match error {
        RunnerError::Refused { failure, .. } => anyhow::anyhow!("{failure}"),
        other => other.into(),
    }
}

/// What messages call a file.
fn name(file: &Path) -> String {
    if file.as_os_str() == "-" { "standard input".to_owned() } else { file.display().to_string() }
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let done = if file.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::read(file).map(|all| bytes = all)
    };
    done.with_context(|| name(file))?;
    Ok(bytes)
}

/// Measures the phases, and heap and stack of one call.
pub fn measure(arguments: &MeasureArguments) -> anyhow::Result<ExitCode> {
    let sandbox = runner::enter_sandbox()?;
    let Pair { payload, codec, compression } = &arguments.pair;
    let payload = stock::payload(payload)?;
    let settings = CodecTrials::default();
    let order = Order::new(&payload, std::slice::from_ref(codec), compression, settings.samples as usize)?;
    let (provided, interrupt) = runner::have(&order, Some(&sandbox))?;
    let runners = order.provide(provided, runner::program()?, &interrupt)?;
    let cell =
        CodecCell { payload: payload.id().clone(), codec: codec.clone(), compression: compression.clone() };
    let planned = PlannedCodecTrial { cell, repeat: 0, attempt: 0 };
    let (limits, stand) = (Limits::default(), Stand::here());
    let conductor = CodecConductor {
        settings: &settings,
        limits: &limits,
        stand,
        runners: &runners,
        sandbox: &sandbox,
        interrupt: &interrupt,
    };
    let trial = conductor.conduct(0, &planned);
    let Some(trial) = trial else {
        return Ok(ExitCode::from(exit::INTERRUPTED));
    };
    let broken = trial.failed.as_ref().or_else(|| match trial.invalid.first() {
        Some(Invalid::NotCarriedOut { error }) => Some(error),
        _ => None,
    });
    if let Some(error) = broken {
        bail!("{}", error.strip_prefix("codec runner: ").unwrap_or(error));
    }
    if arguments.json {
        outln!("{}", serde_json::to_string_pretty(&trial)?);
    } else {
        print(&trial, &settings);
    }
    Ok(exit::DONE)
}

fn print(trial: &CodecTrialRecord, settings: &CodecTrials) {
    // Figures of an invalid trial are shown too, with the reason below: there is no other one.
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
        outln!(
            "batches that waited for a CPU: {} in the loop that has most of them",
            quantity(disturbed.mean, "ratio")
        );
    }
    for missing in &summary.missing {
        outln!("No {}: {}.", missing.what, missing.why);
    }
    outln!(
        "One trial, {} batches of at least {} each: no interval. encode writes into a buffer used again, encode_fresh into a new one.\n\
         Heap and stack are those of one call, counted apart from timing; stack below {BLIND_BYTES} bytes can't be told apart.",
        settings.batches,
        settings.batch_time
    );
    for reason in &trial.invalid {
        outln!("Not to be trusted: {}", reason.sentence());
    }
}
