//! All transports: one folder per protocol, a line for each in [`REGISTRY`].
//!
//! A protocol's folder is a separate package, `wiredyno-transport-<protocol>`, hyphens included, which exports
//! `TRANSPORT: &dyn wiredyno_transport::Transport`. Its `src/declared.rs` declares the transport's properties and needs no client library.
//! That file is compiled both there and here, so that the program knows all transports without compiling their libraries, and nothing is
//! declared twice; a runner compiles the packages that it is composed of.
//!
//! `addresses` in the declaration defines how its server's address is written, and `securities` how it encrypts, if it does: if encryption is
//! optional, the package has a cargo feature `tls`, without which it refuses to encrypt.
//!
//! The declaration also lists what it needs of the machine, in `needs`, or in `encrypts_with` if only its encryption does.
//!
//! A protocol may have several transports: a mode means the first of them, unless it names another (`dds/cyclonedds:reliable`). They share the
//! protocol's name, settings and options.
//!
//! Limits: one implementation per folder; a folder's file `declared.rs` may use only `wiredyno-contract`, `wiredyno-versions`, `wiredyno-dds`
//! and the standard library.

use wiredyno_contract::{DeclaredTransport, TransportDescription, TransportId};

/// Compiles the declarations in the folders of these protocols, and lists them in the given order.
macro_rules! registry {
    ($($protocol:ident: $declared:literal,)*) => {
        $(
            #[path = $declared]
            #[allow(dead_code, reason = "parts of a declaration are only used by its implementation")]
            mod $protocol;
        )*

        /// The declarations of every transport.
        pub static REGISTRY: &[&DeclaredTransport] = &[$(&$protocol::DECLARED),*];
    };
}

registry! {
    amqp_0_9_1: "../../../transports/amqp-0-9-1/src/declared.rs",
    amqp_1_0: "../../../transports/amqp-1-0/src/declared.rs",
    coap: "../../../transports/coap/src/declared.rs",
    dds: "../../../transports/dds/src/declared.rs",
    dds_cyclonedds: "../../../transports/dds-cyclonedds/src/declared.rs",
    kafka: "../../../transports/kafka/src/declared.rs",
    mqtt: "../../../transports/mqtt/src/declared.rs",
    mqtt5: "../../../transports/mqtt5/src/declared.rs",
    quic: "../../../transports/quic/src/declared.rs",
    tcp: "../../../transports/tcp/src/declared.rs",
    udp: "../../../transports/udp/src/declared.rs",
}

/// The transport with this id.
pub fn find(id: &TransportId) -> Option<&'static DeclaredTransport> {
    REGISTRY.iter().copied().find(|transport| transport.is(id))
}

/// The default transport of a protocol: its first in the registry.
pub fn of_protocol(protocol: &str) -> Option<&'static DeclaredTransport> {
    REGISTRY.iter().copied().find(|known| known.protocol == protocol)
}

