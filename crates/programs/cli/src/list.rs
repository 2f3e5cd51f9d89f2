//! `wiredyno list`: what is available, from the registries.
//!
//! One file because each kind of entry is a short function of the same form.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::ValueEnum;
use serde_json::json;
use wiredyno_brokers::{BrokerFolder, DataPlace};
use wiredyno_build::Cache;
use wiredyno_contract::{CodecDescription, CodecId, PayloadId, RUST, TransportDescription, TransportOption};
use wiredyno_languages::{ComposedRunner, RunnerFolderError};
use wiredyno_link::spec::LinkSpec;
use wiredyno_model::{Family, Known, PayloadDescription, Study};
use wiredyno_payloads::{Payload, PayloadFolder, PayloadName};
use wiredyno_planning::catalogue::{self, Found, Kind, find};
use wiredyno_planning::plan::find_payload;
use wiredyno_planning::stock;
use wiredyno_schema::idl::{IDLS, Idl};
use wiredyno_seats::serving;

use crate::in_words::count;
use crate::listed::{
    Listed, ListedBroker, ListedCodec, ListedCompression, ListedLanguage, ListedLink, ListedPayload,
    ListedProtocol, ListedRunner, ListedStudy, NotCarried,
};
use crate::output::outln;
use crate::{exit, failure, terminal};

/// The kinds of entries that can be listed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    Codecs,
    Compressions,
    #[value(alias = "idls")]
    Languages,
    #[value(alias = "transports")]
    Protocols,
    Brokers,
    Runners,
    Payloads,
    Links,
    Studies,
}

#[derive(clap::Args)]
pub struct Arguments {
    /// What to list; everything when left out
    what: Option<What>,
    /// Keep entries whose id contains all of these words
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Print a JSON array of objects, each with `kind` and `id`
    #[arg(long)]
    json: bool,
    /// Print the full text of each codec; otherwise a terminal gets one line, cut to its width
    #[arg(long)]
    long: bool,
    /// Codecs only: show which can carry this payload, and why the others can't
    #[arg(long, value_name = "PAYLOAD|DIR")]
    payload: Option<PayloadName>,
}

/// One entry of a list.
struct Entry {
    kind: &'static str,
    id: String,
    about: String,
    /// The entry for `--json`; absent if only its name is known.
    detail: Option<Listed>,
    /// Lines that are printed below it, indented.
    more: Vec<String>,
    /// A heading, printed when it differs from the previous entry's. Entries of a group take one line each.
    group: Option<String>,
}

impl Entry {
    fn new(kind: &'static str, id: String, about: String, detail: Listed) -> Self {
        Entry { kind, id, about, detail: Some(detail), more: Vec::new(), group: None }
    }
}

/// Prints the selected entries, or fails if no id contains the words.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let wanted = |what: What| arguments.what.is_none_or(|one| one == what);
    if arguments.payload.is_some() && arguments.what != Some(What::Codecs) {
        let told =
            "--payload selects codecs that carry a payload: write `wiredyno list codecs --payload PAYLOAD`";
        return Err(failure::wrong(anyhow!(told)));
    }
    let mut entries = Vec::new();
    if [What::Codecs, What::Compressions, What::Protocols, What::Payloads].into_iter().any(wanted) {
        let asked = failure::named(arguments.payload.as_ref().map(stock::payload).transpose())?;
        // Definitions are read only if the output says which codec carries what.
        let tells = (arguments.json && wanted(What::Payloads))
            || ((arguments.json || arguments.long) && wanted(What::Codecs));
        let payloads = match &asked {
            Some(payload) => vec![payload.clone()],
            None if tells => stock::all_payloads()?,
            None => Vec::new(),
        };
        let known = stock::known(&payloads)?;
        if wanted(What::Codecs) {
            entries.extend(codecs(&known, asked.as_ref().map(Payload::id))?);
        }
        if wanted(What::Compressions) {
            entries.extend(compressions(&known));
        }
        if wanted(What::Protocols) {
            entries.extend(protocols(&known));
        }
        if wanted(What::Payloads) {
            entries.extend(if arguments.json { payloads_of(&known) } else { folders()? });
        }
    }
    if wanted(What::Brokers) {
        entries.extend(installed_brokers()?);
    }
    if wanted(What::Runners) {
        entries.extend(runners()?);
    }
    if wanted(What::Languages) {
        entries.extend(languages());
    }
    if wanted(What::Links) {
        entries.extend(links()?);
    }
    if wanted(What::Studies) {
        entries.extend(studies()?);
    }
    entries.retain(|entry| arguments.words.iter().all(|word| entry.id.contains(word.as_str())));
    if entries.is_empty() && !arguments.words.is_empty() {
        bail!("no id contains {}: leave it out to see all ids", arguments.words.join(" and "));
    }
    print(&entries, arguments)?;
    Ok(exit::DONE)
}

