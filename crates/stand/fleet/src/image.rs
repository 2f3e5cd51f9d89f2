//! An image of a container with the program, made without any tool of containers: one layer with the program, its libraries and their loader.
//!
//! The archive is an image layout of the Open Container Initiative (image-spec 1.0, "OCI Image Layout") that has Docker's `manifest.json` as well, which is what `docker save` writes, so that tools of either kind
//! read it. The same program gives the same bytes.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Where the program is in the image.
const PROGRAM: &str = "usr/local/bin/wiredyno";
/// Its user and group: none that a machine has.
const USER: &str = "65532:65532";
/// The unit of an archive of tar(5), in bytes.
const BLOCK: usize = 512;
/// The longest name that its header has room for without a prefix, in bytes.
const MOST_NAME_BYTES: usize = 100;

/// What an image was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The size of the archive in bytes.
    pub bytes: u64,
    /// How many libraries the program has in it, the loader included.
    pub libraries: usize,
}

/// Writes an image with a program and its libraries, which have the same paths there as on this machine. `name` is what it is called where it is loaded, as `REGISTRY/NAME:TAG`.
///
/// # Errors
/// When a file can't be read, or the archive exists or can't be written; the error names the file.
pub fn write(archive: &Path, name: &str, program: &Path, libraries: &[PathBuf]) -> io::Result<Made> {
    let layer = layer(program, libraries)?;
    let config = json!({
        "architecture": architecture(),
        "os": "linux",
        "created": "1970-01-01T00:00:00Z",
        "config": {"Entrypoint": ["wiredyno"], "Env": ["PATH=/usr/local/bin"], "User": USER, "WorkingDir": "/tmp"},
        "rootfs": {"type": "layers", "diff_ids": [format!("sha256:{}", digest(&layer))]},
    });
    let config = config.to_string().into_bytes();
    let of_kind = |kind: &str, bytes: &[u8]| -> Value {
        json!({
            "mediaType": format!("application/vnd.oci.image.{kind}"),
            "digest": format!("sha256:{}", digest(bytes)),
            "size": bytes.len(),
        })
    };
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": of_kind("config.v1+json", &config),
        "layers": [of_kind("layer.v1.tar", &layer)],
    });
    let manifest = manifest.to_string().into_bytes();
    let mut listed = of_kind("manifest.v1+json", &manifest);
    let tag = tag_of(name);
    listed["annotations"] =
        json!({"io.containerd.image.name": name, "org.opencontainers.image.ref.name": tag});
    let index = json!({"schemaVersion": 2, "manifests": [listed]}).to_string();
    let dockers =
        json!([{"Config": blob(&config), "RepoTags": [name], "Layers": [blob(&layer)]}]).to_string();

    let mut tar = Vec::new();
    for folder in ["blobs", "blobs/sha256"] {
        put(&mut tar, &format!("{folder}/"), 0o755, &[])?;
    }
    for bytes in [&config, &layer, &manifest] {
        put(&mut tar, &blob(bytes), 0o644, bytes)?;
    }
    put(&mut tar, "oci-layout", 0o644, br#"{"imageLayoutVersion":"1.0.0"}"#)?;
    put(&mut tar, "index.json", 0o644, index.as_bytes())?;
    put(&mut tar, "manifest.json", 0o644, dockers.as_bytes())?;
    end(&mut tar);
    let mut file = File::create_new(archive).map_err(|error| at(archive, &error))?;
    if let Err(error) = file.write_all(&tar) {
        // Half of it is of no use, and would be in the way.
        let _ = std::fs::remove_file(archive);
        return Err(at(archive, &error));
    }
    Ok(Made { bytes: tar.len() as u64, libraries: libraries.len() })
}

/// The tag in the name of an image: a colon in front of the last slash is that of a port.
fn tag_of(name: &str) -> &str {
    let last = name.rsplit_once('/').map_or(name, |(_, last)| last);
    last.split_once(':').map_or("latest", |(_, tag)| tag)
}

/// The name of this machine's architecture among images, which is Go's.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The path of a blob in the archive.
fn blob(bytes: &[u8]) -> String {
    format!("blobs/sha256/{}", digest(bytes))
}

/// The files of the image, as an archive.
fn layer(program: &Path, libraries: &[PathBuf]) -> io::Result<Vec<u8>> {
    let here = libraries.iter().map(|path| {
        let there = path.to_string_lossy().trim_start_matches('/').to_owned();
        (there, path.as_path())
    });
    let files: Vec<(String, &Path)> = std::iter::once((PROGRAM.to_owned(), program)).chain(here).collect();
    let above = |name: &str| Path::new(name).ancestors().skip(1).map(Path::to_path_buf).collect::<Vec<_>>();
    let folders: BTreeSet<PathBuf> = files.iter().flat_map(|(name, _)| above(name)).collect();
    let mut tar = Vec::new();
    for folder in folders.iter().filter(|folder| !folder.as_os_str().is_empty()) {
        put(&mut tar, &format!("{}/", folder.display()), 0o755, &[])?;
    }
    // For an agent's own folder, whoever it runs as.
    put(&mut tar, "tmp/", 0o1777, &[])?;
    for (name, path) in files {
        put(&mut tar, &name, 0o755, &std::fs::read(path).map_err(|error| at(path, &error))?)?;
    }
    end(&mut tar);
    Ok(tar)
}

