//! A TUN device: packets that a host sends are read here, packets written here arrive at the host. Kernel
//! documentation: networking/tuntap.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

nix::ioctl_write_int!(tun_set_interface, b'T', 202);

/// An open TUN device, non-blocking, without packet information headers. It vanishes when closed.
#[derive(Debug)]
pub(crate) struct Tun(File);

impl Tun {
    /// Creates a device in the current network namespace.
    pub(crate) fn open(name: &str) -> io::Result<Self> {
        let file =
            OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(tun_path())?;
        let mut request = libc::ifreq {
            ifr_name: [0; libc::IFNAMSIZ],
            ifr_ifru: libc::__c_anonymous_ifr_ifru {
                ifru_flags: (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short,
            },
        };
        for (to, from) in request.ifr_name.iter_mut().zip(name.bytes().take(libc::IFNAMSIZ - 1)) {
            *to = from as libc::c_char;
        }
        // SAFETY: TUNSETIFF (if_tun.h: _IOW('T', 202, int)) takes a pointer to an ifreq, which outlives the call.
        unsafe { tun_set_interface(file.as_raw_fd(), (&raw mut request) as libc::c_ulong) }?;
        Ok(Self(file))
    }

    /// Reads one packet; `None` when there is none.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match (&self.0).read(buffer) {
            Ok(length) => Ok(Some(length)),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Hands one packet to the host.
    pub(crate) fn write(&self, packet: &[u8]) -> io::Result<()> {
        (&self.0).write(packet).map(drop)
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The device that creates TUNs: `WIREDYNO_TUN` or /dev/net/tun.
pub fn tun_path() -> PathBuf {
    std::env::var_os("WIREDYNO_TUN").unwrap_or_else(|| OsString::from("/dev/net/tun")).into()
}
