//! What the schema crate generates for the bundled payloads, one module per payload and codec.
