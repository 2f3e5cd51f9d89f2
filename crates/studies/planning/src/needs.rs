//! What the trials of a plan need of runners: found, built or made ready before the first of them.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use wiredyno_build::{BuildError, CacheError, Composition, Kept, Step, Weight, WeightError};
use wiredyno_contract::{CodecId, CompressionId, ModeId, PayloadId, RUST, TransportId};
use wiredyno_credentials::CredentialsError;
use wiredyno_languages::{ReadyRunner, RunnerFolder, SetUpError};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::{CodecCell, Known, Records, Study};
use wiredyno_payloads::Payload;
use wiredyno_seats::runner::{Interrupt, RunnerError};
use wiredyno_seats::runners::{FolderProgram, HandOutError, Programs};
use wiredyno_seats::serving::{External, security_of, transport_for};
use wiredyno_store::StoreError;

use crate::meaning::Meaning;
use crate::plan::Plan;
use crate::stock::{self, Stock, StockError, VerifyError};

/// Why runners can't be had, or can't be handed what they need.
#[derive(Debug, thiserror::Error)]
pub enum ProvideError {
    /// What is at hand.
    #[error(transparent)]
    Stock(#[from] StockError),
    /// Where runners are kept.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// One can't be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// One of a folder can't be made ready.
    #[error(transparent)]
    SetUp(#[from] SetUpError),
    /// One is not what it shall be.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// One can't be weighed.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// What they are handed of payloads.
    #[error(transparent)]
    HandOut(#[from] HandOutError),
    /// What they prove who they are with.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// One can't be started.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// The run folder is taken.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Somebody deleted it in between.
    #[error("a runner that was just built is not in the cache")]
    Gone,
    /// A build gave another number of runners than were asked of it.
    #[error("a build without a runner; please report this")]
    NoneBuilt,
    /// What was made ready is not of the kind that was ordered.
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

/// Runners that are composed for a plan.
pub struct Compositions {
    /// One for each payload, with all that trials use.
    pub shared: Vec<(PayloadId, Composition)>,
    /// One for each codec cell whose trials have a runner of their own.
    pub alone: Vec<(CodecCell, Composition)>,
    /// Where clients are weighed, one without any, and one for each client that has just this.
    pub weighed: Option<(Composition, Vec<(TransportId, Composition)>)>,
}

impl Compositions {
    /// Those that only a runner serves that has just what they name.
    fn exact(&self) -> impl Iterator<Item = &Composition> {
        let alone = self.alone.iter().map(|(_, composition)| composition);
        let weighed = self.weighed.iter();
        alone.chain(weighed.flat_map(|(without, each)| {
            std::iter::once(without).chain(each.iter().map(|(_, composition)| composition))
        }))
    }

    /// All of them, each with whether it is one that only a runner serves that has just what it names.
    pub fn all(&self) -> impl Iterator<Item = (&Composition, bool)> {
        let shared = self.shared.iter().map(|(_, composition)| (composition, false));
        shared.chain(self.exact().map(|composition| (composition, true)))
    }
}

/// A study's plan, as far as runners hang on it.
#[derive(Clone, Copy)]
pub struct Needs<'a> {
    /// The study.
    pub study: &'a Study,
    /// What there is.
    pub known: &'a Known,
    /// The study's payloads.
    pub payloads: &'a [Payload],
    /// The trials.
    pub plan: &'a Plan,
    /// The brokers that are given by address, by protocol.
    pub external: &'a BTreeMap<String, External>,
}

impl<'a> Needs<'a> {
    /// The composed runners that are needed: one for each payload, with the study's codecs that carry it and the transports
    /// that are used; and where codec trials are to be alone, one more for each pair of payload and codec.
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
            if codecs.is_empty() {
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
            // Those that messages in codecs of ours go by: clients of other languages are no part of a composed runner.
            let used = transports.iter().filter(|_| !shared.is_empty());
            let each = used.map(|protocol| {
                let composition = Composition::without_codecs([*protocol]).alone();
                (protocol.describe().id, composition)
            });
            (Composition::without_codecs([]).alone(), each.collect())
        });
        Compositions { shared, alone, weighed }
    }

    /// What each client adds to a program, in bytes; empty where clients are not weighed. Of runners that are there.
    ///
    /// # Errors
    /// When a runner is not there or can't be weighed.
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

    /// The codecs that trials use on a payload.
    fn codecs_of(&self, payload: &PayloadId) -> BTreeSet<CodecId> {
        let messages = self.plan.cells.iter().map(|cell| (&cell.payload, &cell.codec));
        let codecs = self.plan.codec_trials.iter().map(|trial| (&trial.cell.payload, &trial.cell.codec));
        let of_payload = messages.chain(codecs).filter(|(of, _)| *of == payload);
        of_payload.map(|(_, codec)| codec.clone()).collect()
    }

    /// The runners' folders whose codecs trials use.
    ///
    /// # Errors
    /// When one is broken.
    pub fn folders(&self) -> Result<Vec<RunnerFolder>, StockError> {
        let codecs = self.plan.codec_trials.iter().map(|trial| &trial.cell.codec);
        let messages = self.plan.cells.iter().map(|cell| &cell.codec);
        let mut names: BTreeSet<&str> =
            codecs.chain(messages).map(|codec| self.known.runner_of(codec)).collect();
        names.remove(RUST);
        names.into_iter().map(stock::folder).collect()
    }

    /// The runners whose environment has to be made before the first trial.
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

    /// What has to be built before the first trial by folders that build for each definition: the runner's name with the payload's.
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

    /// Compiles what is missing, and holds it.
    ///
    /// # Errors
    /// When a runner can't be compiled as it shall be, or the user wants it to end.
    pub fn compile(
        &self,
        stock: &Stock,
        sandbox: &Sandbox,
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(Step),
    ) -> Result<Vec<Kept>, BuildError> {
        let missing = self.missing(stock)?;
        match &missing[..] {
            [] => Ok(Vec::new()),
            missing => stock.build(missing, sandbox, interrupt, tell),
        }
    }

    /// The programs for each payload that trials use: those that are missing are built or made ready first, and each is asked
    /// whether it is what it shall be. Whatever is started for it ends with this program.
    ///
    /// # Errors
    /// When a runner can't be had or says something else, or the user wants it to end.
    pub fn provide(
        &self,
        stock: &Stock,
        sandbox: &Sandbox,
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(Step),
    ) -> Result<Vec<(&'a Payload, Programs)>, ProvideError> {
        let ready = self.make_ready(stock, sandbox, interrupt, tell)?;
        // Held until they are found again below.
        let _built = self.compile(stock, sandbox, interrupt, tell)?;
        let Compositions { shared, alone, .. } = self.compositions();
        let found = |composition: &Composition, exactly: bool| -> Result<Kept, ProvideError> {
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
    /// When a folder is broken.
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

    /// Makes the runners of folders ready for their payloads, and asks them whether they are what they declare.
    ///
    /// # Errors
    /// When one can't be had or says something else, or the user wants it to end.
    pub fn make_ready(
        &self,
        stock: &Stock,
        sandbox: &Sandbox,
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(Step),
    ) -> Result<Vec<(&'a PayloadId, RunnerFolder, ReadyRunner)>, ProvideError> {
        let mut made: Vec<(&PayloadId, RunnerFolder, ReadyRunner)> = Vec::new();
        for (payload, folder) in self.folders_by_payload()? {
            let ready = stock.make_ready(&folder, payload, sandbox, interrupt, tell)?;
            // One that is for all payloads is asked once.
            if !made.iter().any(|(_, _, other)| *other == ready) {
                stock::verify_folder(&ready, &folder, &|command| sandbox.prepare(command), interrupt)?;
            }
            made.push((payload.id(), folder, ready));
        }
        Ok(made)
    }
}
