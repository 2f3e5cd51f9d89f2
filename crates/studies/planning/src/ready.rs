//! A payload's runner outside any run: found, built or made ready, and handed the payload.

use std::path::PathBuf;

use wiredyno_build::{Composition, Kept, Step};
use wiredyno_contract::{CodecId, CompressionId, PayloadId, PayloadSource, RUST};
use wiredyno_languages::{ReadyRunner, RunnerFolder};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::Known;
use wiredyno_payloads::{Payload, PayloadError};
use wiredyno_seats::runner::{Interrupt, Runner};
use wiredyno_seats::runners::{FolderProgram, Programs, Runners, Wanted};
use wiredyno_seats::seat;

use crate::meaning::Meaning;
use crate::needs::ProvideError;
use crate::plan::{cannot_compress, check_compression, find_payload, unknown_codec};
use crate::stock::{self, Stock, StockError};
use crate::study::Refused;

/// Why no runner can be ordered that does what is asked.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// What was written on the command line.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// What is at hand.
    #[error(transparent)]
    Stock(#[from] StockError),
    /// A codec that can't carry the payload.
    #[error("{codec} can't carry {payload}: {why}")]
    NotCarried {
        /// The codec.
        codec: Box<CodecId>,
        /// The payload.
        payload: PayloadId,
        /// Why not.
        why: String,
    },
    /// No dictionary can be trained on its samples.
    #[error(transparent)]
    Dictionary(#[from] PayloadError),
    /// Codecs of several runners, where one has to have them all.
    #[error("only one runner is possible here, but these codecs are of {}", .0.join(" and "))]
    Several(Vec<String>),
}

impl Meaning for OrderError {
    fn is_refusal(&self) -> bool {
        matches!(self, OrderError::Refused(_))
    }
}

/// What a runner shall have, and what it shall be handed.
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

/// A runner's program that is there.
pub enum Provided {
    /// Built, and held.
    Composed(Box<Kept>),
    /// Made ready from a folder.
    Folder(Box<ReadyRunner>),
}

/// A runner that waits for what is asked of it; it ends with this program, whose pipe it reads.
pub struct Ready {
    /// The process.
    pub process: Runner,
    /// What it is to be handed.
    pub source: PayloadSource,
    /// Keeps the files that it is handed.
    _runners: Runners,
}

impl<'a> Order<'a> {
    /// A runner that has these codecs over a payload, with so many samples laid out.
    ///
    /// # Errors
    /// When there is no such codec or compression, no runner can do that, or no single one.
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

    /// The runner, where it was built, with what is asked for, or made ready before.
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
                // There is nothing left to start for it.
                let ready =
                    folder.make_ready(self.payload, stock.cache(), &|_| {}, &|| false, &mut |_| {})?;
                Ok(Some(Provided::Folder(Box::new(ready))))
            }
        }
    }

    /// Builds the runner, or makes it ready. Whatever is started for it ends with this program.
    ///
    /// # Errors
    /// When that fails, or the user wants it to end.
    pub fn build(
        &self,
        stock: &Stock,
        sandbox: &Sandbox,
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(Step),
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

    /// Asks the runner whether it is what was ordered, and hands it the payload. `program` is this one.
    ///
    /// # Errors
    /// When it is another one, or samples are broken.
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

    /// Starts the runner; `role` is what errors call it.
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
        let process = seat::process::start(role, command, interrupt)?;
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
