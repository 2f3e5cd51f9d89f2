//! DDS Security between two processes over loopback, as participants of one process bypass the network: what works, and who is rejected.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use wiredyno_contract::{OptionTable, OptionValue};
use wiredyno_transport::tls::{Documents, Identity, TlsFault, Trust};
use wiredyno_transport::{ClientSetup, ConnectError, Publisher, ReceivedSink, Tls};
use wiredyno_transport_dds_cyclonedds::TRANSPORT;
use wiredyno_transport_stand::{Arrivals, Certificates, LIMIT, Notebook, meeting_place, settings, setup};

/// A domain without participants of other tests.
const DOMAIN: i64 = 7;

/// How long a participant that doesn't exist is looked for.
const SHORT: Duration = Duration::from_secs(4);

/// Many times what discovery over loopback still needs when a publisher is connected.
const FOUND: Duration = Duration::from_millis(1_500);

/// First argument that makes this program a subscriber for another one, followed by the fields of a [`Side`].
pub const SUBSCRIBE: &str = "--subscribe";

/// A participant's identity, and whom it trusts.
#[derive(Clone)]
struct Side {
    folder: PathBuf,
    /// The certificate; empty for a participant without security.
    certificate: String,
    /// The trusted authority, also for the governance and permissions.
    authority: String,
    /// The signed document with its permissions.
    permissions: String,
}

impl Side {
    fn of(certificates: &Certificates, certificate: &str, authority: &str) -> Self {
        Side {
            folder: certificates.folder().to_owned(),
            certificate: certificate.to_owned(),
            authority: authority.to_owned(),
            permissions: "permissions".to_owned(),
        }
    }

    fn good(certificates: &Certificates) -> Self {
        Side::of(certificates, "client", "ca")
    }

    fn setup(&self, setting: &str, place: SocketAddr) -> ClientSetup {
        let file = |name: &str, ending: &str| self.folder.join(format!("{name}.{ending}"));
        let mut tls = Tls::new(Trust::File(file(&self.authority, "pem")), "127.0.0.1");
        tls.identity = Some(Identity {
            certificate: file(&self.certificate, "pem"),
            key: file(&self.certificate, "key"),
        });
        tls.documents = Some(Documents {
            governance: file(&self.authority, "governance"),
            permissions: file(&self.authority, &self.permissions),
        });
        let mut setup = setup(Some(setting), place, &format!("test/{setting}"));
        setup.options = OptionTable::from([("domain".to_owned(), OptionValue::Whole(DOMAIN))]);
        setup.tls = Some(tls).filter(|_| !self.certificate.is_empty());
        setup
    }
}

/// Represents a body as a line of text.
fn line(body: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    format!("{} {:x}", body.len(), hasher.finish())
}

/// Prints what arrives, one line per body.
struct Told;

impl ReceivedSink for Told {
    fn received(&mut self, body: &[u8], _received_ns: i64) {
        println!("{}", line(body));
    }

    fn broken(&mut self, reason: &str) {
        println!("broken: {reason}");
    }
}

/// The other process, until its input ends.
pub fn subscribe(arguments: &[String]) -> ExitCode {
    let [folder, certificate, authority, permissions, setting, place] = arguments else {
        panic!("{arguments:?}")
    };
    let [certificate, authority, permissions] = [certificate, authority, permissions].map(Clone::clone);
    let side = Side { folder: folder.into(), certificate, authority, permissions };
    let subscriber = TRANSPORT.subscriber(&side.setup(setting, place.parse().unwrap()), Box::new(Told));
    let subscriber = subscriber.unwrap_or_else(|error| panic!("{error}"));
    println!("ready");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    subscriber.finish(LIMIT).unwrap();
    ExitCode::SUCCESS
}

/// A subscriber in another process, which ends when this is dropped.
struct Subscriber {
    child: Child,
    lines: Receiver<String>,
    complaints: Receiver<String>,
}

/// The command of the other process.
fn other(side: &Side, setting: &str, place: SocketAddr) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(SUBSCRIBE).arg(&side.folder);
    command.args([&side.certificate, &side.authority, &side.permissions, setting, &place.to_string()]);
    command
}

impl Subscriber {
    fn start(side: &Side, setting: &str, place: SocketAddr) -> Self {
        let mut command = other(side, setting, place);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let lines = lines_of(child.stdout.take().unwrap());
        let complaints = lines_of(child.stderr.take().unwrap());
        let subscriber = Subscriber { child, lines, complaints };
        assert_eq!(subscriber.next(), "ready");
        subscriber
    }

