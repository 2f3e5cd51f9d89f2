//! What the program and reports know of this transport, and what a study can set in `[transport.amqp-1-0]`; needs no
//! client library.

use wiredyno_contract::{
    Addresses, Capability, DeclaredOption, DeclaredTransport, OptionKind, OptionValue, Security,
    TransportOptions, TransportSetting, WireFormat,
};

/// Settings: word, whether transfers are settled by their sender, promise.
pub const SETTINGS: [(&str, bool, &str); 2] = [
    (
        "settled",
        true,
        "at most once: transfers are sent settled and forgotten; only TCP recovers lost packets",
    ),
    (
        "unsettled",
        false,
        "at least once: each transfer is kept until its receiver's disposition, between publisher and broker and between \
         broker and subscriber",
    ),
];

/// Credit that a subscriber grants initially, and renews when half of it is used: half exceeds the 700 messages in
/// flight at 10,000 per second over 70 ms of round trip.
const CREDIT: u32 = 2_000;

/// The options of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Link credit of a subscriber, 2 or more.
    pub credit: u32,
    /// Messages and subscriptions outlive the broker's process.
    pub durable: bool,
}

impl Options {
    /// The values of options that a study leaves out.
    pub const STANDARD: Options = Options { credit: CREDIT, durable: false };
}

impl TransportOptions for Options {
    const PROTOCOL: &'static str = "amqp-1-0";

    const DECLARED: &'static [DeclaredOption<Self>] = &[
        DeclaredOption {
            name: "credit",
            kind: || OptionKind::Whole { least: 2, most: 1_000_000 },
            about: "link credit that a subscriber grants, and renews when half of it is used (AMQP 1.0, part 2, \
                    section 2.6.7)",
            get: |options| OptionValue::Whole(options.credit.into()),
            set: |options, value| {
                options.credit = value.as_whole()?.try_into().ok()?;
                Some(())
            },
            brings: None,
        },
        DeclaredOption {
            name: "durable",
            kind: || OptionKind::Flag,
            about: "messages carry the durable header (AMQP 1.0, part 3, section 3.2.1) and subscriptions never expire by \
                    themselves, so the broker stores both; a broker without a store refuses the messages",
            get: |options| OptionValue::Flag(options.durable),
            set: |options, value| value.as_flag().map(|flag| options.durable = flag),
            brings: None,
        },
    ];
}

/// The declaration. Addresses use IANA's names and ports.
pub static DECLARED: DeclaredTransport =
    DeclaredTransport::new("amqp-1-0", "fe2o3-amqp", "wiredyno-transport-amqp-1-0", wiredyno_versions::of)
        .library("fe2o3-amqp")
        .addresses(Addresses::clear(&["amqp"], Some(5672)).or_tls(&["amqps"], 5671))
        .settings(settings)
        .options(|| Options::STANDARD.declared())
        .format(WireFormat::Amqp10)
        .received_at("the last transfer of the delivery, before its disposition")
        .sent_at("the kernel has accepted the message's last transfer")
        .securities(&[Security::None, Security::Tls, Security::Mtls])
        .capabilities(&[
            Capability::Ordered,
            Capability::Reliable,
            Capability::PeerToPeer,
            Capability::Topics,
        ]);

fn settings() -> Vec<TransportSetting> {
    let setting = |(name, settled, about): (&str, bool, &str)| {
        let capabilities = if settled { Vec::new() } else { vec![Capability::MayDuplicate] };
        TransportSetting::new(name, about, capabilities)
    };
    SETTINGS.into_iter().map(setting).collect()
}

#[cfg(test)]
mod tests {
    use wiredyno_contract::OptionTable;

    use super::*;

    #[test]
    fn every_option_reads_back_what_it_shows() {
        assert_eq!(Options::STANDARD.with(&OptionTable::new()), Ok(Options::STANDARD));
        let other = Options { credit: 7, durable: true };
        let shown = other.declared().into_iter().map(|option| (option.name, option.default)).collect();
        assert_eq!(Options::STANDARD.with(&shown), Ok(other));
    }

    #[test]
    fn what_can_not_be_is_refused() {
        let refused = |name: &str, value| {
            Options::STANDARD.with(&OptionTable::from([(name.to_owned(), value)])).unwrap_err().problem
        };
        assert!(refused("credit", OptionValue::Whole(1)).contains("a whole number from 2 to 1000000"));
        assert!(refused("durable", OptionValue::Whole(1)).contains("true or false"));
        assert!(refused("credits", OptionValue::Whole(9)).contains("did you mean `credit`?"));
    }
}
