//! Our files that a request tells a role to read: the request has our paths, and the files are transferred to the role's seat before it is sent.

use std::cell::RefCell;
use std::io;
use std::path::Path;

use wiredyno_contract::{
    CertificateFiles, Client, DocumentFiles, LoginFile, Operation, PayloadSource, PskFile, Publish,
    RecordSource, ServerTlsTerms, Subscribe, TlsTerms,
};

use super::RunnerSeat;

/// The operation after transferring all files that its role is to read. Those that it is to write, and a gate, are already named by a seat.
///
/// # Errors
/// When a file can't be transferred.
pub fn handed(seat: &dyn RunnerSeat, operation: Operation) -> io::Result<Operation> {
    let hand = |ours: &Path| Ok(seat.hand(ours)?.name());
    let deliver = |to: &Path| Ok(seat.deliver(to)?.name());
    told(&Seated { hand: &hand, deliver: &deliver }, operation)
}

/// All files that an operation names: those that its role reads, those that it writes, and gates.
pub fn named(operation: &Operation) -> Vec<String> {
    let all = RefCell::new(Vec::new());
    let note = |path: &Path| {
        all.borrow_mut().push(path.display().to_string());
        Ok(path.display().to_string())
    };
    // Nothing that is only noted fails.
    let _ = told(&Seated { hand: &note, deliver: &note }, operation.clone());
    let mut all = all.into_inner();
    match operation {
        Operation::Subscribe(Subscribe { gate, .. }) => all.extend(gate.clone()),
        Operation::Start(start) => all.extend(start.gate.clone()),
        Operation::CountLive { counters } => all.push(counters.clone()),
        Operation::WriteSent { records }
        | Operation::Finish { records }
        | Operation::FinishServing { records } => all.push(records.clone()),
        Operation::AwaitDelivered { sent, .. } => all.push(sent.clone()),
        Operation::Describe
        | Operation::Load { .. }
        | Operation::ReadRecords { .. }
        | Operation::CallFirst { .. }
        | Operation::EncodeSamples { .. }
        | Operation::DecodeSamples { .. }
        | Operation::Encode { .. }
        | Operation::Decode { .. }
        | Operation::Measure { .. }
        | Operation::Serve { .. }
        | Operation::Publish(_)
        | Operation::WarmUp { .. }
        | Operation::AwaitSent { .. }
        | Operation::AwaitReceived { .. }
        | Operation::Stop => {}
    }
    all
}

fn told(to: &Seated<'_>, operation: Operation) -> io::Result<Operation> {
    Ok(match operation {
        Operation::Load { payload, codec, compression, samples } => {
            Operation::Load { payload: to.payload(payload)?, codec, compression, samples }
        }
        Operation::CallFirst { payload, codec } => {
            Operation::CallFirst { payload: to.payload(payload)?, codec }
        }
        Operation::EncodeSamples { payload, codec, samples, give } => {
            Operation::EncodeSamples { payload: to.payload(payload)?, codec, samples, give }
        }
        Operation::DecodeSamples { payload, codec, bodies } => {
            Operation::DecodeSamples { payload: to.payload(payload)?, codec, bodies }
        }
        Operation::ReadRecords { source, records } => {
            Operation::ReadRecords { source: to.records(source)?, records }
        }
        Operation::Serve { transport, endpoint, options, seed, tls } => {
            let tls = tls.map(|terms| to.server(terms)).transpose()?;
            Operation::Serve { transport, endpoint, options, seed, tls }
        }
        Operation::Publish(Publish { client, subscribers, share }) => {
            Operation::Publish(Publish { client: to.client(client)?, subscribers, share })
        }
        Operation::Subscribe(Subscribe { client, listen, shared, share, gate }) => {
            Operation::Subscribe(Subscribe { client: to.client(client)?, listen, shared, share, gate })
        }
        other @ (Operation::Describe
        | Operation::Encode { .. }
        | Operation::Decode { .. }
        | Operation::Measure { .. }
        | Operation::CountLive { .. }
        | Operation::WarmUp { .. }
        | Operation::Start(_)
        | Operation::AwaitSent { .. }
        | Operation::AwaitReceived { .. }
        | Operation::WriteSent { .. }
        | Operation::AwaitDelivered { .. }
        | Operation::Finish { .. }
        | Operation::FinishServing { .. }
        | Operation::Stop) => other,
    })
}

