//! One folder a protocol, one registry.
