//! Where a fleet was brought up. Only there does its port tell whether a run uses it, and only there do its agents look for their coordinator.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// A machine, and the network of it that a process has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whereabouts {
    /// The name of the machine, which a message can say.
    host: String,
    /// Its number in `/etc/machine-id`; empty if it has none.
    machine: String,
    /// The kernel's number for the time since the machine was started; empty if it does not say.
    boot: String,
    /// The namespace of the network, as the kernel names it; empty if it does not say.
    network: String,
}

impl Whereabouts {
    /// Where this process is.
    pub fn here() -> Self {
        let text = |path: &str| std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
        let host = nix::unistd::gethostname().map(|name| name.to_string_lossy().into_owned());
        let network = std::fs::read_link(Path::new("/proc/self/ns/net"));
        Whereabouts {
            host: host.unwrap_or_default(),
            machine: text("/etc/machine-id"),
            boot: text("/proc/sys/kernel/random/boot_id"),
            network: network.map(|name| name.display().to_string()).unwrap_or_default(),
        }
    }

    /// Why a fleet that was brought up here can't be used from `there`, and what to do; `None` if it can. A machine that was started again is still the same, although its namespaces have
    /// other numbers.
    pub fn fault(&self, there: &Self) -> Option<String> {
        let is_named_same = self.host == there.host && self.machine == there.machine;
        let is_same_boot = self.boot == there.boot && (!self.boot.is_empty() || is_named_same);
        match (is_same_boot, self.network == there.network) {
            (true, true) => None,
            (true, false) => Some(format!(
                "the fleet was brought up in another network of this machine ({}, and this is {}), as of a container: write the command there",
                self.network, there.network
            )),
            (false, _) if is_named_same => None,
            (false, _) => Some(format!(
                "the fleet was brought up on the machine {}, and this is {}: write the command there; from here it can't be seen whether a run uses the fleet",
                self.host, there.host
            )),
        }
    }

    #[cfg(test)]
    pub fn elsewhere() -> Self {
        Whereabouts {
            host: "login-2".into(),
            machine: "2".into(),
            boot: "b-2".into(),
            network: "net:[2]".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_machine_or_network_is_told_from_one_that_was_started_again() {
        let of = |host: &str, machine: &str, boot: &str, network: &str| Whereabouts {
            host: host.into(),
            machine: machine.into(),
            boot: boot.into(),
            network: network.into(),
        };
        let up = of("login-1", "m-1", "b-1", "net:[1]");
        assert_eq!(up.fault(&up), None);
        let other = up.fault(&of("login-2", "m-2", "b-2", "net:[1]")).unwrap();
        assert!(other.contains("on the machine login-1, and this is login-2"), "{other}");
        // Machines with the same image may have the same name, or the same number.
        assert!(up.fault(&of("login-1", "m-2", "b-2", "net:[1]")).is_some());
        assert!(up.fault(&of("login-2", "m-1", "b-2", "net:[1]")).is_some());
        assert!(up.fault(&of("login-1", "m-1", "b-1", "net:[2]")).unwrap().contains("another network"));
        assert_eq!(up.fault(&of("login-1", "m-1", "b-2", "net:[2]")), None);
        // A kernel that says nothing.
        let silent = of("login-1", "", "", "");
        assert_eq!(silent.fault(&silent), None);
        assert!(silent.fault(&of("login-2", "", "", "")).is_some());
        assert_eq!(Whereabouts::here().fault(&Whereabouts::here()), None);
    }
}
