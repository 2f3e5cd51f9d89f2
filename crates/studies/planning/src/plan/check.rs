//! What a study names but can't have: unknown ids, numbers out of range, combinations that nothing carries.

use wiredyno_contract::{BrokerId, CodecDescription, CompressionId, OptionValue, PayloadId, RUST};
use wiredyno_model::metric::{self, Scope};
use wiredyno_model::{Cell, CodecCell, Known, Lanes, Place, Refusal, Study};

use crate::left_out::{LeftOut, Part, Reason};

/// Refuses a metric that no trial of the study measures.
pub(super) fn known_metric(study: &Study, name: &str) -> Result<(), String> {
    let [message, codec] = [Scope::Message, Scope::Codec].map(|scope| metric::find(scope, name).is_some());
    if message || codec {
        let of_messages = message && !study.axes.mode.is_empty();
        let compressed = study.axes.compresses() || !metric::needs_compression(name);
        let of_codecs = codec && study.codec_trials.enabled && compressed;
        return (of_messages || of_codecs).then_some(()).ok_or_else(|| {
            format!(
                "trials.until: no trial of this study has the metric `{name}`: choose one of its codec trials, such \
                 as `encode`, or of its message trials, such as `latency`"
            )
        });
    }
    let known: Vec<String> =
        metric::all(Scope::Message).chain(metric::all(Scope::Codec)).map(|metric| metric.name).collect();
    Err(match wiredyno_contract::nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("trials.until: there is no metric `{name}`; did you mean `{near}`?"),
        None => format!(
            "trials.until: there is no metric `{name}`; write one of docs/METHODOLOGY.md, for example `latency`"
        ),
    })
}

/// The most trials of one run: more would take weeks, and their plan and records gigabytes.
const MOST_TRIALS: u64 = 200_000;

/// The most lanes per CPU if a study sets their number: the processes of one take some per cent of a CPU even if its link is slow.
const MOST_LANES_PER_CPU: u32 = 20;

/// Checks that a machine can run this many trials, and this many at a time.
pub(super) fn check_numbers(study: &Study, known: &Known) -> Result<(), Refusal> {
    let refuse = |key, problem: String| Err(Refusal::at(Place::of(["trials", key]), problem));
    let cells = study.axes.cells(&|broker: &BrokerId, protocol: &str| known.serves(broker, protocol)).len();
    let codecs = if study.codec_trials.enabled { study.axes.codec_cells().len() } else { 0 };
    let (all, repeats) = ((cells + codecs) as u64, u64::from(study.trials.repeats));
    let trials = all.saturating_mul(repeats);
    if trials > MOST_TRIALS {
        let problem = format!(
            "{repeats} repeats of {all} cells are {trials} trials, but a run may have at most {MOST_TRIALS}: use fewer \
             repeats (trials.repeats), or fewer values on the axes"
        );
        return refuse("repeats", problem);
    }
    let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u32);
    match study.trials.lanes {
        Lanes::Fixed(lanes) if lanes > cpus.saturating_mul(MOST_LANES_PER_CPU) => {
            let most = cpus * MOST_LANES_PER_CPU;
            let problem = format!(
                "{lanes} lanes are too many for the {cpus} CPUs of this machine: use at most {most}, or \"auto\" (trials.lanes)"
            );
            refuse("lanes", problem)
        }
        _ => Ok(()),
    }
}

/// Refuses a broker that does not exist, and one that serves none of the study's modes.
pub(super) fn check_broker(study: &Study, known: &Known, broker: &BrokerId) -> Result<(), String> {
    let Some((name, protocols)) = known.brokers.iter().find(|(name, _)| *name == broker.name) else {
        let near =
            wiredyno_contract::nearest(&broker.name, known.brokers.iter().map(|(name, _)| name.as_str()));
        return Err(match near {
            Some(near) => format!("there is no broker `{broker}`; did you mean `{near}`?"),
            None => format!("there is no broker `{broker}`; `wiredyno list brokers` shows what there is"),
        });
    };
    if study.axes.mode.iter().any(|mode| known.serves(broker, &mode.protocol)) {
        return Ok(());
    }
    Err(format!(
        "the axis `broker` names `{name}`, which serves {}, and the study has no mode of it: name one, or remove the \
         broker",
        protocols.join(" and ")
    ))
}

/// Removes the cells whose client lacks their security; each mode and security is noted once, with the reason.
pub(super) fn take_out_unsecured(runner: &Known, cells: &mut Vec<Cell>, left_out: &mut Vec<LeftOut>) {
    cells.retain(|cell| {
        let Some(security) = cell.security else { return true };
        let client = cell.mode.transport(&runner.transports);
        let Some(why) = client.and_then(|client| client.lacks(security)) else { return true };
        let part = Part::Secured { mode: cell.mode.clone(), security };
        let without = LeftOut { part, reason: Reason::NoSecurity(why) };
        if !left_out.contains(&without) {
            left_out.push(without);
        }
        false
    });
}

