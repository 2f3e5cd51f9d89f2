//! XML against xmllint, EXI against EXIficient, both with the schema that `wiredyno schema translate` gives.
//!
//! EXIficient encodes our XML to the same bytes as ours, decodes ours into the same elements and values, and our
//! decoder reads what it wrote. For the merged schema the XML is merged here, by the definition alone.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use quick_xml::Reader;
use quick_xml::events::Event;
use wiredyno_codecs::Payload;
use wiredyno_schema::idl::Idl;
use wiredyno_schema::idl::xsd::{Xsd, XsdMerged};
use wiredyno_schema::{Cardinality, Definition, Message, Type};

use crate::stand;

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
                let [key, value] = &child.children[..] else { panic!("{child:?} is no entry") };
                let children = vec![key.clone(), merged(definition, inner, value)];
                into.push(Element { name, text: String::new(), children });
            }
            _ => into.push(Element { name, ..merged(definition, inner, child) }),
        }
    }
}

/// The first difference, if any; numbers are compared as numbers, because EXI keeps no digits.
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

fn definition(payload: &Payload) -> Definition {
    Definition::from_source(payload.entry().proto, payload.entry().name).unwrap()
}

/// The texts of our XML codec for a payload's samples and for invented values.
fn documents(payload: &Payload, invented: bool) -> Vec<String> {
    let Some(bound) = stand::bound(payload, XML, invented) else {
        return Vec::new();
    };
    (0..bound.sample_count())
        .map(|sample| String::from_utf8(bound.encoded_sample(sample).unwrap().to_vec()).unwrap())
        .collect()
}

fn xmllint_finds_documents_valid() {
    for payload in stand::payloads() {
        let folder = folder("xmllint").join(payload.entry().name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("message.xsd"), Xsd.lower(&definition(&payload)).unwrap().text).unwrap();
        let mut names = Vec::new();
        for invented in [false, true] {
            for (sample, text) in documents(&payload, invented).into_iter().enumerate() {
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
        assert!(output.status.success(), "{}, seed {}: {said}", payload.id(), stand::SEED);
        assert_eq!(said.lines().filter(|line| line.ends_with(" validates")).count(), names.len(), "{said}");
    }
}

/// Where `make deps-test` put EXIficient.
fn exificient() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/exificient")
}

fn java() -> Command {
    let mut command = Command::new("java");
    let path = exificient();
    // Short runs: compile little.
    command.args(["-XX:TieredStopAtLevel=1", "-cp"]);
    command.arg(format!("{0}/classes:{0}/lib/*", path.display()));
    command.arg("wiredyno.Exificient");
    command
}

/// One request to EXIficient, with what its answer must be compared to.
enum Request {
    Schema,
    Encode { variant: usize, payload: usize, ours: Vec<u8>, json: serde_json::Value, xml: String },
    Decode { variant: usize, payload: usize, expected: Element },
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
    fn ask(&mut self, payloads: &[Payload], payload: usize, variant: usize, invented: bool) {
        let (codec, idl, mode) = VARIANTS[variant];
        let Some(bound) = stand::bound(&payloads[payload], codec, invented) else {
            return;
        };
        let definition = definition(&payloads[payload]);
        let schema = folder("exi").join(format!("{}.{}", payloads[payload].entry().name, idl.extension()));
        fs::write(&schema, idl.lower(&definition).unwrap().text).unwrap();
        self.push(&["schema", schema.to_str().unwrap(), mode], Request::Schema);
        for (sample, xml) in documents(&payloads[payload], invented).iter().enumerate() {
            let mut element = parsed(xml);
            let mut xml = xml.clone();
            if mode_is_merged(codec) {
                element = merged(&definition, definition.root(), &element);
                xml.clear();
                written(&element, &mut xml);
            }
            let ours = bound.encoded_sample(sample).unwrap().to_vec();
            let json = wiredyno_schema::write_value(&bound.decode_value(&ours).unwrap()).unwrap();
            let json = serde_json::from_str(&json).unwrap();
            let [xml_hex, ours_hex] = [hex::encode(&xml), hex::encode(&ours)];
            self.push(&["encode", &xml_hex], Request::Encode { variant, payload, ours, json, xml });
            self.push(&["decode", &ours_hex], Request::Decode { variant, payload, expected: element });
        }
    }
}

fn mode_is_merged(codec: &str) -> bool {
    codec.ends_with("-merged")
}

fn exificient_and_ours_are_the_same() {
    let payloads = stand::payloads();
    let mut requests = Requests { text: String::new(), list: Vec::new() };
    for payload in 0..payloads.len() {
        for variant in 0..VARIANTS.len() {
            requests.ask(&payloads, payload, variant, false);
            requests.ask(&payloads, payload, variant, true);
        }
    }
    let file = folder("exi").join("requests");
    fs::write(&file, &requests.text).unwrap();
    let output = java().stdin(File::open(&file).unwrap()).output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(answers.lines().count(), requests.list.len(), "EXIficient stopped early: {said}");
    let mut compared: HashMap<(usize, usize), usize> = HashMap::new();
    for (request, answer) in requests.list.iter().zip(answers.lines()) {
        assert!(!answer.starts_with("error"), "{answer}");
        match request {
            Request::Schema => {}
            Request::Encode { variant, payload, ours, json, xml } => {
                let (codec, ..) = VARIANTS[*variant];
                let place = format!("{codec} over {}, seed {}", payloads[*payload].id(), stand::SEED);
                assert_eq!(hex::encode(ours), answer, "{place}: {xml}");
                let bound = payloads[*payload].bind(&codec.parse().unwrap()).unwrap();
                let read = bound.decode_value(&hex::decode(answer).unwrap()).unwrap();
                let read = wiredyno_schema::write_value(&read).unwrap();
                assert_eq!(serde_json::from_str::<serde_json::Value>(&read).unwrap(), *json, "{place}");
                *compared.entry((*variant, *payload)).or_default() += 1;
            }
            Request::Decode { variant, payload, expected } => {
                let (codec, ..) = VARIANTS[*variant];
                let xml = String::from_utf8(hex::decode(answer).unwrap()).unwrap();
                if let Some(difference) = difference(&parsed(&xml), expected) {
                    panic!("{codec} over {}, seed {}: {difference}", payloads[*payload].id(), stand::SEED);
                }
            }
        }
    }
    assert_eq!(compared.len(), payloads.len() * VARIANTS.len());
    assert!(compared.values().all(|count| *count >= stand::random_values()), "{compared:?}");
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
