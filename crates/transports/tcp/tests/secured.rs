//! A transport with its own server, encrypted on both sides: what works, and what is rejected.

// Test helpers may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use wiredyno_contract::TlsVersion;
use wiredyno_transport::tls::{Identity, ServerTls, TlsFault, Trust};
use wiredyno_transport::{ClientSetup, ConnectError, Server, ServerSetup, Tls};
use wiredyno_transport_stand::{Arrivals, Certificates, Notebook, carries_messages_as, setup};
use wiredyno_transport_tcp::TRANSPORT;

const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

fn identity(certificates: &Certificates, name: &str) -> Identity {
    Identity {
        certificate: certificates.file(&format!("{name}.pem")),
        key: certificates.file(&format!("{name}.key")),
    }
}

/// A relay that presents this certificate, and requires client certificates from one of these authorities.
fn relay(certificates: &Certificates, shown: &str, clients: Option<&str>) -> Box<dyn Server> {
    let tls = ServerTls {
        identity: Some(identity(certificates, shown)),
        clients: clients.map(|name| certificates.file(name)),
        psk: None,
    };
    TRANSPORT.server(&ServerSetup { tls: Some(tls), ..ServerSetup::at(ANY) }).unwrap()
}

/// A client that trusts the tests' authority, and presents this certificate.
fn client(certificates: &Certificates, relay: &dyn Server, shown: Option<&str>) -> ClientSetup {
    let mut tls = Tls::new(Trust::File(certificates.file("ca.pem")), "127.0.0.1");
    tls.identity = shown.map(|name| identity(certificates, name));
    tls.least = Some(TlsVersion::Tls13);
    ClientSetup { tls: Some(tls), ..setup(None, relay.address(), "t") }
}

/// The fault that prevents both roles.
fn refused(setup: &ClientSetup) -> TlsFault {
    let book = Arc::new(Notebook::default());
    let publisher = TRANSPORT.publisher(setup, book.clone()).err().unwrap();
    let subscriber = TRANSPORT.subscriber(setup, Box::new(Arrivals(book))).err().unwrap();
    assert_eq!(publisher.to_string(), subscriber.to_string());
    match publisher {
        ConnectError::Tls { fault, .. } => fault,
        other => panic!("{other}"),
    }
}

#[test]
fn messages_of_all_sizes_go_over_tls_and_the_handshake_is_told() {
    let certificates = Certificates::new();
    for (clients, shown) in [(None, None), (Some("ca.pem"), Some("client"))] {
        let relay = relay(&certificates, "good", clients);
        let setup = client(&certificates, &*relay, shown);
        carries_messages_as(TRANSPORT, &setup);
        let agreed = setup.tls.unwrap().agreed;
        assert_eq!(agreed.version(), Some(TlsVersion::Tls13));
        let handshake = agreed.handshake().unwrap();
        assert!(handshake.took_ns > 0 && handshake.cpu_ns.is_some() && !handshake.resumed, "{handshake:?}");
        let (sent, received) = (handshake.sent_bytes.unwrap(), handshake.received_bytes.unwrap());
        // ClientHello and Finished; ServerHello, a certificate and its proof. A client's certificate is as long as the server's.
        assert!(received > 500 && (sent > 600) == shown.is_some(), "{handshake:?}");
    }
}

#[test]
fn what_is_not_trusted_is_refused_with_its_reason() {
    let certificates = Certificates::new();
    for (shown, expected) in [("expired", "has expired"), ("stranger", "is not for `127.0.0.1`")] {
        let relay = relay(&certificates, shown, None);
        let fault = refused(&client(&certificates, &*relay, None)).to_string();
        assert!(fault.contains(expected), "{fault}");
    }
    let relay = relay(&certificates, "good", None);
    let mut setup = client(&certificates, &*relay, None);
    setup.tls.as_mut().unwrap().trust = Trust::File(certificates.file("other-ca.pem"));
    assert_eq!(refused(&setup), TlsFault::UnknownAuthority);
}

#[test]
fn a_relay_refuses_clients_without_a_good_certificate() {
    let certificates = Certificates::new();
    let relay = relay(&certificates, "good", Some("ca.pem"));
    for (shown, alert) in [
        (None, "CertificateRequired"),
        (Some("expired-client"), "CertificateExpired"),
        (Some("foreign-client"), "UnknownCA"),
    ] {
        let fault = refused(&client(&certificates, &*relay, shown));
        assert!(matches!(&fault, TlsFault::Refused(reason) if reason.contains(alert)), "{shown:?}: {fault}");
    }
    // It still serves clients that have one.
    carries_messages_as(TRANSPORT, &client(&certificates, &*relay, Some("client")));
}

#[test]
fn a_session_is_resumed_where_that_is_asked_for() {
    let certificates = Certificates::new();
    let relay = relay(&certificates, "good", None);
    let full = client(&certificates, &*relay, None);
    carries_messages_as(TRANSPORT, &full);
    let mut setup = client(&certificates, &*relay, None);
    setup.tls.as_mut().unwrap().resumes = true;
    carries_messages_as(TRANSPORT, &setup);
    let [full, resumed] = [full, setup].map(|setup| setup.tls.unwrap().agreed.handshake().unwrap());
    assert!(resumed.resumed && !full.resumed);
    // No certificate is presented (RFC 8446, section 2.2).
    assert!(resumed.received_bytes.unwrap() < full.received_bytes.unwrap() / 2, "{resumed:?} {full:?}");
}

#[test]
fn keys_are_written_where_that_is_asked_for_and_nowhere_else() {
    let certificates = Certificates::new();
    let relay = relay(&certificates, "good", None);
    let mut setup = client(&certificates, &*relay, None);
    let path = certificates.file("keys");
    setup.tls.as_mut().unwrap().key_log = Some(path.clone());
    carries_messages_as(TRANSPORT, &setup);
    let text = std::fs::read_to_string(&path).unwrap();
    // From both clients (RFC 8446, section 7.1; the labels are NSS's).
    for label in ["CLIENT_HANDSHAKE_TRAFFIC_SECRET ", "SERVER_TRAFFIC_SECRET_0 "] {
        assert_eq!(text.lines().filter(|line| line.starts_with(label)).count(), 2, "{text}");
    }
    setup.tls.as_mut().unwrap().key_log = Some(certificates.file("no/such/folder"));
    assert!(matches!(refused(&setup), TlsFault::KeyLog { .. }));
}

#[test]
fn files_that_are_none_are_refused_by_both_sides() {
    let certificates = Certificates::new();
    std::fs::write(certificates.file("broken.pem"), "nothing").unwrap();
    std::fs::write(certificates.file("broken.key"), "nothing").unwrap();
    let tls = ServerTls { identity: Some(identity(&certificates, "broken")), clients: None, psk: None };
    let error = TRANSPORT.server(&ServerSetup { tls: Some(tls), ..ServerSetup::at(ANY) }).err().unwrap();
    assert!(error.to_string().contains("broken.pem"), "{error}");
    let relay = relay(&certificates, "good", Some("ca.pem"));
    let fault = refused(&client(&certificates, &*relay, Some("broken")));
    assert!(matches!(fault, TlsFault::Identity { .. }), "{fault}");
    let clear = TRANSPORT.server(&ServerSetup::at(ANY)).unwrap();
    let fault = refused(&client(&certificates, &*clear, None));
    assert!(matches!(fault, TlsFault::Plain(_)), "{fault}");
}