/// Why a runner can't encode a payload with a codec and compression; `None` if it can.
pub(super) fn cannot_carry(runner: &Known, pair: &CodecCell) -> Option<Reason> {
    let payload = runner.payloads.iter().find(|payload| payload.name == pair.payload.name)?;
    let lacking = payload.lacking.iter().find(|(codec, _)| *codec == pair.codec);
    let not_carried = payload.not_carried.iter().find(|(codec, _)| *codec == pair.codec);
    let no_dictionary = payload.no_dictionary.as_ref().filter(|_| pair.compression.dictionary);
    let codec = runner.codecs.iter().find(|codec| codec.id == pair.codec);
    lacking
        .map(|(_, lack)| Reason::NotHere(lack.clone()))
        .or_else(|| not_carried.map(|(_, why)| Reason::NotCarried(why.clone())))
        .or_else(|| no_dictionary.cloned().map(Reason::NoDictionary))
        .or_else(|| codec.and_then(|codec| cannot_compress(codec, &pair.compression)))
}

/// Why the runner that has a codec can't compress; `None` if it can, or nothing is compressed.
pub fn cannot_compress(codec: &CodecDescription, compression: &CompressionId) -> Option<Reason> {
    let runner = codec.runner_name();
    (runner != RUST && !compression.is_none()).then(|| Reason::NoCompression(runner.to_owned()))
}

/// Why no protocol can send messages of a codec; `None` if one can.
pub(super) fn sends_nothing(known: &Known, pair: &CodecCell) -> Option<Reason> {
    let runner = known.runner_of(&pair.codec);
    (runner != RUST && !known.folder_transports.contains_key(runner))
        .then(|| Reason::NoTransports(runner.to_owned()))
}

/// Why the runner that has a cell's codec can't send its messages as the study requires; `None` if it can.
pub(super) fn cannot_send(study: &Study, known: &Known, cell: &Cell) -> Option<Reason> {
    let (runner, mode) = (known.runner_of(&cell.codec).to_owned(), &cell.mode);
    let Some(client) = known.client(cell) else {
        // Modes of the composed runner are checked earlier.
        let protocol = mode.protocol.clone();
        return (runner != RUST).then_some(Reason::NoClient { runner, protocol });
    };
    let settings = client.settings.iter().map(|setting| &setting.name);
    let is_unknown = |setting: &String| !settings.clone().any(|known| known == setting);
    if runner != RUST && mode.setting.iter().any(is_unknown) {
        return Some(Reason::NoMode { runner, client: client.id.clone() });
    }
    // An option that only other clients of the protocol have is allowed at its default.
    let clients = known.clients_of(study);
    let declared = clients.iter().filter(|transport| transport.id.protocol == mode.protocol);
    let declared: Vec<_> = declared.flat_map(|transport| &transport.options).collect();
    let is_default = |name: &String, value: &OptionValue| {
        declared.iter().any(|option| option.name == *name && option.default == *value)
    };
    study.options_for(cell).into_iter().find_map(|(name, value)| {
        let own = client.options.iter().find(|option| option.name == name);
        let Some(own) = own else {
            let lacks = !is_default(&name, &value);
            let (runner, client) = (runner.clone(), client.id.clone());
            return lacks.then_some(Reason::NoOption { runner, client, option: name });
        };
        let problem = own.take(&client.id.to_string(), &value).err()?.problem;
        Some(Reason::NoValue { runner: runner.clone(), problem })
    })
}

/// Checks that a runner has a compression.
///
/// # Errors
/// With what to write instead.
pub fn check_compression(runner: &Known, id: &CompressionId) -> Result<(), String> {
    if id.is_none() {
        return Ok(());
    }
    for method in &runner.compressions {
        if method.accepts(id)? {
            return Ok(());
        }
    }
    let methods = runner.compressions.iter().map(|method| method.method.as_str());
    Err(match wiredyno_contract::nearest(&id.method, methods) {
        Some(near) => format!("there is no compression `{id}`; did you mean `{near}`?"),
        None => format!("there is no compression `{id}`; `wiredyno list compressions` shows what there is"),
    })
}

/// Checks that a runner has a payload.
///
/// # Errors
/// With what to write instead.
pub fn find_payload(runner: &Known, id: &PayloadId) -> Result<(), String> {
    let Some(payload) = runner.payloads.iter().find(|payload| payload.name == id.name) else {
        let names = runner.payloads.iter().map(|payload| payload.name.as_str());
        return Err(match wiredyno_contract::nearest(&id.name, names) {
            Some(near) => format!("there is no payload `{id}`; did you mean `{near}`?"),
            None => format!("there is no payload `{id}`; `wiredyno list payloads` shows what there is"),
        });
    };
    match (payload.sized, id.size_bytes) {
        (true, None) => Err(format!("the payload `{id}` takes a size in bytes: write `{id}@1024`")),
        (false, Some(_)) => Err(format!("the payload `{}` takes no size: write it without `@`", id.name)),
        _ => Ok(()),
    }
}

/// The error for a codec that a runner does not have.
pub fn unknown_codec(runner: &Known, id: &str) -> String {
    let ids: Vec<String> = runner.codecs.iter().map(|codec| codec.id.to_string()).collect();
    match wiredyno_contract::nearest(id, ids.iter().map(String::as_str)) {
        Some(near) => format!("there is no codec `{id}`; did you mean `{near}`?"),
        None => format!("there is no codec `{id}`; `wiredyno list codecs` shows what there is"),
    }
}
