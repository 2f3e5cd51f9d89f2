//! Bundles the links and studies into the program.

use wiredyno_bundle::Done;

fn main() -> Done<()> {
    wiredyno_bundle::bundle(&["links", "studies"], &[".toml", ".csv"])
}
