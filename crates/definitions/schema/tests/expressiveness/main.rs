//! The table of expressiveness, held to what it claims: every text goes through its language's own compiler, every
//! trial of versioning through its library.
//!
//! One test a language for the texts and one for the trials; a failure lists all cells that are wrong. Where a tool is
//! missing (`make test` installs what it can), the test is ignored by name.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod compilers;
mod odvd;
mod registry;
mod versions;

use libtest_mimic::{Arguments, Trial};

/// A test that needs a tool: ignored, with the reason in its name, where `missing` gives one.
fn test(name: String, missing: Option<&str>, run: impl FnOnce() + Send + 'static) -> Trial {
    let name = missing.map_or_else(|| name.clone(), |reason| format!("{name} [{reason}]"));
    let trial = Trial::test(name, move || {
        run();
        Ok(())
    });
    trial.with_ignored_flag(missing.is_some())
}

/// The Python that `make test` made, else the one on the path.
fn python() -> std::ffi::OsString {
    std::env::var_os("WIREDYNO_PYTHON").unwrap_or_else(|| "python3".into())
}

fn main() {
    let arguments = Arguments::from_args();
    let tests = [registry::tests(), compilers::tests(), versions::tests()];
    libtest_mimic::run(&arguments, tests.into_iter().flatten().collect()).exit();
}
