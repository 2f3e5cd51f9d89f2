//! The Rust runner: encodes, decodes, measures, publishes, subscribes and serves on request.
