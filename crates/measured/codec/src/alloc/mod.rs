//! Counts what a call allocates on the heap (number, bytes, peak), whether Rust or a C library allocates it.
//!
//! On Linux with glibc a [`Watch`] replaces the C functions of that family with hooks ([`slots`]), which pass every call on to glibc's own
//! functions and count it. So nothing has to be installed, allocations of a C library are counted like Rust's, and without a watch there is no
//! cost: neither to timed loops nor to trials of messages. Elsewhere only Rust's allocations can be counted, by a program that installs
//! [`CountingAllocator`], whose allocations then check a thread-local flag each:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: wiredyno_codec::alloc::CountingAllocator = wiredyno_codec::alloc::CountingAllocator;
//! ```
//!
//! Counting is per thread and off unless a window is open. Only the allocations of the measuring thread are counted; no codec here starts
//! threads of its own. Memory that a library maps itself (`mmap`, `sbrk`) is not seen.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod ledger;
#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod malloc;
#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod slots;

/// The system allocator, with a counter in front where calls of `malloc` itself can't be counted.
pub struct CountingAllocator;

/// What one thread allocated between two points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allocated {
    /// Calls that returned memory: `malloc`, `calloc`, `realloc`, `aligned_alloc` and their relatives.
    pub count: u64,
    /// Bytes requested; a `realloc` counts its growth.
    pub bytes: u64,
    /// The most bytes allocated at once, beyond those allocated at the start.
    pub peak_bytes: u64,
}

thread_local! {
    // Const-initialised and without destructors, so reading them never allocates.
    static ARMED: Cell<bool> = const { Cell::new(false) };
    static OPEN: Cell<bool> = const { Cell::new(false) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// Whether this thread is counting: the only check that a hooked allocation pays for.
#[inline]
fn counting() -> bool {
    OPEN.try_with(Cell::get).unwrap_or(false)
}

/// Counts memory that grew from `old_bytes` to `new_bytes`.
#[cold]
fn grown(old_bytes: usize, new_bytes: usize) {
    COUNT.set(COUNT.get() + 1);
    BYTES.set(BYTES.get() + new_bytes.saturating_sub(old_bytes) as u64);
    LIVE.set(LIVE.get() + new_bytes as i64 - old_bytes as i64);
    PEAK.set(PEAK.get().max(LIVE.get()));
}

/// Counts memory that was freed.
#[cold]
fn freed(bytes: usize) {
    LIVE.set(LIVE.get() - bytes as i64);
}

/// Whether Rust's allocator has to count by itself.
const RUST_ALONE: bool =
    !cfg!(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")));

// SAFETY: every call is passed on to `System` unchanged; the counters don't touch the allocator's memory.
unsafe impl GlobalAlloc for CountingAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if RUST_ALONE && counting() {
            grown(0, layout.size());
        }
        // SAFETY: the caller keeps `GlobalAlloc`'s contract, which is `System`'s.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if RUST_ALONE && counting() {
            grown(0, layout.size());
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if RUST_ALONE && counting() {
            freed(layout.size());
        }
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if RUST_ALONE && counting() {
            grown(layout.size(), new_size);
        }
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

/// Whether [`Watch::count`] is waiting for a window on this thread.
#[inline]
pub(crate) fn is_armed() -> bool {
    ARMED.get()
}

/// Opens the window if [`Watch::count`] is waiting for one; the loop calls this just before the calls.
#[inline]
pub(crate) fn open_window() {
    OPEN.set(ARMED.get());
}

/// Closes the window, just after the calls.
#[inline]
pub(crate) fn close_window() {
    OPEN.set(false);
}

/// Why allocations can't be counted.
#[derive(Debug, thiserror::Error)]
pub enum Unwatched {
    /// The pointers to the `malloc` family can't be changed.
    #[error(
        "the calls of malloc can't be watched: a page of pointers can't be made writable ({0}); allow mprotect to this process"
    )]
    Sealed(std::io::Error),
    /// Neither hooks nor an installed allocator count in this program.
    #[error(
        "this program does not count allocations: it must install \
         wiredyno_codec::alloc::CountingAllocator as the global allocator"
    )]
    NotInstalled,
}

/// While it exists, allocations can be counted, and each costs a check of a thread-local flag.
pub struct Watch {
    #[cfg(all(
        target_os = "linux",
        target_env = "gnu",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    _hooks: slots::Hooks,
}

