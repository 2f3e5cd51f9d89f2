//! The runners that the trials of a plan need: found, built or prepared before the first trial.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use wiredyno_build::{BuildError, BuildStep, CacheError, CachedRunner, Composition, Weight, WeightError};
use wiredyno_contract::{Capability, CodecId, CompressionId, ModeId, PayloadId, RUST, TransportId};
use wiredyno_credentials::CredentialsError;
use wiredyno_languages::{ReadyRunner, RunnerFolder, SetUpError};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::{CodecCell, Known, Records, Study};
use wiredyno_payloads::Payload;
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::runner_error::RunnerError;
use wiredyno_seats::runners::{FolderProgram, HandOutError, Programs};
use wiredyno_seats::serving::{External, security_of, transport_for};
use wiredyno_store::StoreError;

use crate::meaning::Meaning;
use crate::plan::Plan;
use crate::stock::{self, Stock, StockError, VerifyError};

/// Why runners are not available, or can't get what they need.
#[derive(Debug, thiserror::Error)]
pub enum ProvideError {
    /// The stock of runners can't be read.
    #[error(transparent)]
    Stock(#[from] StockError),
    /// The cache of runners can't be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A runner can't be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A folder's runner can't be set up.
    #[error(transparent)]
    SetUp(#[from] SetUpError),
    /// A runner is not what it is expected to be.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// A runner's size can't be determined.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// A payload's files for runners can't be written.
    #[error(transparent)]
    HandOut(#[from] HandOutError),
    /// The run's credentials can't be created.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// A runner can't be started, or refuses its requests.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// The run folder is in use.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A runner was deleted between building and use.
    #[error("a runner that was just built is not in the cache")]
    Gone,
    /// A build gave another number of runners than requested.
    #[error("a build without a runner; please report this")]
    NoneBuilt,
    /// What was set up is not of the requested kind.
    #[error("not the runner that was requested; please report this")]
    NotOrdered,
}

impl Meaning for ProvideError {
    fn is_interruption(&self) -> bool {
        match self {
            ProvideError::Build(error) => error.is_interruption(),
            ProvideError::SetUp(error) => error.is_interruption(),
            ProvideError::Verify(error) => error.is_interruption(),
            ProvideError::Runner(error) => error.is_interruption(),
            _ => false,
        }
    }
}

/// The runners that are composed for a plan.
pub struct Compositions {
    /// One for each payload, with all that trials use.
    pub shared: Vec<(PayloadId, Composition)>,
    /// One for each codec cell whose trials have their own runner.
    pub alone: Vec<(CodecCell, Composition)>,
    /// If clients are weighed: a runner without any, and for each client one with only this one.
    pub weighed: Option<(Composition, Vec<(TransportId, Composition)>)>,
}

impl Compositions {
    /// Those that need a runner with exactly what they name.
    fn exact(&self) -> impl Iterator<Item = &Composition> {
        let alone = self.alone.iter().map(|(_, composition)| composition);
        let weighed = self.weighed.iter();
        alone.chain(weighed.flat_map(|(without, each)| {
            std::iter::once(without).chain(each.iter().map(|(_, composition)| composition))
        }))
    }

    /// All of them, each with whether it needs a runner with exactly what it names.
    pub fn all(&self) -> impl Iterator<Item = (&Composition, bool)> {
        let shared = self.shared.iter().map(|(_, composition)| (composition, false));
        shared.chain(self.exact().map(|composition| (composition, true)))
    }
}

/// A study's plan, as far as the runners depend on it.
#[derive(Clone, Copy)]
pub struct Needs<'a> {
    /// The study that is planned.
    pub study: &'a Study,
    /// The brokers, codecs and clients known here.
    pub known: &'a Known,
    /// The payloads of the study, read.
    pub payloads: &'a [Payload],
    /// The cells and trials that need runners.
    pub plan: &'a Plan,
    /// The brokers given by address, by protocol.
    pub external: &'a BTreeMap<String, External>,
}

impl<'a> Needs<'a> {
    /// The composed runners that are needed: one for each payload, with the study's codecs that carry it and the transports
    /// that are used; and if codec trials are to be alone, one more for each pair of payload and codec.
    pub fn compositions(&self) -> Compositions {
        let modes: BTreeSet<&ModeId> = self.plan.cells.iter().map(|cell| &cell.mode).collect();
        let by_mode: Vec<_> = modes.iter().filter_map(|mode| transport_for(self.known, mode)).collect();
        let used = self.known.transports.iter().filter(|t| by_mode.iter().any(|used| used.id == t.id));
        let transports = stock::protocols(used);
        let encrypted = self.external.iter().filter(|(_, broker)| broker.tls.is_some());
        let mut encrypted: BTreeSet<&str> = encrypted.map(|(protocol, _)| protocol.as_str()).collect();
        let secured = self.plan.cells.iter().filter(|cell| !security_of(cell, self.known).is_none());
        encrypted.extend(secured.map(|cell| cell.mode.protocol.as_str()));
        let reads = self.plan.cells.iter().any(|cell| cell.records == Some(Records::Postgresql));
        let (mut shared, mut alone) = (Vec::new(), Vec::new());
        for payload in self.payloads {
            let mut codecs = self.codecs_of(payload.id());
            codecs.retain(|codec| self.known.runner_of(codec) == RUST);
            if codecs.is_empty() && !self.relays(payload.id()) {
                continue;
            }
            let composition = Composition::new(payload, stock::declared(&codecs), transports.iter().copied());
            let composition = composition.encrypted(&encrypted).reading(reads);
            shared.push((payload.id().clone(), composition));
            for codec in codecs.iter().filter(|_| self.study.codec_trials.alone) {
                let cell = CodecCell {
                    payload: payload.id().clone(),
                    codec: codec.clone(),
                    compression: CompressionId::none(),
                };
                alone.push((cell, Composition::new(payload, stock::declared([codec]), []).alone()));
            }
        }
        let weighed = self.study.trials.weigh.then(|| {
            // Only transports that carry messages in our codecs: clients in other languages are not part of a composed runner.
            let used = transports.iter().filter(|_| !shared.is_empty());
            let each = used.map(|protocol| {
                let composition = Composition::without_codecs([*protocol]).alone();
                (protocol.describe().id, composition)
            });
            (Composition::without_codecs([]).alone(), each.collect())
        });
        Compositions { shared, alone, weighed }
    }

    /// Whether our own relay serves messages of a payload: it is a composed runner, whatever the runners of publishers and subscribers.
    fn relays(&self, payload: &PayloadId) -> bool {
        self.plan.cells.iter().any(|cell| {
            let client = transport_for(self.known, &cell.mode);
            let brokerless =
                client.is_some_and(|client| client.capabilities.contains(&Capability::Brokerless));
            cell.payload == *payload
                && brokerless
                && cell.broker.is_none()
                && !self.external.contains_key(&cell.mode.protocol)
        })
    }

    /// What each client adds to a program, in bytes; empty if clients are not weighed. The runners must exist.
    ///
    /// # Errors
    /// When a runner is missing or can't be weighed.
    pub fn weights(
        &self,
        stock: &Stock,
        sandbox: &Sandbox,
    ) -> Result<BTreeMap<TransportId, u64>, ProvideError> {
        let Some((without, each)) = self.compositions().weighed else { return Ok(BTreeMap::new()) };
        let weigh = |composition: &Composition| -> Result<Weight, ProvideError> {
            let kept = stock.find(composition, true)?.ok_or(ProvideError::Gone)?;
            Ok(Weight::of(&kept.program, &|command: &mut Command| sandbox.prepare(command))?)
        };
        let without = weigh(&without)?;
        each.into_iter().map(|(id, composition)| Ok((id, weigh(&composition)?.above(&without)))).collect()
    }

    /// The codecs used on a payload by trials.
    fn codecs_of(&self, payload: &PayloadId) -> BTreeSet<CodecId> {
        let messages = self.plan.cells.iter().map(|cell| (&cell.payload, &cell.codec));
        let codecs = self.plan.codec_trials.iter().map(|trial| (&trial.cell.payload, &trial.cell.codec));
        let of_payload = messages.chain(codecs).filter(|(of, _)| *of == payload);
        of_payload.map(|(_, codec)| codec.clone()).collect()
    }

    /// The folders of runners whose codecs trials use.
    ///
    /// # Errors
    /// When one is not valid.
    pub fn folders(&self) -> Result<Vec<RunnerFolder>, StockError> {
        let codecs = self.plan.codec_trials.iter().map(|trial| &trial.cell.codec);
        let messages = self.plan.cells.iter().map(|cell| &cell.codec);
        let mut names: BTreeSet<&str> =
            codecs.chain(messages).map(|codec| self.known.runner_of(codec)).collect();
        names.remove(RUST);
        names.into_iter().map(stock::folder).collect()
    }

    /// The runners whose environment has to be set up before the first trial.
    ///
    /// # Errors
    /// When a language is missing.
    pub fn to_make_ready(&self, stock: &Stock) -> Result<Vec<String>, ProvideError> {
        let mut names = Vec::new();
        for folder in self.folders()? {
            if !folder.has_environment(stock.cache())? {
                names.push(folder.name);
            }
        }
        Ok(names)
    }

    /// What has to be built before the first trial by folders that build for each definition: names of runner and payload.
    ///
    /// # Errors
    /// When a language is missing, or the cache can't be read.
    pub fn to_build(&self, stock: &Stock) -> Result<Vec<(String, PayloadId)>, ProvideError> {
        let mut pairs = Vec::new();
        for (payload, folder) in self.folders_by_payload()? {
            if folder.is_built() && !folder.is_ready(stock.cache(), payload)? {
                pairs.push((folder.name, payload.id().clone()));
            }
        }
        Ok(pairs)
    }

    /// What has to be compiled before the first trial.
    ///
    /// # Errors
    /// When the cache can't be read.
    pub fn missing(&self, stock: &Stock) -> Result<Vec<Composition>, CacheError> {
        let all = self.compositions();
        let shared: Vec<Composition> =
            all.shared.iter().map(|(_, composition)| composition.clone()).collect();
        let mut missing = stock.missing(&shared)?;
        for composition in all.exact() {
            if stock.find(composition, true)?.is_none() {
                missing.retain(|shared| !shared.is_same(composition));
                missing.push(composition.clone());
            }
        }
        Ok(missing)
    }

    /// Compiles what is missing, and keeps it from being deleted.
    ///
    /// # Errors
    /// When a runner can't be compiled as specified, or the user interrupts it.
    pub fn compile(
        &self,
        stock: &Stock,
        sandbox: &Sandbox,
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Vec<CachedRunner>, BuildError> {
        let missing = self.missing(stock)?;
        match &missing[..] {
            [] => Ok(Vec::new()),
            missing => stock.build(missing, sandbox, interrupt, tell),
        }
    }

    /// The programs for each payload that trials use: missing ones are built or set up first, and each is verified.
    /// All processes started for it end with this program.
    ///
    /// # Errors
    /// When a runner is not available or does not match its declaration, or the user interrupts it.
    pub fn provide(
        &self,
        stock: &Stock,
        sandbox: &Sandbox,
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Vec<(&'a Payload, Programs)>, ProvideError> {
        let ready = self.make_ready(stock, sandbox, interrupt, tell)?;
        // Kept from being deleted until they are found again below.
        let _built = self.compile(stock, sandbox, interrupt, tell)?;
        let Compositions { shared, alone, .. } = self.compositions();
        let found = |composition: &Composition, exactly: bool| -> Result<CachedRunner, ProvideError> {
            let kept = stock.find(composition, exactly)?.ok_or(ProvideError::Gone)?;
            stock::verify(&kept, composition, &|command: &mut Command| sandbox.prepare(command), interrupt)?;
            Ok(kept)
        };
        let mut provided = Vec::new();
        for payload in self.payloads {
            let codecs = self.codecs_of(payload.id());
            if codecs.is_empty() {
                continue;
            }
            let composed = shared.iter().find(|(of, _)| of == payload.id());
            let alone = alone.iter().filter(|(cell, _)| cell.payload == *payload.id());
            let alone = alone.map(|(cell, one)| Ok((cell.codec.clone(), found(one, true)?)));
            let programs = Programs {
                composed: composed.map(|(_, composition)| found(composition, false)).transpose()?,
                alone: alone.collect::<Result<_, ProvideError>>()?,
                folders: ready
                    .iter()
                    .filter(|(of, _, _)| *of == payload.id())
                    .map(|(_, folder, ready)| FolderProgram::new(folder, ready.clone(), &codecs))
                    .collect(),
            };
            provided.push((payload, programs));
        }
        Ok(provided)
    }

    /// The payloads with the folders of the runners whose codecs trials use on them.
    ///
    /// # Errors
    /// When a folder is not valid.
    fn folders_by_payload(&self) -> Result<Vec<(&'a Payload, RunnerFolder)>, StockError> {
        let folders = self.folders()?;
        let mut pairs = Vec::new();
        for payload in self.payloads {
            let codecs = self.codecs_of(payload.id());
            let uses = |folder: &&RunnerFolder| {
                codecs.iter().any(|codec| self.known.runner_of(codec) == folder.name)
            };
            pairs.extend(folders.iter().filter(uses).map(|folder| (payload, folder.clone())));
        }
        Ok(pairs)
    }

    /// Sets up the runners of folders for their payloads, and verifies their declarations.
    ///
    /// # Errors
    /// When one is not available or does not match its declaration, or the user interrupts it.
    pub fn make_ready(
        &self,
        stock: &Stock,
        sandbox: &Sandbox,
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Vec<(&'a PayloadId, RunnerFolder, ReadyRunner)>, ProvideError> {
        let mut made: Vec<(&PayloadId, RunnerFolder, ReadyRunner)> = Vec::new();
        for (payload, folder) in self.folders_by_payload()? {
            let ready = stock.make_ready(&folder, payload, sandbox, interrupt, tell)?;
            // A runner for all payloads is verified once.
            if !made.iter().any(|(_, _, other)| *other == ready) {
                stock::verify_folder(&ready, &folder, &|command| sandbox.prepare(command), interrupt)?;
            }
            made.push((payload.id(), folder, ready));
        }
        Ok(made)
    }
}
