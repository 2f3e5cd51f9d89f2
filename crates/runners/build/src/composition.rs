//! What a runner is composed of, and the crates that are generated for it.
//!
//! | below the workspace | holds |
//! |---|---|
//! | `made/<definition>/types/` | the types of a definition |
//! | `made/<definition>/<codec>/` | one codec for it |
//! | `made/runners/<key>/` | a runner's own few lines |
//!
//! A crate's place and content depend only on definition and codec, so whichever runners contain it, it is compiled once
//! and identically.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use wiredyno_contract::{DeclaredCodec, DeclaredTransport};
use wiredyno_payloads::Payload;
use wiredyno_schema::Definition;
use wiredyno_schema::codegen::{self, CodegenError, Generated};
use xxhash_rust::xxh3::xxh3_128;

use crate::cache_error::{CacheError, at};
use crate::{parts, tools};

/// The crate of the runner's library.
const RUNNER: &str = "wiredyno-rust-runner";

/// The crate that reads records from a database.
const RECORDS: &str = "wiredyno-records";

/// A runner's own lines, with placeholders for definition and transports.
const MAIN: &str = include_str!("../../../../runners/rust/main.rs");

/// The folder of generated crates; also the name of the folder in it for the runners' own crates.
pub(crate) const MADE: &str = "made";
pub(crate) const RUNNERS: &str = "runners";

/// How many digits of a digest are enough to distinguish two in names.
pub(crate) const SHORT: usize = 16;

/// What a runner must contain.
#[derive(Clone)]
pub struct Composition {
    /// The definition whose codecs it has; `None` for transports only.
    definition: Option<Compiled>,
    codecs: Vec<&'static DeclaredCodec>,
    transports: Vec<&'static DeclaredTransport>,
    /// Packages of the transports that are compiled with TLS, sorted.
    encrypted: BTreeSet<&'static str>,
    records: bool,
    /// Whether a runner that contains more is not accepted.
    alone: bool,
}

#[derive(Clone)]
struct Compiled {
    /// The payload's name, for errors.
    payload: String,
    digest: String,
    definition: Definition,
}

impl Composition {
    /// With these codecs for a payload's definition, and these transports. Their order does not matter.
    pub fn new(
        payload: &Payload,
        codecs: impl IntoIterator<Item = &'static DeclaredCodec>,
        transports: impl IntoIterator<Item = &'static DeclaredTransport>,
    ) -> Self {
        let definition = Compiled {
            payload: payload.folder().name.clone(),
            digest: payload.definition_digest(),
            definition: payload.definition().clone(),
        };
        let mut codecs: Vec<_> = codecs.into_iter().collect();
        codecs.sort_by_key(|codec| codec.id);
        codecs.dedup_by_key(|codec| codec.id);
        let mut transports: Vec<_> = transports.into_iter().collect();
        transports.sort_by_key(|protocol| protocol.package);
        transports.dedup_by_key(|protocol| protocol.package);
        let encrypted = BTreeSet::new();
        Composition {
            definition: Some(definition),
            codecs,
            transports,
            encrypted,
            records: false,
            alone: false,
        }
    }

    /// With transports only, without codecs, or with nothing at all.
    pub fn without_codecs(transports: impl IntoIterator<Item = &'static DeclaredTransport>) -> Self {
        let mut transports: Vec<_> = transports.into_iter().collect();
        transports.sort_by_key(|protocol| protocol.package);
        transports.dedup_by_key(|protocol| protocol.package);
        Composition {
            definition: None,
            codecs: Vec::new(),
            transports,
            encrypted: BTreeSet::new(),
            records: false,
            alone: false,
        }
    }

    /// Adds the reader of records if `records` is true.
    #[must_use]
    pub fn reading(self, records: bool) -> Self {
        Composition { records, ..self }
    }

    /// Whether [`Composition::reading`] added the reader of records.
    pub fn reads_records(&self) -> bool {
        self.records
    }

    /// Compiles TLS into those of its transports that are among these protocols.
    #[must_use]
    pub fn encrypted(mut self, protocols: &BTreeSet<&str>) -> Self {
        let wanted =
            |one: &&&'static DeclaredTransport| one.may_encrypt() && protocols.contains(one.protocol);
        self.encrypted.extend(self.transports.iter().filter(wanted).map(|one| one.package));
        self
    }

    /// Accepts only a runner that contains exactly this: the memory of its whole process is measured.
    #[must_use]
    pub fn alone(self) -> Self {
        Composition { alone: true, ..self }
    }

    /// Whether only a runner that contains exactly this is accepted.
    pub fn is_alone(&self) -> bool {
        self.alone
    }

    /// Whether both make the same runner.
    pub fn is_same(&self, other: &Composition) -> bool {
        self.definition() == other.definition()
            && self.codecs().eq(other.codecs())
            && self.transports().eq(other.transports())
            && self.encrypted == other.encrypted
            && self.records == other.records
    }

