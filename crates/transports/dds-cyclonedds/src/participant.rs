//! A participant with its topic and the QoS policies that both roles share.

use std::ffi::CString;
use std::net::IpAddr;

use wiredyno_dds::{Durability, Options, Setting, topic_name};
use wiredyno_transport::socket::address_towards;
use wiredyno_transport::tls::TlsFault;
use wiredyno_transport::{ClientSetup, ConnectError, Tls};

use crate::NAME;
use crate::domain::Domain;
use crate::security;
use crate::sys::{self, EVER, Entity};

/// What a client has before it has a writer or a reader. When dropped, it deletes everything created from it and announces that to the
/// others.
pub struct Participant {
    pub entity: Entity,
    pub topic: Entity,
    pub qos: Qos,
    /// The address of the interface that it uses.
    pub address: IpAddr,
    _domain: Domain,
}

/// QoS policies; freed when dropped.
pub struct Qos(*mut sys::Qos);

// SAFETY: the library reads this memory, and changes it only in calls that this file makes while creating it.
unsafe impl Send for Qos {}

impl Qos {
    /// Policies with the library's defaults.
    pub fn new() -> Self {
        // SAFETY: the library allocates it.
        Qos(unsafe { sys::dds_create_qos() })
    }

    pub fn as_mut_ptr(&self) -> *mut sys::Qos {
        self.0
    }

    pub fn as_ptr(&self) -> *const sys::Qos {
        self.0
    }
}

impl Drop for Qos {
    fn drop(&mut self) {
        // SAFETY: created by the library, and not used any more.
        unsafe { sys::dds_delete_qos(self.0) };
    }
}

/// The error for something that the library could not create on this machine.
pub fn local(reason: String) -> ConnectError {
    ConnectError::Local { transport: NAME, source: std::io::Error::other(reason) }
}

/// Checks what the library created for a topic, which security may forbid.
pub fn made(setup: &ClientSetup, code: Entity) -> Result<Entity, ConnectError> {
    match code {
        0.. => Ok(code),
        sys::NOT_ALLOWED => {
            let topic = topic_name(&setup.topic, setup.endpoint.port());
            let reason = security::complaint(&sys::meaning(code));
            Err(security::refused(setup, TlsFault::Permission { topic, reason }))
        }
        code => Err(local(sys::meaning(code))),
    }
}

impl Participant {
    pub fn join(setup: &ClientSetup, setting: Setting, options: &Options) -> Result<Self, ConnectError> {
        let unreachable =
            |reason| ConnectError::Unreachable { transport: NAME, endpoint: setup.endpoint, reason };
        let address = address_towards(setup.endpoint).map_err(|error| unreachable(error.to_string()))?;
        if !address.is_ipv4() {
            return Err(unreachable("it is used only with IPv4 here".to_owned()));
        }
        let domain = Domain::enter(options, address).map_err(local)?;
        let secured = setup.tls.as_ref().map(|tls| security::policies(setup, tls)).transpose()?;
        let policies = secured.as_ref().map_or(std::ptr::null(), Qos::as_ptr);
        // SAFETY: null policies and listener are the defaults; policies outlive the call.
        let entity = unsafe { sys::dds_create_participant(domain.id, policies, std::ptr::null()) };
        let entity = sys::checked(entity).map_err(|reason| match &setup.tls {
            Some(Tls { identity: Some(identity), .. }) => {
                let (identity, reason) = (identity.clone(), security::complaint(&reason));
                security::refused(setup, TlsFault::Identity { identity, reason })
            }
            _ => local(reason),
        })?;
        let mut participant =
            Participant { entity, topic: 0, qos: qos(setting, options), address, _domain: domain };
        let name = CString::new(topic_name(&setup.topic, setup.endpoint.port()))
            .map_err(|error| local(error.to_string()))?;
        // SAFETY: the descriptor is static, name and policies outlive the call, a null listener is none.
        let topic = unsafe {
            sys::dds_create_topic(
                entity,
                &raw const sys::wiredyno_Body_desc,
                name.as_ptr(),
                participant.qos.as_ptr(),
                std::ptr::null(),
            )
        };
        participant.topic = made(setup, topic)?;
        Ok(participant)
    }
}

impl Drop for Participant {
    fn drop(&mut self) {
        // SAFETY: the handle is ours; everything created from it is deleted with it.
        unsafe { sys::dds_delete(self.entity) };
    }
}

/// Policy kinds as numbered by the library.
const BEST_EFFORT: i32 = 0;
const RELIABLE: i32 = 1;
const KEEP_LAST: i32 = 0;
const KEEP_ALL: i32 = 1;
const VOLATILE: i32 = 0;
const TRANSIENT_LOCAL: i32 = 1;

fn qos(setting: Setting, options: &Options) -> Qos {
    let reliability = if setting.reliable { RELIABLE } else { BEST_EFFORT };
    let max_blocking = i64::try_from(options.max_blocking_ns).unwrap_or(EVER);
    let (history, depth) = match options.history_depth {
        0 => (KEEP_ALL, 1),
        depth => (KEEP_LAST, depth),
    };
    let durability = match options.durability {
        Durability::Volatile => VOLATILE,
        Durability::TransientLocal => TRANSIENT_LOCAL,
    };
    // The library would reject a depth beyond the limit.
    let samples = options.max_samples.max(options.history_depth);
    let policies = Qos::new();
    let qos = policies.as_mut_ptr();
    // SAFETY: the policies are ours, and these calls fill them in. Without a key there is one instance.
    unsafe {
        sys::dds_qset_reliability(qos, reliability, max_blocking);
        sys::dds_qset_history(qos, history, depth);
        sys::dds_qset_durability(qos, durability);
        sys::dds_qset_durability_service(qos, 0, history, depth, samples, 1, samples);
        sys::dds_qset_resource_limits(qos, samples, 1, samples);
    }
    policies
}