type Naming<'a> = &'a dyn Fn(&Path) -> io::Result<String>;

/// What becomes of the names of files: of those that a role reads, and of those that it writes for us.
struct Seated<'a> {
    hand: Naming<'a>,
    deliver: Naming<'a>,
}

impl Seated<'_> {
    fn file(&self, ours: String) -> io::Result<String> {
        (self.hand)(Path::new(&ours))
    }

    fn payload(&self, source: PayloadSource) -> io::Result<PayloadSource> {
        Ok(PayloadSource {
            descriptor_set: self.file(source.descriptor_set)?,
            samples: self.file(source.samples)?,
            training: source.training.map(|training| self.file(training)).transpose()?,
            schemas: source
                .schemas
                .into_iter()
                .map(|(language, file)| Ok((language, self.file(file)?)))
                .collect::<io::Result<_>>()?,
            ..source
        })
    }

    fn records(&self, source: RecordSource) -> io::Result<RecordSource> {
        Ok(RecordSource { socket: self.file(source.socket)?, ..source })
    }

    fn client(&self, client: Client) -> io::Result<Client> {
        Ok(Client {
            login: client.login.map(|login| self.login(login)).transpose()?,
            tls: client.tls.map(|terms| self.tls(terms)).transpose()?,
            ..client
        })
    }

    fn login(&self, login: LoginFile) -> io::Result<LoginFile> {
        Ok(LoginFile { password_file: self.file(login.password_file)?, ..login })
    }

    fn tls(&self, terms: TlsTerms) -> io::Result<TlsTerms> {
        let delivered = |keys: String| (self.deliver)(Path::new(&keys));
        Ok(TlsTerms {
            ca_file: terms.ca_file.map(|authorities| self.file(authorities)).transpose()?,
            certificate: terms.certificate.map(|own| self.certificate(own)).transpose()?,
            psk: terms.psk.map(|psk| self.psk(psk)).transpose()?,
            documents: terms.documents.map(|documents| self.documents(documents)).transpose()?,
            key_log: terms.key_log.map(delivered).transpose()?,
            ..terms
        })
    }

    fn server(&self, terms: ServerTlsTerms) -> io::Result<ServerTlsTerms> {
        let ServerTlsTerms { certificate, client_ca_file, psk } = terms;
        Ok(ServerTlsTerms {
            certificate: certificate.map(|own| self.certificate(own)).transpose()?,
            client_ca_file: client_ca_file.map(|authorities| self.file(authorities)).transpose()?,
            psk: psk.map(|psk| self.psk(psk)).transpose()?,
        })
    }

    fn certificate(&self, own: CertificateFiles) -> io::Result<CertificateFiles> {
        let CertificateFiles { certificate_file, key_file } = own;
        Ok(CertificateFiles {
            certificate_file: self.file(certificate_file)?,
            key_file: self.file(key_file)?,
        })
    }

    fn psk(&self, psk: PskFile) -> io::Result<PskFile> {
        Ok(PskFile { key_file: self.file(psk.key_file)?, ..psk })
    }

    fn documents(&self, documents: DocumentFiles) -> io::Result<DocumentFiles> {
        let DocumentFiles { governance_file, permissions_file } = documents;
        Ok(DocumentFiles {
            governance_file: self.file(governance_file)?,
            permissions_file: self.file(permissions_file)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seat::clock::Moment;
    use crate::seat::elsewhere::Elsewhere;
    use wiredyno_contract::{CompressionId, Endpoint, OptionTable};

    fn ours(name: &str) -> String {
        format!("/ours/{name}")
    }

    fn certificate() -> CertificateFiles {
        CertificateFiles { certificate_file: ours("certificate"), key_file: ours("key") }
    }

    fn psk() -> PskFile {
        PskFile { identity: "wiredyno".to_owned(), key_file: ours("psk") }
    }

    fn payload() -> PayloadSource {
        PayloadSource {
            name: "person".parse().unwrap(),
            descriptor_set: ours("definition"),
            definition: "0".repeat(32),
            message: "Person".to_owned(),
            samples: ours("samples"),
            samples_digest: "0".repeat(32),
            training: Some(ours("training")),
            sequence: None,
            schemas: [("avro".to_owned(), ours("schema"))].into(),
        }
    }

    /// Operations with a file wherever a role can read one; each new one has to be added here.
    fn with_all_files() -> Vec<Operation> {
        let endpoint = Endpoint { host: "127.0.0.1".to_owned(), port: 1 };
        let tls = TlsTerms {
            server_name: "127.0.0.1".to_owned(),
            ca_file: Some(ours("ca")),
            certificate: Some(certificate()),
            psk: Some(psk()),
            documents: Some(DocumentFiles {
                governance_file: ours("governance"),
                permissions_file: ours("permissions"),
            }),
            least: None,
            resumes: false,
            key_log: Some(ours("keys")),
        };
        let client = Client {
            login: Some(LoginFile { user: "user".to_owned(), password_file: ours("password") }),
            tls: Some(tls),
            ..Client::new("mqtt/wiredyno".parse().unwrap(), endpoint.clone(), "topic")
        };
        let codec = || "json/serde-json".parse().unwrap();
        let source = RecordSource {
            socket: ours("socket"),
            port: 1,
            user: "user".to_owned(),
            table: "table".to_owned(),
        };
        let terms = ServerTlsTerms {
            certificate: Some(certificate()),
            client_ca_file: Some(ours("ca")),
            psk: Some(psk()),
        };
        vec![
            Operation::Load {
                payload: payload(),
                codec: codec(),
                compression: CompressionId::none(),
                samples: None,
            },
            Operation::CallFirst { payload: payload(), codec: codec() },
            Operation::EncodeSamples { payload: payload(), codec: codec(), samples: 1, give: false },
            Operation::DecodeSamples { payload: payload(), codec: codec(), bodies: Vec::new() },
            Operation::ReadRecords { source, records: None },
            Operation::Serve {
                transport: "tcp/wiredyno".parse().unwrap(),
                endpoint,
                options: OptionTable::new(),
                seed: 0,
                tls: Some(terms),
            },
            Operation::Publish(client.clone().into()),
            Operation::Subscribe(client.into()),
        ]
    }

    #[test]
    fn every_file_that_a_role_reads_is_handed_over_and_named_as_its_seat_does() {
        let seat = Elsewhere {
            folder: "/".into(),
            last: Moment::now(),
            sent: Vec::new(),
            asked: Default::default(),
        };
        for operation in with_all_files() {
            let before = serde_json::to_string(&operation).unwrap();
            let after = serde_json::to_string(&handed(&seat, operation).unwrap()).unwrap();
            assert!(before.contains("\"/ours/"), "{before}");
            assert_eq!(after, before.replace("\"/ours/", "\"there:/ours/"));
        }
    }

    #[test]
    fn every_file_of_an_operation_is_among_those_that_it_names() {
        for operation in with_all_files() {
            let written = serde_json::to_string(&operation).unwrap();
            let named = named(&operation);
            assert!(named.iter().all(|file| file.starts_with("/ours/")), "{named:?}");
            assert_eq!(written.matches("\"/ours/").count(), named.len(), "{written}");
        }
        let gate = Operation::Start(wiredyno_contract::Start {
            gate: Some(ours("gate")),
            ..wiredyno_contract::Start::open(0, 1, 1)
        });
        assert_eq!(named(&gate), [ours("gate")]);
        assert_eq!(named(&Operation::Finish { records: ours("records") }), [ours("records")]);
        assert_eq!(named(&Operation::AwaitDelivered { sent: ours("sent"), until_ns: 0 }), [ours("sent")]);
    }

    #[test]
    fn what_a_role_writes_is_named_by_its_seat_already() {
        let seat = Elsewhere {
            folder: "/".into(),
            last: Moment::now(),
            sent: Vec::new(),
            asked: Default::default(),
        };
        let records = || "there:records".to_owned();
        for operation in [
            Operation::Finish { records: records() },
            Operation::FinishServing { records: records() },
            Operation::WriteSent { records: records() },
            Operation::AwaitDelivered { sent: records(), until_ns: 0 },
        ] {
            assert_eq!(handed(&seat, operation.clone()).unwrap(), operation);
        }
    }
}