fn print(entries: &[Entry], arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.json {
        let object = |entry: &Entry| {
            let mut object = serde_json::to_value(&entry.detail)?;
            // The first client of a protocol goes by the protocol's name alone.
            object["id"] = json!(entry.id);
            Ok(object)
        };
        let array = entries.iter().map(object).collect::<anyhow::Result<Vec<_>>>()?;
        outln!("{}", serde_json::to_string_pretty(&array)?);
        return Ok(());
    }
    let width = entries.iter().map(|entry| entry.id.len()).max().unwrap_or(0);
    // A pipe gets whole lines.
    let columns = terminal::columns().filter(|_| !arguments.long);
    let (mut kind, mut group) = ("", None);
    for entry in entries {
        if arguments.what.is_none() && entry.kind != kind {
            outln!("{}{}", if kind.is_empty() { "" } else { "\n" }, entry.kind);
        }
        kind = entry.kind;
        if entry.group != group {
            let gap = if group.is_some() { "\n" } else { "" };
            outln!("{gap}{}", entry.group.as_deref().unwrap_or_default());
            group = entry.group.clone();
        }
        let line = format!("{:<width$}  {}", entry.id, entry.about);
        match (&entry.group, columns) {
            (Some(_), Some(columns)) => outln!("  {}", cut(&line, columns.saturating_sub(2))),
            (Some(_), None) => outln!("  {line}"),
            (None, _) => outln!("{line}"),
        }
        for line in &entry.more {
            outln!("{:<width$}    {line}", "");
        }
    }
    Ok(())
}

/// A line cut to a number of columns, with an ellipsis.
fn cut(line: &str, columns: usize) -> String {
    if line.chars().count() <= columns {
        return line.to_owned();
    }
    let start: String = line.chars().take(columns.saturating_sub(1)).collect();
    format!("{}\u{2026}", start.trim_end())
}

/// Codecs by family and format; with a payload, those that carry it before those that don't.
fn codecs(description: &Known, payload: Option<&PayloadId>) -> anyhow::Result<Vec<Entry>> {
    let refusals = payload.map(|payload| not_carried(description, payload)).transpose()?;
    let families = Family::of_formats(&description.codecs);
    let family = |codec: &CodecDescription| families.get(codec.id.format.as_str()).copied();
    let refused = |codec: &CodecDescription| {
        refusals.and_then(|refusals| refusals.iter().find(|(id, _)| *id == codec.id))
    };
    let mut codecs: Vec<&CodecDescription> = description.codecs.iter().collect();
    codecs.sort_by_key(|codec| (refused(codec).is_some(), family(codec), codec.id.clone()));
    let entry = |codec: &CodecDescription| {
        let cannot: Vec<NotCarried> = description
            .payloads
            .iter()
            .flat_map(|payload| payload.not_carried.iter().map(move |(id, why)| (payload, id, why)))
            .filter(|(_, id, _)| **id == codec.id)
            .map(|(payload, _, why)| NotCarried { payload: payload.name.clone(), why: why.clone() })
            .collect();
        let mut about = format!("{}; {}", codec.library_text(), codec.about);
        if !cannot.is_empty() {
            let names: Vec<&str> = cannot.iter().map(|cannot| cannot.payload.as_str()).collect();
            about.push_str(&format!(" Not for: {}.", names.join(", ")));
        }
        let title = family(codec).map(Family::title).unwrap_or_default();
        let mut detail = ListedCodec {
            described: codec.clone(),
            family: family(codec),
            of_runner: codec.runner_name().to_owned(),
            not_carried: cannot,
            carries: None,
            why_not: None,
        };
        let mut group = title.to_owned();
        if let Some(payload) = payload {
            let why = refused(codec).map(|(_, why)| why.clone());
            detail.carries = Some(why.is_none());
            match &why {
                None => group = format!("carry {payload}: {title}"),
                Some(why) => (group, about) = (format!("can't carry {payload}"), why.clone()),
            }
            detail.why_not = Some(why);
        }
        let entry = Entry::new("codecs", codec.id.to_string(), about, Listed::Codecs(Box::new(detail)));
        Ok(Entry { group: Some(group), ..entry })
    };
    codecs.into_iter().map(entry).collect()
}