/// Adds a file, or a folder if its name ends with a slash, that belongs to root and is as old as time: the header of POSIX's ustar.
fn put(tar: &mut Vec<u8>, name: &str, mode: u32, content: &[u8]) -> io::Result<()> {
    if name.len() > MOST_NAME_BYTES {
        return Err(io::Error::other(format!("{name}: the path is too long for an archive")));
    }
    let mut header = [0; BLOCK];
    let mut field =
        |from: usize, text: &str| header[from..from + text.len()].copy_from_slice(text.as_bytes());
    field(0, name);
    field(100, &format!("{mode:07o}"));
    field(108, "0000000");
    field(116, "0000000");
    field(124, &format!("{:011o}", content.len()));
    field(136, "00000000000");
    // The sum is of the header with blanks in its place.
    field(148, "        ");
    field(156, if name.ends_with('/') { "5" } else { "0" });
    field(257, "ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    tar.extend(header);
    tar.extend(content);
    tar.resize(tar.len().next_multiple_of(BLOCK), 0);
    Ok(())
}

/// Two empty blocks are the end of an archive.
fn end(tar: &mut Vec<u8>) {
    tar.resize(tar.len() + 2 * BLOCK, 0);
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn text_of(archive: &Path, file: &str) -> Vec<u8> {
        let output = Command::new("tar").arg("-xOf").arg(archive).arg(file).output().unwrap();
        assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    #[test]
    fn an_image_has_what_its_manifests_say_under_the_digests_that_they_say() {
        let desk = tempfile::tempdir().unwrap();
        let (program, library) = (desk.path().join("p"), desk.path().join("libx.so"));
        std::fs::write(&program, "program").unwrap();
        std::fs::write(&library, vec![7; 1_000]).unwrap();
        let [first, second] = ["a.tar", "b.tar"].map(|name| {
            let archive = desk.path().join(name);
            let made = write(&archive, "registry:5000/wiredyno:1", &program, std::slice::from_ref(&library))
                .unwrap();
            assert_eq!((made.bytes, made.libraries), (std::fs::metadata(&archive).unwrap().len(), 1));
            archive
        });
        assert_eq!(std::fs::read(&first).unwrap(), std::fs::read(second).unwrap());

        let json = |file: &str| serde_json::from_slice::<Value>(&text_of(&first, file)).unwrap();
        let blob_of = |of: &Value| {
            let (kind, hex) = of["digest"].as_str().unwrap().split_once(':').unwrap();
            let bytes = text_of(&first, &format!("blobs/{kind}/{hex}"));
            assert_eq!((digest(&bytes).as_str(), bytes.len() as u64), (hex, of["size"].as_u64().unwrap()));
            bytes
        };
        let manifest: Value = serde_json::from_slice(&blob_of(&json("index.json")["manifests"][0])).unwrap();
        let config: Value = serde_json::from_slice(&blob_of(&manifest["config"])).unwrap();
        let layer = blob_of(&manifest["layers"][0]);
        assert_eq!(config["rootfs"]["diff_ids"][0], format!("sha256:{}", digest(&layer)));
        let dockers = json("manifest.json");
        assert_eq!(dockers[0]["RepoTags"][0], "registry:5000/wiredyno:1");
        assert_eq!(text_of(&first, dockers[0]["Layers"][0].as_str().unwrap()), layer);

        let unpacked = desk.path().join("layer.tar");
        std::fs::write(&unpacked, &layer).unwrap();
        assert_eq!(text_of(&unpacked, PROGRAM), b"program");
        let inside = library.display().to_string();
        assert_eq!(text_of(&unpacked, inside.trim_start_matches('/')), vec![7; 1_000]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let desk = tempfile::tempdir().unwrap();
        let error =
            write(&desk.path().join("a.tar"), "wiredyno:1", Path::new("/no/program"), &[]).unwrap_err();
        assert!(error.to_string().contains("/no/program"), "{error}");
        let archive = desk.path().join("b.tar");
        std::fs::write(&archive, "mine").unwrap();
        let error = write(&archive, "wiredyno:1", &archive, &[]).unwrap_err();
        assert!(error.to_string().contains("b.tar: File exists"), "{error}");
        assert_eq!(std::fs::read(archive).unwrap(), b"mine");
    }

    #[test]
    fn a_tag_is_no_port() {
        let tags = ["registry:5000/bench/wiredyno", "registry:5000/wiredyno:2", "wiredyno:1", "wiredyno"];
        assert_eq!(tags.map(tag_of), ["latest", "2", "1", "latest"]);
    }
}
