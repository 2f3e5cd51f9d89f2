//! What every client with TLS must do over a real broker that has a TLS port besides its plain one.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use wiredyno_brokers::BrokerFolder;
use wiredyno_contract::TlsVersion;
use wiredyno_transport::tls::{Identity, TlsFault, Trust, explained};
use wiredyno_transport::{ClientSetup, ConnectError, Tls, Transport};

use crate::broker::{Broker, changed, free_port};
use crate::certificates::Certificates;
use crate::exchange::{carries_messages_as, settings, setup};
use crate::notebook::{Arrivals, LIMIT, Notebook};
use crate::shared_brokers::Shared;

/// Pause before retrying a port that does not listen yet.
const PAUSE: Duration = Duration::from_millis(10);

/// Protects the key in a file that a test creates.
const PASSWORD: &str = "sesame";

/// The brokers for a program's TLS tests.
pub struct Grounds {
    certificates: Arc<Certificates>,
    /// mosquitto with an expired certificate at one port and a certificate for another name at the other. No client gets as far as
    /// the protocol there.
    bad: Arc<Shared>,
    expired: u16,
    stranger: u16,
    /// The port that requires a client certificate.
    mutual: u16,
}

/// A test's client, and a broker that serves it without TLS and, at another port, with TLS.
struct Ground {
    transport: &'static dyn Transport,
    certificates: Arc<Certificates>,
    clear: SocketAddr,
    encrypted: SocketAddr,
}

/// A broker of `brokers/` with an additional TLS port, which presents the certificate of this name.
pub fn with_tls(broker: &str, port: u16, certificates: &Certificates, name: &str) -> BrokerFolder {
    let file = |ending: &str| certificates.path(&format!("{name}.{ending}"));
    match broker {
        "mosquitto" => {
            changed(broker, "mosquitto.conf", |text| text.to_owned() + &listener(port, certificates, name))
        }
        "rabbitmq" => changed(broker, "rabbitmq.conf", |text| {
            format!(
                "{text}listeners.ssl.1 = 127.0.0.1:{port}\nssl_options.certfile = {}\nssl_options.keyfile = {}\n\
                 ssl_options.verify = verify_none\nssl_options.versions.1 = tlsv1.2\n",
                file("pem"),
                file("key")
            )
        }),
        "qpid" => changed(broker, "qpid.json", |text| {
            let archive = certificates.archive(PASSWORD).display().to_string();
            text.replace(
                r#""ports": [{"#,
                &format!(
                    r#""keystores": [{{ "name": "keys", "type": "FileKeyStore", "keyStoreType": "pkcs12", "storeUrl": "{archive}",
                    "password": "{PASSWORD}" }}],
                    "ports": [{{ "name": "amqps", "desiredState": "QUIESCED", "bindingAddress": "127.0.0.1", "port": "{port}",
                    "protocols": ["AMQP_0_9_1", "AMQP_1_0"], "transports": ["SSL"], "keyStore": "keys", "tcpNoDelay": true,
                    "authenticationProvider": "users", "virtualhostaliases": [
                      {{ "name": "nameAlias", "type": "nameAlias" }}, {{ "name": "defaultAlias", "type": "defaultAlias" }},
                      {{ "name": "hostnameAlias", "type": "hostnameAlias" }} ] }}, {{"#
                ),
            )
        }),
        "kafka" => changed(broker, "server.properties", |text| {
            let secure = format!("CLIENTS://{{address}}:{{port.kafka}},SECURE://{{address}}:{port}");
            text.replace("CLIENTS://{address}:{port.kafka}", &secure)
                .replace("COPIES:PLAINTEXT", "COPIES:PLAINTEXT,SECURE:SSL")
                + &format!(
                    "listener.name.secure.ssl.keystore.type=PEM\nlistener.name.secure.ssl.keystore.location={}\n",
                    file("both")
                )
        }),
        other => panic!("there is no TLS configuration here for {other}"),
    }
}

/// mosquitto's configuration of one additional port.
fn listener(port: u16, certificates: &Certificates, name: &str) -> String {
    let file = |ending: &str| certificates.path(&format!("{name}.{ending}"));
    format!("listener {port} 127.0.0.1\ncertfile {}\nkeyfile {}\n", file("pem"), file("key"))
}

