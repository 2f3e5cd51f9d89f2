//! Where message values come from: files that any language can read, or a database.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::PayloadId;

/// A payload as passed to a runner: files, so that any language can read it and new samples need no rebuild.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayloadSource {
    /// Its name with its size, only for messages to people.
    pub name: PayloadId,
    /// The file with the encoded `google.protobuf.FileDescriptorSet`, custom options included.
    pub descriptor_set: String,
    /// Digest of that file, 32 hexadecimal digits (XXH3-128). A runner that was compiled for a definition refuses another.
    pub definition: String,
    /// The full name of the message type.
    pub message: String,
    /// The file with the samples, in the layout of [`crate::samples`].
    pub samples: String,
    /// Digest of that file, likewise.
    pub samples_digest: String,
    /// The file with samples to train a dictionary on, in the same layout; absent where none is trained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<String>,
    /// The path of the field that distinguishes messages, names joined by dots; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<String>,
    /// Files with the definition in other interface languages, as the program lowers it, keyed by the languages' ids (`avsc`).
    /// A language that can't express the definition is absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub schemas: BTreeMap<String, String>,
}

/// A table of records in a PostgreSQL database on this machine: columns `number` (bigint, from 0) and `value` (bytea, Protobuf bytes).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordSource {
    /// The folder of its Unix socket.
    pub socket: String,
    /// The number in the socket's name.
    pub port: u16,
    /// The user to connect as, without a password, to the database `postgres`.
    pub user: String,
    /// The name of the table.
    pub table: String,
}
