//! Files that are embedded in a program.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::{Done, Workspace};

/// The folder of the files, beside the table.
const FOLDER: &str = "bundled";

/// The files among these paths and below them that are taken; hidden ones, such as an environment that a user created there, are
/// left out.
pub(crate) fn chosen(
    workspace: &Workspace,
    paths: &[&str],
    takes: &dyn Fn(&str) -> bool,
) -> Done<BTreeMap<String, Vec<u8>>> {
    let mut chosen = BTreeMap::new();
    for path in paths {
        let mut files = workspace.files(path)?;
        let hidden = |file: &str| file.split('/').any(|part| part.starts_with('.'));
        files.retain(|file, _| file == path || takes(file) && !hidden(file));
        chosen.append(&mut files);
    }
    Ok(chosen)
}

/// Writes the files and their table.
pub(crate) fn write(files: &BTreeMap<String, Vec<u8>>, out: &Path) -> Done<()> {
    let folder = out.join(FOLDER);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let mut table = String::from(
        "/// Path in the project and text of every bundled file, sorted by folder.\n\
         static BUNDLED: &[(&str, &str)] = &[\n",
    );
    // Compared part by part: as plain text, a hyphen in a name sorts before the slash after a shorter name.
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by(|(a, _), (b, _)| Path::new(a).cmp(Path::new(b)));
    for (path, content) in files {
        let copy = folder.join(path);
        fs::create_dir_all(copy.parent().unwrap_or(&folder))?;
        fs::write(copy, std::str::from_utf8(content).map_err(|error| format!("{path}: {error}"))?)?;
        let from = format!("/{FOLDER}/{path}");
        writeln!(table, "    ({path:?}, include_str!(concat!(env!(\"OUT_DIR\"), {from:?}))),")?;
    }
    table.push_str("];\n");
    Ok(fs::write(out.join("bundled.rs"), table)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn what_was_bundled_before_and_is_gone_does_not_stay() {
        let desk = tempfile::tempdir().unwrap();
        let one = |path: &str| BTreeMap::from([(path.to_owned(), b"text".to_vec())]);
        write(&one("links/a.toml"), desk.path()).unwrap();
        write(&one("links/b.toml"), desk.path()).unwrap();
        let table = fs::read_to_string(desk.path().join("bundled.rs")).unwrap();
        assert!(table.contains("\"/bundled/links/b.toml\"") && !table.contains("a.toml"), "{table}");
        assert!(!table.contains(&desk.path().display().to_string()), "{table}");
        assert!(!desk.path().join("bundled/links/a.toml").exists());
        assert_eq!(fs::read_to_string(desk.path().join("bundled/links/b.toml")).unwrap(), "text");
        let error = write(&BTreeMap::from([("x".to_owned(), vec![0xff])]), desk.path()).unwrap_err();
        assert!(error.to_string().starts_with("x: invalid utf-8"), "{error}");
    }
}
