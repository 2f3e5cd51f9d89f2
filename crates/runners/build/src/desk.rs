//! Where crates are laid out and cargo compiles.

use std::path::{Path, PathBuf};

use crate::cache::Cache;

/// The place where crates are laid out and cargo compiles.
pub(crate) struct Desk {
    pub(super) workspace: PathBuf,
    pub(crate) target: PathBuf,
    /// Whether other caches lay out their crates there too.
    pub(super) shared: bool,
}

impl Desk {
    /// For a program that was built in a checkout which still exists, it is in the checkout's target folder: libraries are
    /// compiled once, and all caches share one workspace, because cargo distinguishes workspaces by their paths. Otherwise it is
    /// in the cache. Creates nothing.
    pub(crate) fn of(cache: &Cache) -> Self {
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        if !checkout.join("Cargo.lock").is_file() {
            let [workspace, target] = ["workspace", "target"].map(|name| cache.path().join(name));
            return Desk { workspace, target, shared: false };
        }
        let target = checkout.join("target");
        Desk { workspace: target.join("runners"), target, shared: true }
    }
}
