//! Verifies the table of expressiveness: runs every text through its language's own compiler, and every
//! versioning trial through its library.
//!
//! One test per language for the texts and one for the trials; a failure lists all wrong cells. If a tool is
//! missing (`make test` installs what it can), the test is ignored, with the reason in its name.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod compilers;
mod odvd;
mod registry;
mod versions;

use libtest_mimic::{Arguments, Trial};

/// A test that needs a tool: ignored, with the reason in its name, if `missing` gives one.
fn test(name: String, missing: Option<&str>, run: impl FnOnce() + Send + 'static) -> Trial {
    let name = missing.map_or_else(|| name.clone(), |reason| format!("{name} [{reason}]"));
    let trial = Trial::test(name, move || {
        run();
        Ok(())
    });
    trial.with_ignored_flag(missing.is_some())
}

/// The Python environment of `make test`, or else the Python on the path.
fn python() -> std::ffi::OsString {
    std::env::var_os("WIREDYNO_PYTHON").unwrap_or_else(|| "python3".into())
}

fn main() {
    let arguments = Arguments::from_args();
    let tests = [registry::tests(), compilers::tests(), versions::tests()];
    libtest_mimic::run(&arguments, tests.into_iter().flatten().collect()).exit();
}
