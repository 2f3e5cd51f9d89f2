//! A payload's runner outside any run: found, built or made ready, and handed the payload.

use std::path::PathBuf;

use anyhow::{Context, bail};
use wiredyno_build::{Composition, Kept, Step};
use wiredyno_contract::{CodecId, CompressionId, PayloadSource, RUST};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::Known;
use wiredyno_payloads::Payload;
use wiredyno_runners::{ReadyRunner, RunnerFolder};

use crate::plan::{cannot_compress, check_compression, find_payload, unknown_codec};
use crate::runner::{Interrupt, Runner};
use crate::runners::{FolderProgram, Programs, Runners, Wanted};
use crate::seat;
use crate::stock::{self, Stock};
use crate::study::Refused;

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
    /// [`Refused`] when there is no such codec or compression; when no runner can do that, or no single one.
    pub fn new(
        payload: &'a Payload,
        codecs: &[CodecId],
        compression: &'a CompressionId,
        samples: usize,
    ) -> anyhow::Result<Self> {
        let known = stock::known(std::slice::from_ref(payload))?;
        check(&known, payload, codecs, compression)?;
        let described: Vec<_> = known.codecs.iter().filter(|codec| codecs.contains(&codec.id)).collect();
        let mut runners: Vec<&str> = described.iter().map(|codec| codec.runner_name()).collect();
        runners.dedup();
        let origin = match runners[..] {
            [] | [RUST] => Origin::Composed(Box::new(stock::composition(payload, described))),
            [folder] => Origin::Folder(Box::new(stock::folder(folder)?)),
            _ => bail!("only one runner is possible here, but these codecs are of {}", runners.join(" and ")),
        };
        Ok(Order { payload, compression, samples, codecs: codecs.to_vec(), origin })
    }

    /// The runner, where it was built, with what is asked for, or made ready before.
    ///
    /// # Errors
    /// When the cache can't be read.
    pub fn find(&self, stock: &Stock) -> anyhow::Result<Option<Provided>> {
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
    ) -> anyhow::Result<Provided> {
        match &self.origin {
            Origin::Composed(composition) => {
                let built = stock.build(std::slice::from_ref(composition), sandbox, interrupt, tell)?;
                let kept =
                    built.into_iter().next().context("a build without a runner; please report this")?;
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
    ) -> anyhow::Result<Runners> {
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
            _ => bail!("not the runner that was requested; please report this"),
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
    ) -> anyhow::Result<Ready> {
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
) -> anyhow::Result<()> {
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
            bail!("{codec} can't carry {}: {why}", payload.id());
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
