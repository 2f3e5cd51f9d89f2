//! Counts what a call allocates: number, bytes, peak.
//!
//! A program installs [`CountingAllocator`] once:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: wiredyno_codecs::alloc::CountingAllocator = wiredyno_codecs::alloc::CountingAllocator;
//! ```
//!
//! Counting is per thread and off unless a window is open, so that timed loops pay for one look at a
//! thread-local flag and nothing else. Only the allocations of the measuring thread are counted; no codec
//! here starts threads of its own.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use serde::{Deserialize, Serialize};

/// The system allocator with a counter in front.
pub struct CountingAllocator;

/// What was allocated between two points of one thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocations {
    /// Calls of `alloc`, `alloc_zeroed` and `realloc`.
    pub count: u64,
    /// Bytes asked for; a `realloc` counts by what it grows.
    pub bytes: u64,
    /// The most bytes alive at once, above those alive at the start.
    pub peak_bytes: u64,
}

thread_local! {
    // Const-initialised and without destructors: reading them never allocates.
    static ARMED: Cell<bool> = const { Cell::new(false) };
    static OPEN: Cell<bool> = const { Cell::new(false) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

fn grown(old_bytes: usize, new_bytes: usize) {
    let counting = OPEN.try_with(Cell::get).unwrap_or(false);
    if !counting {
        return;
    }
    COUNT.set(COUNT.get() + 1);
    BYTES.set(BYTES.get() + new_bytes.saturating_sub(old_bytes) as u64);
    LIVE.set(LIVE.get() + new_bytes as i64 - old_bytes as i64);
    PEAK.set(PEAK.get().max(LIVE.get()));
}

fn freed(bytes: usize) {
    let counting = OPEN.try_with(Cell::get).unwrap_or(false);
    if counting {
        LIVE.set(LIVE.get() - bytes as i64);
    }
}

// SAFETY: every call is passed on to `System` unchanged; the counters touch no memory of the allocator.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(0, layout.size());
        // SAFETY: the caller keeps `GlobalAlloc`'s contract, which is `System`'s.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grown(0, layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        freed(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        grown(layout.size(), new_size);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

/// The part of a call that is counted; opened by the timed loop just outside its clock.
pub(crate) struct Window(());

impl Window {
    /// Opens the window if [`count`] is waiting for one.
    pub(crate) fn open() -> Window {
        OPEN.set(ARMED.get());
        Window(())
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        OPEN.set(false);
    }
}

/// Counts what the windows inside `call` allocate on this thread.
pub fn count<T>(call: impl FnOnce() -> T) -> (T, Allocations) {
    COUNT.set(0);
    BYTES.set(0);
    LIVE.set(0);
    PEAK.set(0);
    ARMED.set(true);
    let result = call();
    ARMED.set(false);
    let counted =
        Allocations { count: COUNT.get(), bytes: BYTES.get(), peak_bytes: PEAK.get().max(0) as u64 };
    (result, counted)
}

/// Counts everything that `call` allocates on this thread.
pub fn count_all<T>(call: impl FnOnce() -> T) -> (T, Allocations) {
    count(|| {
        let _window = Window::open();
        call()
    })
}

/// Whether this program has installed the allocator. Without it there are no counts.
pub fn is_installed() -> bool {
    let (_, counted) = count_all(|| std::hint::black_box(Box::new(std::hint::black_box(1u64))));
    counted.count > 0
}
