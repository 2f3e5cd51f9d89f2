//! Reads the versions of libraries from Cargo.lock.

fn main() -> wiredyno_bundle::Done<()> {
    wiredyno_bundle::versions()
}
