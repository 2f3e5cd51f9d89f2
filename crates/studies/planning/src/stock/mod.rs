//! What is available: payloads by name, the descriptions of everything known without compiling, and the built runners.
//!
//! One file because what is listed, found and built must agree on the codecs of this machine.

mod verify;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

use wiredyno_brokers::BrokerFolderError;
use wiredyno_build::{BuildError, BuildStep, Cache, CacheError, CachedRunner, Composition, Pack, Workshop};
use wiredyno_contract::{
    CodecDescription, CodecId, DeclaredCodec, DeclaredTransport, RUST, TransportDescription,
};
use wiredyno_languages::{ReadyRunner, RunnerFolder, RunnerFolderError, SetUpError};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::{FileError, Known, Lack, PayloadDescription, Study};
use wiredyno_payloads::{
    FolderError, Payload, PayloadError, PayloadFolder, PayloadName, Place, bundled_names,
};
use wiredyno_schema::idl;
use wiredyno_seats::here::of_machine;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::serving::{PEER, peers};

use crate::source::StudySource;

pub use self::verify::{VerifyError, verify, verify_folder};

/// Why a payload, or the payloads of a study, are not available.
#[derive(Debug, thiserror::Error)]
pub enum StockError {
    /// The payload is unknown or not valid.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// The payload's folder can't be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The cache, which notes the names of folders, can't be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A setting of the study is not valid.
    #[error(transparent)]
    Study(#[from] FileError),
    /// The folder of a runner is not valid.
    #[error(transparent)]
    Runner(#[from] RunnerFolderError),
    /// The folder of a broker is not valid.
    #[error(transparent)]
    Broker(#[from] BrokerFolderError),
    /// Two runners declare the same codec.
    #[error(
        "the runner `{runner}` declares the codec `{codec}`, which the runner `{other}` already has: rename it, because a \
         codec belongs to one runner"
    )]
    Twice {
        /// Name of the runner that was read later.
        runner: String,
        /// The codec that both declare.
        codec: CodecId,
        /// Name of the runner that was read earlier.
        other: String,
    },
}

impl StockError {
    /// Whether nothing has the requested name, or what has it takes no such size: then the reference is wrong.
    pub fn names_nothing(&self) -> bool {
        match self {
            StockError::Payload(error) => error.names_nothing(),
            StockError::Runner(error) => matches!(error, RunnerFolderError::Unknown { .. }),
            _ => false,
        }
    }
}

/// Folders that were named in this process, by payload.
static NAMED: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());

/// Opens the payload with a name. A folder's name refers to that folder from then on, in this process.
///
/// # Errors
/// When there is none, or it can't be opened.
pub fn payload(name: &PayloadName) -> Result<Payload, StockError> {
    let id = match name {
        PayloadName::Folder(..) => {
            let payload = wiredyno_payloads::find(name)?;
            let folder = payload.folder();
            let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
            named.insert(folder.name.clone(), folder.path());
            return Ok(payload);
        }
        PayloadName::Id(id) => id,
    };
    let named = NAMED.lock().unwrap_or_else(PoisonError::into_inner).get(&id.name).cloned();
    if let Some(path) = named {
        return Ok(wiredyno_payloads::find(&PayloadName::Folder(path, id.size_bytes))?);
    }
    match wiredyno_payloads::find(name) {
        Err(PayloadError::Unknown { id: unknown, hint }) => {
            let noted = Cache::of_user().ok().map(|cache| cache.folder_of(&id.name)).transpose()?.flatten();
            let packed = || Pack::here().map(|pack| pack.root.join("payloads").join(&id.name));
            match noted.or_else(|| packed().filter(|folder| folder.is_dir())) {
                Some(path) => Ok(Payload::open(PayloadFolder::read(&path)?, id.size_bytes)?),
                None => Err(PayloadError::Unknown { id: unknown, hint }.into()),
            }
        }
        found => Ok(found?),
    }
}

/// Replaces a study's patterns, which match what comes with the program, by ids, and opens its payloads.
///
/// # Errors
/// With file and line when a pattern matches nothing, and when a payload is not available.
pub fn resolve(study: &mut Study, source: &StudySource) -> Result<Vec<Payload>, StockError> {
    let mut bundled: Vec<(&str, bool)> = Vec::new();
    if !study.axes.payload.patterns().is_empty() {
        for name in bundled_names() {
            let sized = PayloadFolder::bundled(name).is_some_and(|folder| folder.is_sized());
            bundled.push((name, sized));
        }
    }
    let resolved = study.resolve(&source.file, &source.text, &codecs()?.described, &bundled);
    resolved.map_err(|error| source.told(error))?;
    study.axes.payload.iter().map(|id| payload(&PayloadName::Id(id.clone()))).collect()
}

