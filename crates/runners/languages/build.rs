//! Embeds the runners' folders in the program: of each, the files that its runner.toml names.

#[path = "src/taken.rs"]
mod taken;

use std::collections::BTreeMap;

use wiredyno_bundle::{Done, Workspace};

fn main() -> Done<()> {
    let mut entries: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, content) in Workspace::of_package()?.files("runners")? {
        let Some(folder) = path.strip_suffix("/runner.toml") else { continue };
        let declared: toml::Table =
            String::from_utf8(content)?.parse().map_err(|error| format!("{path}: {error}"))?;
        entries.insert(folder.to_owned(), files_of(&declared).map_err(|why| format!("{path}: {why}"))?);
    }
    let takes = |path: &str| {
        entries.iter().any(|(folder, entries)| {
            let inside = path.strip_prefix(folder.as_str()).and_then(|rest| rest.strip_prefix('/'));
            inside.is_some_and(|inside| taken::takes(entries, inside))
        })
    };
    wiredyno_bundle::bundle_those(&["runners"], &takes)
}

/// The entries of `files`; empty where the key is absent.
fn files_of(declared: &toml::Table) -> Done<Vec<String>> {
    let Some(files) = declared.get("files") else { return Ok(Vec::new()) };
    let texts = files.as_array().map(|files| files.iter().map(|file| file.as_str().map(str::to_owned)));
    texts.and_then(Iterator::collect).ok_or_else(|| "`files` must be a list of texts".into())
}
