//! The two hosts, `edge` and `cloud`: network namespaces, each with loopback and one TUN device whose other end is the link. IPv6 is
//! off; the routes to the other host and to multicast groups lead into the link and determine TCP's congestion control.

mod entered;
mod netlink;
mod tun;

use std::fs::File;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;

use nix::sched::{CloneFlags, setns, unshare};

pub use entered::Entered;
pub(crate) use netlink::Netlink;
pub(crate) use tun::Tun;
pub use tun::tun_path;

/// Name of the TUN device on both hosts.
pub(crate) const DEVICE: &str = "wiredyno0";
/// Real-time priority of a link's process (1 to 99): above ordinary programs, below kernel threads at 50.
const REALTIME_PRIORITY: i32 = 20;

pub use wiredyno_model::Host;

/// A host's address on the link; the same in every lane, as lanes can't see each other.
pub fn address(host: Host) -> Ipv4Addr {
    match host {
        Host::Edge => Ipv4Addr::new(10, 77, 0, 1),
        Host::Cloud => Ipv4Addr::new(10, 77, 0, 2),
    }
}

/// A host as its owning process sees it: its namespace and the far end of its TUN.
#[derive(Debug)]
pub(crate) struct Keeper {
    pub(crate) namespace: File,
    pub(crate) tun: Tun,
    netlink: Netlink,
    device: u32,
}

impl Keeper {
    /// Creates a host and leaves the calling thread in it. Adds notes about settings that could not be made and may affect
    /// measurements.
    pub(crate) fn make(host: Host, notes: &mut Vec<String>) -> io::Result<Self> {
        unshare(CloneFlags::CLONE_NEWNET)?;
        let namespace = File::open("/proc/self/ns/net")?;
        // Otherwise cached metrics of one connection would shape the next, across trials.
        set_kernel_option("ipv4/tcp_no_metrics_save", notes);
        set_kernel_option("ipv6/conf/all/disable_ipv6", notes);
        set_kernel_option("ipv6/conf/default/disable_ipv6", notes);
        let tun = Tun::open(DEVICE)?;
        let device = nix::net::if_::if_nametoindex(DEVICE)?;
        let netlink = Netlink::open()?;
        netlink.up(nix::net::if_::if_nametoindex("lo")?)?;
        netlink.give_address(device, address(host))?;
        netlink.up(device)?;
        Ok(Self { namespace, tun, netlink, device })
    }

    /// Applies the link's settings for hosts. A host reaches only the other one and multicast groups: a name lookup fails at once,
    /// instead of sending packets over the link and waiting for seconds.
    pub(crate) fn configure(&self, host: Host, mtu_bytes: u16, congestion: &str) -> io::Result<()> {
        self.netlink.set_mtu(self.device, u32::from(mtu_bytes))?;
        let networks = [(address(host.other()), 32), (Ipv4Addr::new(224, 0, 0, 0), 4)];
        let mut routes = networks.into_iter();
        let set = |network| self.netlink.route(self.device, address(host), network, congestion);
        routes.try_for_each(set).map_err(|e| {
            let hint = format!(
                "TCP congestion control `{congestion}` on the route: {e}; \
                 /proc/sys/net/ipv4/tcp_available_congestion_control lists what this kernel has; `sudo \
                 modprobe tcp_{congestion}` may load it"
            );
            io::Error::new(e.kind(), hint)
        })
    }

    /// Packets that the TUN's queue has dropped since it was created.
    pub(crate) fn dropped_packets(&self) -> io::Result<u64> {
        self.netlink.dropped_packets(self.device)
    }
}

fn set_kernel_option(name: &str, notes: &mut Vec<String>) {
    let path = format!("/proc/sys/net/{name}");
    match std::fs::write(&path, "1") {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            notes.push(format!("{path} could not be set to 1 ({e})"));
        }
        _ => {}
    }
}

/// Gives the calling thread real-time priority (SCHED_FIFO, not inherited by children).
pub(crate) fn set_realtime() -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: REALTIME_PRIORITY };
    // SAFETY: the sched_param is valid and outlives the call.
    let done =
        unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &parameters) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A host of a lane, for starting processes on it. Cheap to clone; may safely outlive the lane.
#[derive(Debug, Clone)]
pub struct HostHandle {
    host: Host,
    namespace: Arc<OwnedFd>,
}

impl HostHandle {
    pub(crate) fn new(host: Host, namespace: OwnedFd) -> Self {
        Self { host, namespace: Arc::new(namespace) }
    }

    /// Which of the two hosts this is.
    pub fn host(&self) -> Host {
        self.host
    }

    /// The host's address on the link.
    pub fn address(&self) -> Ipv4Addr {
        address(self.host)
    }

    /// Makes a command run on this host: it enters the namespace between fork and exec.
    pub fn enter(&self, command: &mut Command) {
        let namespace = Arc::clone(&self.namespace);
        // SAFETY: between fork and exec only setns is called, a plain system call on an open descriptor.
        unsafe { command.pre_exec(move || Ok(setns(&*namespace, CloneFlags::CLONE_NEWNET)?)) };
    }

    /// Moves the calling thread to this host permanently: sockets that it creates from now on belong there. Other threads are
    /// unaffected.
    pub fn enter_thread(&self) -> io::Result<()> {
        Ok(setns(&*self.namespace, CloneFlags::CLONE_NEWNET)?)
    }

    /// The namespace's descriptor number, as in /proc/self/fd.
    pub fn namespace_fd(&self) -> i32 {
        self.namespace.as_raw_fd()
    }
}
