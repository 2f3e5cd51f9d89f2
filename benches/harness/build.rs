//! Generates the payloads' types and codecs as modules, by the code generators of runners.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use wiredyno_payloads::{Payload, PayloadFolder};
use wiredyno_schema::codegen::{self, Generated};

const PAYLOADS: [&str; 2] = ["small", "current-status"];

const CODECS: [&str; 6] = [
    "json/serde-json",
    "messagepack/rmp-serde",
    "cbor/ciborium",
    "avro/apache-avro",
    "protobuf/prost",
    "flatbuffers/planus",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let (mut modules, mut pairs) = (String::new(), String::new());
    for name in PAYLOADS {
        let folder = PayloadFolder::bundled(name).ok_or("no such payload")?;
        let payload = Payload::open(folder, None)?;
        let module = name.replace('-', "_");
        let mut inner = "pub mod types;\n".to_owned();
        put(&out.join(&module).join("types"), &codegen::types(payload.definition())?)?;
        for id in CODECS {
            let codec = wiredyno_codec_registry::find(&id.parse()?).ok_or("no such codec")?;
            let slug = id.replace(['/', '-'], "_");
            let types = format!("crate::{module}::types");
            put(&out.join(&module).join(&slug), &codegen::codec(payload.definition(), codec, &types)?)?;
            writeln!(inner, "pub mod {slug};")?;
            let package = codec.package.replace('-', "_");
            let ty = codec.type_name;
            writeln!(
                pairs,
                "pair::<{package}::{ty}, {module}::{slug}::Types>({name:?}, &{module}::{slug}::ENTRY),"
            )?;
        }
        let file = out.join(&module).join("mod.rs");
        fs::write(&file, inner)?;
        writeln!(
            modules,
            "#[path = {:?}]\n#[allow(missing_docs)]\nmod {module};",
            file.display().to_string()
        )?;
    }
    fs::write(out.join("modules.rs"), modules)?;
    fs::write(out.join("pairs.rs"), format!("[{pairs}]"))?;
    Ok(())
}

/// A generated crate as a module.
fn put(folder: &Path, generated: &Generated) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, code) in &generated.files {
        let name = if *name == "lib.rs" { "mod.rs" } else { name };
        fs::write(folder.join(name), code)?;
    }
    Ok(())
}
