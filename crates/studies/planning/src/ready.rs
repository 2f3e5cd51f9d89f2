//! A payload's runner outside any run: found, built or set up, and given the payload.

use std::path::PathBuf;

use wiredyno_build::{BuildStep, CachedRunner, Composition};
use wiredyno_contract::{CodecId, CompressionId, PayloadId, PayloadSource, RUST};
use wiredyno_languages::{ReadyRunner, RunnerFolder};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::Known;
use wiredyno_payloads::{Payload, PayloadError};
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::runner::Runner;
use wiredyno_seats::runners::{FolderProgram, Programs, Runners, Wanted};

use crate::meaning::Meaning;
use crate::needs::ProvideError;
use crate::plan::{cannot_compress, check_compression, find_payload, unknown_codec};
use crate::stock::{self, Stock, StockError};
use crate::study::Refused;

/// Why no runner can satisfy an order.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// The command line is wrong.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The codecs and runners known here can't be read.
    #[error(transparent)]
    Stock(#[from] StockError),
    /// A codec can't carry the payload.
    #[error("{codec} can't carry {payload}: {why}")]
    NotCarried {
        /// The codec that was requested.
        codec: Box<CodecId>,
        /// The payload that was requested.
        payload: PayloadId,
        /// Why not, in words.
        why: String,
    },
    /// No dictionary can be trained on its samples.
    #[error(transparent)]
    Dictionary(#[from] PayloadError),
    /// The codecs belong to several runners, but one has to have them all.
    #[error("only one runner is possible here, but these codecs belong to {}", .0.join(" and "))]
    Several(Vec<String>),
}

impl Meaning for OrderError {
    fn is_refusal(&self) -> bool {
        matches!(self, OrderError::Refused(_))
    }
}

/// What a runner must have, and the payload that it gets.
pub struct Order<'a> {
    payload: &'a Payload,
    compression: &'a CompressionId,
    samples: usize,
    codecs: Vec<CodecId>,
    origin: Origin,
}

/// Where the runner comes from.
enum Origin {
    Composed(Box<Composition>),
    Folder(Box<RunnerFolder>),
}

/// An existing runner program.
pub enum Provided {
    /// Built, and kept from being deleted.
    Composed(Box<CachedRunner>),
    /// Set up from a folder.
    Folder(Box<ReadyRunner>),
}

/// A runner that waits for requests; it ends with this program, whose pipe it reads.
pub struct Ready {
    /// The started process, on its seat.
    pub process: Runner,
    /// The payload's files that it is given.
    pub source: PayloadSource,
    _runners: Runners,
}

impl<'a> Order<'a> {
    /// An order for a runner with these codecs for a payload, with this many samples written.
    ///
    /// # Errors
    /// When there is no such codec or compression, or no single runner can do that.
    pub fn new(
        payload: &'a Payload,
        codecs: &[CodecId],
        compression: &'a CompressionId,
        samples: usize,
    ) -> Result<Self, OrderError> {
        let known = stock::known(std::slice::from_ref(payload))?;
        check(&known, payload, codecs, compression)?;
        let described: Vec<_> = known.codecs.iter().filter(|codec| codecs.contains(&codec.id)).collect();
        let mut runners: Vec<&str> = described.iter().map(|codec| codec.runner_name()).collect();
        runners.dedup();
        let origin = match runners[..] {
            [] | [RUST] => Origin::Composed(Box::new(stock::composition(payload, described))),
            [folder] => Origin::Folder(Box::new(stock::folder(folder)?)),
            ref several => {
                return Err(OrderError::Several(several.iter().map(|name| (*name).to_owned()).collect()));
            }
        };
        Ok(Order { payload, compression, samples, codecs: codecs.to_vec(), origin })
    }

    /// Finds the runner if it was built with everything requested, or set up, before.
    ///
    /// # Errors
    /// When the cache can't be read.
    pub fn find(&self, stock: &Stock) -> Result<Option<Provided>, ProvideError> {
        match &self.origin {
            Origin::Composed(composition) => {
                Ok(stock.find(composition, false)?.map(|kept| Provided::Composed(Box::new(kept))))
            }
            Origin::Folder(folder) => {
                if !folder.is_ready(stock.cache(), self.payload)? {
                    return Ok(None);
                }
                // Nothing is left to be started for it.
                let ready =
                    folder.make_ready(self.payload, stock.cache(), &|_| {}, &|| false, &mut |_| {})?;
                Ok(Some(Provided::Folder(Box::new(ready))))
            }
        }
    }

