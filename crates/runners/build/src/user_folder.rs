//! Where a user's cache is.

use std::path::PathBuf;

use crate::cache_error::CacheError;

/// The folder of Wiredyno's cache, which need not exist (XDG Base Directory Specification: relative paths are to be ignored).
///
/// # Errors
/// When the environment does not say where it is.
pub(crate) fn cache() -> Result<PathBuf, CacheError> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Ok(base.ok_or(CacheError::Nowhere)?.join("wiredyno"))
}
