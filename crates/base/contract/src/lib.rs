//! The contract between the orchestrator and its runners, and the types that both are compiled with.
//!
//! A runner is a program that reads one JSON object per line on its standard input and writes one per line on its standard output;
//! diagnostics go to standard error. [`operation`] has the requests, [`reply`] the replies, [`bulk`] the binary files for data too
//! large for a pipe ([`row_file`] while they grow), [`live`] the counters of a running role, [`samples`] the file of values, [`numbering`] the rule by which messages
//! differ. `docs/RUNNER.md` is the same contract in prose, for runners in other languages.
//!
//! What codecs and transports declare about themselves is here too: [`declared`] before they are
//! compiled, [`codec_description`] and [`transport_description`] as a runner states it, with [`capability`], [`option`], [`id`] and [`unit`].
//! Studies, cells, trials, metrics and summaries belong to the orchestrator alone and are in `crates/base/model`: changing them
//! recompiles no runner.

pub mod bulk;
pub mod capability;
pub mod codec_description;
pub mod declared;
pub mod declared_option;
pub mod handshake;
pub mod id;
pub mod live;
pub mod load;
pub mod membership;
pub mod native;
pub mod nearest;
pub mod need;
pub mod numbering;
pub mod operation;
pub mod option;
pub mod phase;
pub mod reply;
pub mod row_file;
pub mod samples;
pub mod security;
pub mod source;
pub mod terms;
pub mod transport_description;
pub mod unit;

pub use capability::Capability;
pub use codec_description::{CodecDescription, CompressionDescription, RUST};
pub use declared::{
    Addresses, DeclaredCodec, DeclaredTransport, LibraryVersion, OWN_LIBRARY, Objects, Scheme, SerdeStyle,
};
pub use declared_option::{Brings, DeclaredOption, TransportOptions, Words};
pub use handshake::{Handshake, TlsVersion};
pub use id::{BrokerId, CodecId, CompressionId, IdError, LinkId, ModeId, PayloadId, TransportId};
pub use load::{Arrivals, Clients, LoadKind};
pub use membership::{Membership, PartitionUse};
pub use native::{Language, Native, NativeObjects};
pub use nearest::nearest;
pub use need::{Need, NeedKind, NeedVersion};
pub use operation::{CONTRACT, Client, Operation, Publish, Request, Share, Start, Subscribe, topic_of};
pub use option::{OptionError, OptionKind, OptionTable, OptionValue, TransportOption, resolve};
pub use phase::{
    Allocations, BLIND_BYTES, Batch, Buffer, DictionaryUsed, FirstCalls, Missing, Phase, PhaseMeasurement,
    Settling,
};
pub use reply::{Answer, Description, Failure, Reply, Runner, Success};
pub use security::{Security, UnknownSecurity};
pub use source::{PayloadSource, RecordSource};
pub use terms::{CertificateFiles, DocumentFiles, Endpoint, LoginFile, PskFile, ServerTlsTerms, TlsTerms};
pub use transport_description::{BodyLimit, TransportDescription, TransportSetting, WireFormat};
pub use unit::{BitRate, Factor, MessageRate, QuantityError, Ratio, Span};
