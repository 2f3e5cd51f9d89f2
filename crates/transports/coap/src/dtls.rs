//! DTLS 1.2 (RFC 6347) through the machine's OpenSSL, between a socket and a machine: with a pre-shared key, or with a server certificate
//! (RFC 7252, section 9.1.3).
//!
//! Cipher suites are offered in this order: the one that RFC 7252 makes mandatory (AES-128 in CCM with a tag of 8 bytes), then the same with
//! a tag of 16, then GCM. The server first asks for a cookie (RFC 6347, section 4.2.1). Lost handshake messages are retransmitted after a
//! second, and after twice as long each time, by OpenSSL.
//!
//! Limits: no resumption; one record per message, which holds 16,384 bytes; a client's port has one session as long as the server lives. One
//! file because client and server share the session and the library's callbacks.

use std::collections::{HashMap, VecDeque};
use std::ffi::{c_int, c_long, c_void};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use foreign_types::ForeignTypeRef;
use nix::libc;
use openssl::error::ErrorStack;
use openssl::ex_data::Index;
use openssl::rand::rand_bytes;
use openssl::ssl::{
    ErrorCode, Ssl, SslContext, SslContextBuilder, SslFiletype, SslMethod, SslOptions, SslRef, SslStream,
    SslVerifyMode, SslVersion,
};
use wiredyno_contract::{Handshake, TlsVersion};
use wiredyno_transport::Tls;
use wiredyno_transport::clock::{now_ns, thread_cpu_ns};
use wiredyno_transport::tls::{Identity, Psk, ServerTls, TlsFault, Trust};

/// Suites with a pre-shared key, and with certificates, in OpenSSL's names. Its security levels above 0 refuse tags of 8 bytes, which the
/// RFC requires.
const SUITES_PSK: &str = "PSK-AES128-CCM8:PSK-AES128-CCM:PSK-AES128-GCM-SHA256";
const SUITES_CERTIFICATE: &str =
    "ECDHE-ECDSA-AES128-CCM8:ECDHE-ECDSA-AES128-CCM:ECDHE-ECDSA-AES128-GCM-SHA256";

/// The largest packet of a handshake, without IP and UDP.
const MTU_BYTES: c_long = 1_400;

/// The largest plaintext of a record (RFC 6347, section 4.1: as RFC 5246, section 6.2.1).
pub const RECORD_LIMIT_BYTES: usize = 16_384;

/// Commands of SSL_ctrl (OpenSSL, `ssl.h`) for which the bindings have no function.
const SET_MTU: c_int = 17;
const GET_TIMEOUT: c_int = 73;
const HANDLE_TIMEOUT: c_int = 74;

const COOKIE_BYTES: usize = 16;

/// Datagrams to and from the library.
#[derive(Debug, Default)]
struct Pipe {
    incoming: VecDeque<Vec<u8>>,
    outgoing: VecDeque<Vec<u8>>,
    sent_bytes: u64,
    received_bytes: u64,
}

impl Read for Pipe {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let datagram = self.incoming.pop_front().ok_or(io::ErrorKind::WouldBlock)?;
        let bytes = datagram.len().min(out.len());
        out[..bytes].copy_from_slice(&datagram[..bytes]);
        self.received_bytes += datagram.len() as u64;
        Ok(bytes)
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.outgoing.push_back(bytes.to_vec());
        self.sent_bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Shaking,
    Open,
    /// Rejected or ended: it produces nothing more.
    Over,
}

/// One side of a connection.
pub struct Session {
    stream: SslStream<Pipe>,
    is_server: bool,
    stage: Stage,
    room: Vec<u8>,
}

impl Session {
    fn new(ssl: Ssl, is_server: bool) -> Result<Self, ErrorStack> {
        control(&ssl, SET_MTU, MTU_BYTES);
        let stream = SslStream::new(ssl, Pipe::default())?;
        Ok(Session { stream, is_server, stage: Stage::Shaking, room: vec![0; RECORD_LIMIT_BYTES] })
    }

    /// Continues the handshake; returns whether it has finished. `Err` is the library's, with its verdict on the certificate.
    fn shake(&mut self) -> Result<bool, (String, c_int)> {
        if self.stage == Stage::Open {
            return Ok(true);
        }
        let shaken = if self.is_server { self.stream.accept() } else { self.stream.connect() };
        match shaken {
            Ok(()) => {
                self.stage = Stage::Open;
                Ok(true)
            }
            Err(error) if [ErrorCode::WANT_READ, ErrorCode::WANT_WRITE].contains(&error.code()) => Ok(false),
            Err(error) => {
                self.stage = Stage::Over;
                let reasons = error.ssl_error().map_or_else(|| error.to_string(), reasons);
                Err((reasons, self.stream.ssl().verify_result().as_raw()))
            }
        }
    }

