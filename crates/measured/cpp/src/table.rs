//! The C interface, as `include/wiredyno/codec.h` declares it.

use std::ffi::{CStr, c_char, c_int, c_void};

use wiredyno_codec::measure::Stopwatch;

/// The version of the interface, `WD_INTERFACE`.
pub(crate) const INTERFACE: u32 = 1;

/// Bytes of the other side: `wd_bytes`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Slice {
    at: *const u8,
    length: usize,
}

impl Slice {
    pub(crate) const EMPTY: Slice = Slice { at: std::ptr::null(), length: 0 };

    pub(crate) fn of(bytes: &[u8]) -> Slice {
        Slice { at: bytes.as_ptr(), length: bytes.len() }
    }

    /// The bytes that the last call gave out.
    ///
    /// # Safety
    /// There must have been no other call since.
    pub(crate) unsafe fn bytes<'a>(self) -> &'a [u8] {
        match self.length {
            0 => &[],
            // SAFETY: the interface promises that many bytes, until the next call.
            length => unsafe { std::slice::from_raw_parts(self.at, length) },
        }
    }
}

/// The functions of a codec for one definition: `wd_codec`.
#[repr(C)]
pub struct Table {
    pub(crate) interface_version: u32,
    library_version: *const c_char,
    compiler: *const c_char,
    pub(crate) open: unsafe extern "C" fn() -> *mut c_void,
    pub(crate) close: unsafe extern "C" fn(*mut c_void),
    pub(crate) why: unsafe extern "C" fn(*const c_void) -> *const c_char,
    pub(crate) take: unsafe extern "C" fn(*mut c_void, Slice) -> c_int,
    pub(crate) keep: unsafe extern "C" fn(*mut c_void, Slice) -> c_int,
    pub(crate) forget: unsafe extern "C" fn(*mut c_void),
    pub(crate) build: unsafe extern "C" fn(*mut c_void) -> c_int,
    pub(crate) encode: unsafe extern "C" fn(*mut c_void, c_int, *mut Slice) -> c_int,
    pub(crate) decode: unsafe extern "C" fn(*mut c_void, Slice) -> c_int,
    pub(crate) read: unsafe extern "C" fn(*mut c_void, *mut u64) -> c_int,
    pub(crate) lift: unsafe extern "C" fn(*mut c_void, *mut Slice) -> c_int,
    pub(crate) release: unsafe extern "C" fn(*mut c_void),
    pub(crate) prepare: unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
    pub(crate) batch: unsafe extern "C" fn(*mut c_void, c_int, c_int, u64, usize, *const Stopwatch) -> c_int,
    pub(crate) product: unsafe extern "C" fn(*mut c_void, c_int, c_int, *mut Slice, *mut u64) -> c_int,
    pub(crate) finish: unsafe extern "C" fn(*mut c_void),
}

impl Table {
    /// The version of the library's headers that it was compiled with.
    pub(crate) fn library_version(&self) -> &'static str {
        text(self.library_version)
    }

    /// The compiler and its version.
    pub(crate) fn compiler(&self) -> &'static str {
        text(self.compiler)
    }
}

/// A constant text of a table; empty where it is not UTF-8.
fn text(text: *const c_char) -> &'static str {
    // SAFETY: the interface has constant texts that end with a NUL.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default()
}