    /// Builds the runner or sets it up. All processes started for it end with this program.
    ///
    /// # Errors
    /// When that fails, or the user interrupts it.
    pub fn build(
        &self,
        stock: &Stock,
        sandbox: &Sandbox,
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Provided, ProvideError> {
        match &self.origin {
            Origin::Composed(composition) => {
                let built = stock.build(std::slice::from_ref(composition), sandbox, interrupt, tell)?;
                let kept = built.into_iter().next().ok_or(ProvideError::NoneBuilt)?;
                Ok(Provided::Composed(Box::new(kept)))
            }
            Origin::Folder(folder) => {
                let ready = stock.make_ready(folder, self.payload, sandbox, interrupt, tell)?;
                Ok(Provided::Folder(Box::new(ready)))
            }
        }
    }

    /// Verifies that the runner is what was ordered, and gives it the payload. `program` is this one.
    ///
    /// # Errors
    /// When it is not, or samples are not valid.
    pub fn provide(
        &self,
        provided: Provided,
        program: PathBuf,
        interrupt: &Interrupt,
    ) -> Result<Runners, ProvideError> {
        let programs = match (&self.origin, provided) {
            (Origin::Composed(composition), Provided::Composed(kept)) => {
                stock::verify(&kept, composition, &|_| {}, interrupt)?;
                Programs::from(*kept)
            }
            (Origin::Folder(folder), Provided::Folder(ready)) => {
                stock::verify_folder(&ready, folder, &|_| {}, interrupt)?;
                Programs {
                    folders: vec![FolderProgram::new(folder, *ready, &self.codecs)],
                    ..Programs::default()
                }
            }
            _ => return Err(ProvideError::NotOrdered),
        };
        let mut runners = Runners::of(program)?;
        let wanted = Wanted { samples: self.samples.max(1), dictionary: self.compression.dictionary };
        runners.add(self.payload, programs, wanted)?;
        Ok(runners)
    }

    /// Starts the runner; `role` is its name in errors.
    ///
    /// # Errors
    /// As [`Order::provide`], and when it can't be started.
    pub fn start(
        &self,
        role: &'static str,
        provided: Provided,
        program: PathBuf,
        interrupt: &Interrupt,
    ) -> Result<Ready, ProvideError> {
        let runners = self.provide(provided, program, interrupt)?;
        let command = match self.codecs.first() {
            Some(codec) => runners.command_of(self.payload.id(), codec)?,
            None => runners.command_for(self.payload.id())?,
        };
        let source = runners.source(self.payload.id(), self.compression)?;
        let process = Runner::spawn(role, command, interrupt)?;
        Ok(Ready { process, source, _runners: runners })
    }
}

/// Refuses what no runner can do.
fn check(
    known: &Known,
    payload: &Payload,
    codecs: &[CodecId],
    compression: &CompressionId,
) -> Result<(), OrderError> {
    find_payload(known, payload.id()).map_err(Refused)?;
    check_compression(known, compression).map_err(Refused)?;
    for codec in codecs {
        let Some(described) = known.codecs.iter().find(|described| described.id == *codec) else {
            return Err(Refused(unknown_codec(known, &codec.to_string())).into());
        };
        if let Some(why) = cannot_compress(described, compression) {
            return Err(Refused(format!("{codec}: {why}")).into());
        }
        let not_carried = known.payloads.iter().flat_map(|payload| &payload.not_carried);
        if let Some((_, why)) = not_carried.into_iter().find(|(id, _)| id == codec) {
            let (codec, payload) = (Box::new(codec.clone()), payload.id().clone());
            return Err(OrderError::NotCarried { codec, payload, why: why.clone() });
        }
    }
    if compression.dictionary {
        payload.can_train()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(payload: &str, codec: &str, compression: &str) -> String {
        let payload = stock::payload(&payload.parse().unwrap()).unwrap();
        let compression = compression.parse().unwrap();
        let order = Order::new(&payload, &[codec.parse().unwrap()], &compression, 1);
        order.err().map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn what_no_runner_can_do_is_refused_before_anything_is_built() {
        assert_eq!(refused("person", "json/serde-json", "none"), "");
        let error = refused("person", "json/serde-jsom", "none");
        assert!(error.contains("did you mean `json/serde-json`?"), "{error}");
        let error = refused("person", "json/serde-json", "zstd:99");
        assert!(error.contains("zstd"), "{error}");
        let error = refused("person", "json/orjson", "zstd:3");
        assert!(error.contains("the runner `python` compresses nothing"), "{error}");
        let error = refused("person", "raw/wiredyno", "none");
        assert!(error.starts_with("raw/wiredyno can't carry person: "), "{error}");
    }
}