    /// Encrypts a message; does nothing if that is not possible.
    fn encrypt(&mut self, message: &[u8]) {
        if self.stage == Stage::Open {
            // A message that the library refuses is treated like loss on the way.
            let _ = self.stream.ssl_write(message);
        }
    }

    /// Processes a datagram; returns the messages that it holds.
    fn decrypt(&mut self, datagram: &[u8]) -> Vec<Vec<u8>> {
        self.stream.get_mut().incoming.push_back(datagram.to_vec());
        let mut messages = Vec::new();
        if self.stage == Stage::Over || !self.shake().unwrap_or(false) {
            return messages;
        }
        loop {
            match self.stream.ssl_read(&mut self.room) {
                Ok(0) => break,
                Ok(bytes) => messages.push(self.room[..bytes].to_vec()),
                Err(error) => {
                    if ![ErrorCode::WANT_READ, ErrorCode::WANT_WRITE].contains(&error.code()) {
                        self.stage = Stage::Over;
                    }
                    break;
                }
            }
        }
        messages
    }

    /// The datagrams that must be sent.
    fn outgoing(&mut self) -> impl Iterator<Item = Vec<u8>> + use<> {
        std::mem::take(&mut self.stream.get_mut().outgoing).into_iter()
    }

    /// When a part of the handshake must be retransmitted, from now.
    fn due_ns(&self) -> Option<i64> {
        let mut left = libc::timeval { tv_sec: 0, tv_usec: 0 };
        // SAFETY: the command writes a timeval, which lives as long as the call (OpenSSL, DTLSv1_get_timeout).
        let known = unsafe {
            openssl_sys::SSL_ctrl(
                self.stream.ssl().as_ptr(),
                GET_TIMEOUT,
                0,
                (&raw mut left).cast::<c_void>(),
            )
        };
        (known == 1 && self.stage == Stage::Shaking)
            .then(|| now_ns() + left.tv_sec * 1_000_000_000 + left.tv_usec * 1_000)
    }

    fn tick(&mut self) {
        control(self.stream.ssl(), HANDLE_TIMEOUT, 0);
    }

    fn close(&mut self) {
        if self.stage == Stage::Open {
            let _ = self.stream.shutdown();
        }
    }
}

fn control(ssl: &SslRef, command: c_int, number: c_long) {
    // SAFETY: these commands take a number and no pointer.
    unsafe { openssl_sys::SSL_ctrl(ssl.as_ptr(), command, number, std::ptr::null_mut()) };
}

/// The library's errors, in its own words without source locations.
fn reasons(stack: &ErrorStack) -> String {
    let words = stack.errors().iter().filter_map(|error| error.reason());
    words.collect::<Vec<_>>().join(", ")
}

/// A connecting client: the owner of the socket sends and receives the datagrams of its handshake.
pub struct Client {
    session: Session,
    begun: (i64, u64),
    tls: Tls,
}

/// The state of a client's handshake.
#[allow(clippy::large_enum_variant, reason = "matched as soon as it is returned")]
pub enum Shaking {
    /// The handshake is not finished yet.
    On(Client),
    /// The handshake is finished; the connection works.
    Done(Veil),
}

impl Client {
    /// A client before its handshake.
    ///
    /// # Errors
    /// When a file or a key can't be used.
    pub fn new(tls: &Tls) -> Result<Self, TlsFault> {
        let context = client_context(tls)?;
        let mut ssl = Ssl::new(&context).map_err(|error| internal(&error))?;
        if tls.psk.is_none() {
            let set = match tls.server_name.parse() {
                Ok(ip) => ssl.param_mut().set_ip(ip),
                Err(_) => ssl.param_mut().set_host(&tls.server_name),
            };
            set.map_err(|_| TlsFault::Name(tls.server_name.clone()))?;
        }
        let session = Session::new(ssl, false).map_err(|error| internal(&error))?;
        Ok(Client { session, begun: (now_ns(), thread_cpu_ns()), tls: tls.clone() })
    }

