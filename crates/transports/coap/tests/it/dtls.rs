//! CoAP over DTLS: against itself, and against libcoap's server and client with OpenSSL.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use wiredyno_contract::{OptionTable, OptionValue, TlsVersion};
use wiredyno_transport::tls::{Identity, Psk, ServerTls, TlsFault, Trust};
use wiredyno_transport::{ClientSetup, ConnectError, Server, ServerSetup, Tls};
use wiredyno_transport_coap::TRANSPORT;
use wiredyno_transport_stand::{
    Arrivals, Certificates, LIMIT, Notebook, carries_messages_as, datagram_limit_bytes, free_port, settings,
    setup,
};

const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Sixteen letters, because libcoap's tools take a key as text.
const KEY: &str = "0123456789abcdef";

fn psk(identity: &str, key: &str) -> Psk {
    Psk { identity: identity.to_owned(), key: key.as_bytes().to_vec() }
}

fn with_psk() -> ServerTls {
    ServerTls { identity: None, clients: None, psk: Some(psk("edge", KEY)) }
}

fn with_certificate(certificates: &Certificates, name: &str) -> ServerTls {
    let file = |ending: &str| certificates.file(&format!("{name}.{ending}"));
    let identity = Identity { certificate: file("pem"), key: file("key") };
    ServerTls { identity: Some(identity), clients: None, psk: None }
}

fn serve(tls: ServerTls) -> Box<dyn Server> {
    TRANSPORT.server(&ServerSetup { tls: Some(tls), ..ServerSetup::at(ANY) }).unwrap()
}

fn client(endpoint: SocketAddr, tls: Tls) -> ClientSetup {
    ClientSetup { tls: Some(tls), ..setup(Some("con"), endpoint, "secret") }
}

fn knowing(identity: &str, key: &str) -> Tls {
    let mut tls = Tls::new(Trust::System, "127.0.0.1");
    tls.psk = Some(psk(identity, key));
    tls
}

fn trusting(certificates: &Certificates, ca: &str) -> Tls {
    Tls::new(Trust::File(certificates.file(ca)), "127.0.0.1")
}

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
fn every_setting_carries_messages_with_a_key_and_with_a_certificate() {
    let certificates = Certificates::new();
    let pairs = [
        (with_psk(), knowing("edge", KEY)),
        (with_certificate(&certificates, "good"), trusting(&certificates, "ca.pem")),
    ];
    for (server, tls) in pairs {
        for setting in settings(TRANSPORT) {
            let server = serve(server.clone());
            // The previous client's negotiation must not count for this one.
            let tls = Tls { agreed: Default::default(), ..tls.clone() };
            let mut setup = client(server.address(), tls);
            if setting.as_deref().is_some_and(|setting| setting.contains("block")) {
                setup.setting = setting;
                carries_messages_as(TRANSPORT, &setup);
            } else {
                // One record holds less than the largest of those messages.
                setup.setting = setting;
                carries_up_to_a_record(&setup);
            }
            let agreed = setup.tls.unwrap().agreed;
            assert_eq!(agreed.version(), Some(TlsVersion::Dtls12));
            let handshake = agreed.handshake().unwrap();
            assert!(handshake.sent_bytes.unwrap() > 100 && handshake.received_bytes.unwrap() > 100);
        }
    }
}

fn carries_up_to_a_record(setup: &ClientSetup) {
    let book = Arc::new(Notebook::default());
    let subscriber = TRANSPORT.subscriber(setup, Box::new(Arrivals(book.clone()))).unwrap();
    let mut publisher = TRANSPORT.publisher(setup, book.clone()).unwrap();
    let limit = datagram_limit_bytes(&mut *publisher);
    assert!((16_000..16_384).contains(&limit), "{limit}");
    for (token, size) in [1, 100, 5_000, limit].into_iter().enumerate() {
        publisher.send(token as u64, &vec![token as u8; size]).unwrap();
        book.wait("a record", |seen| seen.bodies.len() > token, |_| ());
    }
    publisher.finish(LIMIT).unwrap();
    subscriber.finish(LIMIT).unwrap();
}

