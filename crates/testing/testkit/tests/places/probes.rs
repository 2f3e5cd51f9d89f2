//! The probes of Rust's runner: this program, started as a runner.
//!
//! One file because codec, transport and marks are one program, which is read from top to bottom as a runner.
//!
//! A codec and a transport that mark their calls (docs/RUNNER.md, "Probes"), over the types of the payload `opaque`, written as `crates/definitions/schema`
//! generates them, whose numbering is marked too. The runner around them is the library that every composed runner has.

use std::ffi::c_int;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use wiredyno_codec::codec::CodecFor;
use wiredyno_codec::convert::{Lift, LiftError, Lower};
use wiredyno_codec::differ::{self, Differ};
use wiredyno_codec::record::{
    At, Counted, Fault, FieldInfo, FieldType, MemberInfo, MessageInfo, Reader, Record, Shape, StandsFor,
    Visitor, Writer,
};
use wiredyno_codec::sequence::Sequence;
use wiredyno_codec::touch::{Digest, Touch, digest_of};
use wiredyno_codec::{Codec, DecodeError, Definition, Domain, EncodeError, PayloadTypes, Reason, TableEntry};
use wiredyno_contract::{DeclaredCodec, OWN_LIBRARY, Objects, Security, TransportDescription, TransportId};
use wiredyno_rust_runner::Composition;
use wiredyno_transport::clock::now_ns;
use wiredyno_transport::{
    ClientSetup, ConnectError, FinishError, Publisher, ReceivedSink, SendError, SentSink, ServeError, Server,
    ServerSetup, Subscriber, Transport,
};

use crate::marks::{LEAST_NS, MARKS};

const ID: &str = "probe/rust";

/// The transport that holds messages reports one as sent when none has been handed over for this long.
const HELD_NS: i64 = 300_000_000;

/// A runner with only the probes; `definition` is the digest of the payload that it is used with. Its codec is in Rust, or in C++.
pub fn run(definition: String, cpp: bool) -> ExitCode {
    let message = "wiredyno.payload.opaque.Opaque";
    let entry = if cpp { foreign() } else { Some(TableEntry::of::<Probe, Types>(&Probe)) };
    let codecs = &*entry.into_iter().collect::<Vec<_>>().leak();
    let definition = Box::leak(Box::new(Definition { digest: definition.leak(), message, codecs }));
    let transports: &[&dyn Transport] = if cpp { &[&Line("cpp")] } else { &[&Line("rust")] };
    wiredyno_rust_runner::main(Composition { definition: Some(definition), transports, records: None })
}

/// The codec in C++, over the same types; `None` where it could not be compiled.
fn foreign() -> Option<TableEntry> {
    let codec = wiredyno_cpp_probe::probe()?;
    Some(TableEntry {
        codec,
        carries: || Ok(()),
        bind: |payload| {
            let codec =
                wiredyno_cpp_probe::probe().ok_or_else(|| Reason("it was not compiled".to_owned()))?;
            wiredyno_cpp::bind::<Types>(codec, payload)
        },
    })
}

/// For the codec in C++: the clock of the marks.
#[unsafe(no_mangle)]
extern "C" fn wd_probe_now() -> i64 {
    now_ns()
}

/// The phases in the order of the interface in C.
const PHASES: [&str; 4] = ["build", "encode", "decode", "read"];

/// For the codec in C++: ends a call no earlier than the least time, with its mark.
#[unsafe(no_mangle)]
extern "C" fn wd_probe_end(phase: c_int, number: u64, begin_ns: i64) {
    end(PHASES.get(phase as usize).unwrap_or(&"?"), number, begin_ns);
}

fn mark(what: &str, number: u64, begin_ns: i64, end_ns: i64) {
    static FILE: OnceLock<File> = OnceLock::new();
    let file = FILE.get_or_init(|| {
        let path = std::env::var_os(MARKS).unwrap_or_else(|| panic!("{MARKS} names no file"));
        OpenOptions::new().append(true).create(true).open(&path).unwrap()
    });
    // One write each, so that lines of threads don't interleave.
    (&mut &*file).write_all(format!("{what} {number} {begin_ns} {end_ns}\n").as_bytes()).unwrap();
}

/// The call's result, returned no earlier than the least time.
fn marked<T>(what: &str, number: u64, call: impl FnOnce() -> T) -> T {
    let begin_ns = now_ns();
    let product = call();
    end(what, number, begin_ns);
    product
}

fn end(what: &str, number: u64, begin_ns: i64) {
    while now_ns() < begin_ns + LEAST_NS {
        std::hint::spin_loop();
    }
    mark(what, number, begin_ns, now_ns());
}

fn number_of(data: &[u8]) -> u64 {
    data.first_chunk().map_or(0, |number| u64::from_be_bytes(*number))
}

/// The domain type of `opaque`.
#[derive(Debug, Clone)]
struct Opaque {
    data: Vec<u8>,
}

