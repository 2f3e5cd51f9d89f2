//! Names that a client gives itself.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Drawn once for each process.
static DRAWN: LazyLock<u32> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()) as u32);

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A word that no other client at the server has, those of other machines and of other process namespaces included: eight hexadecimal digits that are drawn for the
/// process, `x`, and a number. At most 19 characters.
pub fn own() -> String {
    format!("{:08x}x{}", *DRAWN, NUMBER.fetch_add(1, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_word_is_another_with_one_length_for_the_process() {
        let all = [(); 3].map(|()| super::own());
        let drawn = &all[0][..8];
        assert!(u32::from_str_radix(drawn, 16).is_ok());
        assert!(all.iter().all(|word| word.starts_with(drawn) && word.as_bytes()[8] == b'x'));
        assert!(all[0] != all[1] && all[1] != all[2]);
    }
}
