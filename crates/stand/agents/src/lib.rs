//! Agents: the program on other machines, which joins a coordinator.
//!
//! A [`Coordinator`] listens on one port, over TCP and UDP. An [`agent`] dials it, so that machines behind a NAT or a firewall can join. What is
//! known of a machine's clock comes from exchanges of four timestamps over both; `wiredyno_clocks` derives an offset with a bound from them.
//!
//! # Trust
//! - The coordinator makes an authority for the run, which ends with it. TLS 1.3 alone.
//! - An [`Invitation`] has the digest of the authority's certificate: an agent talks only to the coordinator that invited it.
//! - Its secret is accepted once, until it expires. In return the agent gets a certificate, with which it reconnects after its connection has broken.
//! - Datagrams have a MAC (HMAC-SHA-256, RFC 2104, truncated to 16 bytes) with a key that members get over TLS.
//! - Certificates are judged as of a fixed day, because a small computer without a battery does not know the date before it has asked.
//!
//! # Leases
//! A coordinator renews each agent's [`LEASE`] several times a second. An agent whose lease expires has lost its coordinator: it ends what it runs, and
//! tries to reconnect. A [`Member`] that does not answer in time is cut off.
//!
//! # Roles
//! The hosts of a study can be agents ([`Hosts`]): publishers, subscribers, relays and brokers run there, behind connections of their own, with the runner, its
//! libraries and the payload that the coordinator sends, within the [`Limits`] of the agent. The packets that they exchange are counted on their machines.
//!
//! # Limits
//! One thread for each agent, and one for each role.

pub mod agent;
mod clockwork;
mod coordinator;
mod datagram;
mod hosts;
mod invitation;
mod known;
mod messages;
mod opened;
mod pack;
mod role;
mod trust;
mod wire;

pub use clockwork::{ClockKnown, ClockLine, ClockPath, ClockView};
pub use coordinator::{
    Coordinator, CoordinatorError, Kept, Member, MemberState, Presence, ProbeError, Probed,
};
pub use hosts::Hosts;
pub use invitation::{INVITATION, Invitation, InvitationError};
pub use messages::{LEASE, PROTOCOL, TimeSync};
pub use pack::libraries;
pub use role::limits::Limits;
pub use trust::TrustError;
pub use wire::WireError;
