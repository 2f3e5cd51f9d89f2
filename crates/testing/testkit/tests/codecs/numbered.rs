//! Messages of a trial: each has its own number, and all have the same size.

use std::collections::HashSet;
use std::fs::File;

use wiredyno_contract::bulk::{ABSENT, read_received, read_sent};
use wiredyno_contract::{Client, Endpoint, Operation, OptionTable, Start, Success};
use wiredyno_testkit::rust::TCP;
use wiredyno_testkit::{LIMIT, Subject};
use wiredyno_transport::clock::now_ns;

use crate::samples;

/// Formats that omit zero bytes anywhere, so that no width is constant.
const SQUEEZING: &[&str] = &["capnproto/capnp:packed", "capnproto/capnproto-cpp:packed", "bitcode/bitcode"];

/// Numbers are 1 to this, and in the warm-up the largest ones that the field can hold: at least a thousand in each payload here.
const MESSAGES: u32 = 990;
const WARM_UP: u32 = 3;

/// One process publishes, another relays, receives and decodes.
pub fn numbered_messages_differ_and_keep_their_size(subject: &Subject, codec: &str) {
    let one = &samples(subject)[..1];
    let numbered = subject.payload.definition().sequence_field().is_some();
    let tcp = subject.description().transports.iter().any(|transport| transport.id.to_string() == TCP);
    // An empty message has no room for a number.
    if !numbered || !tcp || prost_reflect::prost::Message::encoded_len(&one[0]) == 0 {
        return;
    }
    let (mut near, mut far) = (subject.load(codec, one), subject.load(codec, one));
    let name = near.name();
    let (transport, options) = (|| TCP.parse().unwrap(), OptionTable::new);
    let endpoint = Endpoint { host: "127.0.0.1".into(), port: 0 };
    let serve = Operation::Serve { transport: transport(), endpoint, options: options(), seed: 0, tls: None };
    let Success::Serving { endpoint, .. } = far.runner.must(serve) else { panic!("{name} does not serve") };
    let client = Client::new(transport(), endpoint, "numbers");
    far.runner.must(Operation::Subscribe(client.clone().into()));
    near.runner.must(Operation::Publish(client.into()));
    near.runner.must(Operation::WarmUp { messages: WARM_UP });
    near.runner.must(Operation::Start(Start::open(now_ns(), MESSAGES, 1)));
    let until_ns = now_ns() + LIMIT.as_nanos() as i64 / 2;
    near.runner.must(Operation::AwaitSent { until_ns, acked: false });
    far.runner.must(Operation::AwaitReceived { messages: u64::from(WARM_UP + MESSAGES), until_ns });
    let mut files = [&mut near, &mut far].map(|side| {
        let path = side.source.folder().join("records");
        side.runner.must(Operation::Finish { records: path.display().to_string() });
        File::open(path).unwrap()
    });
    let [sent, received] = &mut files;
    let (sent, received) = (read_sent(sent).unwrap(), read_received(received).unwrap());
    assert_eq!(sent.len(), (WARM_UP + MESSAGES) as usize, "{name}");
    assert!(sent.iter().map(|row| row.digest).eq(received.iter().map(|row| row.digest)), "{name}");
    assert!(received.iter().all(|row| row.decoded_ns != ABSENT), "{name}: not all can be decoded");
    let different: HashSet<u128> = sent.iter().map(|row| row.digest).collect();
    assert_eq!(different.len(), sent.len(), "{name}: the number is not in the bytes");
    let sizes: HashSet<u64> = sent.iter().map(|row| row.body_bytes).collect();
    assert!(sizes.len() == 1 || SQUEEZING.contains(&codec), "{name}: sizes {sizes:?} change with the number");
}
