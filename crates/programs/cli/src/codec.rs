//! `wiredyno encode` and `decode`: one codec, now.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use prost_reflect::DynamicMessage;
use wiredyno_contract::{CodecId, CompressionId, Operation, PayloadSource, Success};
use wiredyno_dynamic::{Described, ENCODERS};
use wiredyno_payloads::PayloadName;
use wiredyno_planning::stock;
use wiredyno_schema::{Definition, canonical_bytes, read_value, write_value};
use wiredyno_seats::runner::PATIENCE;
use wiredyno_seats::runner_error::RunnerError;

use crate::output::outln;
use crate::{exit, failure, runner};

/// A payload, a codec and a compression.
#[derive(clap::Args)]
pub struct Pair {
    /// The payload, for example person or opaque@1024, or its folder
    #[arg(long, value_name = "PAYLOAD|DIR")]
    payload: PayloadName,
    /// The codec, for example protobuf/prost
    #[arg(long)]
    codec: CodecId,
    /// The compression of its bytes, for example zstd:3
    #[arg(long, default_value = CompressionId::NONE)]
    compression: CompressionId,
}

#[derive(clap::Args)]
pub struct EncodeArguments {
    #[command(flatten)]
    pair: Pair,
    /// Number of the sample, from 0; it is encoded unchanged
    #[arg(long, default_value_t = 0, conflicts_with = "value")]
    sample: u32,
    /// A file with one value in the proto3 JSON mapping, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    value: Option<PathBuf>,
    /// Print hexadecimal digits instead of bytes
    #[arg(long)]
    hex: bool,
}

#[derive(clap::Args)]
pub struct DecodeArguments {
    #[command(flatten)]
    pair: Pair,
    /// The file with the bytes, or `-` for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Read hexadecimal digits instead of bytes
    #[arg(long)]
    hex: bool,
}

/// Encodes a sample or a value, and writes the bytes to standard output.
pub fn encode(arguments: &EncodeArguments) -> anyhow::Result<ExitCode> {
    let Pair { payload, codec, compression } = &arguments.pair;
    let payload = failure::named(stock::payload(payload))?;
    let value = match &arguments.value {
        Some(file) => {
            let text = String::from_utf8(read(file)?).context("the value is not UTF-8 text")?;
            read_value(&text, payload.descriptor(), &name(file), 1)?
        }
        None => {
            let wanted = arguments.sample as usize;
            match failure::named(payload.sample(wanted))? {
                Some(sample) => sample,
                None => {
                    let count = payload.sample_count()?;
                    let told = anyhow!("no sample {wanted}: {} has {count}, counted from 0", payload.id());
                    return Err(failure::wrong(told));
                }
            }
        }
    };
    check(payload.definition(), codec, &value)?;
    let mut ready = runner::start("codec runner", &payload, std::slice::from_ref(codec), compression, 1)?;
    let process = &mut ready.process;
    process.loaded(load(&ready.source, &arguments.pair), PATIENCE).map_err(plain)?;
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

/// Refuses a value that the format can't express, as `wiredyno size` does: a library may write something else instead.
fn check(definition: &Definition, codec: &CodecId, value: &DynamicMessage) -> anyhow::Result<()> {
    let id = codec.to_string();
    let Some(encoder) = ENCODERS.iter().find(|encoder| encoder.codec() == id) else { return Ok(()) };
    let described = Described::new(definition.clone());
    // If the codec refuses the definition, it reports that itself.
    if encoder.refuses(&described).is_some() {
        return Ok(());
    }
    let record = described.value(value)?;
    Ok(encoder.encode(&described, &record, &mut Vec::new())?)
}

/// Decodes bytes, and prints the value as a JSON line.
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
    let payload = failure::named(stock::payload(payload))?;
    let mut ready = runner::start("codec runner", &payload, std::slice::from_ref(codec), compression, 1)?;
    let process = &mut ready.process;
    process.loaded(load(&ready.source, &arguments.pair), PATIENCE).map_err(plain)?;
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

/// A runner's refusal without the runner's name: the user called this program.
fn plain(error: RunnerError) -> anyhow::Error {
    match error {
        RunnerError::Refused { failure, .. } => anyhow!("{failure}"),
        other => other.into(),
    }
}

/// The name of a file in messages.
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
