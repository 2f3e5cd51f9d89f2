//! The few rtnetlink requests that a host needs (rtnetlink(7)), without the `ip` program.

use std::io;
use std::net::Ipv4Addr;

use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_REPLACE, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::address::{AddressAttribute, AddressMessage};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteMetric, RouteProtocol, RouteScope,
    RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};

/// Packets that may wait in the TUN before the link reads them. The link reads as soon as it can; the queue only absorbs
/// bursts while the link is not scheduled, because excess packets are dropped silently.
const TUN_QUEUE_PACKETS: u32 = 10_000;

/// A netlink socket that belongs to the network namespace in which it was opened.
#[derive(Debug)]
pub(crate) struct Netlink(Socket);

impl Netlink {
    pub(crate) fn open() -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Self(socket))
    }

    /// Sends one request; returns the kernel's message, or `None` for a bare acknowledgement.
    fn request(&self, message: RouteNetlinkMessage, flags: u16) -> io::Result<Option<RouteNetlinkMessage>> {
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | flags;
        let mut packet = NetlinkMessage::new(header, NetlinkPayload::from(message));
        packet.finalize();
        let mut bytes = vec![0; packet.buffer_len()];
        packet.serialize(&mut bytes);
        self.0.send(&bytes, 0)?;
        let (answer, _) = self.0.recv_from_full()?;
        let answer = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&answer)
            .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.to_string()))?;
        match answer.payload {
            NetlinkPayload::Error(error) if error.code.is_some() => Err(error.to_io()),
            NetlinkPayload::InnerMessage(inner) => Ok(Some(inner)),
            _ => Ok(None),
        }
    }

    fn set_link(&self, message: LinkMessage) -> io::Result<()> {
        self.request(RouteNetlinkMessage::SetLink(message), NLM_F_ACK).map(drop)
    }

    /// Brings a device up, with our queue length.
    pub(crate) fn up(&self, device: u32) -> io::Result<()> {
        let mut message = LinkMessage::default();
        message.header.index = device;
        message.header.flags = LinkFlags::Up;
        message.header.change_mask = LinkFlags::Up;
        message.attributes.push(LinkAttribute::TxQueueLen(TUN_QUEUE_PACKETS));
        self.set_link(message)
    }

    pub(crate) fn set_mtu(&self, device: u32, mtu_bytes: u32) -> io::Result<()> {
        let mut message = LinkMessage::default();
        message.header.index = device;
        message.attributes.push(LinkAttribute::Mtu(mtu_bytes));
        self.set_link(message)
    }

    /// Gives a device its address, as a /32: reachability is defined by routes, which carry the congestion control.
    pub(crate) fn give_address(&self, device: u32, address: Ipv4Addr) -> io::Result<()> {
        let mut message = AddressMessage::default();
        message.header.family = AddressFamily::Inet;
        message.header.prefix_len = 32;
        message.header.index = device;
        message.attributes =
            vec![AddressAttribute::Address(address.into()), AddressAttribute::Local(address.into())];
        self.request(RouteNetlinkMessage::NewAddress(message), NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE)
            .map(drop)
    }

    /// Adds the route to a network, given by its first address and prefix length.
    pub(crate) fn route(
        &self,
        device: u32,
        source: Ipv4Addr,
        (network, prefix): (Ipv4Addr, u8),
        congestion: &str,
    ) -> io::Result<()> {
        let mut message = RouteMessage::default();
        message.header = RouteHeader {
            address_family: AddressFamily::Inet,
            destination_prefix_length: prefix,
            table: RouteHeader::RT_TABLE_MAIN,
            protocol: RouteProtocol::Static,
            scope: RouteScope::Link,
            kind: RouteType::Unicast,
            ..RouteHeader::default()
        };
        message.attributes = vec![
            RouteAttribute::Destination(RouteAddress::Inet(network)),
            RouteAttribute::Oif(device),
            RouteAttribute::PrefSource(RouteAddress::Inet(source)),
            RouteAttribute::Metrics(vec![RouteMetric::CcAlgo(congestion.to_owned())]),
        ];
        self.request(RouteNetlinkMessage::NewRoute(message), NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE)
            .map(drop)
    }

    /// The device to which the kernel's routes to an address lead.
    pub(crate) fn device_to(&self, address: Ipv4Addr) -> io::Result<u32> {
        let mut message = RouteMessage::default();
        message.header.address_family = AddressFamily::Inet;
        message.header.destination_prefix_length = 32;
        message.attributes = vec![RouteAttribute::Destination(RouteAddress::Inet(address))];
        let answer = self.request(RouteNetlinkMessage::GetRoute(message), 0)?;
        let device = |attribute| match attribute {
            RouteAttribute::Oif(device) => Some(device),
            _ => None,
        };
        let found = match answer {
            Some(RouteNetlinkMessage::NewRoute(route)) => route.attributes.into_iter().find_map(device),
            _ => None,
        };
        found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no route leads to {address}")))
    }

    /// Packets that a device's transmit side has dropped since it was created.
    pub(crate) fn dropped_packets(&self, device: u32) -> io::Result<u64> {
        let mut message = LinkMessage::default();
        message.header.index = device;
        let answer = self.request(RouteNetlinkMessage::GetLink(message), 0)?;
        if let Some(RouteNetlinkMessage::NewLink(link)) = answer {
            for attribute in link.attributes {
                if let LinkAttribute::Stats64(stats) = attribute {
                    return Ok(stats.tx_dropped);
                }
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "the kernel named no statistics for the TUN device"))
    }
}
