//! Bundles the folders of brokers into the program.

fn main() -> wiredyno_bundle::Done<()> {
    // Templates can have any file extension.
    wiredyno_bundle::bundle(&["brokers"], &[""])
}