/// The codecs of all runners, and which of them are not available on this machine.
pub struct Codecs {
    pub(crate) described: Vec<CodecDescription>,
    unavailable: Vec<(CodecId, Lack)>,
}

/// The codecs of all runners.
///
/// # Errors
/// When the folder of a runner is not valid, or two runners declare the same codec.
pub fn codecs() -> Result<Codecs, StockError> {
    let mut codecs = Codecs {
        described: wiredyno_codec_registry::descriptions(),
        unavailable: not_compiled_here().to_vec(),
    };
    for folder in wiredyno_languages::all()? {
        let version = folder.language_version();
        for codec in folder.codecs(version.as_deref().unwrap_or("?")) {
            if let Some(other) = codecs.described.iter().find(|known| known.id == codec.id) {
                let other = other.runner_name().to_owned();
                return Err(StockError::Twice { runner: folder.name, codec: codec.id, other });
            }
            if let Err(missing) = &version {
                codecs.unavailable.push((codec.id.clone(), missing.lack()));
            }
            codecs.described.push(CodecDescription { runner: Some(folder.name.clone()), ..codec });
        }
    }
    Ok(codecs)
}

/// The folder of the runner with this name.
///
/// # Errors
/// When there is none, or one is not valid.
pub fn folder(name: &str) -> Result<RunnerFolder, StockError> {
    let found = wiredyno_languages::all()?.into_iter().find(|folder| folder.name == name);
    Ok(found.ok_or_else(|| RunnerFolderError::Unknown { name: name.to_owned() })?)
}

/// Everything that is known, with these payloads. Nothing is compiled or started for it, except that languages are asked for their
/// versions.
///
/// # Errors
/// When the folder of a runner is not valid.
pub fn known(payloads: &[Payload]) -> Result<Known, StockError> {
    let Codecs { described: codecs, unavailable } = codecs()?;
    let folders = wiredyno_languages::all()?;
    let mut described: Vec<PayloadDescription> = Vec::new();
    for payload in payloads {
        if !described.iter().any(|known| known.name == payload.id().name) {
            described.push(describe(payload, &folders, &unavailable));
        }
    }
    let compressions = wiredyno_compression::REGISTRY.iter();
    let transports = wiredyno_transport_registry::descriptions();
    let mut brokers: Vec<(String, Vec<String>)> = wiredyno_brokers::all()?
        .into_iter()
        .map(|folder| (folder.broker.id, folder.broker.protocols))
        .collect();
    brokers.push((PEER.to_owned(), peers(&transports)));
    let readers = folders.iter().filter(|folder| folder.declared.reads_records);
    let folder_readers = readers.map(|folder| folder.name.clone()).collect();
    let folders = folders.into_iter().map(|folder| (folder.name, folder.declared.transports));
    Ok(Known {
        folder_readers,
        folder_transports: folders.filter(|(_, transports)| !transports.is_empty()).collect(),
        codecs,
        compressions: compressions.filter_map(|method| method.description().ok()).collect(),
        transports,
        brokers,
        payloads: described,
    })
}

/// Describes a payload, with the codecs that can't carry it or are not available here.
fn describe(
    payload: &Payload,
    folders: &[RunnerFolder],
    unavailable: &[(CodecId, Lack)],
) -> PayloadDescription {
    let mut not_carried = wiredyno_dynamic::not_carried(payload.definition());
    not_carried.extend(not_lowered(payload, folders));
    let carries = |not_carried: &[(CodecId, String)], codec: &CodecId| {
        !not_carried.iter().any(|(known, _)| known == codec)
    };
    let mut lacking = unavailable.to_vec();
    lacking.retain(|(codec, _)| carries(&not_carried, codec));
    not_carried.extend(lacking.iter().map(|(codec, lack)| (codec.clone(), lack.to_string())));
    for (codec, why) in left_out(&payload.definition_digest()) {
        if carries(&not_carried, &codec) {
            not_carried.push((codec, why));
        }
    }
    let description = payload.description();
    PayloadDescription {
        name: description.name,
        sized: description.sized,
        about: description.about,
        definition: description.definition,
        samples: description.samples,
        distinct: description.distinct,
        not_carried,
        lacking,
        no_dictionary: description.no_dictionary,
    }
}

