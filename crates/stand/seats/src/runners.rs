//! The programs that serve as runners, composed for a definition or started from a folder, and the files of payloads that each is
//! given.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use wiredyno_build::CachedRunner;
use wiredyno_contract::{CodecId, CompressionId, LinkId, PayloadId, PayloadSource, TransportId};
use wiredyno_credentials::{Credentials, CredentialsError};
use wiredyno_languages::{ReadyRunner, RunnerFolder};
use wiredyno_link::host::address;
use wiredyno_link::spec::LinkSpec;
use wiredyno_model::Host;
use wiredyno_model::summary::PayloadBuild;
use wiredyno_payloads::{Payload, Place, SamplesFileError, Which, dictionary};
use wiredyno_process::scratch::Scratch;
use wiredyno_schema::idl;

use crate::runner_error::RunnerError;

/// A codec may need fewer bytes for a sample than Protobuf, by which training samples are counted: so this many times as much
/// is written.
const TRAINING_ROOM: usize = 4;

/// Why a payload's files can't be given to runners.
#[derive(Debug, thiserror::Error)]
pub enum HandOutError {
    /// Its samples can't be read or written.
    #[error(transparent)]
    Samples(#[from] SamplesFileError),
    /// A file for runners can't be written.
    #[error("{path}: {reason}; is there room for temporary files?")]
    Io {
        /// The file or folder for runners.
        path: PathBuf,
        /// The system's error for this path.
        reason: io::Error,
    },
}

/// Which of a payload's samples are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The most samples to write.
    pub samples: usize,
    /// Whether dictionaries are trained, on other samples than the measured ones.
    pub dictionary: bool,
}

/// The programs for each payload, and the files that they are given, which are deleted on drop.
#[derive(Debug)]
pub struct Runners {
    program: PathBuf,
    payloads: BTreeMap<PayloadId, HandedOut>,
    /// Deliberate extra work, by payload: see [`Injected`].
    burdens: BTreeMap<PayloadId, u32>,
    message_burdens_ns: BTreeMap<PayloadId, u64>,
    /// What each client adds to a program, if known.
    weights: BTreeMap<TransportId, u64>,
    credentials: Option<Arc<Credentials>>,
    desk: Scratch,
}

/// Deliberate differences that a self-test makes and looks for. A study has none.
#[derive(Debug, Clone, Default)]
pub struct Injected {
    /// Links that are not described by a file.
    pub links: BTreeMap<LinkId, LinkSpec>,
    /// Of a thousand calls that encode this payload, this many are made twice and counted once.
    pub burdens_per_mille: BTreeMap<PayloadId, u32>,
    /// The CPU time by which encoding each message of this payload is made longer in message trials, in nanoseconds.
    pub message_burdens_ns: BTreeMap<PayloadId, u64>,
}

/// The programs that serve one payload. Composed ones are kept from being deleted meanwhile.
#[derive(Debug, Clone, Default)]
pub struct Programs {
    /// The composed one, with all codecs and transports; `None` if no codec in Rust is used.
    pub composed: Option<CachedRunner>,
    /// Composed ones with one codec each, if a study requires them.
    pub alone: BTreeMap<CodecId, CachedRunner>,
    /// The runners of folders, each with its codecs in use.
    pub folders: Vec<FolderProgram>,
}

impl From<CachedRunner> for Programs {
    fn from(composed: CachedRunner) -> Self {
        Programs { composed: Some(composed), ..Programs::default() }
    }
}

/// A runner of a folder that can be started, with those of its codecs that are used.
#[derive(Debug, Clone)]
pub struct FolderProgram {
    ready: ReadyRunner,
    /// The language and its version.
    language: String,
    codecs: Vec<CodecId>,
}

impl FolderProgram {
    /// With those of these codecs that the folder has.
    pub fn new<'a>(
        folder: &RunnerFolder,
        ready: ReadyRunner,
        codecs: impl IntoIterator<Item = &'a CodecId>,
    ) -> Self {
        let has = |id: &&CodecId| folder.declared.codecs.iter().any(|codec| codec.id == **id);
        FolderProgram {
            language: format!("{} {}", folder.declared.language, ready.language_version),
            codecs: codecs.into_iter().filter(has).cloned().collect(),
            ready,
        }
    }
}

