//! CoAP against libcoap's example client and server, in both directions. Where they are not installed, the tests
//! are ignored by name.

// Test helpers may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Trial};
use wiredyno_contract::OptionValue;
use wiredyno_transport::{Server, ServerSetup};
use wiredyno_transport_coap::TRANSPORT;
use wiredyno_transport_stand::{Arrivals, LIMIT, Notebook, Seen, free_port, settings, setup};

/// A process that is killed when dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The first of these programs found on the PATH.
fn installed(programs: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    let all = programs.iter().flat_map(|program| folders.iter().map(move |folder| folder.join(program)));
    all.into_iter().find(|file| file.is_file())
}

fn client() -> Option<PathBuf> {
    installed(&["coap-client-notls", "coap-client-openssl", "coap-client"])
}

fn server() -> Option<PathBuf> {
    installed(&["coap-server-notls", "coap-server-openssl", "coap-server"])
}

/// Bodies that differ: small ones and some of many blocks.
fn bodies(in_blocks: bool) -> Vec<Vec<u8>> {
    let sizes: &[usize] =
        if in_blocks { &[10, 5_000, 1, 1_024, 1_025, 20_000] } else { &[10, 1_000, 1, 1_024] };
    let body =
        |(number, &size): (usize, &usize)| (0..size).map(|i| b'a' + ((i / 7 + number) % 26) as u8).collect();
    sizes.iter().enumerate().map(body).collect()
}

/// libcoap's server, with resources created by a PUT.
fn start_server() -> (Process, SocketAddr) {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port().unwrap()));
    let child = Command::new(server().unwrap())
        .args(["-A", "127.0.0.1", "-d", "10", "-v", "3", "-p"])
        .arg(address.port().to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let process = Process(child.unwrap());
    let is_open = || {
        let sockets = std::fs::read_to_string("/proc/net/udp").unwrap();
        sockets.contains(&format!("0100007F:{:04X} ", address.port()))
    };
    let until = Instant::now() + LIMIT;
    while !is_open() {
        assert!(Instant::now() < until, "libcoap's server did not open port {}", address.port());
        std::thread::sleep(Duration::from_millis(5));
    }
    (process, address)
}

/// Our publisher and subscriber through libcoap's server, in every setting.
fn libcoap_server_carries_every_setting() {
    let (_process, address) = start_server();
    for setting in settings(TRANSPORT) {
        let setting = setting.unwrap();
        let mut setup = setup(Some(&setting), address, &format!("libcoap-{setting}"));
        setup.options.insert("method".to_owned(), OptionValue::Text("put".to_owned()));
        let book = Arc::new(Notebook::default());
        let mut publisher = TRANSPORT.publisher(&setup, book.clone()).unwrap();
        publisher.send(0, b"the resource is there").unwrap();
        book.wait(&setting, |seen| seen.acked.len() == 1, |_| ());
        let subscriber = TRANSPORT.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
        let bodies = bodies(setting.ends_with("block"));
        for (number, body) in bodies.iter().enumerate() {
            publisher.send(number as u64 + 1, body).unwrap();
            let enough = |seen: &Seen| seen.bodies.len() > number && seen.acked.len() > number + 1;
            book.wait(&setting, enough, |seen| assert!(seen.bodies[number] == *body, "{setting} {number}"));
        }
        publisher.finish(LIMIT).unwrap();
        subscriber.finish(LIMIT).unwrap();
        book.wait(
            "all",
            |_| true,
            |seen| assert_eq!((seen.bodies.len(), &seen.broken), (bodies.len(), &None)),
        );
    }
}

fn url(server: &dyn Server, topic: &str) -> String {
    format!("coap://{}/{topic}", server.address())
}

/// libcoap's client posts to our server, which notifies our subscriber.
fn libcoap_client_publishes() {
    let server = TRANSPORT.server(&ServerSetup::at((Ipv4Addr::LOCALHOST, 0).into())).unwrap();
    for setting in settings(TRANSPORT) {
        let setting = setting.unwrap();
        let topic = format!("from/libcoap/{setting}");
        let book = Arc::new(Notebook::default());
        let setup = setup(Some(&setting), server.address(), &topic);
        let subscriber = TRANSPORT.subscriber(&setup, Box::new(Arrivals(book.clone()))).unwrap();
        let bodies = bodies(setting.ends_with("block"));
        for (number, body) in bodies.iter().enumerate() {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(body).unwrap();
            let mut command = Command::new(client().unwrap());
            if setting.starts_with("non") {
                command.arg("-N");
            }
            let method = if number % 2 == 0 { "post" } else { "put" };
            command.args(["-v", "3", "-B", "10", "-m", method, "-f"]).arg(file.path());
            let output = command.arg(url(&*server, &topic)).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            book.wait(
                &setting,
                |seen| seen.bodies.len() > number,
                |seen| assert!(seen.bodies[number] == *body, "{setting} {number}"),
            );
        }
        subscriber.finish(LIMIT).unwrap();
    }
}

/// libcoap's client observes our server, our publisher posts.
fn libcoap_client_observes() {
    let server = TRANSPORT.server(&ServerSetup::at((Ipv4Addr::LOCALHOST, 0).into())).unwrap();
    for setting in settings(TRANSPORT) {
        let setting = setting.unwrap();
        let topic = format!("to/libcoap/{setting}");
        let book = Arc::new(Notebook::default());
        let setup = setup(Some(&setting), server.address(), &topic);
        let mut publisher = TRANSPORT.publisher(&setup, book.clone()).unwrap();
        publisher.send(0, b"before").unwrap();
        book.wait(&setting, |seen| seen.acked.len() == 1, |_| ());
        let mut command = Command::new(client().unwrap());
        if setting.ends_with("block") {
            command.args(["-b", "1024"]);
        }
        let child = command
            .args(["-v", "3", "-s", "20", "-w", "-o", "-"])
            .arg(url(&*server, &topic))
            .stdout(Stdio::piped())
            .spawn();
        let mut process = Process(child.unwrap());
        let mut lines = BufReader::new(process.0.stdout.take().unwrap()).split(b'\n');
        let mut next = || lines.next().unwrap().unwrap();
        assert_eq!(next(), b"before");
        for (number, body) in bodies(setting.ends_with("block")).iter().enumerate() {
            publisher.send(number as u64 + 1, body).unwrap();
            assert!(next() == *body, "{setting} {number}");
        }
        publisher.finish(LIMIT).unwrap();
    }
}

fn main() {
    let arguments = Arguments::from_args();
    let trial = |name: &str, found: Option<PathBuf>, test: fn()| {
        let missing = found.is_none();
        let reason = if missing {
            " [libcoap's example program is not installed: apt-get install libcoap3-bin]"
        } else {
            ""
        };
        Trial::test(format!("{name}{reason}"), move || {
            test();
            Ok(())
        })
        .with_ignored_flag(missing)
    };
    let trials = vec![
        trial("libcoap_server_carries_every_setting", server(), libcoap_server_carries_every_setting),
        trial("libcoap_client_publishes", client(), libcoap_client_publishes),
        trial("libcoap_client_observes", client(), libcoap_client_observes),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}
