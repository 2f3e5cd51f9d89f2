//! How much a broker has stored of a topic: the lengths of the files that its definition names (`stores` in broker.toml).

use std::fs;
use std::path::Path;

/// The placeholder for the topic's name.
const TOPIC: &str = "{topic}";

/// What is wrong with a pattern, if anything is.
pub(crate) fn fault(pattern: &str) -> Option<&'static str> {
    let odd = |part: &str| part.is_empty() || part == "." || part == ".." || part.matches('*').count() > 1;
    if !pattern.contains(TOPIC) {
        Some("it must contain {topic}: what is stored is counted by topic")
    } else if pattern.split('/').any(odd) {
        Some(
            "it is a path below the broker's folder, such as data/{topic}-*/*.log, with at most one * in each part",
        )
    } else {
        None
    }
}

/// The summed lengths of the files below a folder that match a pattern, bytes. What can't be read, such as a file that is being removed, does not
/// count. A topic's slashes are dots in the names of files.
pub(crate) fn bytes(folder: &Path, pattern: &str, topic: &str) -> u64 {
    let pattern = pattern.replace(TOPIC, &topic.replace('/', "."));
    below(folder, &pattern.split('/').collect::<Vec<_>>())
}

fn below(folder: &Path, parts: &[&str]) -> u64 {
    let [part, rest @ ..] = parts else { return 0 };
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let matching =
        entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(|n| matches(part, n)));
    let length = |entry: &fs::DirEntry| match entry.metadata() {
        Ok(known) if known.is_file() && rest.is_empty() => known.len(),
        Ok(known) if known.is_dir() => below(&entry.path(), rest),
        _ => 0,
    };
    matching.map(|entry| length(&entry)).sum()
}

/// Whether a name is what a part of a pattern stands for.
fn matches(part: &str, name: &str) -> bool {
    match part.split_once('*') {
        Some((begin, end)) => {
            name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
        }
        None => part == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_topic_are_summed_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        for (path, length) in [
            ("data/wiredyno.7-0/1.log", 10),
            ("data/wiredyno.7-1/1.log", 20),
            ("data/wiredyno.7-1/2.log", 30),
            ("data/wiredyno.7-1/1.index", 1_000),
            ("data/wiredyno.71-0/1.log", 1_000),
            ("other/wiredyno.7-0/1.log", 1_000),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, vec![0; length]).unwrap();
        }
        assert_eq!(bytes(folder.path(), "data/{topic}-*/*.log", "wiredyno/7"), 60);
        assert_eq!(bytes(folder.path(), "data/{topic}-0/1.log", "wiredyno/7"), 10);
        assert_eq!(bytes(folder.path(), "data/{topic}-*", "wiredyno/7"), 0, "folders have no length");
        assert_eq!(bytes(folder.path(), "data/{topic}-*/*.log", "wiredyno/8"), 0);
    }

    #[test]
    fn a_pattern_stays_below_the_folder_and_names_the_topic() {
        assert_eq!(fault("data/{topic}-*/*.log"), None);
        assert!(fault("data/*.log").unwrap().contains("{topic}"));
        for odd in ["../{topic}", "/{topic}", "data//{topic}", "{topic}/", "{topic}-**", "./{topic}"] {
            assert!(fault(odd).unwrap().contains("below the broker's folder"), "{odd}");
        }
    }
}
