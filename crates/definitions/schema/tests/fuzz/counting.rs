//! Counts the calling thread's allocations: a measure of work and memory that is the same on every machine.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The allocations during a call.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allocated {
    /// Number of allocations, which grows with every step of an importer.
    pub calls: u64,
    /// The peak of live memory, in bytes.
    pub peak_bytes: i64,
    alive_bytes: i64,
}

thread_local! {
    static COUNTED: Cell<Allocated> = const { Cell::new(Allocated { calls: 0, peak_bytes: 0, alive_bytes: 0 }) };
}

/// Runs a call and counts its allocations.
pub fn counted<T>(call: impl FnOnce() -> T) -> (T, Allocated) {
    COUNTED.set(Allocated::default());
    let value = call();
    (value, COUNTED.get())
}

fn note(calls: u64, bytes: i64) {
    // A thread that is ending frees memory after its counters are gone.
    let _ = COUNTED.try_with(|cell| {
        let mut counted = cell.get();
        counted.calls += calls;
        counted.alive_bytes += bytes;
        counted.peak_bytes = counted.peak_bytes.max(counted.alive_bytes);
        cell.set(counted);
    });
}

pub struct Counting;

// SAFETY: every call is passed on unchanged to the system's allocator; the counters allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        note(0, -(layout.size() as i64));
        // SAFETY: the caller upholds the contract.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(1, size as i64 - layout.size() as i64);
        // SAFETY: the caller upholds the contract.
        unsafe { System.realloc(at, layout, size) }
    }
}
