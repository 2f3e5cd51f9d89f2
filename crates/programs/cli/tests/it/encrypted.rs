//! A broker by address with TLS, as a user sees it: mosquitto, with a login and with certificates of the test's own.

use std::path::Path;
use std::process::Command;

use crate::stand::{Desk, Said, array, assert_accounted, said};
use wiredyno_transport_stand::{Broker, Certificates, await_listening, changed, free_port, full, with_tls};

/// The password, which must appear only in its file and the broker's.
const PASSWORD: &str = "correct-horse-battery";

/// The runs of a test: a one-second study over MQTT.
struct Runs<'a> {
    desk: &'a Desk,
    certificates: &'a Certificates,
}

impl Runs<'_> {
    fn run(&self, out: &str, address: &str, ca: &str) -> Said {
        let broker = format!("mqtt={address}");
        let mut command = self.desk.command(&["run", "tiny.toml", "--out", out, "--broker", &broker]);
        command.args([
            "--set",
            "codec=json/serde-json",
            "--set",
            "mode=mqtt:qos1",
            "--set",
            "trials.repeats=1",
        ]);
        command.args(["--set", "codec_trials.enabled=false"]);
        command.env("WIREDYNO_BROKER_PASSWORD_FILE", self.desk.file("password"));
        said(command.env("WIREDYNO_BROKER_CA_FILE", self.certificates.file(ca)))
    }

    /// A run whose trials all fail; the reason that it reports.
    fn fails(&self, out: &str, address: &str, ca: &str) -> String {
        let told = self.run(out, address, ca);
        assert_ne!(told.code, Some(0), "{}{}", told.out, told.err);
        let summary = std::fs::read_to_string(self.desk.file(out).join("summary.json")).unwrap_or_default();
        format!("{}{}{summary}", told.out, told.err)
    }
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push(std::fs::read(path).unwrap());
        }
    }
    all
}

#[test]
fn a_run_by_address_over_tls_delivers_and_tells_no_secret_and_what_is_wrong_is_told() {
    let (desk, certificates) = (Desk::new(), Certificates::new());
    std::fs::write(desk.file("password"), format!("{PASSWORD}\n")).unwrap();
    let passwords = desk.file("passwords");
    let made =
        Command::new("mosquitto_passwd").args(["-c", "-b"]).arg(&passwords).args(["ada", PASSWORD]).status();
    assert!(made.unwrap().success());
    // The broker's own port has TLS here: the added lines continue its first listener.
    let folder = changed("mosquitto", "mosquitto.conf", |text| {
        let lines = format!(
            "listener {{port}} {{address}}\ncertfile {}\nkeyfile {}\n",
            certificates.path("good.pem"),
            certificates.path("good.key")
        );
        text.replace("listener {port} {address}\n", &lines).replace("{access.users}", "allow_anonymous false")
            + &format!("password_file {}\n", passwords.display())
    });
    let broker = Broker::start(&folder, 1).unwrap();
    let port = broker.address().port();
    let runs = Runs { desk: &desk, certificates: &certificates };

    let told = runs.run("well", &format!("mqtts://ada@localhost:{port}"), "ca.pem");
    assert_eq!(told.code, Some(0), "{}{}", told.out, told.err);
    let summary = desk.summary("well");
    assert_accounted(&summary, 1);
    assert!(
        summary.to_string().contains(&format!("not started by this run: 127.0.0.1:{port}, with TLS")),
        "{summary}"
    );
    assert!(array(&summary["cells"])[0].to_string().contains("mqtt:qos1"));
    let key = std::fs::read_to_string(certificates.file("good.key")).unwrap();
    let secrets = [PASSWORD, key.lines().nth(1).unwrap()];
    let said = [told.out.into_bytes(), told.err.into_bytes()];
    for text in files(&desk.file("well")).into_iter().chain(said) {
        for secret in secrets {
            assert!(!text.windows(secret.len()).any(|part| part == secret.as_bytes()), "a secret is told");
        }
    }

    for (out, address, ca, part) in [
        ("stranger", format!("mqtts://ada@localhost:{port}"), "other-ca.pem", "unknown CA"),
        (
            "clear",
            format!("mqtt://ada@localhost:{port}"),
            "ca.pem",
            "it speaks TLS, but was addressed without",
        ),
    ] {
        let told = runs.fails(out, &address, ca);
        assert!(told.contains(part), "{told}");
        assert!(!told.contains(PASSWORD), "{told}");
    }
}

/// One run over the four protocols whose brokers take seconds to start or whose runners take a minute to compile.
#[test]
fn every_protocol_with_tls_is_reached_by_address() {
    if !full() {
        println!("slow: WIREDYNO_TEST_FULL=1");
        return;
    }
    let (desk, certificates) = (Desk::new(), Certificates::new());
    let mut command = desk.command(&["run", "tiny.toml", "--out", "r", "--set", "codec=json/serde-json"]);
    command.args(["--set", "trials.repeats=1", "--set", "codec_trials.enabled=false"]);
    command.args(["--set", "mode=mqtt5:qos1,amqp-0-9-1:manual-ack,amqp-1-0:unsettled,kafka:acks-all"]);
    let mut brokers = Vec::new();
    for (name, protocol, scheme) in [
        ("mosquitto", "mqtt5", "ssl"),
        ("rabbitmq", "amqp-0-9-1", "amqps"),
        ("qpid", "amqp-1-0", "amqps"),
        ("kafka", "kafka", "kafka+ssl"),
    ] {
        let port = free_port().unwrap();
        brokers.push(Broker::start(&with_tls(name, port, &certificates, "good"), 1).unwrap());
        await_listening(([127, 0, 0, 1], port).into());
        command.arg("--broker").arg(format!("{protocol}={scheme}://localhost:{port}"));
    }
    said(command.env("WIREDYNO_BROKER_CA_FILE", certificates.file("ca.pem"))).well();
    let summary = desk.summary("r");
    assert_eq!(array(&summary["cells"]).len(), 4, "{summary}");
    assert_accounted(&summary, 1);
}

#[test]
fn a_file_of_authorities_that_is_none_is_refused_before_anything_is_done() {
    let (desk, certificates) = (Desk::new(), Certificates::new());
    let runs = Runs { desk: &desk, certificates: &certificates };
    std::fs::write(certificates.file("none.pem"), "no certificate").unwrap();
    for (ca, part) in [("none.pem", "no certificate in PEM form"), ("missing.pem", "No such file")] {
        let error = runs.run("r", "mqtts://localhost", ca).refused(2);
        assert!(error.contains("WIREDYNO_BROKER_CA_FILE") && error.contains(part), "{error}");
    }
    let error = runs.run("r", "amqps://localhost", "ca.pem").refused(2);
    assert!(error.contains("mqtts://, ssl://, tls:// with TLS"), "{error}");
    assert!(!desk.file("r").exists());
}
