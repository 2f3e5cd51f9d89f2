//! What the program and reports know of this transport, and what a study can set in `[transport.amqp-0-9-1]`; needs no client
//! library.

use wiredyno_contract::{
    Addresses, Capability, DeclaredOption, DeclaredTransport, OptionKind, OptionValue, Security,
    TransportOptions, TransportSetting, WireFormat, Words,
};

/// Settings: word, whether subscribers acknowledge, promise.
pub const SETTINGS: [(&str, bool, &str); 2] = [
    (
        "auto-ack",
        false,
        "at most once: the broker forgets a message once it has sent it to the subscriber; only TCP recovers lost packets",
    ),
    (
        "manual-ack",
        true,
        "at least once: the broker keeps a message until the subscriber's basic.ack, and confirms it to the publisher",
    ),
];

/// Most messages that a subscriber leaves unacknowledged: 70 ms of round trip at 10,000 messages per second, and half again
/// as much.
const PREFETCH: u16 = 1_000;

/// What a publisher waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirms {
    /// What the mode implies: `None` with auto-ack, `Batched` with manual-ack.
    ByMode,
    /// For nothing: the broker is not asked for confirms.
    None,
    /// For the confirm of each message before the next is sent.
    Each,
    /// For confirms as they arrive, of one message or of many at once, while it sends others.
    Batched,
}

impl Confirms {
    const WORDS: Words<Confirms> = Words(&[
        ("by-mode", Confirms::ByMode),
        ("none", Confirms::None),
        ("each", Confirms::Each),
        ("batched", Confirms::Batched),
    ]);

    /// Resolves `ByMode`; `manual` says whether subscribers acknowledge.
    pub fn in_mode(self, manual: bool) -> Confirms {
        match (self, manual) {
            (Confirms::ByMode, false) => Confirms::None,
            (Confirms::ByMode, true) => Confirms::Batched,
            (chosen, _) => chosen,
        }
    }
}

/// The type of exchange that messages go through (AMQP 0-9-1, section 3.1.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// `amq.direct`: to the queues bound with exactly the same key.
    Direct,
    /// An exchange of the topic's own: to all bound queues, whatever the key.
    Fanout,
    /// `amq.topic`: to the queues whose pattern matches the key word by word.
    Topic,
}

impl Exchange {
    const WORDS: Words<Exchange> =
        Words(&[("direct", Exchange::Direct), ("fanout", Exchange::Fanout), ("topic", Exchange::Topic)]);
}

/// The options of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// What a publisher waits for.
    pub confirms: Confirms,
    /// Messages and queues outlive the broker's process.
    pub durable: bool,
    /// The exchange that messages go through.
    pub exchange: Exchange,
    /// Most messages that a subscriber leaves unacknowledged; 0 for no limit. No effect if it acknowledges none.
    pub prefetch: u16,
}

impl Options {
    /// The values of options that a study leaves out.
    pub const STANDARD: Options = Options {
        confirms: Confirms::ByMode,
        durable: false,
        exchange: Exchange::Direct,
        prefetch: PREFETCH,
    };
}

impl TransportOptions for Options {
    const PROTOCOL: &'static str = "amqp-0-9-1";