#[derive(Debug)]
struct HandedOut {
    programs: Programs,
    source: PayloadSource,
    /// The same with samples other than those on which a dictionary is trained.
    apart: Option<PayloadSource>,
    /// The composition of its runners.
    builds: Vec<PayloadBuild>,
}

impl Runners {
    /// For no payload yet; `program` is this one, which is also the lane worker.
    ///
    /// # Errors
    /// When no temporary folder can be created.
    pub fn of(program: PathBuf) -> Result<Self, HandOutError> {
        let at = |reason| HandOutError::Io { path: std::env::temp_dir(), reason };
        let desk = Scratch::new("payloads-").map_err(at)?;
        Ok(Runners {
            program,
            payloads: BTreeMap::new(),
            burdens: BTreeMap::new(),
            message_burdens_ns: BTreeMap::new(),
            weights: BTreeMap::new(),
            credentials: None,
            desk,
        })
    }

    /// Sets what each client adds to a program, in bytes.
    #[must_use]
    pub fn weighed(self, weights: BTreeMap<TransportId, u64>) -> Self {
        Runners { weights, ..self }
    }

    /// What a client adds to a program, in bytes; `None` if it was not weighed.
    pub fn implementation_bytes(&self, client: &TransportId) -> Option<u64> {
        self.weights.get(client).copied()
    }

    /// Sets deliberate extra work, by payload.
    #[must_use]
    pub fn burdened(self, injected: &Injected) -> Self {
        let Injected { burdens_per_mille, message_burdens_ns, .. } = injected.clone();
        Runners { burdens: burdens_per_mille, message_burdens_ns, ..self }
    }

    /// Creates the credentials with which servers and clients authenticate. Servers are at the addresses of lanes, on loopback, or at these.
    ///
    /// # Errors
    /// When they can't be created.
    pub fn secured(self, addresses: &[IpAddr]) -> Result<Self, CredentialsError> {
        let mut names: Vec<String> = Host::ALL.map(|host| address(host).to_string()).into();
        names.extend(addresses.iter().map(IpAddr::to_string));
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        names.extend(["localhost", "127.0.0.1"]);
        Ok(Runners { credentials: Some(Arc::new(Credentials::new(&names)?)), ..self })
    }

    /// The credentials with which servers and clients of the run authenticate; `None` if none are needed.
    pub fn credentials(&self) -> Option<&Arc<Credentials>> {
        self.credentials.as_ref()
    }

    /// Of a thousand calls that encode the payload, this many are made twice and counted once; 0 except in a self-test.
    pub fn burden_per_mille(&self, payload: &PayloadId) -> u32 {
        self.burdens.get(payload).copied().unwrap_or(0)
    }

    /// The CPU time by which encoding each message of the payload is made longer, in nanoseconds; 0 except in a self-test.
    pub fn message_burden_ns(&self, payload: &PayloadId) -> u64 {
        self.message_burdens_ns.get(payload).copied().unwrap_or(0)
    }

