//! The foreign programs in oracles/: how each is generated and compiled, for comparing bytes and for the bench.
//!
//! All take a number of calls, encode and decode with foreign code in a loop of their own, verify what they
//! produced and print one line of JSON with `encode_ns` and `decode_ns`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use wiredyno_payloads::Payload;
use wiredyno_schema::idl::xsd::Xsd;
use wiredyno_schema::idl::{Asn1, Idl, Lcm, OmgIdl, RosMsg};

/// What a foreign program measured, in nanoseconds per call.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
pub struct Times {
    /// Size of the encoded message, if the program handles only one.
    #[serde(default)]
    pub bytes: usize,
    /// Time of one encoding, in nanoseconds.
    pub encode_ns: f64,
    /// Time of one decoding, in nanoseconds.
    pub decode_ns: f64,
}

/// A foreign program that was built, with its input.
#[derive(Debug)]
pub struct Program {
    path: PathBuf,
    input: Input,
}

#[derive(Debug)]
enum Input {
    /// A file with one message per line, and the number of calls, as arguments.
    File(PathBuf),
    /// The number of calls as an argument, one message on standard input.
    Message(Vec<u8>),
    /// Schema, options and document for EXIficient.
    Document { schema: PathBuf, xml: PathBuf },
}

/// Rounds of the Java virtual machine, of which the last counts.
const WARM_ROUNDS: u32 = 8;

impl Program {
    /// Replaces the message of a program that takes one.
    pub fn give(&mut self, message: &[u8]) {
        if let Input::Message(before) = &mut self.input {
            message.clone_into(before);
        }
    }

    /// Runs the program with a number of calls.
    ///
    /// # Errors
    /// When it fails, or finds that its code writes other bytes.
    pub fn time(&self, calls: u64) -> Result<Times, String> {
        let mut command = Command::new(&self.path);
        let mut fed: &[u8] = &[];
        let hexadecimal;
        match &self.input {
            Input::File(file) => {
                command.arg(file).arg(calls.to_string());
            }
            Input::Message(message) => {
                command.arg(calls.to_string());
                hexadecimal = message.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n";
                fed = hexadecimal.as_bytes();
            }
            Input::Document { schema, xml } => {
                let classes = exificient();
                command.args(["-cp".to_owned(), format!("{0}/classes:{0}/lib/*", classes.display())]);
                command.args(["wiredyno.Exificient", "time"]).arg(schema).arg("strict").arg(xml);
                command.args([calls.to_string(), WARM_ROUNDS.to_string()]);
            }
        }
        let output = said(command, fed)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let last = text.lines().last().unwrap_or_default();
        serde_json::from_str(last).map_err(|error| format!("{}: {error}: {last}", self.path.display()))
    }
}

/// Runs a command to its end; its standard output.
fn said(mut command: Command, fed: &[u8]) -> Result<Output, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{name}: {error}"))?;
    if let Some(mut input) = child.stdin.take() {
        // A program that fails early reports why on standard error.
        let _ = input.write_all(fed);
    }
    let output = child.wait_with_output().map_err(|error| format!("{name}: {error}"))?;
    match output.status.success() {
        true => Ok(output),
        false => Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

fn sources(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles").join(name)
}

/// The folder where `make deps-test` puts EXIficient.
pub fn exificient() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/exificient")
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    said(command, &[]).map(|_| ())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn lowered(idl: &dyn Idl, payload: &Payload) -> Result<(String, String), String> {
    let definition = payload.definition();
    let text = idl.lower(definition).map_err(|error| error.to_string())?.text;
    Ok((text, definition.root().name.clone()))
}

/// The names of a folder's files with this ending.
fn ending(folder: &Path, end: &str) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut names: Vec<String> =
        entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.retain(|name| name.ends_with(end));
    names.sort();
    Ok(names)
}

/// Compiles one of the programs for cars and robots.
fn compile(folder: &Path, compiler: &str, source: &str, rest: &[&str]) -> Result<PathBuf, String> {
    let robots = sources("robots");
    let (source, include) = (robots.join(source).display().to_string(), format!("-I{}", robots.display()));
    let mut arguments = vec!["-O3", "-o", "program", "-I.", &include, &source];
    arguments.extend(rest);
    run(folder, compiler, &arguments)?;
    Ok(folder.join("program"))
}

/// Builds a program for a payload in an empty folder; it takes one of the payload's messages.
pub type Build = fn(&Payload, &Path, &[u8]) -> Result<Program, String>;