/// The same message as a Protobuf struct.
#[derive(Clone, PartialEq, Eq, prost::Message)]
struct Message {
    #[prost(bytes = "vec", tag = "1")]
    data: Vec<u8>,
}

impl Touch for Opaque {
    fn touch(&self, digest: &mut Digest) {
        self.data.touch(digest);
    }
}

impl Touch for Message {
    fn touch(&self, digest: &mut Digest) {
        self.data.touch(digest);
    }
}

impl Differ for Opaque {
    fn differ(&self, other: &Self) -> Option<String> {
        differ::member("data", &self.data, &other.data)
    }
}

impl Lower<Message> for Opaque {
    fn lower(&self) -> Message {
        Message { data: self.data.clone() }
    }
}

impl Lift<Opaque> for Message {
    fn lift(self) -> Result<Opaque, LiftError> {
        Ok(Opaque { data: self.data })
    }
}

impl Domain for Opaque {
    fn first_difference(&self, other: &Self) -> Option<String> {
        differ::first(self, other)
    }

    fn set_sequence(&mut self, number: u64) {
        marked("number", number, || self.data.set_sequence(number));
    }

    fn sequence_span(&self) -> Option<u64> {
        Some(self.data.sequence_span())
    }
}

static INFO: MessageInfo = MessageInfo {
    name: "Opaque",
    members: &[MemberInfo::Field(FieldInfo {
        name: "data",
        number: 1,
        position: 0,
        flag: 0,
        ty: FieldType::Bytes,
        shape: Shape::One,
        range: None,
        fixed_length: None,
        max_length: None,
        fixed_point_scale: None,
        character: false,
        choice_tag: None,
        stands_for: StandsFor::Fields,
    })],
    extensible: false,
    stands_for: StandsFor::Fields,
};

impl Record for Opaque {
    const INFO: &'static MessageInfo = &INFO;
    type Presence = [bool; 0];

    fn presence(&self) -> [bool; 0] {
        []
    }

    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Fault> {
        let mut frame = writer.begin(self)?;
        writer.one::<Self, At<Self, 0>, _>(&mut frame, &self.data)?;
        writer.end::<Self>(frame)
    }

    fn read<'a, R: Reader<'a>>(reader: &mut R) -> Result<Self, Fault> {
        let mut frame = reader.begin::<Self>()?;
        let read = Opaque { data: reader.one::<Self, At<Self, 0>, _>(&mut frame)? };
        reader.end::<Self>(frame)?;
        Ok(read)
    }

    fn empty() -> Self {
        Opaque { data: Vec::new() }
    }

    fn counted<C: Counted>(call: C) -> C::Output {
        call.call::<1>()
    }

    fn read_numbered<'a, R: Reader<'a>>(
        &mut self,
        reader: &mut R,
        frame: &mut R::Frame<Self>,
        number: u32,
    ) -> Result<bool, Fault> {
        if number == 1 {
            self.data = reader.one::<Self, At<Self, 0>, _>(frame)?;
        }
        Ok(number == 1)
    }

    fn visit<W: Visitor>(visitor: &mut W) -> Result<(), Fault> {
        visitor.one::<Self, At<Self, 0>, Vec<u8>>()?;
        Ok(())
    }
}

/// The payload type that the codec is bound to.
struct Types;

impl PayloadTypes for Types {
    type Domain = Opaque;
    type Message = Message;

    const INDEXES: &'static [u32] = &[0];

    fn from_protobuf(bytes: &[u8]) -> Result<Opaque, String> {
        let message: Message = prost::Message::decode(bytes).map_err(|error| error.to_string())?;
        Ok(Opaque { data: message.data })
    }

    fn to_protobuf(value: &Opaque) -> Vec<u8> {
        prost::Message::encode_to_vec(&Lower::lower(value))
    }
}

/// The bytes of the only field, unchanged.
#[derive(Debug, Default)]
struct Probe;

static DECLARED: DeclaredCodec =
    DeclaredCodec::new(ID, "wiredyno-testkit", "Probe").about("Marks its calls.").objects(Objects::Raw);

impl Codec for Probe {
    fn declared(&self) -> &'static DeclaredCodec {
        &DECLARED
    }
}

impl CodecFor<Types> for Probe {
    type State = ();
    type Object = Vec<u8>;
    type Decoded<'a> = Opaque;

    fn state(&self) -> Result<(), Reason> {
        Ok(())
    }

    fn build(&self, (): &(), value: &Opaque) -> Vec<u8> {
        marked("build", number_of(&value.data), || value.data.clone())
    }

    fn encode(&self, (): &mut (), object: &Vec<u8>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        marked("encode", number_of(object), || out.extend_from_slice(object));
        Ok(())
    }

    fn decode(&self, (): &(), bytes: &[u8]) -> Result<Opaque, DecodeError> {
        Ok(marked("decode", number_of(bytes), || Opaque { data: bytes.to_vec() }))
    }

    fn read(&self, decoded: &Opaque) -> Result<u64, DecodeError> {
        Ok(marked("read", number_of(&decoded.data), || digest_of(decoded)))
    }

