//! Embeds the published figures in the crate, so that a file there is all that a published study needs.

fn main() -> wiredyno_bundle::Done<()> {
    wiredyno_bundle::bundle(&["studies/published"], &[".toml"])
}