#[test]
fn who_can_not_be_trusted_is_refused_with_the_reason() {
    let certificates = Certificates::new();
    for (shown, ca, part) in [
        ("good", "other-ca.pem", "unknown CA"),
        ("expired", "ca.pem", "has expired"),
        ("stranger", "ca.pem", "is not for `127.0.0.1`"),
    ] {
        let server = serve(with_certificate(&certificates, shown));
        let fault = refused(&client(server.address(), trusting(&certificates, ca))).to_string();
        assert!(fault.contains(part), "{shown}: {fault}");
    }
    let server = serve(with_psk());
    for (identity, key) in [("edge", "another key"), ("nobody", KEY)] {
        let setup = client(server.address(), knowing(identity, key));
        let fault = refused(&ClientSetup { limit: Duration::from_secs(3), ..setup });
        assert!(matches!(&fault, TlsFault::Handshake(reason) if !reason.is_empty()), "{fault}");
    }
    // Neither side falls back to credentials that the other does not have.
    let fault = refused(&client(server.address(), trusting(&certificates, "ca.pem")));
    assert!(matches!(&fault, TlsFault::Handshake(_)), "{fault}");
    // Afterwards, trusted clients still connect.
    carries_up_to_a_record(&client(server.address(), knowing("edge", KEY)));
}

#[test]
fn who_speaks_in_the_clear_is_not_heard() {
    let server = serve(with_psk());
    let setup =
        ClientSetup { limit: Duration::from_secs(3), ..setup(Some("con"), server.address(), "secret") };
    let error = TRANSPORT.publisher(&setup, Arc::new(Notebook::default())).err().unwrap();
    assert!(matches!(error, ConnectError::Silent { .. }), "{error}");
    let clear = TRANSPORT.server(&ServerSetup::at(ANY)).unwrap();
    let setup =
        ClientSetup { limit: Duration::from_secs(3), ..client(clear.address(), knowing("edge", KEY)) };
    let error = TRANSPORT.publisher(&setup, Arc::new(Notebook::default())).err().unwrap();
    assert!(matches!(error, ConnectError::Silent { .. } | ConnectError::Tls { .. }), "{error}");
}

/// libcoap's server, stopped when dropped.
struct Libcoap(Child);

impl Libcoap {
    fn start(arguments: &[&str]) -> (Self, SocketAddr) {
        // Its DTLS port is the one after its plain port.
        let mut ports = std::iter::repeat_with(|| free_port().unwrap());
        let (mut clear, mut port) = (ports.next().unwrap(), ports.next().unwrap());
        while clear + 1 != port {
            (clear, port) = (port, ports.next().unwrap());
        }
        let clear = clear.to_string();
        let mut command = Command::new("coap-server-openssl");
        command.args(["-A", "127.0.0.1", "-p", &clear, "-d", "100", "-v", "3"]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child =
            command.spawn().expect("coap-server-openssl is needed: sudo apt-get install libcoap3-bin");
        (Libcoap(child), SocketAddr::new(ANY.ip(), port))
    }
}

impl Drop for Libcoap {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Publishes to libcoap's server, which may still be starting.
fn publishes(endpoint: SocketAddr, tls: &Tls) {
    let mut setup = client(endpoint, tls.clone());
    setup.options = OptionTable::from([("method".to_owned(), OptionValue::Text("put".to_owned()))]);
    let until = Instant::now() + LIMIT;
    let book = Arc::new(Notebook::default());
    let mut publisher = loop {
        match TRANSPORT.publisher(&setup, book.clone()) {
            Ok(publisher) => break publisher,
            Err(error) => assert!(Instant::now() < until, "{error}"),
        }
    };
    publisher.send(1, b"hello").unwrap();
    book.wait("libcoap", |seen| seen.acked.len() == 1, |_| ());
    publisher.finish(LIMIT).unwrap();
}

#[test]
fn libcoaps_server_takes_our_client() {
    let (_server, endpoint) = Libcoap::start(&["-k", KEY, "-h", "hint"]);
    publishes(endpoint, &knowing("edge", KEY));
    let certificates = Certificates::new();
    let path = |name: &str| certificates.path(name);
    let (_server, endpoint) = Libcoap::start(&["-c", &path("good.pem"), "-j", &path("good.key"), "-n"]);
    publishes(endpoint, &trusting(&certificates, "ca.pem"));
}

#[test]
fn our_server_takes_libcoaps_client() {
    let certificates = Certificates::new();
    let ca = certificates.path("ca.pem");
    for (server, arguments) in [
        (with_psk(), vec!["-u", "edge", "-k", KEY]),
        (with_certificate(&certificates, "good"), vec!["-C", &ca]),
    ] {
        let server = serve(server);
        let uri = format!("coaps://{}/secret", server.address());
        let client = |more: &[&str]| {
            let mut command = Command::new("coap-client-openssl");
            command.args(["-v", "3", "-B", "10"]).args(&arguments).args(more).arg(&uri);
            String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
        };
        client(&["-m", "put", "-e", "hello"]);
        let said = client(&["-m", "get"]);
        assert!(said.contains("hello"), "{said}");
    }
}