    /// The payload that it was requested for; empty without a definition.
    pub fn payload(&self) -> &str {
        self.definition.as_ref().map_or("", |definition| &definition.payload)
    }

    /// Digest of the definition, 32 hexadecimal digits; empty without one.
    pub fn definition(&self) -> &str {
        self.definition.as_ref().map_or("", |definition| &definition.digest)
    }

    /// The ids of its codecs, sorted.
    pub fn codecs(&self) -> impl Iterator<Item = &'static str> {
        self.codecs.iter().map(|codec| codec.id)
    }

    /// Its codecs, sorted by id.
    pub(crate) fn declared(&self) -> impl Iterator<Item = &'static DeclaredCodec> {
        self.codecs.iter().copied()
    }

    /// The packages of its transports, sorted.
    pub fn transports(&self) -> impl Iterator<Item = &'static str> {
        self.transports.iter().map(|protocol| protocol.package)
    }

    /// The packages of its transports that are compiled with TLS, sorted.
    pub fn with_tls(&self) -> impl Iterator<Item = &'static str> {
        self.encrypted.iter().copied()
    }

    /// Its codecs whose crate, or whose library's crate, has this name.
    pub(crate) fn codecs_of(&self, name: &str) -> impl Iterator<Item = &'static str> {
        let short = self.definition().get(..SHORT).unwrap_or_default();
        let is_of = move |codec: &&&'static DeclaredCodec| {
            codec.package == name || Self::crate_of(codec.id, short) == name
        };
        self.codecs.iter().filter(is_of).map(|codec| codec.id)
    }

    /// The same without these codecs.
    #[must_use]
    pub(crate) fn without(mut self, codecs: &[&str]) -> Self {
        self.codecs.retain(|codec| !codecs.contains(&codec.id));
        self
    }

    /// The same together with the parts of another one for the same definition.
    #[must_use]
    pub fn and(mut self, other: &Composition) -> Self {
        self.codecs.extend(&other.codecs);
        self.codecs.sort_by_key(|codec| codec.id);
        self.codecs.dedup_by_key(|codec| codec.id);
        self.transports.extend(&other.transports);
        self.transports.sort_by_key(|protocol| protocol.package);
        self.transports.dedup_by_key(|protocol| protocol.package);
        self.encrypted.extend(&other.encrypted);
        self.records |= other.records;
        self
    }

    /// The number of fields in all messages of its definition.
    pub(crate) fn fields(&self) -> u64 {
        self.definition.as_ref().map_or(0, |compiled| {
            compiled.definition.messages.iter().map(|message| message.fields.len() as u64).sum()
        })
    }

    /// The name of the crate of a codec for a definition, given the beginning of its digest.
    pub(crate) fn crate_of(codec: &str, short: &str) -> String {
        format!("made-{}-{short}", slug(codec))
    }

    /// The project's crates that are compiled into it, with the digests of their sources.
    pub(crate) fn parts(&self) -> BTreeMap<String, String> {
        let packages = self.codecs.iter().map(|codec| codec.package).chain(self.transports()).chain([RUNNER]);
        let packages = packages.chain(self.records.then_some(RECORDS));
        packages.map(|package| (package.to_owned(), parts::digest(package).to_owned())).collect()
    }

    /// The part of a text about compilers on which its runner depends.
    pub(crate) fn compiler_of(&self, compiler: &str) -> String {
        tools::of_codecs(compiler, self.codecs.iter().copied())
    }

    /// The key that its runner is kept under: a digest of definition, codecs, transports, which of these have TLS, the sources of everything
    /// that is compiled, what writes the generated crates, a runner's own lines, and the compiler. 32 hexadecimal digits.
    pub(crate) fn key(&self, compiler: &str) -> String {
        let compiler = self.compiler_of(compiler);
        let mut text = format!("{compiler}\n{}\n{}\n{MAIN}\n", parts::GENERATOR, self.definition());
        for codec in self.codecs() {
            let _ = writeln!(text, "{codec}");
        }
        for (package, digest) in self.parts() {
            let _ = writeln!(text, "{package} {digest}");
        }
        for package in self.with_tls() {
            let _ = writeln!(text, "{package} tls");
        }
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }

    /// The name of its package and of its program.
    pub(crate) fn program(&self, compiler: &str) -> String {
        format!("runner-{}", &self.key(compiler)[..SHORT])
    }

    /// Writes its crates below a workspace; returns their folders there.
    ///
    /// # Errors
    /// When no code can be generated for the definition, or a file can't be written.
    pub(crate) fn write(&self, workspace: &Path, compiler: &str) -> Result<Vec<String>, ComposeError> {
        let mut members = Vec::new();
        let mut entries = String::new();
        let mut dependencies = vec!["wiredyno-codec".to_owned(), RUNNER.to_owned()];
        if let Some(Compiled { digest, definition, .. }) = &self.definition {
            let mut refused = Vec::new();
            let short = &digest[..SHORT];
            let types = format!("made-types-{short}");
            let place = format!("{MADE}/{short}/types");
            let made = codegen::types(definition)?;
            write_crate(workspace, &place, &types, &made, &[])?;
            members.push(place);
            for codec in &self.codecs {
                let slug = slug(codec.id);
                let (name, place) = (Self::crate_of(codec.id, short), format!("{MADE}/{short}/{slug}"));
                let made = match codegen::codec(definition, digest, codec, &rust(&types)) {
                    Err(error) if error.is_of_codec() => {
                        refused.push((codec.id, error.to_string()));
                        continue;
                    }
                    made => made?,
                };
                write_crate(workspace, &place, &name, &made, &[(&types, "../types")])?;
                let _ = write!(entries, "{}::ENTRY, ", rust(&name));
                dependencies.push(format!("{name} = {{ path = \"../../{short}/{slug}\" }}"));
                members.push(place);
            }
            if !refused.is_empty() {
                return Err(ComposeError::Codecs(refused));
            }
        }
        dependencies.push("wiredyno-transport".to_owned());
        dependencies.extend(self.transports().map(|package| match self.encrypted.contains(package) {
            true => format!("{package} = {{ workspace = true, features = [\"tls\"] }}"),
            false => package.to_owned(),
        }));
        dependencies.extend(self.records.then(|| RECORDS.to_owned()));
        let program = self.program(compiler);
        let place = format!("{MADE}/{RUNNERS}/{program}");
        let manifest = manifest(&program, &dependencies);
        let folder = workspace.join(&place);
        put(&folder.join("Cargo.toml"), manifest.as_bytes())?;
        put(&folder.join("src/main.rs"), self.main(&entries).as_bytes())?;
        members.push(place);
        Ok(members)
    }

    /// The content of the runner's main.rs.
    fn main(&self, entries: &str) -> String {
        let transports: String =
            self.transports().map(|package| format!("{}::TRANSPORT, ", rust(package))).collect();
        let definition = match &self.definition {
            None => "None".to_owned(),
            Some(Compiled { digest, definition, .. }) => format!(
                "Some(&Definition {{ digest: {digest:?}, message: {:?}, codecs: &[{entries}] }})",
                definition.root().full_name
            ),
        };
        let records = if self.records { "Some(wiredyno_records::open)" } else { "None" };
        let main = MAIN.replace("{definition}", &definition).replace("{transports}", &transports);
        main.replace("{records}", records)
    }
}