/// What all transports declare, in registry order.
pub fn descriptions() -> Vec<TransportDescription> {
    REGISTRY.iter().map(|transport| transport.describe()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use wiredyno_contract::{Addresses, OptionTable, OptionValue, Scheme, TransportOption, resolve};

    use super::*;

    /// The first client of each protocol, whose options and addresses represent all of them.
    fn of_protocols() -> Vec<&'static DeclaredTransport> {
        let mut seen = BTreeSet::new();
        REGISTRY.iter().copied().filter(|known| seen.insert(known.protocol)).collect()
    }

    fn addresses() -> String {
        let scheme = |scheme: Option<Scheme>| {
            let words = scheme.iter().flat_map(|scheme| scheme.words).map(|word| format!("`{word}://`"));
            let parts: Vec<String> =
                words.chain(scheme.and_then(|scheme| scheme.port).map(|port| port.to_string())).collect();
            if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
        };
        let row = |known: &DeclaredTransport| {
            let Addresses { clear, tls } = known.addresses;
            format!("| `{}` | {} | {} |\n", known.protocol, scheme(Some(clear)), scheme(tls))
        };
        let rows: String = of_protocols().into_iter().map(row).collect();
        format!("| protocol | in the clear | with TLS |\n|---|---|---|\n{rows}")
    }

    fn options() -> String {
        let table = |known: &DeclaredTransport| {
            let options = known.describe().options;
            let row = |option: &TransportOption| {
                let TransportOption { name, kind, default, about, .. } = option;
                format!("| `{name}` | `{default}` | {kind} | {} |\n", about.replace('|', "\\|"))
            };
            let rows: String = options.iter().map(row).collect();
            let head = format!(
                "| option of `{}` | default | values | meaning |\n|---|---|---|---|\n",
                known.protocol
            );
            (!options.is_empty()).then(|| head + &rows)
        };
        of_protocols().into_iter().filter_map(table).collect::<Vec<_>>().join("\n")
    }

    /// A page with the text between two comments replaced.
    fn written_anew(page: &str, what: &str, table: &str) -> String {
        let (begin, end) = (format!("<!-- {what}:begin -->\n"), format!("<!-- {what}:end -->"));
        let (before, rest) = page.split_once(&begin).unwrap();
        let (_, after) = rest.split_once(&end).unwrap();
        format!("{before}{begin}\n{table}\n{end}{after}")
    }

    #[test]
    fn the_tables_of_options_and_addresses_in_the_docs_are_what_is_declared() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/FORMAT.md");
        let page = std::fs::read_to_string(path).unwrap();
        let anew = written_anew(&written_anew(&page, "options", &options()), "addresses", &addresses());
        if std::env::var_os("WIREDYNO_UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(path, anew).unwrap();
            return;
        }
        let differs = page.lines().zip(anew.lines()).find(|(old, new)| old != new);
        assert!(page == anew, "docs/FORMAT.md: run with WIREDYNO_UPDATE_SNAPSHOTS=1\n{differs:#?}");
    }

    #[test]
    fn every_folder_has_a_line_and_every_line_a_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transports");
        let mut packages = BTreeSet::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let manifest = entry.unwrap().path().join("Cargo.toml");
            if let Ok(text) = std::fs::read_to_string(&manifest) {
                let name = text.lines().find_map(|line| line.strip_prefix("name = "));
                packages.insert(name.unwrap().trim_matches('"').to_owned());
            }
        }
        let registered: BTreeSet<String> =
            REGISTRY.iter().map(|transport| transport.package.to_owned()).collect();
        assert_eq!(registered, packages);
    }

    #[test]
    fn ids_are_unique_versions_are_stated_capabilities_are_sorted() {
        let mut ids = BTreeSet::new();
        for description in descriptions() {
            let id = description.id.to_string();
            assert!(ids.insert(id.clone()), "{id} occurs twice in the registry");
            assert_eq!(id.parse(), Ok(description.id.clone()));
            assert!(description.version.starts_with(|c: char| c.is_ascii_digit()), "{id}");
            assert!(!description.received_at.is_empty() && !description.sent_at.is_empty(), "{id}");
            assert!(description.capabilities.is_sorted(), "{id}");
            assert!(description.settings.iter().all(|s| s.capabilities.is_sorted()), "{id}");
            let found = find(&description.id).unwrap();
            assert_eq!(found.describe(), description);
        }
    }

    #[test]
    fn declared_options_are_whole_and_nothing_else_is_taken() {
        descriptions().into_iter().for_each(options_are_whole);
    }

    fn options_are_whole(description: TransportDescription) {
        let id = description.id.to_string();
        let defaults: OptionTable =
            description.options.iter().map(|option| (option.name.clone(), option.default.clone())).collect();
        assert_eq!(defaults.len(), description.options.len(), "{id}: an option occurs twice");
        assert_eq!(resolve(&id, &description.options, &defaults).as_ref(), Ok(&defaults), "{id}");
        for option in &description.options {
            assert!(!option.about.is_empty() && !option.name.contains('-'), "{id}: {}", option.name);
            for brought in &option.brings {
                let values = OptionTable::from([(option.name.clone(), brought.value.clone())]);
                assert!(resolve(&id, &description.options, &values).is_ok(), "{id}: {}", option.name);
                let under = description.clone().under(&values);
                let mut meant = under
                    .settings
                    .iter()
                    .filter(|s| brought.setting.as_ref().is_none_or(|name| s.name == *name));
                assert!(meant.clone().next().is_some(), "{id}: {brought:?}");
                assert!(meant.all(|s| s.capabilities.contains(&brought.capability)), "{id}");
            }
        }
        for name in description.settings.iter().filter_map(|setting| setting.repeats_option.as_ref()) {
            assert!(defaults.get(name).is_some_and(|value| value.as_whole().is_some()), "{id}: {name}");
        }
        let unknown = OptionTable::from([("no_such_option".to_owned(), OptionValue::Flag(true))]);
        assert!(resolve(&id, &description.options, &unknown).is_err(), "{id}");
    }
}
