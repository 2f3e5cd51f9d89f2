//! Comparisons of bytes with foreign software, one file per family of formats.
//!
//! Each test runs a foreign tool on values of every composed payload that its format can carry (see `rust` in src/). Where
//! the tool is missing (`make test` installs what it can), the test is ignored, with the command that installs it in the name.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod asn1;
mod compression;
mod confluent;
mod exi;
mod foreign;
mod libraries;
mod python;
mod robots;
mod stand;

fn main() -> std::process::ExitCode {
    let arguments = libtest_mimic::Arguments::from_args();
    match wiredyno_testkit::rust::subjects(|_| true) {
        Ok(subjects) => stand::set(subjects),
        Err(error) => {
            eprintln!("{error}");
            return std::process::ExitCode::FAILURE;
        }
    }
    let tests = [
        asn1::tests(),
        compression::tests(),
        confluent::tests(),
        exi::tests(),
        foreign::tests(),
        libraries::tests(),
        python::tests(),
        robots::tests(),
    ];
    libtest_mimic::run(&arguments, tests.into_iter().flatten().collect()).exit_code()
}
