//! `none`: the bytes stay as the codec made them. There is no compressor, so nothing is measured either.

use wiredyno_contract::CompressionId;

use super::{BoundCompression, CompressionError, Dictionary, Method};

/// The id `none`, for which nothing is bound.
pub struct None;

impl Method for None {
    fn name(&self) -> &'static str {
        CompressionId::NONE
    }

    fn library(&self) -> (&'static str, &'static str) {
        ("wiredyno", env!("CARGO_PKG_VERSION"))
    }

    fn about(&self) -> &'static str {
        "The codec's bytes, unchanged."
    }

    fn ids(&self) -> &'static [&'static str] {
        &[CompressionId::NONE]
    }

    fn bind(
        &self,
        _: &CompressionId,
        _: Option<Dictionary>,
    ) -> Result<Option<Box<dyn BoundCompression>>, CompressionError> {
        Ok(Option::None)
    }
}
