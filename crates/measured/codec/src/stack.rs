//! How deep a call goes on the stack: the deepest byte that it wrote, found on a painted stack.
//!
//! A thread with a stack of its own (mapped, painted, a guard page below) makes the calls. Just before a call the part
//! that calls reach is repainted; just after it the paint is scanned from the far end for the first word that has
//! changed. The figure is the distance from the loop's stack pointer to that word. Space that a call reserves and never
//! writes does not count unless something deeper is written.
//!
//! Limits: depths within about [`BLIND_BYTES`] of the loop can't be distinguished, because painting and scanning need a
//! frame of their own there, and are reported as about that little. What the heap's own functions need below the call
//! is left out, because it depends on the heap's state. The object that a call returns lies in its caller's frame. A
//! word that is overwritten with the paint's own value goes unnoticed.

use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::null_mut;

pub use wiredyno_contract::BLIND_BYTES;

/// Twice what Rust gives its threads.
const STACK_BYTES: usize = 4 << 20;

/// A word that neither zeroed nor pointer-filled memory holds.
const PAINT: u64 = 0xa5c3_96e1_5a3c_691e;

/// Painted beyond the deepest word of the warm-up.
const MARGIN_BYTES: usize = 8 << 10;

thread_local! {
    /// The lowest word of the painted stack; 0 on every other thread.
    static LOW: Cell<usize> = const { Cell::new(0) };
    /// From here up, the stack is painted and scanned for every call.
    static REGION: Cell<usize> = const { Cell::new(0) };
    /// The deepest change seen before the paint was renewed within a call.
    static DEEPEST: Cell<usize> = const { Cell::new(usize::MAX) };
    /// Depth of the last call, in bytes.
    static DEPTH: Cell<u64> = const { Cell::new(0) };
}

/// Why the thread could not be started.
#[derive(Debug, thiserror::Error)]
#[error("no thread with a stack of its own: {0}; check the limits on memory and threads (ulimit -v, -u)")]
pub struct NoStack(std::io::Error);

#[inline(always)]
pub(crate) fn pointer() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        let pointer: usize;
        // SAFETY: reads a register and touches nothing.
        unsafe {
            std::arch::asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags));
        }
        pointer
    }
    #[cfg(target_arch = "aarch64")]
    {
        let pointer: usize;
        // SAFETY: reads a register and touches nothing.
        unsafe {
            std::arch::asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags));
        }
        pointer
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        // An address in the caller's frame, which is close enough where no register can be read.
        let here = 0u8;
        std::hint::black_box(&raw const here) as usize
    }
}

/// Before a call: paints below the caller, on a painted stack; elsewhere does nothing.
#[inline(always)]
pub(crate) fn begin() {
    let region = REGION.get();
    if region != 0 {
        DEEPEST.set(usize::MAX);
        paint(region, pointer());
    }
}

/// Runs what must leave no trace in the call's depth: the heap's own work, whose depth changes with the heap's state
/// from repeat to repeat.
#[inline(always)]
pub(crate) fn apart<T>(call: impl FnOnce() -> T) -> T {
    let region = REGION.get();
    if region == 0 {
        return call();
    }
    DEEPEST.set(DEEPEST.get().min(changed_from(region, pointer())));
    let result = call();
    paint(region, pointer());
    result
}

#[inline(always)]
fn paint(region: usize, end: usize) {
    let mut at = region;
    while at + 8 <= end {
        // SAFETY: between the low end of this thread's own stack and its stack pointer nothing is alive: the
        // callers are not leaves, so that no red zone is in use, and no signal handler runs on this stack.
        unsafe { (at as *mut u64).write_volatile(PAINT) };
        at += 8;
    }
}

/// After a call: finds the deepest change since [`begin`] and stores its distance from `base`.
#[inline(always)]
pub(crate) fn look(base: usize) {
    let region = REGION.get();
    if region != 0 {
        let deepest = changed_from(region, base).min(DEEPEST.get());
        DEPTH.set(base.saturating_sub(deepest) as u64);
    }
}

/// Depth of the last call that was scanned, in bytes.
pub(crate) fn depth() -> u64 {
    DEPTH.get()
}

/// The first changed word from `from` on, or `end`.
#[inline(always)]
fn changed_from(from: usize, end: usize) -> usize {
    let mut at = from;
    // SAFETY: as in `paint`; every word of the mapping has been written.
    while at + 8 <= end && unsafe { (at as *const u64).read_volatile() } == PAINT {
        at += 8;
    }
    at
}

/// After a warm-up: from now on only the part that it reached is painted and scanned.
pub(crate) fn settle() {
    let low = LOW.get();
    if low != 0 {
        let deepest = changed_from(low, pointer());
        REGION.set(deepest.saturating_sub(MARGIN_BYTES).max(low) & !7);
    }
}

/// Whether nothing went deeper than the scanned part.
pub(crate) fn stayed_inside() -> bool {
    let (low, region) = (LOW.get(), REGION.get());
    region == low || changed_from(low, region) >= region
}

