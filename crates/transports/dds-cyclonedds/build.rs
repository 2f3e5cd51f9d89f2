//! Has the library's IDL compiler generate the topic's type in C, compiles that, and links with the library.

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;

const IDL: &str = "src/Body.idl";

fn said(program: &str, arguments: &[&str]) -> Result<String, Box<dyn Error>> {
    let output = Command::new(program).args(arguments).output().map_err(|error| {
        format!("{program}: {error}: sudo apt-get install cyclonedds-dev cyclonedds-tools")
    })?;
    if !output.status.success() {
        return Err(
            format!("{program}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)).into()
        );
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={IDL}");
    println!("cargo::rerun-if-env-changed=PKG_CONFIG");
    let pkg_config = std::env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_owned());
    let told = |what: &str| said(&pkg_config, &[what, "CycloneDDS"]);
    println!("cargo::rustc-env=WIREDYNO_CYCLONEDDS={}", told("--modversion")?);
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    said("idlc", &["-o", &out.display().to_string(), IDL])?;
    let mut c = cc::Build::new();
    c.file(out.join("Body.c")).include(&out);
    for folder in told("--variable=includedir")?.split_whitespace() {
        c.include(folder);
    }
    c.compile("wiredyno-dds-body");
    for folder in told("--variable=libdir")?.split_whitespace() {
        println!("cargo::rustc-link-search=native={folder}");
    }
    println!("cargo::rustc-link-lib=ddsc");
    Ok(())
}
