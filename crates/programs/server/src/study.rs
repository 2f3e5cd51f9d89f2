//! Checks of studies from the network. Their names must be ids, never files. Anything else that could name a file, a program or an
//! address is refused here, before anything else reads the text.

use wiredyno_model::{Place, Refusal, Study, TomlText};

use crate::error::{ApiError, ApiResult};

/// The name of the text in errors.
pub const FILE: &str = "study.toml";

/// The longest text of a study, in bytes.
pub const STUDY_BYTES: usize = 256 * 1024;

/// Most values on all axes of a study together: with more, the results are unreadable, and the plan alone takes minutes.
const VALUES: usize = 400;

/// The longest name of a study, in characters.
const NAME: usize = 80;

/// Reads a study from the network.
///
/// # Errors
/// With the line, if the text is not a study or contains what is forbidden from the network.
pub fn read(text: &str) -> ApiResult<Study> {
    if text.len() > STUDY_BYTES {
        let message = format!("the study has {} bytes, but at most {STUDY_BYTES} are allowed", text.len());
        return Err(ApiError::text("study", message, None));
    }
    let study = Study::parse(FILE, text)?;
    check(&study).map_err(|refusal| TomlText { file: FILE, text }.refuse(refusal))?;
    Ok(study)
}

fn check(study: &Study) -> Result<(), Refusal> {
    let refuse = |place: Place, problem: String| Err(Refusal::at(place, problem));
    if !is_plain_name(&study.name) {
        let problem = format!(
            "a study's name on a server has letters, digits, points, hyphens and underscores, {NAME} at most, and begins with a letter \
             or digit"
        );
        return refuse(Place::of(["name"]), problem);
    }
    let axes = &study.axes;
    let names_file = |id: &str| id.contains('/') || id.contains("..") || id.ends_with(".toml");
    let mut links = axes.link.iter().map(ToString::to_string).enumerate();
    if let Some((position, link)) = links.find(|(_, id)| names_file(id)) {
        let problem = format!("`{link}`: a study on a server names links by their ids");
        return refuse(Place::of_axis("link").item(position), problem);
    }
    if let Some(other) =
        study.without_link.as_deref().filter(|other| !is_plain_name(other) || names_file(other))
    {
        let problem = format!("`{other}`: a study on a server names studies by their ids");
        return refuse(Place::of(["without_link"]), problem);
    }
    for (position, threshold) in study.threshold.iter().enumerate() {
        let Some(than) = threshold.than.as_deref() else { continue };
        let run = than.strip_prefix("runs/");
        if !run.is_some_and(is_run_id) {
            let problem = format!(
                "`{than}`: a threshold on a server names one of its runs, as in than = \"runs/2026-01-31-demo-1\""
            );
            return refuse(Place::of(["threshold"]).item(position).key("than"), problem);
        }
    }
    let values: usize = axes.names().into_iter().map(|axis| axes.values(axis).len()).sum();
    if values > VALUES {
        return refuse(
            Place::of(["axes"]),
            format!("the axes have {values} values, but at most {VALUES} are allowed on a server"),
        );
    }
    Ok(())
}

/// Whether a word is allowed as a study's name.
pub fn is_plain_name(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    word.len() <= NAME
        && word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.chars().all(plain)
        && !word.contains("..")
}

/// Whether a word is allowed as the id of something that users keep: payloads, links, studies.
pub fn is_id(word: &str, most: usize) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    word.len() <= most
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && !word.ends_with('-')
        && word.chars().all(plain)
}

/// Whether a word can be the id of a run: a single folder name, not hidden.
pub fn is_run_id(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    word.len() <= 200
        && word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.chars().all(plain)
        && !word.contains("..")
}

/// Whether a text is allowed as a value of `--only`.
pub fn is_plain_only(text: &str) -> bool {
    text.len() <= 4096 && !text.chars().any(char::is_control) && !text.starts_with('-')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const GOOD: &str = "name = \"t\"\nwhy = \"?\"\n[axes]\npayload = [\"small\"]\ncodec = [\"json/serde-json\"]\nlink = [\"lte\"]\n";

    #[test]
    fn a_study_that_names_files_is_refused_with_its_line() {
        read(GOOD).unwrap();
        for (from, to) in [
            ("\"t\"", "\"../../etc/x\""),
            ("\"t\"", "\".hidden\""),
            ("\"t\"", "\"a b\""),
            ("[\"lte\"]", "[\"evil.toml\"]"),
            ("[\"lte\"]", "[\"../lte\"]"),
            ("[\"small\"]", "[\"../../etc\"]"),
            ("[\"small\"]", "[\"/etc/passwd\"]"),
            ("why =", "without_link = \"/etc/passwd.toml\"\nwhy ="),
            ("why =", "without_link = \"x.toml\"\nwhy ="),
        ] {
            assert!(read(&GOOD.replace(from, to)).is_err(), "{to}");
        }
        let threshold = |than: &str| {
            format!("{GOOD}[[threshold]]\nmetric = \"encode\"\nthan = \"{than}\"\nworse_by = \"10%\"\n")
        };
        read(&threshold("runs/2026-01-31-demo-1")).unwrap();
        for than in ["/etc", "../runs/a", "runs/../../etc", "runs/.a", "runs/a/b"] {
            assert!(read(&threshold(than)).is_err(), "{than}");
        }
        assert!(read(&"x".repeat(STUDY_BYTES + 1)).is_err());
    }
}
