//! XML against xmllint, EXI against EXIficient, both with the schema that `wiredyno schema translate` prints.
//!
//! EXIficient encodes our XML to the same bytes as our encoder, decodes ours into the same elements and values, and our
//! decoder reads what it wrote. For the merged schema the XML is merged here, from the definition alone.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use quick_xml::Reader;
use quick_xml::events::Event;
use wiredyno_schema::idl::Idl;
use wiredyno_schema::idl::xsd::{Xsd, XsdMerged};
use wiredyno_schema::{Cardinality, Definition, Message, Type};

use crate::stand::{self, Subject};

const XML: &str = "xml/quick-xml";

/// Codec, its schema, and EXIficient's mode.
const VARIANTS: &[(&str, &dyn Idl, &str)] = &[
    ("exi/wiredyno:strict", &Xsd, "strict"),
    ("exi/wiredyno:default", &Xsd, "default"),
    ("exi/wiredyno:strict-merged", &XsdMerged, "strict"),
    ("exi/wiredyno:default-merged", &XsdMerged, "default"),
];

/// An element of a document.
#[derive(Debug, Clone, PartialEq)]
struct Element {
    name: String,
    text: String,
    children: Vec<Element>,
}

fn parsed(xml: &str) -> Element {
    let mut open = vec![Element { name: String::new(), text: String::new(), children: Vec::new() }];
    let mut reader = Reader::from_str(xml);
    reader.config_mut().expand_empty_elements = true;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => open.push(Element {
                name: start.name().as_ref().to_owned(),
                text: String::new(),
                children: Vec::new(),
            }),
            Event::End(_) => {
                let element = open.pop().unwrap();
                open.last_mut().unwrap().children.push(element);
            }
            Event::Text(text) => open.last_mut().unwrap().text.push_str(&text.xml10_content()),
            Event::GeneralRef(name) => {
                let reference = format!("&{};", &*name);
                open.last_mut().unwrap().text.push_str(&quick_xml::escape::unescape(&reference).unwrap());
            }
            Event::Eof => return open.pop().unwrap().children.pop().unwrap(),
            other => panic!("{other:?} in {xml}"),
        }
    }
}

fn written(element: &Element, out: &mut String) {
    let _ = write!(out, "<{}>{}", element.name, quick_xml::escape::partial_escape(&element.text));
    element.children.iter().for_each(|child| written(child, out));
    let _ = write!(out, "</{}>", element.name);
}

/// The same document with required nested messages merged into their parents.
fn merged(definition: &Definition, message: &Message, element: &Element) -> Element {
    let mut children = Vec::new();
    merge_into(definition, message, element, "", &mut children);
    Element { name: element.name.clone(), text: String::new(), children }
}

fn merge_into(
    definition: &Definition,
    message: &Message,
    element: &Element,
    prefix: &str,
    into: &mut Vec<Element>,
) {
    for child in &element.children {
        let field = message.fields.iter().find(|field| field.name == child.name).unwrap();
        let name = format!("{prefix}{}", child.name);
        let Type::Message(index) = field.ty else {
            into.push(Element { name, ..child.clone() });
            continue;
        };
        let inner = &definition.messages[index];
        match field.cardinality {
            Cardinality::Implicit if field.oneof.is_none() => {
                merge_into(definition, inner, child, &format!("{name}."), into);
            }
            Cardinality::Map(_) => {
                let [key, value] = &child.children[..] else { panic!("{child:?} is not an entry") };
                let children = vec![key.clone(), merged(definition, inner, value)];
                into.push(Element { name, text: String::new(), children });
            }
            _ => into.push(Element { name, ..merged(definition, inner, child) }),
        }
    }
}

/// The first difference, if any; numbers are compared as numbers, because EXI does not keep their digits.
fn difference(this: &Element, that: &Element) -> Option<String> {
    let number = |text: &str| text.parse::<f64>().ok();
    let same_text = this.text == that.text
        || number(&this.text).is_some_and(|value| Some(value) == number(&that.text))
        || this.text.split_whitespace().eq(that.text.split_whitespace());
    if this.name != that.name || !same_text || this.children.len() != that.children.len() {
        return Some(format!("{this:?}\nagainst\n{that:?}"));
    }
    this.children.iter().zip(&that.children).find_map(|(this, that)| difference(this, that))
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The texts of our XML codec for a payload's samples, or for invented values.
fn documents(subject: &Subject, invented: bool) -> Vec<String> {
    let encoded = subject.encoded(XML, &stand::values(subject, invented));
    encoded.into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect()
}

fn xmllint_finds_documents_valid() {
    for subject in stand::carrying(XML) {
        let payload = &subject.payload;
        let folder = folder("xmllint").join(&payload.id().name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("message.xsd"), Xsd.lower(payload.definition()).unwrap().text).unwrap();
        let mut names = Vec::new();
        for invented in [false, true] {
            for (sample, text) in documents(subject, invented).into_iter().enumerate() {
                let name = format!("{}-{sample}.xml", if invented { "invented" } else { "sample" });
                fs::write(folder.join(&name), text).unwrap();
                names.push(name);
            }
        }
        let output = Command::new("xmllint")
            .args(["--noout", "--huge", "--schema", "message.xsd"])
            .args(&names)
            .current_dir(&folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}, seed {}: {said}", payload.id(), stand::seed());
        assert_eq!(said.lines().filter(|line| line.ends_with(" validates")).count(), names.len(), "{said}");
    }
}

/// The folder where `make deps-test` puts EXIficient.
fn exificient() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../target/exificient")
}