/// Why a runner's crates could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ComposeError {
    /// No code can be generated for the definition.
    #[error("no code can be generated from the definition, change it: {0}")]
    Codegen(#[from] CodegenError),
    /// No code can be generated for these codecs, each with the reason.
    #[error("no code can be generated from the definition for {}", .0.iter().map(|(codec, why)| format!("{codec}: {why}")).collect::<Vec<_>>().join("; "))]
    Codecs(Vec<(&'static str, String)>),
    /// A file could not be written.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

/// A codec's id as part of a package's name.
fn slug(codec: &str) -> String {
    codec.replace(['/', ':'], "-")
}

/// A crate's name in Rust code.
fn rust(name: &str) -> String {
    name.replace('-', "_")
}

fn write_crate(
    workspace: &Path,
    place: &str,
    name: &str,
    made: &Generated,
    beside: &[(&String, &str)],
) -> Result<(), CacheError> {
    let folder = workspace.join(place);
    let mut dependencies = made.dependencies.clone();
    dependencies.extend(beside.iter().map(|(name, path)| format!("{name} = {{ path = \"{path}\" }}")));
    let mut text = manifest(name, &dependencies);
    let script = folder.join("build.rs");
    match &made.build {
        Some(build) => {
            text.push_str("\n[build-dependencies]\n");
            text.push_str(&listed(&made.build_dependencies));
            put(&script, build.as_bytes())?;
        }
        // Of another version of this program, for which cargo would run it.
        None if script.exists() => std::fs::remove_file(&script).map_err(at(&script))?,
        None => {}
    }
    put(&folder.join("Cargo.toml"), text.as_bytes())?;
    for (file, code) in &made.files {
        put(&folder.join("src").join(file), code.as_bytes())?;
    }
    Ok(())
}

/// The manifest of a package with these dependencies: names of the workspace's, or complete lines.
fn manifest(name: &str, dependencies: &[String]) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion.workspace = true\nedition.workspace = true\nrust-version.workspace = true\n\
         publish = false\n\n[dependencies]\n{}",
        listed(dependencies)
    )
}

/// Dependencies as lines of a manifest.
fn listed(dependencies: &[String]) -> String {
    let mut text = String::new();
    for dependency in dependencies {
        let workspace = if dependency.contains('=') { "" } else { ".workspace = true" };
        let _ = writeln!(text, "{dependency}{workspace}");
    }
    text
}

fn put(path: &Path, content: &[u8]) -> Result<(), CacheError> {
    parts::write_if_other(path, content).map_err(at(path))
}
