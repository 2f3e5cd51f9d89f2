//! One file a format, one registry.
