//! Cells: the combinations of a study's axes.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{CodecId, LinkId, ModeId, PayloadId};
use crate::study::Axes;
use crate::unit::Ratio;

/// One combination of the axes' values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The payload.
    pub payload: PayloadId,
    /// The codec.
    pub codec: CodecId,
    /// The mode.
    pub mode: ModeId,
    /// The link.
    pub link: LinkId,
    /// Loss per direction, 0..1; absent where the link's own applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Ratio>,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.payload, self.codec, self.mode, self.link)?;
        match self.loss {
            Some(loss) => write!(f, " loss {}%", loss.get() * 100.0),
            None => Ok(()),
        }
    }
}

/// A payload with a codec: what one codec trial measures.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct CodecCell {
    /// The payload.
    pub payload: PayloadId,
    /// The codec.
    pub codec: CodecId,
}

impl fmt::Display for CodecCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.payload, self.codec)
    }
}

impl Axes {
    /// All combinations, the last axis varying fastest.
    pub fn cells(&self) -> Vec<Cell> {
        let losses: Vec<Option<Ratio>> =
            if self.loss.is_empty() { vec![None] } else { self.loss.iter().copied().map(Some).collect() };
        let mut cells = Vec::new();
        for CodecCell { payload, codec } in self.codec_cells() {
            for mode in &self.mode {
                for link in &self.link {
                    // Loopback has no loss of ours: one cell whatever the loss axis says.
                    let losses = if link.is_loopback() { &[None][..] } else { &losses[..] };
                    cells.extend(losses.iter().map(|&loss| Cell {
                        payload: payload.clone(),
                        codec: codec.clone(),
                        mode: mode.clone(),
                        link: link.clone(),
                        loss,
                    }));
                }
            }
        }
        cells
    }

    /// All combinations of payload and codec.
    pub fn codec_cells(&self) -> Vec<CodecCell> {
        let pairs =
            self.payload.iter().flat_map(|payload| self.codec.iter().map(move |codec| (payload, codec)));
        pairs.map(|(payload, codec)| CodecCell { payload: payload.clone(), codec: codec.clone() }).collect()
    }
}
