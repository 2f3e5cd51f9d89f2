//! The hooks of the `malloc` family: glibc's own functions, with a counter in front.
//!
//! glibc keeps its own reachable under `__libc_` names. All of them work on glibc's one heap, so blocks may come from before the hooks and
//! outlive them; only the counts change. How calls reach them is in [`super::slots`].

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use super::slots::Hook;
use super::{counting, freed, grown, ledger};
use crate::stack;

/// All of them, each with the name of the function that it replaces.
pub fn hooks() -> [Hook; 8] {
    [
        (c"malloc", malloc as *const () as usize),
        (c"calloc", calloc as *const () as usize),
        (c"realloc", realloc as *const () as usize),
        (c"free", free as *const () as usize),
        (c"memalign", memalign as *const () as usize),
        (c"aligned_alloc", aligned_alloc as *const () as usize),
        (c"posix_memalign", posix_memalign as *const () as usize),
        (c"valloc", valloc as *const () as usize),
    ]
}

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(items: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(pointer: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, size: usize) -> *mut c_void;
    fn __libc_free(pointer: *mut c_void);
    fn malloc_usable_size(pointer: *mut c_void) -> usize;
}

/// Allocates a block and counts it. Kept out of line, away from the calls that are not counted.
#[cold]
#[inline(never)]
fn counted(bytes: usize, take: impl FnOnce() -> *mut c_void) -> *mut c_void {
    stack::apart(|| {
        let pointer = take();
        book(pointer, bytes, 0);
        pointer
    })
}

fn book(pointer: *mut c_void, bytes: usize, old_bytes: usize) {
    if pointer.is_null() {
        return;
    }
    if ledger::insert(pointer as usize, bytes) {
        grown(old_bytes, bytes);
    } else {
        // SAFETY: a block that glibc has just given.
        grown(old_bytes, unsafe { malloc_usable_size(pointer) });
    }
}

/// The size to subtract for a block that is about to be freed.
fn unbook(pointer: *mut c_void) -> usize {
    // SAFETY: the caller of `free` or `realloc` hands over a block of glibc's, or null, for which it gives 0.
    ledger::remove(pointer as usize).unwrap_or_else(|| unsafe { malloc_usable_size(pointer) })
}

#[cold]
#[inline(never)]
fn counted_realloc(pointer: *mut c_void, size: usize) -> *mut c_void {
    stack::apart(|| {
        let old_bytes = if pointer.is_null() { 0 } else { unbook(pointer) };
        // SAFETY: passed on as it came.
        let new = unsafe { __libc_realloc(pointer, size) };
        if !new.is_null() {
            book(new, size, old_bytes);
        } else if size == 0 {
            freed(old_bytes);
        } else if !pointer.is_null() {
            // It failed, and the old block is still there.
            ledger::insert(pointer as usize, old_bytes);
        }
        new
    })
}

#[cold]
#[inline(never)]
fn counted_free(pointer: *mut c_void) {
    stack::apart(|| {
        freed(unbook(pointer));
        // SAFETY: passed on as it came.
        unsafe { __libc_free(pointer) }
    });
}

/// # Safety
/// As C's `malloc`.
unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    if counting() {
        // SAFETY: passed on as it came.
        return counted(size, || unsafe { __libc_malloc(size) });
    }
    // SAFETY: passed on as it came.
    unsafe { __libc_malloc(size) }
}

/// # Safety
/// As C's `calloc`.
unsafe extern "C" fn calloc(items: usize, size: usize) -> *mut c_void {
    if counting() {
        // SAFETY: passed on as it came.
        return counted(items.saturating_mul(size), || unsafe { __libc_calloc(items, size) });
    }
    // SAFETY: passed on as it came.
    unsafe { __libc_calloc(items, size) }
}

/// # Safety
/// As C's `realloc`.
unsafe extern "C" fn realloc(pointer: *mut c_void, size: usize) -> *mut c_void {
    if counting() {
        return counted_realloc(pointer, size);
    }
    // SAFETY: passed on as it came.
    unsafe { __libc_realloc(pointer, size) }
}

/// # Safety
/// As C's `free`.
unsafe extern "C" fn free(pointer: *mut c_void) {
    if counting() && !pointer.is_null() {
        return counted_free(pointer);
    }
    // SAFETY: passed on as it came.
    unsafe { __libc_free(pointer) }
}

/// # Safety
/// As C's `memalign`.
unsafe extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    if counting() {
        // SAFETY: passed on as it came.
        return counted(size, || unsafe { __libc_memalign(alignment, size) });
    }
    // SAFETY: passed on as it came.
    unsafe { __libc_memalign(alignment, size) }
}

/// # Safety
/// As C's `aligned_alloc`.
unsafe extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    // SAFETY: glibc's aligned_alloc is its memalign.
    unsafe { memalign(alignment, size) }
}

/// # Safety
/// As POSIX's `posix_memalign`.
unsafe extern "C" fn posix_memalign(out: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<*mut c_void>()) {
        return libc::EINVAL;
    }
    // SAFETY: the alignment is allowed.
    let pointer = unsafe { memalign(alignment, size) };
    if pointer.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller gives a place for the result.
    unsafe { out.write(pointer) };
    0
}

/// # Safety
/// As C's old `valloc`.
unsafe extern "C" fn valloc(size: usize) -> *mut c_void {
    // SAFETY: sysconf only answers.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    // SAFETY: a page's size is a power of two.
    usize::try_from(page).map_or(null_mut(), |page| unsafe { memalign(page, size) })
}
