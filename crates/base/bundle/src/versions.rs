//! The versions of libraries, so that none is ever typed by hand.

use std::collections::BTreeMap;

/// The project's crates are those whose names begin with this.
const OURS: &str = "wiredyno";

#[derive(Default)]
struct Package<'a> {
    name: &'a str,
    version: &'a str,
    dependencies: Vec<&'a str>,
}

/// The table as code: crate of the project, library, version.
pub(crate) fn table(lock: &str) -> String {
    let packages = packages(lock);
    let latest: BTreeMap<&str, &str> =
        packages.iter().map(|package| (package.name, package.version)).collect();
    let mut code = String::from("static VERSIONS: &[(&str, &str, &str)] = &[\n");
    for package in packages.iter().filter(|package| package.name.starts_with(OURS)) {
        for dependency in &package.dependencies {
            // A version follows the name only where the file has several versions.
            let mut words = dependency.split(' ');
            let name = words.next().unwrap_or_default();
            let version = words.next().or_else(|| latest.get(name).copied()).unwrap_or_default();
            code.push_str(&format!("    ({:?}, {name:?}, {version:?}),\n", package.name));
        }
    }
    code + "];\n"
}

/// Parses what cargo writes: one key or element per line.
fn packages(lock: &str) -> Vec<Package<'_>> {
    let mut packages: Vec<Package<'_>> = Vec::new();
    for line in lock.lines() {
        if line == "[[package]]" {
            packages.push(Package::default());
        }
        let Some(package) = packages.last_mut() else { continue };
        let quoted = line.split('"').nth(1).unwrap_or_default();
        if line.starts_with("name = ") {
            package.name = quoted;
        } else if line.starts_with("version = ") {
            package.version = quoted;
        } else if line.starts_with(" \"") {
            package.dependencies.push(quoted);
        }
    }
    packages
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_version_stands_behind_the_name_or_with_the_only_package_of_that_name() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n\n\
                    [[package]]\nname = \"b\"\nversion = \"2.0.0\"\n\n[[package]]\nname = \"b\"\nversion = \"3.0.0\"\n\n\
                    [[package]]\nname = \"wiredyno-x\"\nversion = \"0.1.0\"\ndependencies = [\n \"a\",\n \"b 2.0.0\",\n]\n";
        let table = super::table(lock);
        let lines: Vec<&str> = table.lines().skip(1).map(str::trim).collect();
        assert_eq!(
            lines,
            ["(\"wiredyno-x\", \"a\", \"1.0.0\"),", "(\"wiredyno-x\", \"b\", \"2.0.0\"),", "];"]
        );
    }
}