fn java() -> Command {
    let mut command = Command::new("java");
    let path = exificient();
    // Short runs: little JIT compilation.
    command.args(["-XX:TieredStopAtLevel=1", "-cp"]);
    command.arg(format!("{0}/classes:{0}/lib/*", path.display()));
    command.arg("wiredyno.Exificient");
    command
}

/// One request to EXIficient, with the expected answer.
enum Request {
    Schema,
    Encode { variant: usize, subject: usize, ours: Vec<u8>, xml: String },
    Decode { variant: usize, subject: usize, expected: Element },
}

struct Requests {
    text: String,
    list: Vec<Request>,
}

impl Requests {
    fn push(&mut self, words: &[&str], request: Request) {
        let _ = writeln!(self.text, "{}", words.join("\t"));
        self.list.push(request);
    }

    /// Everything about one payload and variant.
    fn ask(&mut self, subject: usize, variant: usize, invented: bool) {
        let (codec, idl, mode) = VARIANTS[variant];
        let asked = &stand::subjects()[subject];
        let definition = asked.payload.definition();
        let schema = folder("exi").join(format!("{}.{}", asked.payload.id().name, idl.extension()));
        fs::write(&schema, idl.lower(definition).unwrap().text).unwrap();
        self.push(&["schema", schema.to_str().unwrap(), mode], Request::Schema);
        let encoded = asked.encoded(codec, &stand::values(asked, invented));
        for (mut xml, ours) in documents(asked, invented).into_iter().zip(encoded) {
            let mut element = parsed(&xml);
            if mode_is_merged(codec) {
                element = merged(definition, definition.root(), &element);
                xml.clear();
                written(&element, &mut xml);
            }
            let [xml_hex, ours_hex] = [hex::encode(&xml), hex::encode(&ours)];
            self.push(&["encode", &xml_hex], Request::Encode { variant, subject, ours, xml });
            self.push(&["decode", &ours_hex], Request::Decode { variant, subject, expected: element });
        }
    }
}

fn mode_is_merged(codec: &str) -> bool {
    codec.ends_with("-merged")
}

/// Payloads and variants to compare: those that XML carries too.
fn pairs() -> Vec<(usize, usize)> {
    let has = |subject: usize, codec: &str| stand::subjects()[subject].carried().any(|known| known == codec);
    let all =
        (0..stand::subjects().len()).flat_map(|subject| (0..VARIANTS.len()).map(move |at| (subject, at)));
    all.filter(|(subject, variant)| has(*subject, XML) && has(*subject, VARIANTS[*variant].0)).collect()
}

fn exificient_and_ours_are_the_same() {
    let mut requests = Requests { text: String::new(), list: Vec::new() };
    for (subject, variant) in pairs() {
        requests.ask(subject, variant, false);
        requests.ask(subject, variant, true);
    }
    let file = folder("exi").join("requests");
    fs::write(&file, &requests.text).unwrap();
    let output = java().stdin(File::open(&file).unwrap()).output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(answers.lines().count(), requests.list.len(), "EXIficient stopped early: {said}");
    let mut written: HashMap<(usize, usize), Vec<Vec<u8>>> = HashMap::new();
    for (request, answer) in requests.list.iter().zip(answers.lines()) {
        assert!(!answer.starts_with("error"), "{answer}");
        let place = |subject: usize, variant: usize| {
            let (name, (codec, ..)) = (stand::subjects()[subject].name(), VARIANTS[variant]);
            format!("{codec} over {name}, seed {}", stand::seed())
        };
        match request {
            Request::Schema => {}
            Request::Encode { variant, subject, ours, xml } => {
                assert_eq!(hex::encode(ours), answer, "{}: {xml}", place(*subject, *variant));
                written.entry((*subject, *variant)).or_default().push(hex::decode(answer).unwrap());
            }
            Request::Decode { variant, subject, expected } => {
                let xml = String::from_utf8(hex::decode(answer).unwrap()).unwrap();
                if let Some(difference) = difference(&parsed(&xml), expected) {
                    panic!("{}: {difference}", place(*subject, *variant));
                }
            }
        }
    }
    assert!(written.len() == pairs().len() && !written.is_empty());
    written.into_iter().for_each(|((subject, variant), bytes)| read_back(subject, variant, &bytes));
}

/// Our decoder reads what EXIficient wrote.
fn read_back(subject: usize, variant: usize, written: &[Vec<u8>]) {
    let (subject, codec) = (&stand::subjects()[subject], VARIANTS[variant].0);
    let values = stand::all_values(subject);
    assert!(written.len() == values.len() && values.len() >= stand::random_values());
    let mut loaded = subject.load(codec, &values[..1]);
    for (bytes, value) in written.iter().zip(&values) {
        let read = loaded.decode(bytes).unwrap();
        assert_eq!(json(&read), json(value), "{codec} over {}, seed {}", subject.name(), stand::seed());
    }
}

fn json(value: &prost_reflect::DynamicMessage) -> serde_json::Value {
    serde_json::from_str(&wiredyno_schema::write_value(value).unwrap()).unwrap()
}

pub fn tests() -> Vec<libtest_mimic::Trial> {
    let no_lint = (!stand::runs("xmllint", &["--version"]))
        .then_some("xmllint is missing: apt-get install libxml2-utils");
    let built = exificient().join("classes").is_dir() && {
        let running = java().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        running.is_ok_and(|status| status.success())
    };
    let no_java = (!built).then_some("EXIficient is missing: make deps-test");
    vec![
        stand::test("xmllint_finds_documents_valid", no_lint, xmllint_finds_documents_valid),
        stand::test("exificient_and_ours_are_the_same", no_java, exificient_and_ours_are_the_same),
    ]
}
