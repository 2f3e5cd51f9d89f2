//! What a trial gave: the account, what the roles used, what the link carried.

use wiredyno_model::Role;
use wiredyno_model::trial::{BrokerUsed, LinkProbe, LinkQuality, Receiving, Roles, SetUp, TrialRecord, Wire};
use wiredyno_process::socket::Socket;
use wiredyno_process::usage::{Look, Watch};

use crate::accounting::Account;
use crate::machine::CpuShare;
use crate::traffic;

/// The processes of a trial over its measured part.
pub(super) struct Watched {
    pub(super) publisher: Watch,
    pub(super) subscriber: Watch,
    pub(super) broker: Option<Watch>,
    /// The link's process and what it was like at the beginning.
    pub(super) link: Option<(u32, Look)>,
}

impl Watched {
    pub(super) fn sent(&mut self, first_ns: i64) -> std::io::Result<()> {
        self.publisher.sent(first_ns)?;
        self.subscriber.sent(first_ns)?;
        // One that has ended is told elsewhere.
        let _ = self.broker.as_mut().map(|watch| watch.sent(first_ns));
        Ok(())
    }

    /// What the roles used, and how long the link's process waited for a CPU. A broker that has ended used what can't be
    /// told any more.
    pub(super) fn end(&self, dropped: impl Fn(Role) -> u64) -> std::io::Result<(Roles, u64)> {
        let roles = Roles {
            publisher: self.publisher.end(dropped(Role::Publisher))?,
            subscriber: self.subscriber.end(dropped(Role::Subscriber))?,
            broker: self.broker.as_ref().and_then(|watch| watch.end(dropped(Role::Broker)).ok()),
        };
        let link_run_delay_ns = match &self.link {
            Some((pid, begin)) => Look::at(*pid)?.run_delay_since_ns(begin),
            None => 0,
        };
        Ok((roles, link_run_delay_ns))
    }
}

/// CPU time of the stand's own work in the roles, from their beginning.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StandWork {
    pub(super) publisher_ns: u64,
    pub(super) subscriber_ns: u64,
}

/// What a trial gave.
pub(super) struct Measured {
    pub(super) set_up: SetUp,
    pub(super) account: Account,
    /// What broke of what was tested.
    pub(super) broke: Option<String>,
    pub(super) roles: Roles,
    pub(super) sockets: (Vec<Socket>, Vec<Socket>),
    pub(super) broker: BrokerUsed,
    pub(super) counters: Option<wiredyno_link::accounting::LinkCounters>,
    /// Messages whose crossing of the link is known.
    pub(super) crossed: Option<u64>,
    pub(super) share: CpuShare,
    pub(super) measured_ns: u64,
    pub(super) publisher_cpu: Option<u32>,
    /// The end of the measured part, CLOCK_MONOTONIC.
    pub(super) drained_ns: i64,
    pub(super) link_run_delay_ns: u64,
    /// Before and after.
    pub(super) probes: (Option<LinkProbe>, Option<LinkProbe>),
}

impl Measured {
    /// Puts everything into the record.
    pub(super) fn fill(self, record: &mut TrialRecord) {
        record.failed = self.broke;
        record.broker = Some(self.broker);
        record.set_up = self.set_up;
        record.delivery = self.account.delivery;
        record.counted_only = self.account.counted_only;
        record.body_bytes = self.account.body_bytes;
        record.schedule = self.account.schedule;
        record.backlog = self.account.backlog;
        record.sending_ns = self.account.sending_ns;
        record.measured_ns = self.measured_ns;
        record.crossed = self.crossed;
        let since_first_ns = |at_ns: i64| (at_ns - self.account.first_intended_ns).max(0).unsigned_abs();
        record.receiving = self.account.last_received_ns.map(|last_ns| Receiving {
            last_ns: since_first_ns(last_ns),
            drained_ns: since_first_ns(self.drained_ns),
            body_bytes: self.account.delivered_body_bytes,
        });
        record.roles = self.roles;
        record.machine.publisher_cpu = self.publisher_cpu;
        record.machine.utilisation = self.share.utilisation;
        record.machine.steal = self.share.steal;
        if let Some(counters) = &self.counters {
            let own = |sockets: &[Socket]| -> Wire { traffic::of_sockets(counters, sockets) };
            record.wire = Some(traffic::by_phase(counters));
            record.publisher_wire = Some(own(&self.sockets.0));
            record.subscriber_wire = Some(own(&self.sockets.1));
            record.link = Some(LinkQuality {
                run_delay_ns: self.link_run_delay_ns,
                probe: self.probes.0,
                probe_after: self.probes.1,
                ..traffic::quality(counters)
            });
        }
    }
}
