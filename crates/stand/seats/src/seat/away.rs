//! Hosts on other machines.

use std::any::Any;
use std::io;
use std::net::IpAddr;
use std::process::Command;
use std::time::Duration;

use wiredyno_brokers::Secured;
use wiredyno_model::Host;

use super::clock::Moment;
use super::tap::{Tapping, Taps};
use super::{BrokerSeat, RunnerSeat, SeatFile};
use crate::interrupt::Interrupt;
use crate::managed::Managed;
use crate::runner_error::RunnerError;
use crate::server_error::ServerError;

/// The machines of a run, where not all of its hosts are this one.
pub trait Away: Sync {
    /// Whether a host is another machine, or several.
    fn has(&self, host: Host) -> bool;

    /// How many machines a host is.
    fn machines(&self, host: Host) -> u32;

    /// Starts a runner there; the runners of a host that is several machines take turns, by this number. The command names a program of this machine, which is sent to the other with what it needs.
    ///
    /// # Errors
    /// When that machine does not reconnect in time, or can't start it.
    fn seat(
        &self,
        role: &'static str,
        host: (Host, u32),
        command: &Command,
        interrupt: &Interrupt,
    ) -> Result<Box<dyn RunnerSeat>, RunnerError>;

    /// Starts a broker there, at an address of that machine. Its definition and jars are sent; its program has to be installed.
    ///
    /// # Errors
    /// When that machine does not reconnect in time, or can't start it.
    fn broker(
        &self,
        host: Host,
        managed: &Managed,
        at: (&str, Secured<'_>),
        interrupt: &Interrupt,
    ) -> Result<Box<dyn BrokerSeat>, ServerError>;

    /// The address at which the others reach a host, be it another machine or this one.
    ///
    /// # Errors
    /// When it is not known: that machine is not connected.
    fn address(&self, host: Host) -> io::Result<IpAddr>;

    /// A port of a host that is free now.
    ///
    /// # Errors
    /// When there is none, or that machine does not reconnect in time.
    fn free_port(&self, host: Host, interrupt: &Interrupt) -> io::Result<u16>;

    /// A gate with which a subscriber on one host opens that of a publisher on another, as long as what is returned beside it is kept.
    ///
    /// # Errors
    /// When one of the machines can't pass it on.
    fn gate(
        &self,
        of_publisher: (Host, &SeatFile),
        subscriber: Host,
        interrupt: &Interrupt,
    ) -> io::Result<(SeatFile, Box<dyn Any + Send>)>;

    /// Begins to count the packets of a trial between its machines.
    ///
    /// # Errors
    /// Why that is not possible, and what to do.
    fn tap(&self, tapping: Tapping<'_>, interrupt: &Interrupt) -> Result<Box<dyn Taps>, String>;

    /// Keeps a sentence for the notes of the run, once.
    fn note(&self, sentence: String);

    /// The sentences that were kept.
    fn notes(&self) -> Vec<String>;

    /// The longest round trip between the coordinator and its machines, as last known.
    fn round_trip(&self) -> Duration;

    /// Which machine has been lost since the trial began, and why; `None` if none was.
    fn gone(&self) -> Option<String>;

    /// How much earlier than here its runners have to be told about the first message, so that the last of that many is in time.
    fn lead(&self, runners: u32) -> Duration;

    /// A trial begins: what was settled about clocks is for an earlier one.
    fn begin(&self);

    /// From now on, all clocks are reported as they were from one moment to another.
    ///
    /// # Errors
    /// When a clock is not known, or can't be trusted.
    fn settle(&self, from: Moment, until: Moment) -> io::Result<()>;
}