/// The codecs that can't carry a payload, with the reason. Sizes make no difference, so the payload needs none.
fn not_carried<'a>(description: &'a Known, payload: &PayloadId) -> anyhow::Result<&'a [(CodecId, String)]> {
    match description.payloads.iter().find(|known| known.name == payload.name) {
        Some(known) => Ok(&known.not_carried),
        None => match find_payload(description, payload) {
            Err(unknown) => Err(failure::wrong(anyhow!(unknown))),
            Ok(()) => Ok(&[]),
        },
    }
}

fn compressions(description: &Known) -> Vec<Entry> {
    let mut entries = Vec::new();
    for method in &description.compressions {
        let levels = match method.levels {
            Some([least, greatest]) => format!(" Levels {least} to {greatest}."),
            None => String::new(),
        };
        let about = format!("{} {}; {}{levels}", method.library, method.version, method.about);
        for id in &method.ids {
            let detail = ListedCompression { id: id.to_string(), described: method.clone() };
            let detail = Listed::Compressions(Box::new(detail));
            entries.push(Entry::new("compressions", id.to_string(), about.clone(), detail));
        }
    }
    entries
}

fn protocols(description: &Known) -> Vec<Entry> {
    let entry = |transport: &TransportDescription| {
        let protocol = &transport.id.protocol;
        let modes = transport.modes(&description.transports);
        let client = modes.first().and_then(|mode| mode.implementation.as_ref());
        let name = client.map_or_else(|| protocol.clone(), |_| transport.id.to_string());
        let modes: Vec<String> = modes.iter().map(ToString::to_string).collect();
        let securities: Vec<&str> = transport.securities.iter().map(|security| security.word()).collect();
        let secured = match &securities[..] {
            ["none"] => String::new(),
            words => format!("; security {}", words.join(", ")),
        };
        let about =
            format!("{} {}; modes {}{secured}", transport.library, transport.version, modes.join(", "));
        let transport_id = transport.id.clone();
        let detail = ListedProtocol { described: transport.clone(), transport: transport_id, modes };
        let mut more: Vec<String> = transport.options.iter().map(option).collect();
        if !more.is_empty() {
            more.insert(0, format!("options of a study, in [transport.{protocol}]:"));
        }
        Entry { more, ..Entry::new("protocols", name, about, Listed::Protocols(Box::new(detail))) }
    };
    description.transports.iter().map(entry).collect()
}

/// `ack_timeout = "2s"  a span of time from ...: what it does`.
fn option(option: &TransportOption) -> String {
    format!("{} = {}  ({}) {}", option.name, option.default, option.kind, option.about)
}

fn payloads_of(known: &Known) -> Vec<Entry> {
    let entry = |payload: &PayloadDescription| {
        let id = if payload.sized { format!("{}@SIZE", payload.name) } else { payload.name.clone() };
        let detail = ListedPayload { id: id.clone(), described: payload.clone() };
        Entry::new("payloads", id, payload.about.clone(), Listed::Payloads(Box::new(detail)))
    };
    known.payloads.iter().map(entry).collect()
}

/// Payloads from their folders alone, which is enough for lines.
fn folders() -> anyhow::Result<Vec<Entry>> {
    let entry = |folder: PayloadFolder| {
        let size = if folder.is_sized() { "@SIZE" } else { "" };
        let (id, about) = (format!("{}{size}", folder.name), folder.about());
        Entry { kind: "payloads", id, about, detail: None, more: Vec::new(), group: None }
    };
    Ok(stock::all_folders()?.into_iter().map(entry).collect())
}

fn installed_brokers() -> anyhow::Result<Vec<Entry>> {
    let cache = Cache::of_user()?;
    let entry = |folder: &BrokerFolder| {
        let broker = &folder.broker;
        let missing = folder.missing(&cache);
        // An installed broker that reports no version is not an error here.
        let version = missing.is_empty().then(|| folder.version(&cache).ok()).flatten();
        let state = match (&version, missing.first()) {
            (Some(version), _) => format!("installed, {version}"),
            (None, Some(first)) => format!("not installed: {}", first.remedy),
            (None, None) => "installed, but reports no version".to_owned(),
        };
        let data = if broker.data == DataPlace::Memory { "memory" } else { "disk" };
        let detail = ListedBroker {
            id: broker.id.clone(),
            about: Some(broker.about.clone()),
            protocols: broker.protocols.clone(),
            nodes: broker.nodes.clone(),
            securities: broker.securities().into_iter().collect(),
            knows_users: broker.knows_users(),
            lifetime: Some(broker.lifetime),
            data: Some(data.to_owned()),
            installed: version.is_some(),
            version,
            install: Some(folder.install_line()),
        };
        let nodes = match &broker.nodes[..] {
            [_] => String::new(),
            several => {
                let several: Vec<String> = several.iter().map(u32::to_string).collect();
                format!("; {} nodes", several.join(" or "))
            }
        };
        let about = format!("{} ({}){nodes}; {state}", broker.about, broker.protocols.join(", "));
        Entry::new("brokers", broker.id.clone(), about, Listed::Brokers(Box::new(detail)))
    };
    let mut entries: Vec<Entry> = wiredyno_brokers::all()?.iter().map(entry).collect();
    entries.push(no_broker()?);
    Ok(entries)
}