    const DECLARED: &'static [DeclaredOption<Self>] = &[
        DeclaredOption {
            name: "confirms",
            kind: || Confirms::WORDS.kind(),
            about: "which confirms a publisher waits for, an extension by RabbitMQ: \"none\", one for \"each\" message before it \
                    sends the next, or \"batched\" ones while it keeps sending; \"by-mode\" is none with auto-ack and batched with \
                    manual-ack",
            get: |options| Confirms::WORDS.value(options.confirms),
            set: |options, value| Confirms::WORDS.meaning(value).map(|confirms| options.confirms = confirms),
            brings: None,
        },
        DeclaredOption {
            name: "durable",
            kind: || OptionKind::Flag,
            about: "messages are persistent (delivery mode 2) and each subscriber's queue is durable: both outlive a restart of the \
                    broker, which stores them; the queue is deleted when its subscriber finishes",
            get: |options| OptionValue::Flag(options.durable),
            set: |options, value| value.as_flag().map(|flag| options.durable = flag),
            brings: None,
        },
        DeclaredOption {
            name: "exchange",
            kind: || Exchange::WORDS.kind(),
            about: "the type of exchange that messages go through (AMQP 0-9-1, section 3.1.3): amq.\"direct\", amq.\"topic\", or a \
                    \"fanout\" exchange of the topic's own",
            get: |options| Exchange::WORDS.value(options.exchange),
            set: |options, value| Exchange::WORDS.meaning(value).map(|exchange| options.exchange = exchange),
            brings: None,
        },
        DeclaredOption {
            name: "prefetch",
            kind: || OptionKind::Whole { least: 0, most: u16::MAX.into() },
            about: "most messages that a subscriber may leave unacknowledged (basic.qos prefetch-count), 0 for no limit; no effect \
                    with auto-ack",
            get: |options| OptionValue::Whole(options.prefetch.into()),
            set: |options, value| {
                options.prefetch = value.as_whole()?.try_into().ok()?;
                Some(())
            },
            brings: None,
        },
    ];
}

/// The declaration. Addresses use IANA's names and ports.
pub static DECLARED: DeclaredTransport =
    DeclaredTransport::new("amqp-0-9-1", "lapin", "wiredyno-transport-amqp-0-9-1", wiredyno_versions::of)
        .library("lapin")
        .addresses(Addresses::clear(&["amqp"], Some(5672)).or_tls(&["amqps"], 5671))
        .settings(settings)
        .options(|| Options::STANDARD.declared())
        .format(WireFormat::Amqp091)
        .received_at("the last frame of the content after basic.deliver, before basic.ack")
        .sent_at("the kernel has accepted the last frame of the content after basic.publish")
        .securities(&[Security::None, Security::Tls, Security::Mtls])
        .capabilities(&[Capability::Ordered, Capability::Reliable, Capability::Topics]);

fn settings() -> Vec<TransportSetting> {
    let setting = |(name, manual, about): (&str, bool, &str)| {
        // Only messages kept until they are acknowledged can be delivered again.
        let capabilities = if manual { vec![Capability::MayDuplicate] } else { Vec::new() };
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
        let other =
            Options { confirms: Confirms::Each, durable: true, exchange: Exchange::Topic, prefetch: 7 };
        let shown = other.declared().into_iter().map(|option| (option.name, option.default)).collect();
        assert_eq!(Options::STANDARD.with(&shown), Ok(other));
    }

    #[test]
    fn what_can_not_be_is_refused() {
        let refused = |name: &str, value| {
            Options::STANDARD.with(&OptionTable::from([(name.to_owned(), value)])).unwrap_err().problem
        };
        let confirms = refused("confirms", OptionValue::Text("some".into()));
        assert!(confirms.contains("\"by-mode\", \"none\", \"each\", \"batched\""), "{confirms}");
        assert!(refused("prefetch", OptionValue::Whole(65_536)).contains("a whole number from 0 to 65535"));
        assert!(refused("durable", OptionValue::Whole(1)).contains("true or false"));
        assert!(refused("exchanges", OptionValue::Flag(true)).contains("did you mean `exchange`?"));
    }

    #[test]
    fn confirms_follow_the_mode_unless_they_are_chosen() {
        for (chosen, auto, manual) in [
            (Confirms::ByMode, Confirms::None, Confirms::Batched),
            (Confirms::None, Confirms::None, Confirms::None),
            (Confirms::Each, Confirms::Each, Confirms::Each),
            (Confirms::Batched, Confirms::Batched, Confirms::Batched),
        ] {
            assert_eq!((chosen.in_mode(false), chosen.in_mode(true)), (auto, manual));
        }
    }
}