/// A mapping that is unmapped when dropped.
struct Mapping {
    start: *mut c_void,
    bytes: usize,
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `on_painted` with this length; its thread has ended.
        unsafe { libc::munmap(self.start, self.bytes) };
    }
}

struct Job<F, T> {
    low: usize,
    call: Option<F>,
    result: Option<std::thread::Result<T>>,
}

extern "C" fn carry_out<F: FnOnce() -> T, T>(job: *mut c_void) -> *mut c_void {
    // SAFETY: `on_painted` hands over its job and waits for this thread.
    let job = unsafe { &mut *job.cast::<Job<F, T>>() };
    LOW.set(job.low);
    if let Some(call) = job.call.take() {
        job.result = Some(catch_unwind(AssertUnwindSafe(call)));
    }
    null_mut()
}

/// Runs `call` on a thread with a painted stack and waits for it.
///
/// # Errors
/// When the system has no memory or thread for it.
pub fn on_painted<T: Send, F: FnOnce() -> T + Send>(call: F) -> Result<T, NoStack> {
    let failed = |_| NoStack(std::io::Error::last_os_error());
    // SAFETY: sysconf only answers.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).map_err(failed)?;
    let bytes = STACK_BYTES + page;
    // SAFETY: a new anonymous mapping; nothing else is touched.
    let start = unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        libc::mmap(
            null_mut(),
            bytes,
            access,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return Err(NoStack(std::io::Error::last_os_error()));
    }
    let mapping = Mapping { start, bytes };
    let low = mapping.start as usize + page;
    // SAFETY: the first page and the words after it lie inside the mapping, which nothing else refers to.
    unsafe {
        if libc::mprotect(mapping.start, page, libc::PROT_NONE) != 0 {
            return Err(NoStack(std::io::Error::last_os_error()));
        }
        std::slice::from_raw_parts_mut(low as *mut u64, STACK_BYTES / 8).fill(PAINT);
    }
    let mut job = Job { low, call: Some(call), result: None };
    spawn_and_join(low, carry_out::<F, T>, (&raw mut job).cast())?;
    drop(mapping);
    match job.result {
        Some(Ok(result)) => Ok(result),
        Some(Err(panic)) => resume_unwind(panic),
        None => Err(NoStack(std::io::Error::other("the thread did nothing"))),
    }
}

fn spawn_and_join(
    low: usize,
    start: extern "C" fn(*mut c_void) -> *mut c_void,
    job: *mut c_void,
) -> Result<(), NoStack> {
    let checked = |code: i32| match code {
        0 => Ok(()),
        code => Err(NoStack(std::io::Error::from_raw_os_error(code))),
    };
    // SAFETY: the attributes are initialised before use; the stack is mapped, writable and lives until the thread has
    // been joined, as does the job.
    unsafe {
        let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
        checked(libc::pthread_attr_init(attributes.as_mut_ptr()))?;
        let mut thread: libc::pthread_t = std::mem::zeroed();
        let set = libc::pthread_attr_setstack(attributes.as_mut_ptr(), low as *mut c_void, STACK_BYTES);
        let made = match set {
            0 => libc::pthread_create(&mut thread, attributes.as_ptr(), start, job),
            code => code,
        };
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        checked(made)?;
        checked(libc::pthread_join(thread, null_mut()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[inline(never)]
    fn deep<const BYTES: usize>() -> u8 {
        let mut room = [0u8; BYTES];
        for (place, byte) in room.iter_mut().enumerate() {
            *byte = place as u8 | 1;
        }
        black_box(&mut room)[BYTES / 2]
    }

    #[inline(never)]
    fn nothing() -> u8 {
        black_box(3)
    }

    /// Depth of the second of two calls, as in the loops.
    #[inline(never)]
    fn depth_of(call: fn() -> u8) -> u64 {
        #[inline(never)]
        fn before() {
            begin();
        }
        #[inline(never)]
        fn after(base: usize) {
            look(base);
        }
        on_painted(|| {
            black_box(call());
            settle();
            let base = pointer();
            before();
            black_box(call());
            after(base);
            assert!(stayed_inside());
            depth()
        })
        .unwrap()
    }

    #[test]
    fn the_deepest_byte_written_is_found() {
        assert!(depth_of(nothing) < BLIND_BYTES, "{}", depth_of(nothing));
        for (call, bytes) in [(deep::<4096> as fn() -> u8, 4096), (deep::<100_000>, 100_000)] {
            let depth = depth_of(call);
            assert!((bytes..bytes + BLIND_BYTES).contains(&depth), "{depth} for {bytes}");
            assert_eq!(depth, depth_of(call), "repeats agree");
        }
    }

    #[test]
    fn a_panic_comes_through() {
        let outcome = catch_unwind(|| on_painted(|| panic!("as expected here")));
        assert!(outcome.is_err());
        assert_eq!(on_painted(|| 5).unwrap(), 5);
    }
}
