//! Why a cache can't be used.

use std::io;
use std::path::{Path, PathBuf};

/// Why the cache can't be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The environment does not say where it is.
    #[error("neither XDG_CACHE_HOME nor HOME is set: set one, because runners are kept below it")]
    Nowhere,
    /// A file or folder can't be read or written.
    #[error("{path}: {reason}; it can be deleted and will be built again")]
    Io {
        /// The file or folder of the cache.
        path: PathBuf,
        /// The error that the system reported.
        reason: io::Error,
    },
    /// A runner of a pack differs from the one that was packed.
    #[error(
        "{path} differs from what was packed: unpack it again (`sha256sum -c SHA256SUMS` in its folder shows what differs)"
    )]
    Damaged {
        /// The program, or the folder, that differs.
        path: PathBuf,
    },
    /// The disk is full, so nothing can be kept.
    #[error(
        "{path}: no space left on the device; `wiredyno build --gc --limit 0` deletes runners that are not in use, and \
         XDG_CACHE_HOME sets another place for them"
    )]
    Full {
        /// The file or folder that could not be written.
        path: PathBuf,
    },
}

pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> CacheError + use<> {
    let path = path.to_owned();
    move |reason| match reason.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => CacheError::Full { path },
        _ => CacheError::Io { path, reason },
    }
}
