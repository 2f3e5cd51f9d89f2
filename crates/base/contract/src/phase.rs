//! What a runner measures of a codec: phases, batches of calls, heap and stack.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A phase of a codec, or of the compression after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Domain value to the codec's own object.
    Build,
    /// Object to bytes.
    Encode,
    /// Bytes to fewer bytes, ideally.
    Compress,
    /// Back to the codec's bytes.
    Decompress,
    /// Bytes to object.
    Decode,
    /// Reads every field of the object.
    Read,
    /// A call that does nothing: the cost of the timed loop itself in the runner's language.
    Empty,
}

impl Phase {
    /// The four of every codec, in the order in which a message goes through them.
    pub const ALL: [Phase; 4] = [Phase::Build, Phase::Encode, Phase::Decode, Phase::Read];

    /// The two that compression adds.
    pub const COMPRESSION: [Phase; 2] = [Phase::Compress, Phase::Decompress];

    /// The word in files and reports.
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

/// Where a phase writes its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Buffer {
    /// A new buffer for each message, allocated inside the clock.
    Fresh,
    /// One buffer, cleared and reused. Phases that produce no bytes always report this.
    #[default]
    Reused,
}

/// One timed batch of a codec loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Batch {
    /// Wall time of the batch, with the timer's overhead subtracted.
    pub elapsed_ns: u64,
    /// Operations that the batch consists of.
    pub iterations: u64,
    /// CPU time of the measuring thread, user and system, with the cost of reading it subtracted; absent where
    /// the system does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Instructions retired in user mode by the measuring thread; absent where the kernel does not allow counting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// Collections of the runner's garbage collector during the batch; 0 where there is none, or it does not report it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub collections: u64,
    /// How long they took, as the collector reports it; part of the wall time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub collected_ns: u64,
    /// How long compilers of the runner's language worked during the batch, beside it or in it; 0 where there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub compiled_ns: u64,
}

/// Whether a number is left out.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How much longer a batch may take than its thread's CPU time, as a share of that time: beyond it the thread waited for a CPU.
/// A twentieth: in a batch of 2 ms, 100 us of another thread. What interrupts and reading the clocks take is far below, and a
/// codec that appears 5 % slower would be taken for a slower codec.
pub const DISTURBED_BEYOND: f64 = 0.05;

impl Batch {
    /// Wall time of one operation, in nanoseconds.
    pub fn ns_per_call(&self) -> f64 {
        self.elapsed_ns as f64 / self.iterations.max(1) as f64
    }

    /// Whether its thread waited for a CPU for more than [`DISTURBED_BEYOND`] of its CPU time; `None` where the system
    /// reports no CPU time, and where the runner's language collected or compiled meanwhile: its thread waited for that.
    pub fn is_disturbed(&self) -> Option<bool> {
        if self.collections > 0 || self.compiled_ns > 0 {
            return None;
        }
        let cpu_ns = self.cpu_ns? as f64;
        Some(self.elapsed_ns as f64 > cpu_ns * (1.0 + DISTURBED_BEYOND))
    }
}

/// Heap use of one operation, counted in a pass separate from timing; includes what C libraries allocate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Allocations {
    /// Allocations per operation: mean over the samples. Absent where the runner's language does not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<f64>,
    /// Bytes requested per operation: mean over the samples. Absent likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<f64>,
    /// Most bytes held at once by an operation beyond what it found: largest of the samples.
    pub peak_bytes: u64,
}

/// A figure that could not be measured, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Missing {
    /// `heap`, `allocations`, `stack`, `cpu`, `instructions`, or `time` of a loop that has not settled.
    pub what: String,
    /// The reason, and what to do about it.
    pub why: String,
}

/// How a loop got ready to be timed, in a language that compiles while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settling {
    /// Whether it had become steady, by the runner's test, before its batches began.
    pub settled: bool,
    /// How long it was called before them.
    pub took_ns: u64,
    /// How often it was called before them.
    pub calls: u64,
    /// How much its last readings varied: their standard deviation as a share of their mean. Absent where there were too few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variation: Option<f64>,
}

