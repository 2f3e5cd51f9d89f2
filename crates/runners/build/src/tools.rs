//! What codecs in C and C++ are compiled with: the machine's compiler, and the versions of the libraries and programs that they need.
//!
//! They follow the Rust compiler in the text that identifies the compiler of a runner, `rustc ...; c++ GCC 12.2.0; protobuf 3.21.12`. A runner
//! depends on those that its own codecs need.
//!
//! Limits: they are determined once in a process.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use wiredyno_contract::{DeclaredCodec, Need, NeedKind};

use crate::answers;

/// Between the Rust compiler and each tool.
const BETWEEN: &str = "; ";

/// The name of the C++ compiler among the needs.
const COMPILER: &str = "c++";

/// A need and its version here.
struct Tool {
    name: &'static str,
    said: String,
}

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let codecs = wiredyno_codec_registry::REGISTRY.iter().filter(|codec| codec.as_native().is_some());
    let mut tools: Vec<Tool> = Vec::new();
    wiredyno_needs::learn(codecs.clone().flat_map(|codec| codec.needs));
    for need in codecs.flat_map(|codec| codec.needs) {
        if tools.iter().all(|known| known.name != need.name) {
            tools.extend(said(need).map(|said| Tool { name: need.name, said }));
        }
    }
    tools
});

fn said(need: &Need) -> Option<String> {
    match need.name {
        COMPILER => Some(format!("{COMPILER} {}", wiredyno_needs::compiler()?)),
        name => Some(format!("{name} {}", version(need)?)),
    }
}

/// The version of a library, or what a program says, which the cache remembers.
fn version(need: &Need) -> Option<String> {
    match (need.kind, need.named_by) {
        (NeedKind::Program, None) => {
            let arguments = [wiredyno_needs::VERSION_ARGUMENT.to_owned()];
            answers::ask(Path::new(need.name), &arguments, wiredyno_needs::version_in).ok().flatten()
        }
        _ => wiredyno_needs::version(need),
    }
}

/// A Rust compiler with all tools that are here.
pub(crate) fn with_tools(rust: String) -> String {
    TOOLS.iter().fold(rust, |all, tool| all + BETWEEN + &tool.said)
}

/// The part of such a text on which a runner with these codecs depends.
pub(crate) fn of_codecs<'a>(compiler: &str, codecs: impl Iterator<Item = &'a DeclaredCodec>) -> String {
    let native = codecs.filter(|codec| codec.as_native().is_some());
    let names: BTreeSet<&str> = native.flat_map(|codec| codec.needs).map(|need| need.name).collect();
    let is_needed = |said: &&str| said.split_once(' ').is_some_and(|(name, _)| names.contains(name));
    let mut parts = compiler.split(BETWEEN);
    let rust = parts.next().unwrap_or_default().to_owned();
    parts.filter(is_needed).fold(rust, |all, said| all + BETWEEN + said)
}

/// Whether a runner that was compiled with one text would be compiled alike with a part of another.
pub(crate) fn has_all(kept: &str, wanted: &str) -> bool {
    let kept: Vec<&str> = kept.split(BETWEEN).collect();
    let mut wanted = wanted.split(BETWEEN);
    kept.first().copied() == wanted.next() && wanted.all(|tool| kept.contains(&tool))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wiredyno_contract::Native;

    const LIBRARY: Need = Need::library("some", "1.0");
    static NATIVE: Native = Native::cpp("some.hpp");
    static CODEC: DeclaredCodec = DeclaredCodec::new("some/some", "some", "Some")
        .native(&NATIVE)
        .needs(&[LIBRARY, Need::program("c++")]);
    static RUST: DeclaredCodec = DeclaredCodec::new("some/rust", "some", "Some");

    #[test]
    fn a_runner_depends_on_the_tools_of_its_own_codecs() {
        let all = "rustc 1.95.0 (a b); c++ GCC 12.2.0; some 1.2; other 3.4";
        let kept = of_codecs(all, [&CODEC, &RUST].into_iter());
        assert_eq!(kept, "rustc 1.95.0 (a b); c++ GCC 12.2.0; some 1.2");
        assert_eq!(of_codecs(all, [&RUST].into_iter()), "rustc 1.95.0 (a b)");
    }

    #[test]
    fn another_version_of_a_tool_is_another_runner_only_for_who_needs_it() {
        let kept = "rustc 1.95.0; c++ GCC 12.2.0; some 1.2";
        assert!(has_all(kept, "rustc 1.95.0"));
        assert!(has_all(kept, kept));
        assert!(!has_all(kept, "rustc 1.95.0; GCC 12.2.0; some 1.3"));
        assert!(!has_all(kept, "rustc 1.96.0"));
        assert!(!has_all("rustc 1.95.0", "rustc 1.95.0; GCC 12.2.0"));
    }
}