/// The codecs that were left out of a definition's runners, as noted in the user's cache, with the reason. Empty if there is no cache.
pub fn left_out(definition: &str) -> Vec<(CodecId, String)> {
    let noted = Cache::of_user().and_then(|cache| cache.left_out(definition)).unwrap_or_default();
    noted.into_iter().filter_map(|(codec, why)| Some((codec.parse().ok()?, why))).collect()
}

/// The codecs of runners that are built from the definition in a language that can't express it, with the reason.
fn not_lowered(payload: &Payload, folders: &[RunnerFolder]) -> Vec<(CodecId, String)> {
    let mut not_carried = Vec::new();
    for folder in folders {
        let schemas = folder.declared.definition.iter().flat_map(|build| &build.schemas);
        let mut languages = schemas.filter_map(|id| idl::find(id));
        let refusal = languages.find_map(|language| language.lower(payload.definition()).err());
        let Some(refusal) = refusal else { continue };
        let codecs = folder.declared.codecs.iter();
        not_carried.extend(codecs.map(|codec| (codec.id.clone(), refusal.to_string())));
    }
    not_carried
}

/// The codecs that can't be compiled here, with what the machine lacks and how to get it. Determined once in a process.
fn not_compiled_here() -> &'static [(CodecId, Lack)] {
    static UNAVAILABLE: LazyLock<Vec<(CodecId, Lack)>> = LazyLock::new(|| {
        // The output of a program is remembered until the program changes.
        let ask = |program: &Path| {
            let arguments = [wiredyno_needs::VERSION_ARGUMENT.to_owned()];
            wiredyno_build::ask(program, &arguments, wiredyno_needs::version_in).ok().flatten()
        };
        let lack = |codec: &&DeclaredCodec| {
            let lack = wiredyno_needs::lack_by(codec.needs, &ask)?;
            Some((codec.id.parse().ok()?, of_machine(lack)))
        };
        wiredyno_codec_registry::REGISTRY.iter().filter_map(lack).collect()
    });
    &UNAVAILABLE
}

/// The declarations of codecs, from their ids.
pub fn declared<'a>(codecs: impl IntoIterator<Item = &'a CodecId>) -> Vec<&'static DeclaredCodec> {
    codecs.into_iter().filter_map(wiredyno_codec_registry::find).collect()
}

/// The packages of transports, from their descriptions.
pub fn protocols<'a>(
    transports: impl IntoIterator<Item = &'a TransportDescription>,
) -> Vec<&'static DeclaredTransport> {
    transports.into_iter().filter_map(|transport| wiredyno_transport_registry::find(&transport.id)).collect()
}

/// A composition of those of these codecs that the composed runner has, without transports.
pub fn composition<'a>(
    payload: &Payload,
    codecs: impl IntoIterator<Item = &'a CodecDescription>,
) -> Composition {
    let composed = codecs.into_iter().filter(|codec| codec.runner_name() == RUST);
    Composition::new(payload, declared(composed.map(|codec| &codec.id)), [])
}

/// The runners in a cache, looked up and built by composition.
pub struct Stock {
    cache: Cache,
    compiler: String,
}

impl Stock {
    /// The stock in the user's cache.
    ///
    /// # Errors
    /// When the environment does not say where that is.
    pub fn of_user() -> Result<Self, CacheError> {
        Ok(Stock::at(Cache::of_user()?))
    }

    /// The stock in another cache.
    pub fn at(cache: Cache) -> Self {
        let compiler = cache.compiler();
        Stock { cache, compiler }
    }

    /// The cache in which they are kept.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Finds the runner that has everything requested, if one was built, and holds it; exactly that if `exactly`.
    ///
    /// # Errors
    /// When the cache can't be read.
    pub fn find(&self, composition: &Composition, exactly: bool) -> Result<Option<CachedRunner>, CacheError> {
        let found = if exactly {
            self.cache.find_exactly(composition, &self.compiler)?
        } else {
            self.cache.find(composition, &self.compiler)?
        };
        if let Some(kept) = &found {
            self.cache.touch(kept);
        }
        Ok(found)
    }

