//! Which files of a folder belong to its runner. Compiled into the build script too, so that a bundled runner has the same
//! files as a folder on disk.

/// Names that are left out everywhere, as are those that begin with a dot.
const NEVER: &str = "__pycache__";

/// Whether a file, by its path in the folder, belongs to the runner whose runner.toml has these `files`: an entry names it, names
/// a folder above it, or matches it (`*` for any characters, slashes included). Without entries all files do. runner.toml itself
/// always does, hidden files never.
pub fn takes(entries: &[String], path: &str) -> bool {
    let left_out = path.split('/').any(|part| part.starts_with('.') || part == NEVER);
    let is_own = path == "runner.toml" || entries.is_empty();
    !left_out && (is_own || entries.iter().any(|entry| stands_for(entry, path)))
}

/// Whether an entry of `files` matches a path.
pub fn stands_for(entry: &str, path: &str) -> bool {
    let below = path.strip_prefix(entry.trim_end_matches('/'));
    below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) || matches(entry, path)
}

fn matches(entry: &str, path: &str) -> bool {
    match entry.split_once('*') {
        None => entry == path,
        Some((start, rest)) => path.strip_prefix(start).is_some_and(|path| {
            path.char_indices().any(|(at, _)| matches(rest, &path[at..])) || matches(rest, "")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_name_files_folders_and_all_that_a_star_stands_for() {
        let entries: Vec<String> = ["main.c", "src", "lib/*.h", "*"].map(str::to_owned).into();
        let by = |at: usize, path: &str| takes(&entries[at..=at], path);
        assert!(by(0, "main.c") && !by(0, "main.cc") && !by(0, "src/main.c"));
        assert!(by(1, "src/a.c") && by(1, "src/deep/b") && !by(1, "srcs/a.c"));
        assert!(by(2, "lib/a.h") && by(2, "lib/deep/b.h") && !by(2, "lib/a.c"));
        assert!(by(3, "anything/at all"));
        assert!(takes(&[], "README.md") && takes(&entries[..1], "runner.toml"));
        assert!(!takes(&[], ".git/config") && !takes(&[], "a/__pycache__/b.pyc") && !by(3, "a/.hidden"));
    }
}
