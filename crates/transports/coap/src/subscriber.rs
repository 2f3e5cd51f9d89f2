//! The subscriber with its socket.

use std::time::Duration;

use crate::NAME;
use crate::client::{connect, silent, unreachable};
use crate::declared::Options;
use crate::declared::Setting;
use crate::endpoint::Endpoint;
use crate::receiver::{Receiver, Registration};
use wiredyno_transport::{ClientSetup, ConnectError, FinishError, ReceivedSink, Subscriber};

pub struct CoapSubscriber {
    endpoint: Endpoint<Receiver>,
}

impl CoapSubscriber {
    pub fn connect(
        setup: &ClientSetup,
        setting: Setting,
        options: &Options,
        sink: Box<dyn ReceivedSink>,
    ) -> Result<Self, ConnectError> {
        let (way, seed) = connect(setup, "subscriber")?;
        let receiver = Receiver::new(setup, setting, options.clone(), seed, sink);
        let nap = Duration::from_nanos(options.transmission.ack_timeout_ns.unsigned_abs());
        let endpoint = Endpoint::start("coap-subscriber", way, nap, receiver);
        let endpoint = endpoint.map_err(|source| ConnectError::Local { transport: NAME, source })?;
        endpoint.with(Receiver::register);
        let decided = |receiver: &Receiver| *receiver.registration() != Registration::Asked;
        endpoint.wait(setup.limit, decided);
        match endpoint.with(|receiver, _| receiver.registration().clone()) {
            Registration::Granted => Ok(CoapSubscriber { endpoint }),
            Registration::Asked | Registration::Ended => Err(silent(setup)),
            Registration::Failed(reason) => Err(unreachable(setup, reason)),
            Registration::Refused(reason) => Err(ConnectError::NotGranted {
                transport: NAME,
                endpoint: setup.endpoint,
                topic: setup.topic.clone(),
                reason,
            }),
        }
    }
}

impl Subscriber for CoapSubscriber {
    /// An unanswered deregistration is not an error: the server learns it from our silence.
    fn finish(mut self: Box<Self>, grace: Duration) -> Result<(), FinishError> {
        let granted = self.endpoint.with(|receiver, wire| match receiver.registration() {
            Registration::Granted => {
                receiver.deregister(wire);
                true
            }
            _ => false,
        });
        if granted {
            let over = |receiver: &Receiver| *receiver.registration() != Registration::Granted;
            self.endpoint.wait(grace, over);
        }
        self.endpoint.end();
        let state = self.endpoint.with(|receiver, _| receiver.registration().clone());
        match state {
            Registration::Refused(reason) | Registration::Failed(reason) if !granted => {
                Err(FinishError::Broken { transport: NAME, reason })
            }
            _ => Ok(()),
        }
    }
}
