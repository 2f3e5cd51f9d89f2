//! Takes the texts of the project's payloads into the program: those of `FILES` in src/folder.rs.

fn main() -> wiredyno_bundle::Done<()> {
    wiredyno_bundle::bundle(&["payloads"], &["/message.proto", "/samples.jsonl", "/generator.toml"])
}
