//! A command of an engine: with something on its standard input, and an answer on its standard output.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use wiredyno_process::group::Group;
use wiredyno_process::patience::Patience;

use crate::FleetError;

/// How often a wait looks for an interruption.
const LOOK: Duration = Duration::from_millis(50);
/// How much of a failed command's output is reported, from its end, in bytes.
const TOLD_BYTES: usize = 1_500;

/// What a command is given.
pub struct Input<'a>(pub &'a [&'a [u8]]);

/// Runs a command to its end, within `limit`; returns its standard output. `what` names it in messages.
///
/// # Errors
/// When it can't be started, fails, takes too long, or `interrupted` returns true. Its process group is not left running.
pub fn answer(
    what: &str,
    command: &mut Command,
    input: Input<'_>,
    limit: Duration,
    interrupted: &dyn Fn() -> bool,
) -> Result<String, FleetError> {
    let (text, ended) = spoken(what, command, input, limit, interrupted)?;
    ended.map(|()| text)
}

/// The same, with the standard output of a command that fails too.
///
/// # Errors
/// When it can't be started, or its output can't be had.
pub fn spoken(
    what: &str,
    command: &mut Command,
    Input(parts): Input<'_>,
    limit: Duration,
    interrupted: &dyn Fn() -> bool,
) -> Result<(String, Result<(), FleetError>), FleetError> {
    let start = |source| FleetError::Start { what: what.to_owned(), source };
    let (mut told, mut answered) =
        (tempfile::tempfile().map_err(start)?, tempfile::tempfile().map_err(start)?);
    command
        .stdin(Stdio::piped())
        .stdout(answered.try_clone().map_err(start)?)
        .stderr(told.try_clone().map_err(start)?);
    let mut group = Group::spawn(command).map_err(start)?;
    let mut input = group.child().stdin.take();
    let status = std::thread::scope(|scope| {
        // A command that ends before it has read everything says why by itself.
        scope.spawn(move || -> io::Result<()> {
            let Some(mut input) = input.take() else { return Ok(()) };
            parts.iter().try_for_each(|part| input.write_all(part))
        });
        let ended = ended(&mut group, limit, interrupted);
        if ended.is_err() {
            // It ends the writing too.
            group.kill();
        }
        ended
    });
    let mut text = Vec::new();
    answered.rewind().and_then(|()| answered.read_to_end(&mut text)).map_err(start)?;
    let ended = match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(FleetError::Failed { what: what.to_owned(), status, said: said(&mut told) }),
        Err(Why::Slow) => Err(FleetError::Slow { what: what.to_owned(), limit, said: said(&mut told) }),
        Err(Why::Interrupted) => Err(FleetError::Interrupted),
    };
    Ok((String::from_utf8_lossy(&text).into_owned(), ended))
}

enum Why {
    Slow,
    Interrupted,
}

fn ended(group: &mut Group, limit: Duration, interrupted: &dyn Fn() -> bool) -> Result<ExitStatus, Why> {
    let mut patience = Patience::of(limit);
    loop {
        if let Some(status) = group.ended_within(LOOK) {
            return Ok(status);
        }
        if interrupted() {
            return Err(Why::Interrupted);
        }
        if patience.is_over() {
            return Err(Why::Slow);
        }
    }
}

/// The end of the output, with a separator in front.
fn said(file: &mut File) -> String {
    let mut text = Vec::new();
    // If it can't be read, the failure is reported without it.
    let _ = file.rewind().and_then(|()| file.read_to_end(&mut text));
    match tail(&text) {
        text if text.is_empty() => String::new(),
        text => format!(": {text}"),
    }
}

/// The end of a text, without control characters but line ends: it goes to a terminal.
pub fn tail(text: &[u8]) -> String {
    let from = text.len().saturating_sub(TOLD_BYTES);
    let text = String::from_utf8_lossy(&text[from..]);
    text.trim().chars().filter(|one| *one == '\n' || !one.is_control()).collect()
}

/// A line that can be typed into a Bourne shell: words that it would read otherwise are quoted.
pub fn typed(words: &[String]) -> String {
    let is_plain = |word: &&String| {
        !word.is_empty() && word.chars().all(|one| one.is_ascii_alphanumeric() || "-_=./:,@%+".contains(one))
    };
    let word = |word: &String| if is_plain(&word) { word.clone() } else { quoted(word) };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// A text as one word for a Bourne shell.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(line: &str, input: &[&[u8]], limit: Duration, interrupted: bool) -> Result<String, FleetError> {
        answer("sh", Command::new("sh").args(["-c", line]), Input(input), limit, &|| interrupted)
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn an_answer_is_what_was_printed() {
        assert_eq!(shell("cat; echo no >&2", &[b"one ", b"two"], LONG, false).unwrap(), "one two");
        // More than a pipe holds, to a process that does not read it.
        assert_eq!(shell("echo fine", &[&vec![0; 1 << 20]], LONG, false).unwrap(), "fine\n");
    }

    #[test]
    fn a_failure_tells_what_was_said_and_nothing_goes_on() {
        let error = shell("printf 'no \\033[31mroom' >&2; exit 3", &[], LONG, false).unwrap_err().to_string();
        assert_eq!(error, "sh: exit status: 3: no [31mroom");
        let slow =
            shell("echo begun >&2; sleep 1000", &[&vec![0; 1 << 20]], Duration::from_millis(200), false);
        assert!(matches!(&slow, Err(FleetError::Slow { said, .. }) if said.contains("begun")), "{slow:?}");
        assert!(matches!(shell("sleep 1000", &[], LONG, true), Err(FleetError::Interrupted)));
        let (text, ended) =
            spoken("sh", Command::new("sh").args(["-c", "echo one; exit 1"]), Input(&[]), LONG, &|| false)
                .unwrap();
        assert!(text == "one\n" && ended.is_err(), "what was said before a failure is known");
        let missing = answer("x", &mut Command::new("no-such-program"), Input(&[]), LONG, &|| false);
        assert!(missing.unwrap_err().to_string().contains("install it"));
    }

    #[test]
    fn a_word_stays_one_whatever_it_has() {
        for word in ["", "plain", "it's", "$HOME `x` \"y\" \\", "a b\nc"] {
            let said = shell(&format!("printf %s {}", quoted(word)), &[], LONG, false).unwrap();
            assert_eq!(said, word);
        }
        assert_eq!(typed(&["a=b/c".into(), "it's".into(), String::new()]), "a=b/c 'it'\\''s' ''");
    }
}
