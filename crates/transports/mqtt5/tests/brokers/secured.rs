//! mosquitto with the run's own certificates and login, as secured by its folder.

use std::net::SocketAddr;
use std::sync::Arc;

use wiredyno_brokers::Secured;
use wiredyno_contract::{Security, TlsVersion};
use wiredyno_credentials::{Credentials, USER};
use wiredyno_transport::tls::{Identity, Trust};
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, Login, Tls, Transport};
use wiredyno_transport_stand::{Arrivals, Broker, LIMIT, Notebook, carries_messages_as, folder, setup};

use crate::versions;

/// How the run's own client identifies itself to a broker of the run.
fn own(credentials: &Credentials, endpoint: SocketAddr, topic: &str) -> ClientSetup {
    let [certificate, key, _] = credentials.client();
    let mut tls = Tls::new(Trust::File(credentials.ca()), "127.0.0.1");
    tls.identity = Some(Identity { certificate, key });
    tls.least = Some(TlsVersion::Tls13);
    let login = Login { user: USER.to_owned(), password: credentials.password().to_owned() };
    ClientSetup { tls: Some(tls), login: Some(login), ..setup(Some("qos1"), endpoint, topic) }
}

pub fn mosquitto_as_its_folder_secures_it_lets_in_the_runs_own_and_to_its_topics_alone() {
    let credentials = Credentials::new(&["127.0.0.1"]).unwrap();
    for security in [Security::None, Security::Tls, Security::Mtls] {
        let secured = Secured { security, login: true, credentials: Some(&credentials) };
        let broker = Broker::secured(&folder("mosquitto"), 1, secured).unwrap();
        for transport in versions().map(|version| version.transport) {
            let of = |topic: &str| {
                let mut setup = own(&credentials, broker.address(), topic);
                setup.tls = setup.tls.filter(|_| !security.is_none());
                setup
            };
            carries_messages_as(transport, &of("wiredyno/1"));
            for (user, password) in [(USER, "wrong"), ("stranger", credentials.password())] {
                let login = Login { user: user.to_owned(), password: password.to_owned() };
                let setup = ClientSetup { login: Some(login), ..of("wiredyno/1") };
                let error = transport.publisher(&setup, Arc::new(Notebook::default())).err().unwrap();
                assert!(matches!(error, ConnectError::Login { .. }), "{error}");
            }
            let nobody = ClientSetup { login: None, ..of("wiredyno/1") };
            let error = transport.publisher(&nobody, Arc::new(Notebook::default())).err().unwrap();
            assert!(matches!(error, ConnectError::Login { .. }), "{error}");
            refuses_foreign_topics(transport, &of("others/1"));
        }
    }
}

/// mosquitto grants every subscription, and delivers only what the subscriber may read. In MQTT 5 a publisher is told so; 3.1.1 can't
/// express it: a forbidden message is acknowledged, or the connection is closed (section 3.3.5 of 3.1.1), or both, and it is
/// undefined which of these a client sees first.
fn refuses_foreign_topics(transport: &'static dyn Transport, setup: &ClientSetup) {
    let book = Arc::new(Notebook::default());
    let subscriber = transport.subscriber(setup, Box::new(Arrivals(book.clone()))).unwrap();
    let mut publisher = transport.publisher(setup, book.clone()).unwrap();
    publisher.send(1, b"x").unwrap();
    match (transport.description().id.protocol.as_str(), publisher.finish(LIMIT)) {
        ("mqtt5", Err(FinishError::Refused { messages: 1, .. }))
        | ("mqtt", Ok(()) | Err(FinishError::Broken { .. })) => {}
        (protocol, other) => panic!("{protocol}: {other:?}"),
    }
    subscriber.finish(LIMIT).unwrap();
    book.wait("nothing", |_| true, |seen| assert!(seen.bodies.is_empty()));
}