/// One phase of one codec trial, as one loop measured it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseMeasurement {
    /// The phase that was measured.
    pub phase: Phase,
    /// Where it wrote its bytes.
    pub buffer: Buffer,
    /// Timings of all batches, in order.
    pub batches: Vec<Batch>,
    /// The cost of one reading of the timer, already subtracted from the batches.
    pub timer_overhead_ns: f64,
    /// Heap use of one operation; absent with a reason in `missing`.
    pub allocations: Option<Allocations>,
    /// Deepest byte of stack that an operation wrote below the loop, the largest of the samples; absent with a
    /// reason in `missing`.
    pub stack_bytes: Option<u64>,
    /// What could not be measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
    /// How it settled before its batches; absent where the runner's language is compiled ahead, or not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settling: Option<Settling>,
}

impl PhaseMeasurement {
    /// Whether its times are those of a loop that was still changing: they are kept, and enter no figure.
    pub fn is_unsettled(&self) -> bool {
        self.settling.is_some_and(|settling| !settling.settled)
    }

    /// Share of the batches' time in which the runner's garbage collector worked, 0..1; `None` where nothing is known of one.
    pub fn collected_share(&self) -> Option<f64> {
        self.settling?;
        let sum = |of: fn(&Batch) -> u64| self.batches.iter().map(of).sum::<u64>();
        let elapsed_ns = sum(|batch| batch.elapsed_ns);
        (elapsed_ns > 0).then(|| (sum(|batch| batch.collected_ns) as f64 / elapsed_ns as f64).min(1.0))
    }

    /// Share of the batches, among those with a CPU time, that waited for a CPU, 0..1; `None` where none has one.
    pub fn disturbed_share(&self) -> Option<f64> {
        let judged: Vec<bool> = self.batches.iter().filter_map(Batch::is_disturbed).collect();
        let disturbed = judged.iter().filter(|disturbed| **disturbed).count();
        (!judged.is_empty()).then(|| disturbed as f64 / judged.len() as f64)
    }
}

/// The first calls of a codec in a process that has done nothing else: caches, lazily created tables and code pages
/// are cold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstCalls {
    /// Preparing what the codec keeps for a payload, such as parsed schemas.
    pub setup_ns: u64,
    /// The first `encode`, into a new buffer.
    pub encode_ns: u64,
    /// The first `decode`, of what was encoded.
    pub decode_ns: u64,
}

/// The dictionary that a compression used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DictionaryUsed {
    /// Its size; both sides hold it and no message carries it.
    pub bytes: u32,
    /// Samples that it was trained on; none of them is measured.
    pub training_samples: u32,
}

/// Stack use within this many bytes of the loop can't be resolved: painting and scanning need stack too.
pub const BLIND_BYTES: u64 = 512;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_disturbed_when_it_waited_for_more_than_a_twentieth() {
        let batch = |elapsed_ns, cpu_ns| Batch { elapsed_ns, iterations: 1, cpu_ns, ..Batch::default() };
        assert_eq!(batch(2_100_000, Some(2_000_000)).is_disturbed(), Some(false));
        assert_eq!(batch(2_100_001, Some(2_000_000)).is_disturbed(), Some(true));
        // The clocks are read one after the other, so they may differ slightly.
        assert_eq!(batch(1_999_000, Some(2_000_000)).is_disturbed(), Some(false));
        assert_eq!(batch(9_000_000, None).is_disturbed(), None);
        // Its thread waited for the collector, whose time is not the thread's.
        let collected = Batch { collections: 1, ..batch(9_000_000, Some(2_000_000)) };
        let compiled = Batch { compiled_ns: 1_000_000, ..batch(9_000_000, Some(2_000_000)) };
        assert_eq!((collected.is_disturbed(), compiled.is_disturbed()), (None, None));
    }

    #[test]
    fn the_collectors_share_is_of_all_batches_and_known_only_of_a_runner_that_settles() {
        let text = |settling: &str| {
            format!(
                r#"{{"phase":"encode","buffer":"reused","batches":[{{"elapsed_ns":3000,"iterations":1}},
                {{"elapsed_ns":1000,"iterations":1,"collections":2,"collected_ns":1000}}],"timer_overhead_ns":1.0,
                "allocations":null,"stack_bytes":null{settling}}}"#
            )
        };
        let read = |settling| serde_json::from_str::<PhaseMeasurement>(&text(settling)).unwrap();
        let unsettled = read(r#","settling":{"settled":false,"took_ns":1,"calls":2}"#);
        assert_eq!((unsettled.is_unsettled(), unsettled.collected_share()), (true, Some(0.25)));
        assert_eq!((read("").is_unsettled(), read("").collected_share()), (false, None));
        let again: PhaseMeasurement =
            serde_json::from_str(&serde_json::to_string(&unsettled).unwrap()).unwrap();
        assert_eq!(again, unsettled);
    }
}
