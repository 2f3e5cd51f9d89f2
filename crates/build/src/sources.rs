//! The sources of a runner, as the program carries them.

use std::io::{self, Read};
use std::path::Path;

use flate2::read::DeflateDecoder;

/// Digest of the sources: other sources make other runners. 32 hexadecimal digits.
pub const DIGEST: &str = env!("WIREDYNO_SOURCES");

/// Packed by the build script.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/sources.bin"));

/// Every file with its path in the workspace, sorted by path.
///
/// # Errors
/// When the program's own file is damaged.
pub fn files() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut bytes = Vec::new();
    DeflateDecoder::new(PACKED).read_to_end(&mut bytes)?;
    let mut rest = bytes.as_slice();
    let mut files = Vec::new();
    while !rest.is_empty() {
        let path_bytes = length(&mut rest)?;
        let content_bytes = length(&mut rest)?;
        let path = String::from_utf8(take(&mut rest, path_bytes)?.to_vec()).map_err(io::Error::other)?;
        files.push((path, take(&mut rest, content_bytes)?.to_vec()));
    }
    Ok(files)
}

fn take<'a>(rest: &mut &'a [u8], bytes: usize) -> io::Result<&'a [u8]> {
    rest.split_off(..bytes).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

fn length(rest: &mut &[u8]) -> io::Result<usize> {
    let (first, others) = rest.split_first_chunk().ok_or(io::ErrorKind::UnexpectedEof)?;
    *rest = others;
    Ok(u32::from_le_bytes(*first) as usize)
}

/// Writes all files below a folder.
///
/// # Errors
/// When one can't be written.
pub fn unpack(folder: &Path) -> io::Result<()> {
    for (path, content) in files()? {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, content)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sources_are_those_of_a_runner_and_no_more() {
        let files = files().unwrap();
        let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        for needed in [
            "Cargo.lock",
            "Cargo.toml",
            "crates/codecs/src/lib.rs",
            "crates/runner/src/lib.rs",
            "crates/schema/proto/wiredyno/options.proto",
            "own-runner/src/main.rs",
        ] {
            assert!(paths.contains(&needed), "{needed} is missing in {paths:?}");
        }
        assert!(!paths.iter().any(|path| path.starts_with("crates/payloads/")), "{paths:?}");
        assert!(!paths.iter().any(|path| path.contains("/tests/main.rs")), "{paths:?}");
        let manifest = files.iter().find(|(path, _)| path == "crates/runner/Cargo.toml").unwrap();
        assert!(!String::from_utf8_lossy(&manifest.1).contains("dev-dependencies"));
        assert!(DIGEST.len() == 32 && PACKED.len() < 1 << 20, "{} bytes", PACKED.len());
    }
}
