//! Tests that something of the machine may prevent. Such a test is ignored, with the reason in its name, so that a run shows what it
//! did not test.

use std::env;

use libtest_mimic::Trial;

/// A test, ignored with the reason in its name if something prevents it.
pub fn listed(
    name: impl Into<String>,
    run: impl FnOnce() + Send + 'static,
    right: Result<(), String>,
) -> Trial {
    match right {
        Ok(()) => Trial::test(name.into(), move || {
            run();
            Ok(())
        }),
        Err(why) => {
            Trial::test(format!("{} (skipped: {why})", name.into()), || Ok(())).with_ignored_flag(true)
        }
    }
}

/// Whether a program is on the path.
///
/// # Errors
/// The reason, if it is not.
pub fn installed(program: &str) -> Result<(), String> {
    let found = env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).is_file()));
    found.then_some(()).ok_or_else(|| format!("{program} is not installed"))
}
