//! The format of `links/<id>.toml`. Unknown keys are rejected with file, line and the nearest known key.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::drive::Drive;
use super::fault::FaultFile;
use super::{DirectionSpec, LinkSpec, LossSpec, QueueSpec, RateSpec, RoundTripSpec};
use wiredyno_contract::{BitRate, Ratio, Span};
use wiredyno_model::{FileError, Place, Refusal, TomlText, parse_toml};

/// Why a link file is invalid.
#[derive(Debug, thiserror::Error)]
pub enum LinkFileError {
    /// The file can't be read.
    #[error("link file {path}: {source}; `wiredyno list links` shows the available links")]
    Read {
        /// The file, as it was named.
        path: PathBuf,
        /// The error that the operating system reported.
        source: std::io::Error,
    },
    /// The text is not a link, or its values contradict each other.
    #[error(transparent)]
    Text(#[from] FileError),
    /// A trace file contains something other than rates.
    #[error("{path}:{line}: {message}")]
    Trace {
        /// The trace file that the link names.
        path: PathBuf,
        /// Line, from 1; 0 for the file as a whole.
        line: usize,
        /// What is wrong and what to do.
        message: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkFile {
    about: String,
    source: String,
    mtu: Option<u16>,
    congestion: Option<String>,
    round_trip: Option<RoundTripFile>,
    #[serde(default)]
    up: DirectionFile,
    #[serde(default)]
    down: DirectionFile,
    #[serde(default)]
    fault: Vec<FaultFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoundTripFile {
    mean: Span,
    deviation: Span,
    every: Span,
    on: Option<super::Direction>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct DirectionFile {
    #[serde(default)]
    delay: Span,
    #[serde(default)]
    jitter: Span,
    rate: Option<BitRate>,
    trace: Option<TraceFile>,
    drive: Option<Drive>,
    rate_floor: Option<BitRate>,
    loss: Option<Ratio>,
    gilbert_elliott: Option<BurstFile>,
    queue: Option<QueueFile>,
    #[serde(default)]
    own_loss: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BurstFile {
    p: Ratio,
    r: Ratio,
    #[serde(default)]
    loss_good: Ratio,
    #[serde(default = "all")]
    loss_bad: Ratio,
}

fn all() -> Ratio {
    Ratio::new(1.0).unwrap_or_default()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceFile {
    file: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QueueFile {
    packets: Option<u64>,
    bytes: Option<u64>,
}

/// Parses a link; `path` names it in errors, gives its id, and locates its trace files.
pub(super) fn parse(text: &str, path: &Path) -> Result<LinkSpec, LinkFileError> {
    let name = path.display().to_string();
    let whole = TomlText { file: &name, text };
    let file: LinkFile = parse_toml(&name, text)?;
    let refuse = |place: Place, table: &str, message: &str| {
        whole.refuse(Refusal::at(place, format!("[{table}] {message}")))
    };
    if file.mtu.is_some_and(|mtu| !(576..=9000).contains(&mtu)) {
        let message = "must be 576 to 9000 bytes (RFC 791 obliges every host to take 576)";
        return Err(refuse(Place::of(["mtu"]), "mtu", message).into());
    }
    if let Some(r) = &file.round_trip
        && r.every.ns == 0
    {
        let place = Place::of(["round_trip", "every"]);
        return Err(refuse(place, "round_trip", "`every` must be above 0; write for example `1s`").into());
    }
    if file.source.trim().is_empty() {
        let message = "say where the numbers come from; `ours` will do";
        return Err(refuse(Place::of(["source"]), "source", message).into());
    }
    let faults = file.fault.into_iter().enumerate().map(|(position, fault)| {
        fault.rule().map_err(|message| refuse(Place::of(["fault"]).item(position), "fault", message))
    });
    let faults = faults.collect::<Result<_, _>>()?;
    Ok(LinkSpec {
        id: path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default(),
        about: file.about,
        source: file.source,
        round_trip: file.round_trip.map(|r| RoundTripSpec {
            mean: r.mean,
            deviation: r.deviation,
            every: r.every,
            on: r.on,
        }),
        up: direction(file.up, "up", whole, path)?,
        down: direction(file.down, "down", whole, path)?,
        mtu_bytes: file.mtu.unwrap_or(super::DEFAULT_MTU_BYTES),
        congestion: file.congestion.unwrap_or_else(|| super::DEFAULT_CONGESTION.to_owned()),
        faults,
    })
}

#[expect(clippy::too_many_lines, reason = "the conversion and the checks of one table, key by key")]
fn direction(
    file: DirectionFile,
    table: &str,
    whole: TomlText<'_>,
    path: &Path,
) -> Result<DirectionSpec, LinkFileError> {
    let refuse = |key: &str, message: &str| -> LinkFileError {
        let refusal = Refusal::at(Place::of([table, key]), format!("[{table}] {message}"));
        whole.refuse(refusal).into()
    };
    let floor = file.rate_floor.unwrap_or_default();
    let drives = file.drive.is_some();
    let rate = match (file.rate, file.trace, file.drive) {
        (None, None, None) => RateSpec::Unlimited,
        (Some(rate), None, None) => RateSpec::Constant { rate },
        (None, Some(trace), None) => {
            let found = path.parent().unwrap_or(Path::new("")).join(&trace.file);
            let bits_per_s = read_trace(&found)?;
            RateSpec::Trace { name: trace.file.display().to_string(), bits_per_s }
        }
        (None, None, Some(drive)) => {
            if let Some(objection) = drive.objection() {
                return Err(refuse("drive", &format!("drive: {objection}")));
            }
            RateSpec::Trace { name: format!("drive (seed {})", drive.seed), bits_per_s: drive.trace() }
        }
        _ => return Err(refuse("rate", "only one of `rate`, `trace` and `drive` is possible: keep one")),
    };
    let lowest = match &rate {
        RateSpec::Unlimited => u64::MAX,
        RateSpec::Constant { rate } => rate.bits_per_s,
        RateSpec::Trace { bits_per_s, .. } => bits_per_s.iter().copied().min().unwrap_or(0),
    };
    if lowest.max(floor.bits_per_s) == 0 {
        let key = match &rate {
            RateSpec::Trace { .. } if drives => "drive",
            RateSpec::Trace { .. } => "trace",
            _ => "rate",
        };
        return Err(refuse(key, "the rate falls to 0, so packets would wait for ever: set `rate_floor`"));
    }
    let queue = file.queue.map_or(QueueSpec::default(), |q| QueueSpec { packets: q.packets, bytes: q.bytes });
    if queue.packets == Some(0) || queue.bytes == Some(0) {
        return Err(refuse("queue", "a queue of 0 lets nothing through; for no limit, leave it out"));
    }
    if queue != QueueSpec::default() && rate == RateSpec::Unlimited {
        return Err(refuse(
            "queue",
            "a queue limit without a rate never acts: set `rate`, or leave `queue` out",
        ));
    }
    let loss = match (file.loss, file.gilbert_elliott) {
        (Some(_), Some(_)) => {
            return Err(refuse("loss", "only one of `loss` and `gilbert_elliott` is possible: keep one"));
        }
        (share, None) => LossSpec::Independent { share: share.unwrap_or_default() },
        (None, Some(BurstFile { p, r, loss_good, loss_bad })) => {
            if p.get() > 0.0 && r.get() == 0.0 {
                return Err(refuse(
                    "gilbert_elliott",
                    "gilbert_elliott: `r` is 0, so the bad state never ends: write for example `25%`",
                ));
            }
            LossSpec::GilbertElliott { p, r, loss_good, loss_bad }
        }
    };
    Ok(DirectionSpec {
        delay: file.delay,
        jitter: file.jitter,
        rate,
        rate_floor: floor,
        loss,
        queue,
        own_loss: file.own_loss,
    })
}

/// Reads bits per second, one value per second: the last column of a CSV; `#` begins a comment, and a first
/// line without a number is a heading.
fn read_trace(path: &Path) -> Result<Vec<u64>, LinkFileError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| LinkFileError::Read { path: path.to_owned(), source })?;
    let mut rates = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let last = line.rsplit(',').next().unwrap_or(line).trim();
        match last.parse::<u64>() {
            Ok(rate) => rates.push(rate),
            Err(_) if rates.is_empty() && last.starts_with(|c: char| c.is_alphabetic()) => {}
            Err(_) => {
                return Err(LinkFileError::Trace {
                    path: path.to_owned(),
                    line: index + 1,
                    message: format!(
                        "`{last}` is not a rate: write whole bits per second, one line per second"
                    ),
                });
            }
        }
    }
    if rates.is_empty() {
        let message = "no rates: write whole bits per second, one line per second".to_owned();
        return Err(LinkFileError::Trace { path: path.to_owned(), line: 0, message });
    }
    Ok(rates)
}
