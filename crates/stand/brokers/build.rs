//! Takes the folders of brokers into the program.

fn main() -> wiredyno_bundle::Done<()> {
    // Templates have endings of all kinds.
    wiredyno_bundle::bundle(&["brokers"], &[""])
}
