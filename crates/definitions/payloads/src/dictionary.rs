//! How much data a compression dictionary is trained on. The code that splits samples and the code that trains must agree on it.

/// The fewest samples that a dictionary is trained on.
pub const LEAST_SAMPLES: usize = 8;

/// The most samples that a dictionary is trained on.
pub const MOST_SAMPLES: usize = 1_000;

/// Training takes no further samples once those taken have this many bytes as the codec encodes them.
pub const TRAINING_BYTES: usize = 4 << 20;