    /// Processes a datagram, or the passing of time if there is none; datagrams to send are passed to `send`.
    ///
    /// # Errors
    /// Why no connection was made.
    pub fn step(
        mut self,
        datagram: Option<&[u8]>,
        send: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<Shaking, Result<TlsFault, io::Error>> {
        match datagram {
            Some(datagram) => self.session.stream.get_mut().incoming.push_back(datagram.to_vec()),
            None if self.session.due_ns().is_some_and(|due_ns| due_ns <= now_ns()) => self.session.tick(),
            None => {}
        }
        let shaken = self.session.shake();
        for datagram in self.session.outgoing() {
            send(&datagram).map_err(Err)?;
        }
        match shaken {
            Ok(false) => Ok(Shaking::On(self)),
            Ok(true) => Ok(Shaking::Done(self.shaken())),
            Err((reasons, verdict)) => Err(Ok(self.fault(reasons, verdict))),
        }
    }

    /// Why the handshake did not finish, if the server has sent anything in it: undecryptable records are silently discarded (RFC 6347,
    /// section 4.1.2.7), so a wrong key looks like loss.
    pub fn unfinished(&self) -> Option<TlsFault> {
        (self.session.stream.get_ref().received_bytes > 0).then(|| {
            TlsFault::Handshake(
                "the server began it and did not finish: do both sides have the same key and the same kind of credentials?"
                    .into(),
            )
        })
    }

    fn shaken(self) -> Veil {
        let (begun_ns, cpu_ns) = self.begun;
        let pipe = self.session.stream.get_ref();
        self.tls.agreed.note(TlsVersion::Dtls12);
        self.tls.agreed.note_handshake(Handshake {
            took_ns: (now_ns() - begun_ns).unsigned_abs(),
            cpu_ns: Some(thread_cpu_ns().saturating_sub(cpu_ns)),
            sent_bytes: Some(pipe.sent_bytes),
            received_bytes: Some(pipe.received_bytes),
            resumed: false,
        });
        Veil(Sides::Client(Box::new(self.session)))
    }

    fn fault(&self, reasons: String, verdict: c_int) -> TlsFault {
        TlsFault::of_openssl(verdict, &self.tls.server_name).unwrap_or(TlsFault::Handshake(reasons))
    }
}

/// The encryption between a socket and a machine.
pub struct Veil(Sides);

enum Sides {
    Client(Box<Session>),
    Server(SslContext, HashMap<SocketAddr, Session>),
}

impl Veil {
    /// The encryption of a server.
    ///
    /// # Errors
    /// When a file or a key can't be used.
    pub fn server(tls: &ServerTls) -> Result<Self, TlsFault> {
        Ok(Veil(Sides::Server(server_context(tls)?, HashMap::new())))
    }

    /// Encrypts a message to a peer; datagrams to send are passed to `send`.
    pub fn encrypt(&mut self, to: SocketAddr, message: &[u8], send: &mut dyn FnMut(SocketAddr, &[u8])) {
        let session = match &mut self.0 {
            Sides::Client(session) => Some(&mut **session),
            Sides::Server(_, sessions) => sessions.get_mut(&to),
        };
        let Some(session) = session else { return };
        session.encrypt(message);
        session.outgoing().for_each(|datagram| send(to, &datagram));
    }

    /// Processes a datagram; returns the messages that it holds. Datagrams to send are passed to `send`.
    pub fn decrypt(
        &mut self,
        from: SocketAddr,
        datagram: &[u8],
        send: &mut dyn FnMut(SocketAddr, &[u8]),
    ) -> Vec<Vec<u8>> {
        let session = match &mut self.0 {
            Sides::Client(session) => &mut **session,
            Sides::Server(context, sessions) => {
                match Ssl::new(context).and_then(|ssl| Session::new(ssl, true)) {
                    Ok(fresh) => sessions.entry(from).or_insert(fresh),
                    Err(_) => return Vec::new(),
                }
            }
        };
        let messages = session.decrypt(datagram);
        session.outgoing().for_each(|datagram| send(from, &datagram));
        messages
    }

    /// When [`Veil::tick`] must be called; `None` if nothing is pending.
    pub fn due_ns(&self) -> Option<i64> {
        match &self.0 {
            Sides::Client(_) => None,
            Sides::Server(_, sessions) => sessions.values().filter_map(Session::due_ns).min(),
        }
    }

    /// The time of [`Veil::due_ns`] has come.
    pub fn tick(&mut self, now_ns: i64, send: &mut dyn FnMut(SocketAddr, &[u8])) {
        let Sides::Server(_, sessions) = &mut self.0 else { return };
        for (to, session) in sessions {
            if session.due_ns().is_some_and(|due_ns| due_ns <= now_ns) {
                session.tick();
                session.outgoing().for_each(|datagram| send(*to, &datagram));
            }
        }
    }

