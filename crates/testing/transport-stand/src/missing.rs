//! What it means for the tests with a broker that it is missing on this machine.

use wiredyno_brokers::{BrokerFolder, Install, Requirement};

/// What of a machine decides whether a broker can be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// The user may install packages.
    pub root: bool,
    /// Maven is there to bring jars.
    pub maven: bool,
    /// The program is there that runs the broker: Java, for jars.
    pub program: bool,
}

/// What becomes of the tests with a broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// They run; where nothing but its jars is missing, the first of them brings those.
    Run,
    /// They fail for this reason: it can be installed and is not.
    Fail(String),
    /// They are ignored for this reason: it can't be installed here.
    Ignore(String),
}

impl Machine {
    /// This machine, as far as that broker is concerned.
    pub fn of(folder: &BrokerFolder) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let maven = std::env::split_paths(&path).any(|place| place.join("mvn").is_file());
        Machine { root: nix::unistd::geteuid().is_root(), maven, program: folder.program_path().is_some() }
    }
}

/// What becomes of the tests with a broker that is installed so, and of which this is missing on that machine.
pub fn verdict(install: &Install, missing: &[Requirement], machine: Machine) -> Verdict {
    let Some(first) = missing.first() else { return Verdict::Run };
    let reason = format!("{} is missing: {}", first.what, first.remedy);
    match install {
        Install::Maven(_) if machine.program && machine.maven => Verdict::Run,
        Install::Debian(_) if machine.root => Verdict::Fail(reason),
        _ => Verdict::Ignore(reason),
    }
}

#[cfg(test)]
mod tests {
    use wiredyno_brokers::Remedy;

    use super::*;

    #[test]
    fn what_can_be_installed_has_to_be_there_and_what_can_not_is_ignored_with_the_line() {
        let jars = || Install::Maven("pom.xml".into());
        let package = || Install::Debian("toy".into());
        let command = || Install::Command("make toy".into());
        let lacks = |line: &str| vec![Requirement { what: "toy".into(), remedy: Remedy::command(line) }];
        let (ignored, failed) =
            (Verdict::Ignore("toy is missing: LINE".into()), Verdict::Fail("toy is missing: LINE".into()));
        let runs = Verdict::Run;
        // Root, Maven, program, and what becomes of jars, of a package, of what is made by hand.
        let table = [
            ([false, false, false], [&ignored, &ignored, &ignored]),
            ([false, false, true], [&ignored, &ignored, &ignored]),
            ([false, true, false], [&ignored, &ignored, &ignored]),
            ([false, true, true], [&runs, &ignored, &ignored]),
            ([true, false, false], [&ignored, &failed, &ignored]),
            ([true, false, true], [&ignored, &failed, &ignored]),
            ([true, true, false], [&ignored, &failed, &ignored]),
            ([true, true, true], [&runs, &failed, &ignored]),
        ];
        for ([root, maven, program], expected) in table {
            let machine = Machine { root, maven, program };
            for (install, expected) in [jars(), package(), command()].iter().zip(expected) {
                assert_eq!(verdict(install, &lacks("LINE"), machine), *expected, "{machine:?} {install:?}");
                assert_eq!(verdict(install, &[], machine), Verdict::Run, "nothing is missing");
            }
        }
    }
}