    /// Gives a payload to its runners: writes its samples.
    ///
    /// # Errors
    /// When samples are not valid, or a file can't be written.
    #[expect(
        clippy::too_many_lines,
        reason = "it writes the files of a payload, and the two sources, with and without a dictionary, refer to most of them"
    )]
    pub fn add(&mut self, payload: &Payload, programs: Programs, wanted: Wanted) -> Result<(), HandOutError> {
        let folder = self.desk.path().join(payload.id().to_string());
        let at = |path: &Path| {
            let path = path.to_owned();
            move |reason| HandOutError::Io { path, reason }
        };
        std::fs::create_dir_all(&folder).map_err(at(&folder))?;
        let descriptor_set = folder.join("definition.binpb");
        std::fs::write(&descriptor_set, &payload.definition().descriptor_set).map_err(at(&descriptor_set))?;
        let schemas = folder.join("schemas");
        let schemas = idl::write_all(payload.definition(), &schemas).map_err(at(&schemas))?;
        // Beside a dictionary all have the set, so that the same samples are measured with every compression.
        let which = if wanted.dictionary { Which::Set } else { Which::Distinct };
        let samples = payload.write_samples(&folder.join("samples"), Some(wanted.samples), which)?;
        let source = PayloadSource {
            name: payload.id().clone(),
            descriptor_set: descriptor_set.display().to_string(),
            definition: payload.definition_digest(),
            message: payload.definition().root().full_name.clone(),
            samples: samples.path.display().to_string(),
            samples_digest: samples.digest,
            training: None,
            sequence: payload.definition().sequence_name(),
            schemas,
        };
        let apart = match wanted.dictionary && payload.can_train().is_ok() {
            false => None,
            true => {
                let samples =
                    payload.write_samples(&folder.join("measured"), Some(wanted.samples), Which::Measured)?;
                let room = TRAINING_ROOM * dictionary::TRAINING_BYTES;
                let training =
                    payload.write_training(&folder.join("training"), dictionary::MOST_SAMPLES, room)?;
                Some(PayloadSource {
                    samples: samples.path.display().to_string(),
                    samples_digest: samples.digest,
                    training: Some(training.path.display().to_string()),
                    ..source.clone()
                })
            }
        };
        let build = |key: &str, language: Option<&str>, codecs: Vec<CodecId>| PayloadBuild {
            payload: payload.id().name.clone(),
            build: key.to_owned(),
            language: language.map(str::to_owned),
            codecs,
            folder: match &payload.folder().place {
                Place::Bundled => None,
                Place::Disk(path) => Some(path.display().to_string()),
            },
            definition: payload.folder().definition().to_owned(),
        };
        let composed = programs.composed.iter().map(|kept| &kept.composed);
        let composed = composed.map(|composed| {
            let codecs = composed.codecs.iter().filter_map(|codec| codec.parse().ok()).collect();
            build(&composed.key, None, codecs)
        });
        let alone =
            programs.alone.iter().map(|(codec, kept)| build(&kept.composed.key, None, vec![codec.clone()]));
        let folders =
            programs.folders.iter().map(|one| build(&one.ready.key, Some(&one.language), one.codecs.clone()));
        let builds = composed.chain(alone).chain(folders).collect();
        let handed_out = HandedOut { programs, source, apart, builds };
        self.payloads.insert(payload.id().clone(), handed_out);
        Ok(())
    }

    /// This program's path, which is also the lane worker.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The composition of the runners, payload by payload.
    pub fn builds(&self) -> impl Iterator<Item = &PayloadBuild> {
        self.payloads.values().flat_map(|handed_out| &handed_out.builds)
    }

    fn find(&self, payload: &PayloadId) -> Result<&HandedOut, RunnerError> {
        self.payloads.get(payload).ok_or_else(|| RunnerError::None { payload: payload.to_string() })
    }

    /// Starts the composed runner of a payload, which has the transports.
    ///
    /// # Errors
    /// When there is none.
    pub fn command_for(&self, payload: &PayloadId) -> Result<Command, RunnerError> {
        let composed = self.find(payload)?.programs.composed.as_ref();
        let none = || RunnerError::None { payload: payload.to_string() };
        Ok(Command::new(&composed.ok_or_else(none)?.program))
    }

    /// Starts the runner that measures this codec: that of a folder, or the one composed only of that codec, if there is one; else
    /// the payload's.
    ///
    /// # Errors
    /// When there is none.
    pub fn command_of(&self, payload: &PayloadId, codec: &CodecId) -> Result<Command, RunnerError> {
        match self.find(payload)?.programs.alone.get(codec) {
            Some(kept) => Ok(Command::new(&kept.program)),
            None => self.command_of_role(payload, codec),
        }
    }

    /// Starts the runner that publishes or subscribes to messages in this codec: that of the folder that has it, else the composed one.
    ///
    /// # Errors
    /// When there is none.
    pub fn command_of_role(&self, payload: &PayloadId, codec: &CodecId) -> Result<Command, RunnerError> {
        let folders = &self.find(payload)?.programs.folders;
        match folders.iter().find(|folder| folder.codecs.contains(codec)) {
            Some(folder) => Ok(folder.ready.command()),
            None => self.command_for(payload),
        }
    }

    /// The files of a payload that a runner is given, for a compression.
    ///
    /// # Errors
    /// When there are none.
    pub fn source(
        &self,
        payload: &PayloadId,
        compression: &CompressionId,
    ) -> Result<PayloadSource, RunnerError> {
        let handed_out = self.find(payload)?;
        let apart = handed_out.apart.as_ref().filter(|_| compression.dictionary);
        Ok(apart.unwrap_or(&handed_out.source).clone())
    }
}
