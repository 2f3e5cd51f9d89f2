//! How much a dictionary for a compression is trained on. Who deals samples and who trains must agree on it.

/// Samples to train on, at least.
pub const LEAST_SAMPLES: usize = 8;

/// Samples to train on, at most.
pub const MOST_SAMPLES: usize = 1_000;

/// No more samples are taken to train on once they have so many bytes as the codec encodes them.
pub const TRAINING_BYTES: usize = 4 << 20;