/// asn1c's C at -O3. It takes all messages instead of one.
///
/// # Errors
/// When asn1c or the compiler is missing or fails.
pub fn asn1c(payload: &Payload, folder: &Path, messages: &[&[u8]]) -> Result<Program, String> {
    let (module, _) = lowered(&Asn1, payload)?;
    let root = module.split_once("Module DEFINITIONS").map(|(root, _)| root.to_owned()).ok_or("no module")?;
    write(&folder.join("module.asn1"), &module)?;
    let mut build = Command::new(sources("asn1c").join("build"));
    build.arg(folder).arg(root);
    said(build, &[])?;
    let hexadecimal =
        |message: &&[u8]| message.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n";
    let file = folder.join("messages");
    write(&file, &messages.iter().map(hexadecimal).collect::<String>())?;
    Ok(Program { path: folder.join("loop"), input: Input::File(file) })
}

/// C from lcm-gen.
///
/// # Errors
/// As [`asn1c`].
pub fn lcm_gen(payload: &Payload, folder: &Path, message: &[u8]) -> Result<Program, String> {
    let (text, root) = lowered(&Lcm, payload)?;
    write(&folder.join("payload.lcm"), &text)?;
    run(folder, "lcm-gen", &["-c", "--c-cpath", ".", "--c-hpath", ".", "payload.lcm"])?;
    let (ty, header) = (format!("-DTYPE=wiredyno_{root}"), format!("-DHEADER=\"wiredyno_{root}.h\""));
    let generated = ending(folder, ".c")?;
    let mut rest = vec![ty.as_str(), header.as_str()];
    rest.extend(generated.iter().map(String::as_str));
    rest.push("-llcm");
    Ok(Program { path: compile(folder, "cc", "lcm.c", &rest)?, input: Input::Message(message.to_vec()) })
}

/// gencpp's headers with roscpp's serialization.
///
/// # Errors
/// As [`asn1c`].
pub fn roscpp(payload: &Payload, folder: &Path, message: &[u8]) -> Result<Program, String> {
    let (text, root) = lowered(&RosMsg, payload)?;
    let separator = format!("{}\nMSG: wiredyno/", "=".repeat(80));
    for (at, part) in text.split(&separator).enumerate() {
        let (name, body) = match at {
            0 => (root.as_str(), part),
            _ => part.split_once('\n').ok_or("a part without a name")?,
        };
        write(&folder.join(format!("{name}.msg")), body)?;
    }
    let own = format!("wiredyno:{}", folder.display());
    for name in ending(folder, ".msg")? {
        let generator = "/usr/lib/gencpp/gen_cpp.py";
        let places = ["-p", "wiredyno", "-o", "wiredyno", "-e", "/usr/share/gencpp", "-I", &own, &name];
        run(folder, "/usr/bin/python3", &[&[generator], &places[..]].concat())?;
    }
    let (ty, header) = (format!("-DTYPE={root}"), format!("-DHEADER=\"wiredyno/{root}.h\""));
    let path = compile(folder, "c++", "ros.cpp", &[&ty, &header, "-lroscpp_serialization", "-lrostime"])?;
    Ok(Program { path, input: Input::Message(message.to_vec()) })
}

/// idlc's descriptors with Cyclone DDS's stream functions.
///
/// # Errors
/// As [`asn1c`].
pub fn cyclone(payload: &Payload, folder: &Path, message: &[u8]) -> Result<Program, String> {
    let (text, root) = lowered(&OmgIdl, payload)?;
    write(&folder.join("payload.idl"), &text)?;
    run(folder, "idlc", &["-l", "c", "payload.idl"])?;
    let ty = format!("-DTYPE=wiredyno_{root}");
    let path = compile(folder, "cc", "cdr.c", &[&ty, "-DHEADER=\"payload.h\"", "payload.c", "-lddsc"])?;
    Ok(Program { path, input: Input::Message(message.to_vec()) })
}

/// A plain C++ writer and reader of the 2015 Netstrings layout.
///
/// # Errors
/// As [`asn1c`].
pub fn plain_netstrings(payload: &Payload, folder: &Path, message: &[u8]) -> Result<Program, String> {
    let (_, root) = lowered(&RosMsg, payload)?;
    let path = compile(folder, "c++", "netstrings.cpp", &[&format!("-DTYPE={root}")])?;
    Ok(Program { path, input: Input::Message(message.to_vec()) })
}

/// EXIficient on a warmed virtual machine; the message is its XML.
///
/// # Errors
/// When Java or EXIficient is missing.
pub fn exificient_loop(payload: &Payload, folder: &Path, message: &[u8]) -> Result<Program, String> {
    if !exificient().join("classes").is_dir() {
        return Err("no EXIficient: make deps-test builds it".to_owned());
    }
    let (schema, xml) = (folder.join("payload.xsd"), folder.join("message.xml"));
    write(&schema, &lowered(&Xsd, payload)?.0)?;
    fs::write(&xml, message).map_err(|error| error.to_string())?;
    Ok(Program { path: PathBuf::from("java"), input: Input::Document { schema, xml } })
}
