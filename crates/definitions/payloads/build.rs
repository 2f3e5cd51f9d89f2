//! Embeds the texts of the project's payloads in the program: the files listed in `FILES` of src/folder.rs.

fn main() -> wiredyno_bundle::Done<()> {
    wiredyno_bundle::bundle(&["payloads"], &["/message.proto", "/samples.jsonl", "/generator.toml"])
}