impl Watch {
    /// Starts watching; several watches may exist at once.
    ///
    /// # Errors
    /// When allocations can't be counted here.
    pub fn open() -> Result<Watch, Unwatched> {
        let watch = Watch {
            #[cfg(all(
                target_os = "linux",
                target_env = "gnu",
                any(target_arch = "x86_64", target_arch = "aarch64")
            ))]
            _hooks: slots::Hooks::set(&malloc::hooks())?,
        };
        let (_, counted) = watch.count_all(|| std::hint::black_box(Box::new(std::hint::black_box(1u64))));
        if counted.count > 0 { Ok(watch) } else { Err(Unwatched::NotInstalled) }
    }

    /// Counts what the windows inside `call` allocate on this thread.
    pub fn count<T>(&self, call: impl FnOnce() -> T) -> (T, Allocated) {
        #[cfg(all(
            target_os = "linux",
            target_env = "gnu",
            any(target_arch = "x86_64", target_arch = "aarch64")
        ))]
        let _ledger = ledger::Open::new();
        COUNT.set(0);
        BYTES.set(0);
        LIVE.set(0);
        PEAK.set(0);
        ARMED.set(true);
        let result = call();
        close_window();
        ARMED.set(false);
        let counted =
            Allocated { count: COUNT.get(), bytes: BYTES.get(), peak_bytes: PEAK.get().max(0) as u64 };
        (result, counted)
    }

    /// Counts everything that `call` allocates on this thread.
    pub fn count_all<T>(&self, call: impl FnOnce() -> T) -> (T, Allocated) {
        self.count(|| {
            open_window();
            let result = call();
            close_window();
            result
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    fn count_all<T>(call: impl FnOnce() -> T) -> (T, Allocated) {
        Watch::open().unwrap().count_all(call)
    }

    #[test]
    fn what_rust_allocates_is_counted_exactly() {
        let (_, counted) = count_all(|| {
            let first = black_box(vec![1u8; 1000]);
            drop(first);
            let mut second = black_box(Vec::<u8>::with_capacity(10));
            second.reserve_exact(100);
            drop(black_box(second));
            drop(black_box(Box::new(Wide([0; 256]))));
        });
        assert_eq!(counted, Allocated { count: 4, bytes: 1000 + 100 + 256, peak_bytes: 1000 });
    }

    #[repr(align(64))]
    #[allow(dead_code)]
    struct Wide([u8; 256]);

    #[cfg(all(
        target_os = "linux",
        target_env = "gnu",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    #[test]
    fn what_c_allocates_is_counted_too() {
        let text = c"twenty characters...";
        // Inside the C library, called by it.
        // SAFETY: the text ends in NUL; what strdup gives is freed once.
        let (_, counted) = count_all(|| unsafe { libc::free(black_box(libc::strdup(text.as_ptr())).cast()) });
        assert_eq!(counted, Allocated { count: 1, bytes: 21, peak_bytes: 21 });
        // In a C library that is linked in: a compression context is some kilobytes.
        let (made, counted) = count_all(|| zstd::bulk::Compressor::new(3));
        assert!(made.is_ok() && counted.count >= 1 && counted.bytes > 1000, "{counted:?}");
        // SAFETY: sizes and alignment are allowed; everything is freed once.
        let (_, counted) = count_all(|| unsafe {
            let zeroed = black_box(libc::calloc(3, 5));
            let mut aligned = std::ptr::null_mut();
            assert_eq!(libc::posix_memalign(&mut aligned, 256, 100), 0);
            assert_eq!(aligned as usize % 256, 0);
            let grown = black_box(libc::realloc(zeroed, 40));
            libc::free(aligned);
            libc::free(grown);
            libc::free(std::ptr::null_mut());
        });
        assert_eq!(counted, Allocated { count: 3, bytes: 15 + 100 + 25, peak_bytes: 140 });
    }

    #[test]
    fn other_threads_and_times_outside_the_window_are_not_counted() {
        let (_, counted) = Watch::open().unwrap().count(|| black_box(vec![0u8; 100]));
        assert_eq!(counted, Allocated::default());
        let (_, counted) = count_all(|| {
            std::thread::scope(|scope| {
                close_window();
                scope.spawn(|| drop(black_box(vec![0u8; 1 << 20])));
            });
        });
        assert!(counted.bytes < 1 << 20, "{counted:?}");
    }
}