    /// Sends close_notify to every peer. `peer` is a client's only one.
    pub fn close(&mut self, peer: Option<SocketAddr>, send: &mut dyn FnMut(SocketAddr, &[u8])) {
        match &mut self.0 {
            Sides::Client(session) => {
                session.close();
                session.outgoing().for_each(|datagram| peer.into_iter().for_each(|to| send(to, &datagram)));
            }
            Sides::Server(_, sessions) => {
                for (to, session) in sessions {
                    session.close();
                    session.outgoing().for_each(|datagram| send(*to, &datagram));
                }
            }
        }
    }
}

fn internal(error: &ErrorStack) -> TlsFault {
    TlsFault::Handshake(format!("OpenSSL: {error}"))
}

/// What the contexts of both sides share.
fn context(method: SslMethod, with_psk: bool) -> Result<SslContextBuilder, TlsFault> {
    let build = || {
        let mut context = SslContext::builder(method)?;
        context.set_min_proto_version(Some(SslVersion::DTLS1_2))?;
        context.set_options(SslOptions::NO_QUERY_MTU | SslOptions::NO_TICKET);
        context.set_security_level(0);
        context.set_cipher_list(if with_psk { SUITES_PSK } else { SUITES_CERTIFICATE })?;
        Ok(context)
    };
    build().map_err(|error| internal(&error))
}

fn client_context(tls: &Tls) -> Result<SslContext, TlsFault> {
    let mut context = context(SslMethod::dtls_client(), tls.psk.is_some())?;
    if tls.resumes {
        return Err(TlsFault::Handshake("CoAP can't resume sessions here: leave resumption out".into()));
    }
    if let Some(psk) = tls.psk.clone() {
        context.set_psk_client_callback(move |_, _hint, identity, key| Ok(told(&psk, identity, key)));
    } else {
        context.set_verify(SslVerifyMode::PEER);
        match &tls.trust {
            Trust::System => context.set_default_verify_paths().map_err(|error| internal(&error))?,
            Trust::File(path) => context.set_ca_file(path).map_err(|error| TlsFault::CaFile {
                path: path.clone(),
                reason: format!("can't be used: {}", reasons(&error)),
            })?,
        }
    }
    if let Some(path) = &tls.key_log {
        let keys = Mutex::new(key_log(path)?);
        context.set_keylog_callback(move |_, line| {
            // Written at once, so that lines of several clients don't mix.
            let line = format!("{line}\n");
            let _ = keys.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        });
    }
    Ok(context.build())
}

fn key_log(path: &Path) -> Result<File, TlsFault> {
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    file.map_err(|error| TlsFault::KeyLog { path: path.to_owned(), reason: error.to_string() })
}

fn server_context(tls: &ServerTls) -> Result<SslContext, TlsFault> {
    let mut context = context(SslMethod::dtls_server(), tls.psk.is_some())?;
    match (&tls.psk, &tls.identity) {
        (Some(psk), _) => {
            let psk = psk.clone();
            context.set_psk_server_callback(move |_, identity, key| {
                // A length of 0 rejects the client.
                let known = identity == Some(psk.identity.as_bytes()) && psk.key.len() <= key.len();
                Ok(if known { copied(&psk.key, key) } else { 0 })
            });
        }
        (None, Some(identity)) => show(&mut context, identity)?,
        (None, None) => {
            return Err(TlsFault::Handshake("a DTLS server needs a key or a certificate".into()));
        }
    }
    let cookies = Ssl::new_ex_index::<[u8; COOKIE_BYTES]>().map_err(|error| internal(&error))?;
    context.set_options(SslOptions::COOKIE_EXCHANGE);
    context.set_cookie_generate_cb(move |ssl, out| cookie(ssl, cookies, out));
    context.set_cookie_verify_cb(move |ssl, shown| ssl.ex_data(cookies).is_some_and(|own| own == shown));
    Ok(context.build())
}

fn show(context: &mut SslContextBuilder, identity: &Identity) -> Result<(), TlsFault> {
    let set = context
        .set_certificate_chain_file(&identity.certificate)
        .and_then(|()| context.set_private_key_file(&identity.key, SslFiletype::PEM))
        .and_then(|()| context.check_private_key());
    set.map_err(|error| TlsFault::Identity { identity: identity.clone(), reason: reasons(&error) })
}

/// A session's own cookie, drawn at its first use.
fn cookie(
    ssl: &mut SslRef,
    cookies: Index<Ssl, [u8; COOKIE_BYTES]>,
    out: &mut [u8],
) -> Result<usize, ErrorStack> {
    let own = match ssl.ex_data(cookies) {
        Some(own) => *own,
        None => {
            let mut fresh = [0; COOKIE_BYTES];
            rand_bytes(&mut fresh)?;
            ssl.set_ex_data(cookies, fresh);
            fresh
        }
    };
    Ok(copied(&own, out))
}

/// Gives the key and its name to the library, which requires a NUL after the name; returns the key's length, 0 if there is no room.
fn told(psk: &Psk, identity: &mut [u8], key: &mut [u8]) -> usize {
    let name = psk.identity.as_bytes();
    if name.len() >= identity.len() || psk.key.len() > key.len() {
        return 0;
    }
    copied(name, identity);
    identity[name.len()] = 0;
    copied(&psk.key, key)
}

fn copied(from: &[u8], to: &mut [u8]) -> usize {
    to[..from.len()].copy_from_slice(from);
    from.len()
}