    /// The compositions without a runner, those of one definition merged.
    ///
    /// # Errors
    /// When the cache can't be read.
    pub fn missing(&self, compositions: &[Composition]) -> Result<Vec<Composition>, CacheError> {
        let mut missing: Vec<Composition> = Vec::new();
        for composition in compositions {
            if self.cache.find(composition, &self.compiler)?.is_some() {
                continue;
            }
            match missing.iter_mut().find(|other| other.definition() == composition.definition()) {
                Some(other) => *other = other.clone().and(composition),
                None => missing.push(composition.clone()),
            }
        }
        Ok(missing)
    }

    /// Deletes runners until the rest takes at most this many bytes, least recently used ones first. Returns those deleted.
    ///
    /// # Errors
    /// When a file can't be deleted.
    pub fn collect(&self, most_bytes: u64) -> Result<Vec<CachedRunner>, BuildError> {
        let workshop = Workshop { cache: &self.cache, prepare: &|_| {}, interrupted: &|| false };
        workshop.collect(most_bytes, &mut |_| {})
    }

    /// Builds runners in one go; existing ones are only built again if `again`. All processes started for
    /// it end with this program.
    ///
    /// # Errors
    /// When one can't be built, or the user interrupts it.
    pub fn build_or_again(
        &self,
        compositions: &[Composition],
        again: bool,
        sandbox: &Sandbox,
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Vec<CachedRunner>, BuildError> {
        let prepare = |command: &mut Command| sandbox.prepare(command);
        let interrupted = || interrupt.is_set();
        let workshop = Workshop { cache: &self.cache, prepare: &prepare, interrupted: &interrupted };
        if again { workshop.build_again(compositions, tell) } else { workshop.build(compositions, tell) }
    }

    /// Builds the missing runners in one go. All processes started for it end with this program.
    ///
    /// # Errors
    /// When one can't be built, or the user interrupts it.
    pub fn build(
        &self,
        compositions: &[Composition],
        sandbox: &Sandbox,
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Vec<CachedRunner>, BuildError> {
        self.build_or_again(compositions, false, sandbox, interrupt, tell)
    }

    /// Sets up the runner of a folder for a payload if necessary. All processes started for it end with this program.
    ///
    /// # Errors
    /// When its language or a library is not available, it can't be built for the definition, or the user interrupts it.
    pub fn make_ready(
        &self,
        folder: &RunnerFolder,
        payload: &Payload,
        sandbox: &Sandbox,
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<ReadyRunner, SetUpError> {
        let prepare = |command: &mut Command| sandbox.prepare(command);
        folder.make_ready(payload, &self.cache, &prepare, &|| interrupt.is_set(), tell)
    }

    /// The same, but builds again what is built for the definition.
    ///
    /// # Errors
    /// As [`Stock::make_ready`].
    pub fn make_again(
        &self,
        folder: &RunnerFolder,
        payload: &Payload,
        sandbox: &Sandbox,
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<ReadyRunner, SetUpError> {
        let prepare = |command: &mut Command| sandbox.prepare(command);
        let interrupted = || interrupt.is_set();
        let workshop = Workshop { cache: &self.cache, prepare: &prepare, interrupted: &interrupted };
        folder.build_again(payload, &workshop, tell)
    }
}

/// The folders that come with the program and those that were noted, for lists. No definition is read.
///
/// # Errors
/// When a note can't be read. A folder that is gone is left out.
pub fn all_folders() -> Result<Vec<PayloadFolder>, StockError> {
    let mut folders: Vec<PayloadFolder> = bundled_names().filter_map(PayloadFolder::bundled).collect();
    let noted = Cache::of_user().map(|cache| cache.names()).unwrap_or_else(|_| Ok(Vec::new()))?;
    for (name, path) in noted {
        if folders.iter().any(|folder| folder.name == name) {
            continue;
        }
        folders.extend(PayloadFolder::read(&path));
    }
    Ok(folders)
}

/// The payloads of these folders, opened. One whose definition is not valid is left out, unless it comes with the program.
///
/// # Errors
/// When one that comes with the program is not valid.
pub fn all_payloads() -> Result<Vec<Payload>, StockError> {
    let mut payloads = Vec::new();
    for folder in all_folders()? {
        let is_bundled = folder.place == Place::Bundled;
        match Payload::open(folder, None) {
            Err(error) if is_bundled => return Err(error.into()),
            opened => payloads.extend(opened),
        }
    }
    Ok(payloads)
}