impl Grounds {
    /// Creates new certificates; no broker is started yet.
    pub fn new() -> Self {
        let certificates = Arc::new(Certificates::new());
        let [expired, stranger, mutual] = [(); 3].map(|()| free_port().unwrap());
        let folder = changed("mosquitto", "mosquitto.conf", |text| {
            text.to_owned()
                + &listener(expired, &certificates, "expired")
                + &listener(stranger, &certificates, "stranger")
                + &listener(mutual, &certificates, "good")
                + &format!("cafile {}\nrequire_certificate true\n", certificates.path("ca.pem"))
        });
        Grounds { certificates, bad: Shared::of(folder, 1), expired, stranger, mutual }
    }

    /// A broker with TLS, which tests of several clients may share, and its TLS port.
    pub fn broker(&self, name: &str) -> (Arc<Shared>, u16) {
        let port = free_port().unwrap();
        (Shared::of(with_tls(name, port, &self.certificates, "good"), 1), port)
    }

    /// All tests of a client over such a broker. `version` is the negotiated version, if the client reports it.
    pub fn trials(
        &self,
        transport: &'static dyn Transport,
        (broker, port_of_broker): &(Arc<Shared>, u16),
        version: Option<TlsVersion>,
    ) -> Vec<Trial> {
        let protocol = transport.description().id.protocol;
        let title = |case: &str| format!("{protocol} over {} with TLS: {case}", broker.name());
        let ground = |certificates: &Arc<Certificates>, broker: &Broker, port| {
            let encrypted = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port);
            await_listening(encrypted);
            Ground { transport, certificates: certificates.clone(), clear: broker.address(), encrypted }
        };
        let mut trials = Vec::new();
        for (case, test) in CASES {
            let (certificates, port) = (self.certificates.clone(), *port_of_broker);
            trials.push(broker.trial(&title(case), move |broker| test(&ground(&certificates, broker, port))));
        }
        let (certificates, port) = (self.certificates.clone(), *port_of_broker);
        trials.push(broker.trial(&title("every_setting_carries_messages"), move |broker| {
            delivers(&ground(&certificates, broker, port), version);
        }));
        let bad: [(_, Recognised, _); 2] = [
            ("that_has_expired", |fault| matches!(fault, TlsFault::Expired(_)), self.expired),
            ("for_another_name", |fault| matches!(fault, TlsFault::WrongName { .. }), self.stranger),
        ];
        for (case, is_it, port) in bad {
            let (certificates, case) =
                (self.certificates.clone(), format!("{protocol} with TLS: a_certificate_{case}_is_refused"));
            trials.push(self.bad.trial(&case, move |broker| {
                let ground = ground(&certificates, broker, port);
                let fault = ground.refused(&ground.setup("localhost", Some("ca.pem")));
                assert!(is_it(&fault), "{fault}");
            }));
        }
        if version == Some(TlsVersion::Tls12) {
            let (certificates, port) = (self.certificates.clone(), *port_of_broker);
            trials.push(broker.trial(&title("a_server_of_an_older_version_is_refused"), move |broker| {
                let ground = ground(&certificates, broker, port);
                let mut setup = ground.setup("localhost", Some("ca.pem"));
                setup.tls.as_mut().unwrap().least = Some(TlsVersion::Tls13);
                let fault = ground.refused(&setup);
                assert!(matches!(&fault, TlsFault::Handshake(_)), "{fault}");
            }));
        }
        trials
    }

    /// Tests with client certificates, for a client whose protocol mosquitto serves.
    pub fn mutual_trials(&self, transport: &'static dyn Transport) -> Vec<Trial> {
        let protocol = transport.description().id.protocol;
        let (certificates, encrypted) = (self.certificates.clone(), self.mutual);
        vec![self.bad.trial(
            &format!("{protocol} with TLS: a_client_has_to_show_a_good_certificate"),
            move |broker| {
                let encrypted = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), encrypted);
                await_listening(encrypted);
                let certificates = certificates.clone();
                mutual(&Ground { transport, certificates, clear: broker.address(), encrypted });
            },
        )]
    }
}

impl Default for Grounds {
    fn default() -> Self {
        Grounds::new()
    }
}

/// Whether a fault is the expected one.
type Recognised = fn(&TlsFault) -> bool;

