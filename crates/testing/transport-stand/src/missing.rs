//! What happens to the tests of a broker that is missing on this machine.

use wiredyno_brokers::{BrokerFolder, Install, Requirement};

/// What decides whether a broker can be installed on a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Whether the user may install packages.
    pub root: bool,
    /// Whether Maven is available to fetch jars.
    pub maven: bool,
    /// Whether the program that runs the broker is available: Java, for jars.
    pub program: bool,
}

/// What happens to the tests of a broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// They run; if only the broker's jars are missing, the first test fetches them.
    Run,
    /// They fail with this reason: the broker could be installed and is not.
    Fail(String),
    /// They are ignored with this reason: the broker can't be installed here.
    Ignore(String),
}

impl Machine {
    /// This machine, with respect to that broker.
    pub fn of(folder: &BrokerFolder) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let maven = std::env::split_paths(&path).any(|place| place.join("mvn").is_file());
        Machine { root: nix::unistd::geteuid().is_root(), maven, program: folder.program_path().is_some() }
    }
}

/// What happens to the tests of a broker, given how it is installed, what is missing and the machine.
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
        // Root, Maven, program, and the verdicts for jars, a package and a manual installation.
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
