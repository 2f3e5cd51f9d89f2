//! Takes the folders of runners into the program.

fn main() -> wiredyno_bundle::Done<()> {
    wiredyno_bundle::bundle(&["runners"], &[".toml", ".py", ".txt"])
}