/// A test's name and function.
type Case = (&'static str, fn(&Ground));

const CASES: [Case; 4] = [
    ("an_unknown_authority_is_refused", unknown_authority),
    ("a_missing_or_damaged_file_of_authorities_is_told", broken_file),
    ("a_server_without_tls_is_told", clear_server),
    ("a_server_with_tls_is_told_to_those_who_expect_none", encrypted_server),
];

/// Waits until something listens there: brokers open their ports one after the other.
///
/// # Panics
/// When nothing listens within the limit.
pub fn await_listening(address: SocketAddr) {
    let until = Instant::now() + LIMIT;
    while let Err(error) = TcpStream::connect(address) {
        assert!(Instant::now() < until, "{address}: {error}");
        std::thread::sleep(PAUSE);
    }
}

impl Ground {
    /// Setup of a client for the encrypted port that trusts this file, or the system's authorities.
    fn setup(&self, server_name: &str, ca: Option<&str>) -> ClientSetup {
        let trust = ca.map_or(Trust::System, |ca| Trust::File(self.certificates.file(ca)));
        let setting = settings(self.transport).swap_remove(0);
        let tls = Tls::new(trust, server_name);
        ClientSetup { tls: Some(tls), ..setup(setting.as_deref(), self.encrypted, "secret") }
    }

    /// The error, which both roles must report alike.
    fn error(&self, setup: &ClientSetup) -> ConnectError {
        let book = Arc::new(Notebook::default());
        let publisher = self.transport.publisher(setup, book.clone()).err();
        let subscriber = self.transport.subscriber(setup, Box::new(Arrivals(book))).err();
        let [publisher, subscriber] = [publisher, subscriber].map(|error| explained(error.unwrap(), setup));
        assert_eq!(publisher.to_string(), subscriber.to_string());
        publisher
    }

    /// The fault that prevents the encrypted connection.
    fn refused(&self, setup: &ClientSetup) -> TlsFault {
        match self.error(setup) {
            ConnectError::Tls { fault, endpoint, .. } => {
                assert_eq!(endpoint, setup.endpoint);
                fault
            }
            other => panic!("{other}"),
        }
    }
}

fn delivers(ground: &Ground, version: Option<TlsVersion>) {
    for (number, setting) in settings(ground.transport).into_iter().enumerate() {
        // Alternately by name and by address.
        let mut setup = ground.setup(["localhost", "127.0.0.1"][number % 2], Some("ca.pem"));
        setup.topic = format!("secret/{number}");
        setup.setting = setting;
        carries_messages_as(ground.transport, &setup);
        assert_eq!(setup.tls.unwrap().agreed.version(), version);
    }
}

fn mutual(ground: &Ground) {
    let showing = |name: Option<&str>| {
        let mut setup = ground.setup("localhost", Some("ca.pem"));
        setup.tls.as_mut().unwrap().identity = name.map(|name| Identity {
            certificate: ground.certificates.file(&format!("{name}.pem")),
            key: ground.certificates.file(&format!("{name}.key")),
        });
        setup
    };
    carries_messages_as(ground.transport, &showing(Some("client")));
    for name in [None, Some("expired-client"), Some("foreign-client")] {
        let fault = ground.refused(&showing(name));
        assert!(matches!(&fault, TlsFault::Refused(_)), "{name:?}: {fault}");
    }
}

fn unknown_authority(ground: &Ground) {
    for ca in [Some("other-ca.pem"), None] {
        let fault = ground.refused(&ground.setup("localhost", ca));
        assert!(matches!(fault, TlsFault::UnknownAuthority), "{ca:?}: {fault}");
    }
}

fn broken_file(ground: &Ground) {
    let put = |name: &str, text: &str| {
        std::fs::write(ground.certificates.file(name), text).unwrap();
        name.to_owned()
    };
    let damaged = put("damaged.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    let cut = put("cut.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n");
    let other = put("empty.pem", "nothing\n");
    for name in ["missing.pem".to_owned(), damaged, cut, other] {
        let fault = ground.refused(&ground.setup("localhost", Some(&name)));
        let of = |path: &PathBuf| *path == ground.certificates.file(&name);
        assert!(matches!(&fault, TlsFault::CaFile { path, .. } if of(path)), "{name}: {fault}");
    }
}

fn clear_server(ground: &Ground) {
    let setup = ClientSetup { endpoint: ground.clear, ..ground.setup("localhost", Some("ca.pem")) };
    let fault = ground.refused(&setup);
    assert!(matches!(fault, TlsFault::Plain(_)), "{fault}");
}

fn encrypted_server(ground: &Ground) {
    let setup = ClientSetup { tls: None, ..ground.setup("localhost", None) };
    let fault = ground.refused(&ClientSetup { limit: LIMIT / 8, ..setup });
    assert_eq!(fault, TlsFault::Unexpected);
}
