//! What the program and reports know of this transport, and what a study can set in `[transport.amqp-0-9-1]`; needs no
//! client library.

use wiredyno_model::{
    Capability, OptionError, OptionKind, OptionTable, OptionValue, TransportDescription, TransportId,
    TransportOption, TransportSetting, resolve,
};

/// The package that implements it.
pub const PACKAGE: &str = "wiredyno-transport-amqp-0-9-1";

/// Settings: word, whether subscribers acknowledge, promise.
pub const SETTINGS: [(&str, bool, &str); 2] = [
    (
        "auto-ack",
        false,
        "at most once: the broker forgets a message when it has sent it to the subscriber, TCP alone cares for lost packets",
    ),
    (
        "manual-ack",
        true,
        "at least once: the broker keeps a message until the subscriber's basic.ack, and confirms it to the publisher",
    ),
];

/// Messages that a subscriber has not acknowledged at most: 70 ms of round trip at 10,000 messages a second, and a half more.
const PREFETCH: u16 = 1_000;

/// What a publisher waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirms {
    /// What the mode promises: `None` with auto-ack, `Batched` with manual-ack.
    ByMode,
    /// For nothing: the broker is not asked to confirm.
    None,
    /// For the confirm of each message before the next is sent.
    Each,
    /// For confirms as they come, of one message or of many at once, while others are sent.
    Batched,
}

impl Confirms {
    const ALL: [(&str, Confirms); 4] = [
        ("by-mode", Confirms::ByMode),
        ("none", Confirms::None),
        ("each", Confirms::Each),
        ("batched", Confirms::Batched),
    ];

    /// The same with what the mode stands for; `manual` says that subscribers acknowledge.
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
    /// `amq.direct`: to the queues that are bound with the very same key.
    Direct,
    /// One of the topic's own: to all queues that are bound, whatever the key.
    Fanout,
    /// `amq.topic`: to the queues whose pattern matches the key word by word.
    Topic,
}

impl Exchange {
    const ALL: [(&str, Exchange); 3] =
        [("direct", Exchange::Direct), ("fanout", Exchange::Fanout), ("topic", Exchange::Topic)];
}

/// The variants of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// What a publisher waits for.
    pub confirms: Confirms,
    /// Messages and queues are to outlive the broker's process.
    pub durable: bool,
    /// What messages go through.
    pub exchange: Exchange,
    /// Messages that a subscriber has not acknowledged at most; 0 for no limit. Without meaning where it acknowledges none.
    pub prefetch: u16,
}

fn word_of<T: Copy + PartialEq>(all: &[(&str, T)], value: T) -> OptionValue {
    let word = all.iter().find(|(_, meaning)| *meaning == value).map_or("", |(word, _)| word);
    OptionValue::Text(word.to_owned())
}

fn meaning_of<T: Copy>(all: &[(&str, T)], value: Option<&OptionValue>) -> Option<T> {
    let word = value?.as_text()?;
    all.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}

fn choice<T>(all: &[(&str, T)]) -> OptionKind {
    OptionKind::Choice { of: all.iter().map(|(word, _)| OptionValue::Text((*word).to_owned())).collect() }
}

impl Options {
    /// The defaults.
    pub const STANDARD: Options = Options {
        confirms: Confirms::ByMode,
        durable: false,
        exchange: Exchange::Direct,
        prefetch: PREFETCH,
    };

    /// What a study can set, with these options as defaults.
    pub fn declared(&self) -> Vec<TransportOption> {
        let option = |name: &str, kind, default, about: &str| TransportOption {
            name: name.to_owned(),
            kind,
            default,
            about: about.to_owned(),
            brings: Vec::new(),
        };
        vec![
            option(
                "confirms",
                choice(&Confirms::ALL),
                word_of(&Confirms::ALL, self.confirms),
                "what a publisher waits for, an extension of RabbitMQ's: \"none\", the confirm of \"each\" message before it sends \
                 the next, \"batched\" confirms while it sends on; \"by-mode\" is none with auto-ack and batched with manual-ack",
            ),
            option(
                "durable",
                OptionKind::Flag,
                OptionValue::Flag(self.durable),
                "messages are persistent (delivery mode 2) and each subscriber's queue is durable: both outlive a restart of the \
                 broker, which stores them; the queue is deleted when its subscriber finishes",
            ),
            option(
                "exchange",
                choice(&Exchange::ALL),
                word_of(&Exchange::ALL, self.exchange),
                "the type of exchange that messages go through (AMQP 0-9-1, section 3.1.3): amq.\"direct\", amq.\"topic\", or a \
                 \"fanout\" exchange of the topic's own",
            ),
            option(
                "prefetch",
                OptionKind::Whole { least: 0, most: u16::MAX.into() },
                OptionValue::Whole(self.prefetch.into()),
                "messages that a subscriber has not acknowledged at most (basic.qos prefetch-count), 0 for no limit; without meaning \
                 with auto-ack",
            ),
        ]
    }

    /// These options with the values given in place of their own.
    ///
    /// # Errors
    /// When a name is unknown, or a value not of its option's kind.
    pub fn with(&self, values: &OptionTable) -> Result<Options, OptionError> {
        let values = resolve("amqp-0-9-1", &self.declared(), values)?;
        let prefetch = values.get("prefetch").and_then(OptionValue::as_whole);
        Ok(Options {
            confirms: meaning_of(&Confirms::ALL, values.get("confirms")).unwrap_or(self.confirms),
            durable: values.get("durable").and_then(OptionValue::as_flag).unwrap_or(self.durable),
            exchange: meaning_of(&Exchange::ALL, values.get("exchange")).unwrap_or(self.exchange),
            prefetch: prefetch.and_then(|number| u16::try_from(number).ok()).unwrap_or(self.prefetch),
        })
    }
}

/// What it is.
pub fn description() -> TransportDescription {
    let setting = |(name, manual, about): (&str, bool, &str)| {
        // Only what is kept until it is acknowledged can come again.
        let capabilities = if manual { vec![Capability::MayDuplicate] } else { Vec::new() };
        TransportSetting::new(name, about, capabilities)
    };
    let version = wiredyno_versions::of(PACKAGE, "lapin");
    TransportDescription {
        id: TransportId { protocol: "amqp-0-9-1".into(), implementation: "lapin".into() },
        library: "lapin".into(),
        // Without a version it is refused.
        version: version.unwrap_or_default().into(),
        server: None,
        settings: SETTINGS.into_iter().map(setting).collect(),
        options: Options::STANDARD.declared(),
        datagrams: None,
        received_at: "the last frame of the content behind basic.deliver, before basic.ack".into(),
        sent_at: "the kernel has taken the last frame of the content behind basic.publish".into(),
        capabilities: vec![Capability::Ordered, Capability::Reliable],
    }
}

#[cfg(test)]
mod tests {
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