/// The entry for `peer`, which stands for no broker.
fn no_broker() -> anyhow::Result<Entry> {
    let known = stock::known(&[])?.brokers;
    let protocols = known.into_iter().find(|(name, _)| name == serving::PEER).map(|(_, protocols)| protocols);
    let protocols = protocols.unwrap_or_default();
    let what = "No broker: directly from the publisher to the subscriber, which listens itself";
    let about = format!("{what} ({}); a study has to name it", protocols.join(", "));
    let detail = ListedBroker {
        id: serving::PEER.to_owned(),
        about: Some(format!("{what}; a study has to name it")),
        protocols,
        nodes: Vec::new(),
        securities: Vec::new(),
        knows_users: false,
        lifetime: None,
        data: None,
        installed: true,
        version: None,
        install: None,
    };
    Ok(Entry::new("brokers", serving::PEER.to_owned(), about, Listed::Brokers(Box::new(detail))))
}

/// Runners: the composed one in Rust, and those of other languages.
fn runners() -> anyhow::Result<Vec<Entry>> {
    let rust = ComposedRunner::bundled()?;
    let (version, codecs) = (rust.language_version(), wiredyno_codec_registry::REGISTRY.len());
    let mut entries = vec![of_runner(RUST, (&rust.language, &rust.about), codecs, version, None)];
    for folder in wiredyno_languages::all()? {
        let declared = &folder.declared;
        let (version, codecs) = (folder.language_version(), declared.codecs.len());
        let words = (declared.language.as_str(), declared.about.as_str());
        entries.push(of_runner(&folder.name, words, codecs, version, folder.path.as_deref()));
    }
    Ok(entries)
}

fn of_runner(
    name: &str,
    (language, about): (&str, &str),
    codecs: usize,
    version: Result<String, RunnerFolderError>,
    folder: Option<&Path>,
) -> Entry {
    let state = match &version {
        Ok(version) => format!("{language} {version}"),
        Err(missing) => missing.to_string(),
    };
    let detail = ListedRunner {
        id: name.to_owned(),
        language: language.to_owned(),
        about: about.to_owned(),
        codecs,
        here: version.is_ok(),
        why_not: version.as_ref().err().map(ToString::to_string),
        version: version.ok(),
        folder: folder.map(Path::to_owned),
    };
    let about = format!("{about}; {}; {state}", count(codecs, "codec"));
    Entry::new("runners", name.to_owned(), about, Listed::Runners(detail))
}

/// Interface languages, for `wiredyno schema`.
fn languages() -> Vec<Entry> {
    let entry = |idl: &&dyn Idl| {
        let about = format!("{}; files end in .{}", idl.name(), idl.extension());
        let (id, name) = (idl.id().to_owned(), idl.name().to_owned());
        let detail = ListedLanguage { id: id.clone(), name, extension: idl.extension().to_owned() };
        Entry::new("languages", id, about, Listed::Languages(detail))
    };
    IDLS.iter().map(entry).collect()
}

/// Parses the text of a link.
pub fn link(found: &Found) -> anyhow::Result<LinkSpec> {
    let path = found.path.clone().unwrap_or_else(|| PathBuf::from(&found.name));
    Ok(LinkSpec::parse(&found.text, &path)?)
}

fn links() -> anyhow::Result<Vec<Entry>> {
    let entry = |id: String| {
        let link = link(&find(Kind::Link, &id)?)?;
        let mean_round_trip_ns = link.mean_round_trip().ns;
        let (about, source) = (link.about.clone(), link.source);
        let detail = ListedLink { id: id.clone(), about, source, mean_round_trip_ns };
        Ok(Entry::new("links", id, link.about, Listed::Links(detail)))
    };
    catalogue::list(Kind::Link).into_iter().map(entry).collect()
}

fn studies() -> anyhow::Result<Vec<Entry>> {
    let entry = |id: String| {
        let found = find(Kind::Study, &id)?;
        let study = Study::parse(&found.name, &found.text)?;
        let (why, axes) = (study.why.clone(), study.axes);
        let detail = ListedStudy { id: id.clone(), why, axes, text: found.text };
        Ok(Entry::new("studies", id, study.why, Listed::Studies(Box::new(detail))))
    };
    catalogue::list(Kind::Study).into_iter().map(entry).collect()
}
