//! A payload's runner outside any run: found or built, and handed the payload.

use std::path::PathBuf;

use anyhow::{Context, bail};
use wiredyno_build::{CacheError, Composition, Kept, Step};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_model::{CodecId, CompressionId, Known};
use wiredyno_payloads::Payload;
use wiredyno_runner_wire::PayloadSource;

use crate::plan::{check_compression, find_payload, unknown_codec};
use crate::runner::{Interrupt, RunnerProcess};
use crate::runners::{Runners, Wanted};
use crate::stock::{self, Stock};

/// What a runner shall have, and what it shall be handed.
pub struct Order<'a> {
    payload: &'a Payload,
    compression: &'a CompressionId,
    samples: usize,
    composition: Composition,
}

/// A runner that waits for what is asked of it; it ends with this program, whose pipe it reads.
pub struct Ready {
    /// The process.
    pub process: RunnerProcess,
    /// What it is to be handed.
    pub source: PayloadSource,
    /// Keeps the files that it is handed.
    _runners: Runners,
}

impl<'a> Order<'a> {
    /// A runner that has these codecs over a payload, with so many samples laid out.
    ///
    /// # Errors
    /// When no runner can do that.
    pub fn new(
        payload: &'a Payload,
        codecs: &[CodecId],
        compression: &'a CompressionId,
        samples: usize,
    ) -> anyhow::Result<Self> {
        let known = stock::known(std::slice::from_ref(payload));
        check(&known, payload, codecs, compression)?;
        let described = known.codecs.iter().filter(|codec| codecs.contains(&codec.id));
        let composition = stock::composition(payload, described);
        Ok(Order { payload, compression, samples, composition })
    }

    /// The runner, where one was built that has what is asked for.
    ///
    /// # Errors
    /// When the cache can't be read.
    pub fn find(&self, stock: &Stock) -> Result<Option<Kept>, CacheError> {
        stock.find(&self.composition, false)
    }

    /// Builds the runner. Whatever is started for it ends with this program.
    ///
    /// # Errors
    /// When it can't be built, or the user wants it to end.
    pub fn build(
        &self,
        stock: &Stock,
        sandbox: &Sandbox,
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(Step),
    ) -> anyhow::Result<Kept> {
        let built = stock.build(std::slice::from_ref(&self.composition), sandbox, interrupt, tell)?;
        built.into_iter().next().context("a build without a runner; please report this")
    }

    /// Asks the runner whether it is what was ordered, and hands it the payload. `own` is this program.
    ///
    /// # Errors
    /// When it is another one, or samples are broken.
    pub fn provide(&self, kept: &Kept, own: PathBuf, interrupt: &Interrupt) -> anyhow::Result<Runners> {
        stock::verify(kept, &self.composition, &|_| {}, interrupt)?;
        let mut runners = Runners::of(own)?;
        let wanted = Wanted { samples: self.samples.max(1), dictionary: self.compression.dictionary };
        runners.add(self.payload, kept, [], wanted)?;
        Ok(runners)
    }

    /// Starts the runner; `role` is what errors call it.
    ///
    /// # Errors
    /// As [`Order::provide`], and when it can't be started.
    pub fn start(
        &self,
        role: &'static str,
        kept: &Kept,
        own: PathBuf,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Ready> {
        let runners = self.provide(kept, own, interrupt)?;
        let command = runners.command_for(self.payload.id())?;
        let source = runners.source(self.payload.id(), self.compression)?;
        let process = RunnerProcess::start(role, command, interrupt)?;
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
    find_payload(known, payload.id()).map_err(anyhow::Error::msg)?;
    check_compression(known, compression).map_err(anyhow::Error::msg)?;
    for codec in codecs {
        if !known.codecs.iter().any(|described| described.id == *codec) {
            bail!("{}", unknown_codec(known, &codec.to_string()));
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
        let error = refused("person", "raw/wiredyno", "none");
        assert!(error.starts_with("raw/wiredyno can't carry person: "), "{error}");
    }
}
