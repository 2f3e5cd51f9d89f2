//! What a runner measures of a codec: phases, batches of calls, heap and stack.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A phase of a codec, or of the compression behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Domain value to the codec's own object.
    Build,
    /// Object to bytes.
    Encode,
    /// Bytes to fewer bytes, it is hoped.
    Compress,
    /// Back to the codec's bytes.
    Decompress,
    /// Bytes to object.
    Decode,
    /// Touch every field of the object.
    Read,
    /// A call that does nothing: what the timed loop itself costs in the runner's language.
    Empty,
}

impl Phase {
    /// The four of every codec, in the order in which a message goes through them.
    pub const ALL: [Phase; 4] = [Phase::Build, Phase::Encode, Phase::Decode, Phase::Read];

    /// The two that compression adds.
    pub const COMPRESSION: [Phase; 2] = [Phase::Compress, Phase::Decompress];

    /// The word used in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Build => "build",
            Phase::Encode => "encode",
            Phase::Compress => "compress",
            Phase::Decompress => "decompress",
            Phase::Decode => "decode",
            Phase::Read => "read",
            Phase::Empty => "empty",
        }
    }
}

/// Where a phase writes its bytes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Buffer {
    /// A buffer of its own for each message, allocated inside the clock.
    Fresh,
    /// One buffer, emptied and used again. Phases that make no bytes always say this.
    #[default]
    Reused,
}

/// One timed batch of a codec loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Batch {
    /// Time of the batch with the timer's overhead taken off.
    pub elapsed_ns: u64,
    /// Operations in it.
    pub iterations: u64,
    /// CPU time of the measuring thread, user and system, with the cost of reading it taken off; absent where
    /// the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Instructions retired in user mode by the measuring thread; absent where the kernel does not allow it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
}

/// How much longer a batch may take than the CPU time that its thread had, as a share of the latter: beyond it the thread waited
/// for a CPU. A twentieth: in a batch of 2 ms another thread's 100 us. What interrupts and the reading of the clocks take
/// is far below, and a codec that is 5 % slower would be read as a property of it.
pub const DISTURBED_BEYOND: f64 = 0.05;

impl Batch {
    /// Wall time of one operation.
    pub fn ns_per_call(&self) -> f64 {
        self.elapsed_ns as f64 / self.iterations.max(1) as f64
    }

    /// Whether its thread waited for a CPU for more than [`DISTURBED_BEYOND`] of its CPU time; `None` where the system
    /// tells no CPU time.
    pub fn is_disturbed(&self) -> Option<bool> {
        let cpu_ns = self.cpu_ns? as f64;
        Some(self.elapsed_ns as f64 > cpu_ns * (1.0 + DISTURBED_BEYOND))
    }
}

/// Heap use of one operation, counted in a pass apart from timing; what C libraries allocate is inside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Allocations {
    /// Allocations per operation: mean over the samples. Absent where the runner's language does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<f64>,
    /// Bytes asked for per operation: mean over the samples. Absent likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<f64>,
    /// Most bytes held at once by an operation beyond what it found: largest of the samples.
    pub peak_bytes: u64,
}

/// A figure that could not be had, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Missing {
    /// `heap`, `allocations`, `stack`, `cpu` or `instructions`.
    pub what: String,
    /// Why, and what to do.
    pub why: String,
}

/// One phase of one codec trial, as one loop measured it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseMeasurement {
    /// The phase.
    pub phase: Phase,
    /// Where it wrote its bytes to.
    pub buffer: Buffer,
    /// Raw timings.
    pub batches: Vec<Batch>,
    /// What one reading of the timer costs, already taken off the batches.
    pub timer_overhead_ns: f64,
    /// Heap use of one operation; absent with a reason in `missing`.
    pub allocations: Option<Allocations>,
    /// Deepest byte that an operation wrote below the loop on the stack, the largest of the samples; absent with
    /// a reason in `missing`.
    pub stack_bytes: Option<u64>,
    /// What could not be measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
}

impl PhaseMeasurement {
    /// Share of the batches that waited for a CPU, 0..1, of those with a CPU time; `None` where none has.
    pub fn disturbed_share(&self) -> Option<f64> {
        let judged: Vec<bool> = self.batches.iter().filter_map(Batch::is_disturbed).collect();
        let disturbed = judged.iter().filter(|disturbed| **disturbed).count();
        (!judged.is_empty()).then(|| disturbed as f64 / judged.len() as f64)
    }
}

/// The first calls of a codec in a process that has done nothing else: caches, lazily made tables and pages of code
/// are cold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstCalls {
    /// Making what lives as long as codec and payload go together: parsed schemas.
    pub setup_ns: u64,
    /// The first `encode`.
    pub encode_ns: u64,
    /// The first `decode`.
    pub decode_ns: u64,
}

/// The dictionary of a compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DictionaryUsed {
    /// Its size, which both sides hold and no message carries.
    pub bytes: u32,
    /// Samples that it was trained on, none of them measured.
    pub training_samples: u32,
}

/// What lies within so many bytes of the loop that counts stack can't be told apart: painting and looking need stack too.
pub const BLIND_BYTES: u64 = 512;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_disturbed_when_it_waited_for_more_than_a_twentieth() {
        let batch = |elapsed_ns, cpu_ns| Batch { elapsed_ns, iterations: 1, cpu_ns, instructions: None };
        assert_eq!(batch(2_100_000, Some(2_000_000)).is_disturbed(), Some(false));
        assert_eq!(batch(2_100_001, Some(2_000_000)).is_disturbed(), Some(true));
        // The clocks are read one after the other.
        assert_eq!(batch(1_999_000, Some(2_000_000)).is_disturbed(), Some(false));
        assert_eq!(batch(9_000_000, None).is_disturbed(), None);
    }
}