    fn lift(&self, decoded: Opaque) -> Result<Opaque, DecodeError> {
        Ok(decoded)
    }
}

/// A transport of length-prefixed bodies over a connection from publisher to subscriber, named as the codec is.
struct Line(&'static str);

impl Transport for Line {
    fn description(&self) -> TransportDescription {
        TransportDescription {
            id: TransportId { protocol: "probe".into(), implementation: self.0.into() },
            library: OWN_LIBRARY.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            server: None,
            settings: Vec::new(),
            options: Vec::new(),
            format: None,
            received_at: "the last byte of the message".into(),
            sent_at: "the kernel has accepted the last byte of the message".into(),
            securities: vec![Security::None],
            security_note: String::new(),
            limit: None,
            capabilities: Vec::new(),
        }
    }

    fn publisher(
        &self,
        setup: &ClientSetup,
        sink: Arc<dyn SentSink>,
    ) -> Result<Box<dyn Publisher>, ConnectError> {
        if setup.setting.as_deref() == Some("held") {
            return Ok(Box::new(Held::begin(sink)));
        }
        let until = Instant::now() + setup.limit;
        loop {
            match TcpStream::connect(setup.endpoint) {
                Ok(line) => return Ok(Box::new(Sending { line, sink })),
                Err(error) => assert!(Instant::now() < until, "{error}"),
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn subscriber(
        &self,
        setup: &ClientSetup,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Box<dyn Subscriber>, ConnectError> {
        let listener = TcpListener::bind(setup.endpoint).unwrap();
        let thread = std::thread::spawn(move || receive(&listener, sink));
        Ok(Box::new(Receiving { address: setup.endpoint, thread }))
    }

    fn server(&self, _: &ServerSetup) -> Result<Box<dyn Server>, ServeError> {
        unreachable!("it needs no server")
    }
}

struct Sending {
    line: TcpStream,
    sink: Arc<dyn SentSink>,
}

fn tell(sink: &dyn SentSink, token: u64, number: u64) {
    let at_ns = now_ns();
    mark("sent", number, at_ns, at_ns);
    sink.sent(token, at_ns);
}

impl Publisher for Sending {
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        marked("send", number_of(body), || {
            self.line.write_all(&(body.len() as u32).to_be_bytes()).unwrap();
            self.line.write_all(body).unwrap();
            tell(&*self.sink, token, number_of(body));
        });
        Ok(())
    }

    fn acknowledges(&self) -> bool {
        false
    }

    fn finish(self: Box<Self>, _: Duration) -> Result<(), FinishError> {
        Ok(())
    }
}

/// A transport that sends nowhere; a message is reported as sent well after it was handed over.
struct Held {
    held: Sender<(u64, u64)>,
    /// When the last was handed over.
    last_ns: Arc<AtomicI64>,
}

impl Held {
    fn begin(sink: Arc<dyn SentSink>) -> Held {
        let (held, waiting) = channel();
        let last_ns = Arc::new(AtomicI64::new(0));
        let last = last_ns.clone();
        std::thread::spawn(move || {
            for (token, number) in waiting {
                while let left_ns @ 1.. = last.load(Ordering::SeqCst) + HELD_NS - now_ns() {
                    std::thread::sleep(Duration::from_nanos(left_ns.unsigned_abs()));
                }
                tell(&*sink, token, number);
            }
        });
        Held { held, last_ns }
    }
}

impl Publisher for Held {
    fn send(&mut self, token: u64, body: &[u8]) -> Result<(), SendError> {
        marked("send", number_of(body), || {
            self.last_ns.store(now_ns(), Ordering::SeqCst);
            self.held.send((token, number_of(body))).unwrap();
        });
        Ok(())
    }

    fn acknowledges(&self) -> bool {
        false
    }

    fn finish(self: Box<Self>, _: Duration) -> Result<(), FinishError> {
        Ok(())
    }
}

struct Receiving {
    address: SocketAddr,
    thread: JoinHandle<()>,
}

fn receive(listener: &TcpListener, mut sink: Box<dyn ReceivedSink>) {
    let mut line = BufReader::new(listener.accept().unwrap().0);
    let (mut head, mut body) = ([0; 4], Vec::new());
    while line.read_exact(&mut head).is_ok() {
        body.resize(u32::from_be_bytes(head) as usize, 0);
        line.read_exact(&mut body).unwrap();
        let received_ns = now_ns();
        mark("received", number_of(&body), received_ns, received_ns);
        let begin_ns = now_ns();
        sink.received(&body, received_ns);
        mark("handed", number_of(&body), begin_ns, now_ns());
    }
}

impl Subscriber for Receiving {
    fn finish(self: Box<Self>, _: Duration) -> Result<(), FinishError> {
        // A subscriber that never had a publisher still waits for one.
        if let Ok(line) = TcpStream::connect(self.address) {
            let _ = line.shutdown(Shutdown::Both);
        }
        self.thread.join().unwrap();
        Ok(())
    }
}
