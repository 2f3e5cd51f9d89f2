//! The effect of options, certificates and early data on the connection, over loopback.

// Test helpers may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use wiredyno_contract::{OptionTable, OptionValue, TlsVersion};
use wiredyno_transport::tls::{TlsFault, Trust};
use wiredyno_transport::{ClientSetup, ConnectError, Tls};
use wiredyno_transport_quic::TRANSPORT;
use wiredyno_transport_stand::{
    Arrivals, LIMIT, Notebook, Served, carries_messages_as, numbered, reaches_all_subscribers_of,
};

const SETTINGS: [&str; 2] = ["stream", "datagram"];

fn table(options: &[(&str, &str)]) -> OptionTable {
    options.iter().map(|(name, value)| ((*name).to_owned(), OptionValue::of_word(value))).collect()
}

fn setup(server: &Served, setting: &str, options: &OptionTable) -> ClientSetup {
    ClientSetup { options: options.clone(), ..server.setup(Some(setting), "test") }
}

#[test]
fn every_option_carries_messages_once_and_equal() {
    for options in [
        &[("streams", "each"), ("max_streams", "3")][..],
        &[("streams", "each"), ("zero_rtt", "true")],
        &[("zero_rtt", "true"), ("congestion", "newreno")],
        &[("congestion", "bbr"), ("initial_window", "50000"), ("initial_rtt", "5ms")],
        &[
            ("initial_mtu", "1472"),
            ("mtu_discovery", "false"),
            ("stream_window", "20000"),
            ("keep_alive", "0s"),
        ],
    ] {
        let options = table(options);
        let server = Served::with(TRANSPORT, &options);
        for setting in SETTINGS {
            carries_messages_as(TRANSPORT, &setup(&server, setting, &options));
        }
    }
}

#[test]
fn many_go_to_all_subscribers_and_topics_are_kept_apart() {
    let server = Served::new(TRANSPORT);
    for streams in ["one", "each"] {
        let options = table(&[("streams", streams)]);
        let setup = setup(&server, "stream", &options);
        let other = Arc::new(Notebook::default());
        let elsewhere = ClientSetup { topic: "test/other".into(), ..setup.clone() };
        let bystander = TRANSPORT.subscriber(&elsewhere, Box::new(Arrivals(other.clone()))).unwrap();
        reaches_all_subscribers_of(TRANSPORT, &setup, 200);
        bystander.finish(LIMIT).unwrap();
        other.look(|seen| assert!(seen.bodies.is_empty(), "{:?}", seen.bodies));
    }
}

#[test]
fn a_publisher_leaves_when_all_is_read_and_a_stream_of_ones_own_is_acknowledged() {
    let server = Served::new(TRANSPORT);
    for (streams, acknowledged) in [("one", 0), ("each", 1_000)] {
        let setup = setup(&server, "stream", &table(&[("streams", streams)]));
        let book = Arc::new(Notebook::default());
        let subscriber = TRANSPORT.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
        let mut publisher = TRANSPORT.publisher(&setup, book.clone()).unwrap();
        assert_eq!(publisher.acknowledges(), acknowledged > 0);
        for (token, body) in numbered(1_000).iter().enumerate() {
            publisher.send(token as u64, body).unwrap();
        }
        publisher.finish(LIMIT).unwrap();
        book.look(|seen| assert_eq!((seen.sent.len(), seen.acked.len()), (1_000, acknowledged), "{streams}"));
        book.wait(streams, |seen| seen.bodies.len() == 1_000, |_| ());
        subscriber.finish(LIMIT).unwrap();
    }
}

#[test]
fn clients_that_come_back_connect_twice_and_only_where_early_data_is_taken() {
    let options = table(&[("zero_rtt", "true")]);
    let server = Served::with(TRANSPORT, &options);
    let setup = setup(&server, "stream", &options);
    let book = Arc::new(Notebook::default());
    let subscriber = TRANSPORT.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
    let mut publisher = TRANSPORT.publisher(&setup, book.clone()).unwrap();
    assert!(setup.before.ns() > 0, "the connection before was timed");
    publisher.send(0, b"early").unwrap();
    book.wait("early", |seen| seen.bodies == [b"early"], |_| ());
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
    // A relay without the option provides no such tickets.
    let server = Served::new(TRANSPORT);
    let setup = ClientSetup { options, ..server.setup(Some("stream"), "test") };
    let error = TRANSPORT.publisher(&setup, book).err().unwrap();
    assert!(matches!(error, ConnectError::Unfit { .. }), "{error}");
    assert!(error.to_string().contains("early data"), "{error}");
}

#[test]
fn only_the_certificate_that_was_told_is_trusted_and_only_for_its_address() {
    let (server, other) = (Served::new(TRANSPORT), Served::new(TRANSPORT));
    let good = server.setup(Some("stream"), "test");
    let tls = good.tls.clone().unwrap();
    let refused = |tls: Option<Tls>| {
        let setup = ClientSetup { tls, ..good.clone() };
        match TRANSPORT.publisher(&setup, Arc::new(Notebook::default())).err() {
            Some(ConnectError::Tls { fault, .. }) => fault,
            error => panic!("{error:?}"),
        }
    };
    let of_other = other.setup(Some("stream"), "test").tls.unwrap();
    assert_eq!(refused(Some(Tls { trust: of_other.trust, ..tls.clone() })), TlsFault::UnknownAuthority);
    let fault = refused(Some(Tls { server_name: "elsewhere.invalid".into(), ..tls.clone() }));
    assert!(matches!(fault, TlsFault::Certificate(_)), "{fault}");
    let none = tempfile::NamedTempFile::new().unwrap();
    let fault = refused(Some(Tls { trust: Trust::File(none.path().into()), ..tls.clone() }));
    assert!(matches!(fault, TlsFault::CaFile { .. }), "{fault}");
    assert!(refused(None).to_string().contains("QUIC always encrypts"));
    drop(TRANSPORT.publisher(&good, Arc::new(Notebook::default())).unwrap());
    assert_eq!(tls.agreed.version(), Some(TlsVersion::Tls13), "shared by the clones of a setup");
}
