//! DDS Security 1.1 through the plugins that come with the library (DDS:Auth:PKI-DH, DDS:Access:Permissions, DDS:Crypto:AES-GCM-GMAC; sections
//! 9.3 to 9.5). The library loads them from its own folder when a participant has their properties.

use std::ffi::{CStr, CString, OsStr, c_void};
use std::io::Write;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use wiredyno_transport::tls::{TlsFault, Trust};
use wiredyno_transport::{ClientSetup, ConnectError, Tls};

use crate::NAME;
use crate::participant::{Qos, local};
use crate::sys;

/// The plugins: role, file, and prefix of their functions.
const PLUGINS: [[&str; 3]; 3] = [
    ["auth", "libdds_security_auth.so", "authentication"],
    ["access", "libdds_security_ac.so", "access_control"],
    ["crypto", "libdds_security_crypto.so", "crypto"],
];

/// Debian's folder for them next to the library, which is also the package's name.
const DEBIANS: &str = "libddsc0debian";

/// The error for a connection that can't be trusted.
pub fn refused(setup: &ClientSetup, fault: TlsFault) -> ConnectError {
    ConnectError::Tls { transport: NAME, endpoint: setup.endpoint, fault }
}

/// Policies of a participant that authenticates itself and requires the same of others.
///
/// # Errors
/// When something required is missing.
pub fn policies(setup: &ClientSetup, tls: &Tls) -> Result<Qos, ConnectError> {
    let properties = properties(tls).map_err(|fault| refused(setup, fault))?;
    let properties: Result<Vec<_>, _> =
        properties.into_iter().map(|(name, value)| Ok([CString::new(name)?, CString::new(value)?])).collect();
    let properties = properties.map_err(|error: std::ffi::NulError| local(error.to_string()))?;
    let qos = Qos::new();
    for [name, value] in &properties {
        // SAFETY: the policies are ours, and the call copies the strings.
        unsafe { sys::dds_qset_prop(qos.as_mut_ptr(), name.as_ptr(), value.as_ptr()) };
    }
    listen();
    Ok(qos)
}

/// A participant's properties by name (DDS Security 1.1, sections 9.3 and 9.4), and the plugins behind them.
fn properties(tls: &Tls) -> Result<Vec<(String, Vec<u8>)>, TlsFault> {
    if tls.resumes {
        return Err(TlsFault::Handshake(
            "DDS Security can't resume sessions: leave resumption out".to_owned(),
        ));
    }
    if let Some(path) = &tls.key_log {
        let reason = "the client library (Cyclone DDS) does not export its keys".to_owned();
        return Err(TlsFault::KeyLog { path: path.clone(), reason });
    }
    let (Trust::File(ca), Some(identity), Some(documents)) = (&tls.trust, &tls.identity, &tls.documents)
    else {
        return Err(TlsFault::Handshake(
            "DDS Security needs an authority's certificate, this side's own certificate, governance and permissions"
                .to_owned(),
        ));
    };
    let mut properties = Vec::new();
    for [class, file, functions] in PLUGINS {
        let mut put = |name: &str, value: Vec<u8>| {
            properties.push((format!("dds.sec.{class}.library.{name}"), value));
        };
        put("path", plugin(file)?.into_os_string().as_bytes().to_vec());
        put("init", format!("init_{functions}").into_bytes());
        put("finalize", format!("finalize_{functions}").into_bytes());
    }
    for (name, path) in [
        ("auth.identity_ca", ca),
        ("auth.identity_certificate", &identity.certificate),
        ("auth.private_key", &identity.key),
        ("access.permissions_ca", ca),
        ("access.governance", &documents.governance),
        ("access.permissions", &documents.permissions),
    ] {
        properties.push((format!("dds.sec.{name}"), [b"file:", path.as_os_str().as_bytes()].concat()));
    }
    Ok(properties)
}

/// Where a plugin is: in Debian's folder next to the library, or next to the library itself.
fn plugin(file: &str) -> Result<PathBuf, TlsFault> {
    let folder = folder().unwrap_or_default();
    let places = [folder.join(DEBIANS).join(file), folder.join(file)];
    match places.iter().find(|place| place.is_file()) {
        Some(place) => Ok(place.clone()),
        None => {
            let [path, _] = places;
            Err(TlsFault::Plugin { path, package: DEBIANS })
        }
    }
}

/// The folder of the library that this process uses.
fn folder() -> Option<PathBuf> {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    let within = sys::dds_create_domain as *const c_void;
    // SAFETY: `info` has room for the result.
    if unsafe { libc::dladdr(within, info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: dladdr has filled it in; the name belongs to the loader and stays as long as the library.
    let name = unsafe { CStr::from_ptr(info.assume_init_ref().dli_fname) };
    let library = Path::new(OsStr::from_bytes(name.to_bytes())).canonicalize().ok()?;
    Some(library.parent()?.to_owned())
}

/// The library's last complaints, in its words.
static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// How many of its lines are kept: those of one failure.
const KEPT: usize = 4;

/// Records the library's log from now on, and drops earlier lines. It has no other way to report why a participant is rejected.
fn listen() {
    static ONCE: Once = Once::new();
    // SAFETY: the function is static.
    ONCE.call_once(|| unsafe { sys::dds_set_log_sink(Some(hear), std::ptr::null_mut()) });
    SAID.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Called by the library with each log line, from any of its threads.
extern "C" fn hear(_: *mut c_void, line: *const sys::LogLine) {
    // SAFETY: the line is the library's, and valid during this call.
    let (priority, text) = unsafe { ((*line).priority, CStr::from_ptr((*line).message)) };
    let text = text.to_string_lossy().split_whitespace().collect::<Vec<_>>().join(" ");
    // As the library does without a sink.
    let _ = writeln!(std::io::stderr(), "Cyclone DDS: {text}");
    if priority & sys::COMPLAINTS == 0 {
        return;
    }
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if !said.contains(&text) {
        if said.len() == KEPT {
            said.remove(0);
        }
        said.push(text);
    }
}

/// The library's complaints, or `otherwise` if there are none.
pub fn complaint(otherwise: &str) -> String {
    let said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.is_empty() { otherwise.to_owned() } else { said.join("; ") }
}

/// Why there are too few subscribers, if they have to authenticate.
pub fn explained(setup: &ClientSetup, error: ConnectError) -> ConnectError {
    match error {
        ConnectError::Unmatched { topic, found, wanted, .. } if setup.tls.is_some() => {
            // A participant that begins a handshake gets no answer from those that reject it.
            let reason = complaint(
                "there is no other participant, or it rejects this certificate or its permissions, which only its own side reports",
            );
            refused(setup, TlsFault::Unproved { topic, found, wanted, reason })
        }
        other => other,
    }
}