    fn next(&self) -> String {
        self.lines.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("nothing; {}", self.complained()))
    }

    /// What it has printed about its rejections.
    fn complained(&self) -> String {
        self.complaints.try_iter().collect::<Vec<_>>().join("\n")
    }
}

fn lines_of(from: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    receiver
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn publisher(setup: &ClientSetup) -> Result<Box<dyn Publisher>, ConnectError> {
    TRANSPORT.publisher(setup, Arc::new(Notebook::default()))
}

/// The fault that prevents a publisher.
fn refused(setup: &ClientSetup) -> TlsFault {
    match publisher(setup).err().unwrap() {
        ConnectError::Tls { fault, .. } => fault,
        other => panic!("{other}"),
    }
}

fn both_prove_who_they_are_and_every_setting_carries_messages() {
    let certificates = Certificates::new();
    let side = Side::good(&certificates);
    for setting in settings(TRANSPORT).into_iter().flatten() {
        let place = meeting_place();
        let subscriber = Subscriber::start(&side, &setting, place);
        let setup = side.setup(&setting, place);
        let mut publisher = publisher(&setup).unwrap();
        std::thread::sleep(FOUND);
        let mut sizes = [0, 1, 100, 20_000, 65_507].repeat(4);
        sizes.extend((setting == "reliable").then_some(1 << 20));
        for (token, size) in sizes.into_iter().enumerate() {
            let body = vec![token as u8; size];
            publisher.send(token as u64, &body).unwrap();
            assert_eq!(subscriber.next(), line(&body), "{setting}");
        }
        publisher.finish(LIMIT).unwrap();
        // Values that the library does not report are absent.
        let agreed = setup.tls.unwrap().agreed;
        assert!(agreed.version().is_none() && agreed.handshake().is_none());
    }
}

/// Only the side that checks a proof sees that the other can't be trusted: the requesting side gets no answer.
fn a_stranger_is_refused_by_both_sides() {
    let certificates = Certificates::new();
    let [good, foreign] = [Side::good(&certificates), Side::of(&certificates, "foreign-client", "other-ca")];
    for (subscribes, publishes) in [(&good, &foreign), (&foreign, &good)] {
        let place = meeting_place();
        let subscriber = Subscriber::start(subscribes, "reliable", place);
        let wanted = "Certificate not valid: error: unable to get local issuer certificate";
        let mut told = String::new();
        // How long they need to find each other depends on the machine.
        for limit in [SHORT, 4 * SHORT, LIMIT / 4] {
            let begin = Instant::now();
            let fault = refused(&ClientSetup { limit, ..publishes.setup("reliable", place) });
            assert!(matches!(fault, TlsFault::Unproved { found: 0, wanted: 1, .. }), "{fault}");
            assert!(begin.elapsed() < limit + LIMIT / 2);
            told = format!("{fault}\n{}", subscriber.complained());
            if told.contains(wanted) {
                break;
            }
        }
        assert!(told.contains(wanted), "{told}");
    }
}

fn who_is_in_the_clear_and_who_is_not_do_not_find_each_other() {
    let certificates = Certificates::new();
    let good = Side::good(&certificates);
    let clear = Side { certificate: String::new(), ..good.clone() };
    for (subscribes, publishes) in [(&good, &clear), (&clear, &good)] {
        let place = meeting_place();
        let _subscriber = Subscriber::start(subscribes, "reliable", place);
        let setup = ClientSetup { limit: Duration::from_secs(2), ..publishes.setup("reliable", place) };
        let error = publisher(&setup).err().unwrap();
        let unproved = matches!(&error, ConnectError::Tls { fault: TlsFault::Unproved { found: 0, .. }, .. });
        let unmatched = matches!(error, ConnectError::Unmatched { found: 0, .. });
        assert!(if setup.tls.is_some() { unproved } else { unmatched }, "{error}");
    }
}

/// The fault that prevents both roles.
fn refused_at_once(side: &Side) -> TlsFault {
    let setup = side.setup("reliable", meeting_place());
    let begin = Instant::now();
    let fault = refused(&setup);
    let book = Arc::new(Notebook::default());
    let subscriber = TRANSPORT.subscriber(&setup, Box::new(Arrivals(book))).err().unwrap();
    assert!(matches!(subscriber, ConnectError::Tls { .. }), "{subscriber}");
    assert!(begin.elapsed() < LIMIT / 2, "it waited for its limit");
    fault
}

fn a_certificate_that_has_expired_or_is_of_another_authority_takes_no_part() {
    let certificates = Certificates::new();
    for (certificate, part) in [("expired-client", "expired"), ("foreign-client", "issuer certificate")] {
        let fault = refused_at_once(&Side::of(&certificates, certificate, "ca"));
        assert!(matches!(&fault, TlsFault::Identity { reason, .. } if reason.contains(part)), "{fault}");
    }
}

fn a_topic_that_is_not_permitted_is_refused() {
    let certificates = Certificates::new();
    let side = Side { permissions: "elsewhere".to_owned(), ..Side::good(&certificates) };
    let fault = refused_at_once(&side);
    assert!(
        matches!(&fault, TlsFault::Permission { topic, .. } if topic.starts_with("test/reliable/")),
        "{fault}"
    );
}

fn documents_that_nobody_has_signed_are_refused() {
    let certificates = Certificates::new();
    let path = |name: &str| certificates.file(name);
    let changed = |name: &str| {
        let text = std::fs::read_to_string(path(name)).unwrap();
        let changed = text.replace("ENCRYPT", "NONE").replace("test/*", "*");
        assert_ne!(text, changed);
        std::fs::write(path(name), changed).unwrap();
    };
    let keep = |name: &str| std::fs::read(path(name)).unwrap();
    for name in ["ca.governance", "ca.permissions"] {
        let before = keep(name);
        changed(name);
        let fault = refused_at_once(&Side::good(&certificates));
        assert!(fault.to_string().contains("PKCS7"), "{fault}");
        std::fs::write(path(name), before).unwrap();
    }
    // A signature of another authority does not count either.
    std::fs::copy(path("other-ca.permissions"), path("ca.permissions")).unwrap();
    let fault = refused_at_once(&Side::good(&certificates));
    assert!(fault.to_string().contains("PKCS7"), "{fault}");
}

fn what_it_has_not_is_refused() {
    let certificates = Certificates::new();
    let setup = Side::good(&certificates).setup("reliable", meeting_place());
    let with = |change: &dyn Fn(&mut Tls)| {
        let mut setup = setup.clone();
        change(setup.tls.as_mut().unwrap());
        refused(&setup)
    };
    let fault = with(&|tls| tls.key_log = Some(certificates.file("keys")));
    assert!(matches!(fault, TlsFault::KeyLog { .. }), "{fault}");
    let fault = with(&|tls| tls.documents = None);
    assert!(fault.to_string().contains("governance"), "{fault}");
    let fault = with(&|tls| tls.resumes = true);
    assert!(fault.to_string().contains("resum"), "{fault}");
    let missing = Path::new("no/such/file");
    let fault = with(&|tls| tls.identity.as_mut().unwrap().key = missing.to_owned());
    assert!(fault.to_string().contains("no/such/file"), "{fault}");
}

/// A copy of only the library in another folder, under the name by which it is looked up.
fn a_plugin_that_is_missing_is_named_with_its_package() {
    let certificates = Certificates::new();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let library = maps.split_whitespace().find(|word| word.contains("/libddsc.so")).unwrap();
    for entry in std::fs::read_dir(Path::new(library).parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if path.canonicalize().is_ok_and(|target| target == Path::new(library)) {
            std::fs::copy(library, certificates.file(path.file_name().unwrap().to_str().unwrap())).unwrap();
        }
    }
    let mut command = other(&Side::good(&certificates), "reliable", meeting_place());
    let told = command.env("LD_LIBRARY_PATH", certificates.folder()).stdin(Stdio::null()).output().unwrap();
    let told = String::from_utf8_lossy(&told.stderr);
    assert!(told.contains("libdds_security_auth.so is missing, a part of its library"), "{told}");
    assert!(told.contains("libddsc0debian"), "{told}");
}

/// All tests of this file.
pub fn tests() -> Vec<Trial> {
    let tests: [(&str, fn()); 8] = [
        (
            "both_prove_who_they_are_and_every_setting_carries_messages",
            both_prove_who_they_are_and_every_setting_carries_messages,
        ),
        ("a_stranger_is_refused_by_both_sides", a_stranger_is_refused_by_both_sides),
        (
            "who_is_in_the_clear_and_who_is_not_do_not_find_each_other",
            who_is_in_the_clear_and_who_is_not_do_not_find_each_other,
        ),
        (
            "a_certificate_that_has_expired_or_is_of_another_authority_takes_no_part",
            a_certificate_that_has_expired_or_is_of_another_authority_takes_no_part,
        ),
        ("a_topic_that_is_not_permitted_is_refused", a_topic_that_is_not_permitted_is_refused),
        ("documents_that_nobody_has_signed_are_refused", documents_that_nobody_has_signed_are_refused),
        ("what_it_has_not_is_refused", what_it_has_not_is_refused),
        (
            "a_plugin_that_is_missing_is_named_with_its_package",
            a_plugin_that_is_missing_is_named_with_its_package,
        ),
    ];
    let trials = tests.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    trials.collect()
}
