//! Listens as a subscriber to which publishers connect directly: peer to peer, as AMQP 1.0 allows (part 2, section 2.1: a connection
//! joins two containers, neither of which has to be a broker).
//!
//! It accepts any login, any target address, one connection after another and any links on each: a publisher of settled messages
//! attaches a new link from time to time.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use fe2o3_amqp::Receiver;
use fe2o3_amqp::acceptor::{
    ConnectionAcceptor, LinkAcceptor, LinkEndpoint, ListenerConnectionHandle, SaslPlainMechanism,
    SessionAcceptor,
};
use fe2o3_amqp::link::CreditMode;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::client::{Client, GUEST, Role, unique_name};
use crate::stream::{Loss, Stream, Unheard};
use crate::subscriber::Receipts;
use crate::{MAX_FRAME_BYTES, Mode, NAME};
use wiredyno_tls::Socket;
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, ReceivedSink, Subscriber};

pub struct AmqpPeer {
    client: Client,
    closing: Arc<Notify>,
}

/// What the thread uses while it works.
struct Work {
    setup: ClientSetup,
    receipts: Receipts,
    closing: Arc<Notify>,
}

impl Role for Work {
    type Link = TcpListener;

    const NAME: &'static str = "peer";

    async fn attach(&mut self) -> Result<TcpListener, ConnectError> {
        let listen = TcpListener::bind(self.setup.endpoint).await;
        listen.map_err(|source| ConnectError::Local { transport: NAME, source })
    }

    async fn serve(&mut self, listener: &mut TcpListener) -> Result<(), String> {
        let closing = self.closing.clone();
        let taking = async {
            loop {
                let taken = self.connection(listener).await.map_err(|error| error.to_string())?;
                // A publisher whose connection is lost reports that itself; another one may connect.
                if let Some(connection) = taken {
                    self.links(connection).await;
                }
            }
        };
        tokio::select! {
            biased;
            () = closing.notified() => Ok(()),
            end = taking => end,
        }
    }

    async fn close(&mut self, _listener: TcpListener) -> Result<(), String> {
        Ok(())
    }

    fn broken(&mut self, reason: &str) {
        self.receipts.sink.get_mut().broken(reason);
    }
}

impl Work {
    /// The next connection; `None` if it does not speak AMQP 1.0.
    async fn connection(&self, listener: &TcpListener) -> io::Result<Option<ListenerConnectionHandle>> {
        let (tcp, _) = listener.accept().await?;
        tcp.set_nodelay(true)?;
        let stream = Stream::over(Socket::Plain(tcp), Box::new(Unheard), Loss::default());
        let given = self.setup.login.as_ref().map(|login| (login.user.as_str(), login.password.as_str()));
        let (user, password) = given.unwrap_or(GUEST);
        let acceptor = ConnectionAcceptor::builder()
            .container_id(unique_name())
            .max_frame_size(MAX_FRAME_BYTES)
            .sasl_acceptor(SaslPlainMechanism::new(user, password))
            .build();
        Ok(acceptor.accept(stream).await.ok())
    }

    /// Receives on all links, session after session, until the connection ends.
    async fn links(&self, mut connection: ListenerConnectionHandle) {
        let (sessions, links) = (SessionAcceptor::new(), LinkAcceptor::new());
        // The publisher ends session and connection: if this side closed first, the publisher would see a loss.
        while let Ok(mut session) = sessions.accept(&mut connection).await {
            let mut open = FuturesUnordered::new();
            // A publisher that changes links attaches the new one before it detaches the old one.
            loop {
                let attach = tokio::select! {
                    attach = session.next_incoming_attach() => attach,
                    Some(()) = open.next(), if !open.is_empty() => continue,
                };
                let Some(attach) = attach else { break };
                if let Ok(LinkEndpoint::Receiver(receiver)) =
                    links.accept_incoming_attach(attach, &mut session).await
                {
                    open.push(self.until_detached(receiver));
                }
            }
        }
    }

    async fn until_detached(&self, mut receiver: Receiver) {
        receiver.set_credit_mode(CreditMode::Manual);
        if receiver.set_credit(self.receipts.mode.options.credit).await.is_ok() {
            self.receipts.receive(&mut receiver).await;
        }
        let _ = receiver.close().await;
    }
}

impl AmqpPeer {
    pub fn listen(
        setup: &ClientSetup,
        mode: Mode,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Self, ConnectError> {
        let closing = Arc::new(Notify::new());
        let receipts = Receipts { mode, sink: RefCell::new(sink) };
        let work = Work { setup: setup.clone(), receipts, closing: closing.clone() };
        Ok(AmqpPeer { client: Client::start(setup, work)?, closing })
    }
}

impl Subscriber for AmqpPeer {
    fn finish(self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        self.closing.notify_one();
        self.client.finish(grace)
    }
}
