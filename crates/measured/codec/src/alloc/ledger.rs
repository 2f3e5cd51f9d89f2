//! The requested sizes, by address, while a window is open.
//!
//! `free` does not say how long its block is, and glibc's own size is rounded by up to 24 bytes depending on the heap's
//! state; ten repeats would not agree. So blocks that were allocated inside the window are recorded in a separate
//! table, outside the counted heap. Limits: [`BLOCKS`] blocks at once; blocks beyond that, and blocks from before the
//! window, count with glibc's rounded size.

use std::cell::Cell;
use std::ptr::null_mut;

/// Slots in the table, a power of two. At most three quarters are used.
const PLACES: usize = 1 << 18;

const BLOCKS: usize = PLACES / 4 * 3;

/// Address and size; address 0 marks an empty slot.
type Place = (usize, usize);

thread_local! {
    static TABLE: Cell<*mut Place> = const { Cell::new(null_mut()) };
    static USED: Cell<usize> = const { Cell::new(0) };
}

/// The table of this thread; unmapped when dropped.
pub struct Open(());

impl Open {
    /// Maps a table. Pages are allocated only when they are used.
    pub fn new() -> Open {
        // SAFETY: a new anonymous mapping; nothing else is touched.
        let mapped = unsafe {
            libc::mmap(
                null_mut(),
                PLACES * size_of::<Place>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        // Without a table every block counts with its rounded size.
        TABLE.set(if mapped == libc::MAP_FAILED { null_mut() } else { mapped.cast() });
        USED.set(0);
        Open(())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let table = TABLE.replace(null_mut());
        if !table.is_null() {
            // SAFETY: mapped in `new` with this length, and no longer reachable.
            unsafe { libc::munmap(table.cast(), PLACES * size_of::<Place>()) };
        }
    }
}

fn home(address: usize) -> usize {
    // Fibonacci hashing of the address without its four lowest bits, which are always 0.
    (address >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (usize::BITS - PLACES.trailing_zeros())
}

/// The table as a slice; `None` if this thread has none.
fn places() -> Option<&'static mut [Place]> {
    let table = TABLE.get();
    // SAFETY: the mapping has this length, is zeroed, belongs to this thread alone, and no reference outlives a
    // call of this module.
    (!table.is_null()).then(|| unsafe { std::slice::from_raw_parts_mut(table, PLACES) })
}

/// Records a block. False when the table is full.
pub fn insert(address: usize, bytes: usize) -> bool {
    let Some(places) = places().filter(|_| USED.get() < BLOCKS) else { return false };
    let mut at = home(address);
    while places[at].0 != 0 {
        at = (at + 1) % PLACES;
    }
    places[at] = (address, bytes);
    USED.set(USED.get() + 1);
    true
}

/// Removes a block and returns its size; `None` for one that is not in the table.
pub fn remove(address: usize) -> Option<usize> {
    let places = places()?;
    let mut at = home(address);
    while places[at].0 != address {
        if places[at].0 == 0 {
            return None;
        }
        at = (at + 1) % PLACES;
    }
    let bytes = places[at].1;
    // Linear probing without tombstones: later entries move up unless that is before their home.
    let mut gap = at;
    loop {
        at = (at + 1) % PLACES;
        let (other, _) = places[at];
        if other == 0 {
            break;
        }
        let distance = at.wrapping_sub(home(other)) % PLACES;
        if distance >= at.wrapping_sub(gap) % PLACES {
            places[gap] = places[at];
            gap = at;
        }
    }
    places[gap] = (0, 0);
    USED.set(USED.get() - 1);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn the_table_behaves_like_a_map() {
        let _open = Open::new();
        let mut map = HashMap::new();
        let mut state = 7u64;
        for step in 0..200_000usize {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Few addresses, and many that share a home.
            let address = ((state >> 40) as usize % 5_000 + 1) * 16;
            if let Some(bytes) = map.remove(&address) {
                assert_eq!(remove(address), Some(bytes));
            } else {
                assert_eq!(remove(address), None);
                map.insert(address, step);
                assert!(insert(address, step));
            }
        }
        for (address, bytes) in map {
            assert_eq!(remove(address), Some(bytes));
        }
        assert_eq!(USED.get(), 0);
    }
}
