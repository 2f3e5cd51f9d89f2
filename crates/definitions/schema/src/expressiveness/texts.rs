//! Examples in the languages themselves: where the translation uses less than the language has, where definitions
//! can't express a construct, and where the language refuses the obvious syntax.
//!
//! Each text is about one construct. It is a complete file, which the test gives to the language's compiler to accept or refuse.

use super::{Evidence, Support};

/// What a text demonstrates about its construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// The construct itself, as intended.
    Direct,
    /// A stand-in for the construct, which this names.
    StandIn(&'static str),
    /// The compiler refuses the obvious syntax, which this names.
    Refused(&'static str),
}

/// An example in a language, with what it demonstrates.
#[derive(Debug)]
pub struct Text {
    /// The id of the language.
    pub language: &'static str,
    /// The id of the construct.
    pub construct: &'static str,
    /// What it demonstrates about the construct.
    pub says: Says,
    /// The complete source file.
    pub text: &'static str,
    /// A limit or version that readers of the table should know.
    pub remark: Option<&'static str>,
}

impl Text {
    pub(super) fn evidence(&self) -> Evidence {
        Evidence { text: self.text.to_owned(), taken: !matches!(self.says, Says::Refused(_)) }
    }

    pub(super) fn support(&self) -> Option<Support> {
        match self.says {
            Says::Direct => Some(Support::Direct),
            Says::StandIn(by) => Some(Support::StandIn(by.to_owned())),
            Says::Refused(_) => None,
        }
    }

    pub(super) fn why_refused(&self) -> Option<&'static str> {
        if let Says::Refused(what) = self.says { Some(what) } else { None }
    }

    const fn but(mut self, remark: &'static str) -> Text {
        self.remark = Some(remark);
        self
    }
}

/// The tools that the test runs for a language.
#[derive(Debug)]
pub struct Compiler {
    /// The id of the language.
    pub language: &'static str,
    /// The compiler's name and the version that the table was derived with.
    pub name: &'static str,
    /// What the versioning trials ran.
    pub readers: &'static str,
}

/// The tools of every language, one entry each.
pub static COMPILERS: &[Compiler] = &[
    Compiler {
        language: "asn1",
        name: "asn1tools 0.169, asn1c 0.9.28",
        readers: "asn1tools: UPER, and DER where stated",
    },
    Compiler { language: "avsc", name: "fastavro 1.13", readers: "fastavro's schema resolution" },
    Compiler { language: "capnp", name: "capnp 0.9.2", readers: "`capnp encode`, `capnp decode`" },
    Compiler { language: "fbs", name: "flatc 2.0.8", readers: "`flatc --binary`, `flatc --json`" },
    Compiler { language: "lcm", name: "lcm-gen 1.3.1", readers: "lcm-gen's Python" },
    Compiler {
        language: "odvd",
        name: "our own parser for the grammar that OpenDaVINCI publishes (DataModel.xtext); the language's compiler is an \
            Eclipse plug-in",
        readers: "Netstrings with our own reader and writer, which follow the layout",
    },
    Compiler {
        language: "omg-idl",
        name: "idlc 0.10.2",
        readers: "Cyclone DDS's Python, XCDR2 where types are not final",
    },
    Compiler { language: "proto", name: "protoc 3.21.12", readers: "protobuf for Python" },
    Compiler {
        language: "rosmsg",
        name: "genpy 0.6.16",
        readers: "genpy's Python; a connection is refused where MD5 sums differ",
    },
    Compiler { language: "thrift", name: "thrift 0.17", readers: "thrift's Python, binary protocol" },
    Compiler {
        language: "xsd",
        name: "xmllint (libxml2 2.9.14)",
        readers: "xmllint: a document is valid, or is refused",
    },
];

const fn says(language: &'static str, construct: &'static str, says: Says, text: &'static str) -> Text {
    Text { language, construct, says, text, remark: None }
}

use Says::{Direct, Refused, StandIn};

/// A module with one SEQUENCE.
macro_rules! asn1 {
    ($member:literal) => {
        concat!("SaysModule DEFINITIONS AUTOMATIC TAGS ::= BEGIN\nSays ::= SEQUENCE { ", $member, " }\nEND\n")
    };
}

/// A record with one field.
macro_rules! avsc {
    ($ty:literal) => {
        concat!(r#"{"type": "record", "name": "Says", "fields": [{"name": "value", "type": "#, $ty, "}]}")
    };
}

/// A struct with these fields.
macro_rules! capnp {
    ($fields:literal) => {
        concat!("@0xd3f0b4b1c2a59686;\nstruct Says { ", $fields, " }\n")
    };
}

/// A table with one field.
macro_rules! fbs {
    ($field:literal) => {
        concat!("table Says { ", $field, " }\nroot_type Says;\n")
    };
}

/// A message with these members.
macro_rules! odvd {
    ($members:literal) => {
        concat!("message Says [id = 1] {\n    ", $members, "\n}\n")
    };
}

/// A struct with one member.
macro_rules! idl {
    ($member:literal) => {
        concat!("module said {\n@final struct Says { ", $member, " };\n};\n")
    };
}

/// A message with one field, with a name of its own.
macro_rules! proto {
    ($name:literal, $field:literal) => {
        concat!("syntax = \"proto3\";\nmessage ", $name, " { ", $field, " }\n")
    };
}

/// A struct with one field.
macro_rules! thrift {
    ($field:literal) => {
        concat!("struct Says { ", $field, " }\n")
    };
}

/// A schema with these declarations.
macro_rules! xsd {
    ($declarations:literal) => {
        concat!(
            "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n",
            $declarations,
            "\n</xs:schema>\n"
        )
    };
}

/// All examples, by language.
pub static TEXTS: &[Text] = &[
    // ASN.1
    says("asn1", "char", Direct, asn1!("value UTF8String (SIZE(1))")),
    says(
        "asn1",
        "float",
        Direct,
        asn1!("value REAL (WITH COMPONENTS { mantissa (-16777215..16777215), base (2), exponent (-149..104) })"),
    )
    .but("REAL with the components of IEEE 754; several PER implementations have none"),
    says(
        "asn1",
        "double",
        Direct,
        asn1!("value REAL (WITH COMPONENTS { mantissa (-9007199254740991..9007199254740991), base (2), exponent (-1074..971) })"),
    )
    .but("REAL with the components of IEEE 754; several PER implementations have none"),
    says("asn1", "map", Refused("`MAP OF`"), asn1!("value MAP OF INTEGER")),
    says("asn1", "default", Direct, asn1!("value INTEGER DEFAULT 5")),
    // Avro
    says("avsc", "char", Refused("the type `char`"), avsc!(r#""char""#)),
    says("avsc", "int8", Refused("the type `byte`"), avsc!(r#""byte""#)),
    says("avsc", "int16", Refused("the type `short`"), avsc!(r#""short""#)),
    says("avsc", "uint32", Refused("the type `uint`"), avsc!(r#""uint""#)),
    says(
        "avsc",
        "oneof",
        StandIn("a union, whose branches are told apart by type and have no names"),
        avsc!(r#"["int", "string"]"#),
    ),
    says("avsc", "default", Direct, avsc!(r#""int", "default": 5"#))
        .but("taken by readers whose writer has no such field; writers always write"),
    says("avsc", "fixed-length", Direct, avsc!(r#"{"type": "fixed", "name": "Eight", "size": 8}"#)),
    says(
        "avsc",
        "namespace",
        Direct,
        r#"{"type": "record", "name": "Says", "namespace": "constructs.said", "fields": []}"#,
    ),
    // Cap'n Proto
    says("capnp", "char", Refused("the type `Char`"), capnp!("value @0 :Char;")),
    says("capnp", "fixed-array", Refused("`List(Int32, 4)`"), capnp!("value @0 :List(Int32, 4);")),
    says("capnp", "map", Refused("`Map(Text, Int32)`"), capnp!("value @0 :Map(Text, Int32);"))
        .but("generics can name the list of entries once: `struct Map(Key, Value)`"),
    says("capnp", "oneof", Direct, capnp!("union { number @0 :Int32; text @1 :Text; }"))
        .but("one field is always set: the translation adds `none`"),
    says("capnp", "default", Direct, capnp!("value @0 :Int32 = 5;")),
    says("capnp", "fixed-length", Refused("`Data[8]`"), capnp!("value @0 :Data[8];")),
    says(
        "capnp",
        "namespace",
        StandIn("a struct around the types, or an annotation per target language"),
        capnp!("struct Inside { value @0 :Int32; }"),
    ),
    says("capnp", "remove-field", Refused("numbers with a hole"), capnp!("first @0 :Int32; third @2 :Int32;")),
    // FlatBuffers
    says("fbs", "char", Refused("the type `char`"), fbs!("value: char;")),
    says("fbs", "int8", Direct, fbs!("value: byte;")),
    says("fbs", "uint8", Direct, fbs!("value: ubyte;")),
    says("fbs", "int16", Direct, fbs!("value: short;")),
    says("fbs", "uint16", Direct, fbs!("value: ushort;")),
    says("fbs", "fixed-array", Refused("`[int:4]` in a table"), fbs!("value: [int:4];")),
    says(
        "fbs",
        "fixed-array",
        StandIn("a struct around it: tables have none"),
        "struct Four { values: [int:4]; }\ntable Says { value: Four; }\nroot_type Says;\n",
    ),
    says("fbs", "map", Refused("the type `map`"), fbs!("value: map;"))
        .but("a `key` attribute lets readers search the vector"),
    says(
        "fbs",
        "oneof",
        StandIn("a union of tables around the alternatives"),
        "table Number { value: int; }\ntable Words { value: string; }\nunion Choice { Number, Words }\n\
         table Says { value: Choice; }\nroot_type Says;\n",
    ),
    says("fbs", "default", Direct, fbs!("value: int = 5;")),
    says("fbs", "range", Refused("an attribute `range`"), fbs!("value: int (range: \"0..9\");")),
    says(
        "fbs",
        "fixed-length",
        StandIn("a struct around [ubyte:8]: tables have none"),
        "struct Eight { values: [ubyte:8]; }\ntable Says { value: Eight; }\nroot_type Says;\n",
    ),
    says("fbs", "namespace", Direct, "namespace constructs.said;\ntable Says { value: int; }\nroot_type Says;\n"),
    // LCM
    says(
        "lcm",
        "enum",
        Direct,
        "package said;\nenum LcmLight { OFF = 0, RED = 1, GREEN = 2 }\nstruct says_enum { LcmLight value; }\n",
    )
    .but("lcm-gen 1.3.1 accepts `enum`, and its C works; its Python makes no message around one"),
    says(
        "lcm",
        "enum-numbers",
        Direct,
        "package said;\nenum LcmSigns { STOP = 0, GO = 4 }\nstruct says_numbers { LcmSigns value; }\n",
    )
    .but("as for enum"),
    says("lcm", "map", Refused("`map<string, int32_t>`"), "struct says_map { map<string, int32_t> value; }\n"),
    says("lcm", "optional", Refused("`optional`"), "struct says_optional { optional int32_t value; }\n"),
    says("lcm", "oneof", Refused("`union`"), "union says_oneof { int32_t number; string text; }\n"),
    says("lcm", "default", Refused("`int32_t value = 5;`"), "struct says_default { int32_t value = 5; }\n"),
    says("lcm", "namespace", Direct, "package constructs.said;\nstruct says_namespace { int32_t value; }\n"),
    // ODVD
    says("odvd", "char", Direct, odvd!("char value [id = 1];")),
    says("odvd", "int8", Direct, odvd!("int8 value [id = 1];")),
    says("odvd", "uint8", Direct, odvd!("uint8 value [id = 1];")),
    says("odvd", "int16", Direct, odvd!("int16 value [id = 1];")),
    says("odvd", "uint16", Direct, odvd!("uint16 value [id = 1];")),
    says("odvd", "bytes", Direct, odvd!("bytes value [id = 1];")),
    says("odvd", "enum", StandIn("named values beside an integer"), odvd!("enum Light { OFF = 0, RED = 1, GREEN = 2, };\n    int32 value [id = 1];")),
    says("odvd", "enum-numbers", StandIn("named values beside an integer"), odvd!("enum Light { OFF = 0, RED = 4, };\n    int32 value [id = 1];")),
    says("odvd", "fixed-array", Direct, odvd!("int32 value[4] [id = 1];")),
    says("odvd", "map", Direct, odvd!("map<string, int32> value [id = 1];")),
    says("odvd", "optional", Refused("`optional`"), odvd!("optional int32 value [id = 1];")),
    says("odvd", "oneof", Refused("`union`"), odvd!("union { int32 number [id = 1]; string text [id = 2]; } value;")),
    says("odvd", "default", Direct, odvd!("int32 value [default = 5, id = 1];")),
    says("odvd", "range", Refused("`range`"), odvd!("int32 value [range = 9, id = 1];")),
    says("odvd", "fixed-length", StandIn("a fixed array of uint8"), odvd!("uint8 value[8] [id = 1];")),
    says("odvd", "namespace", Direct, "package constructs.said;\nmessage Says [id = 1] {\n    int32 value [id = 1];\n}\n"),
    // OMG IDL
    says("omg-idl", "char", Direct, idl!("char value;")).but("8 bits; idlc 0.10.2 has no wchar"),
    says("omg-idl", "map", Refused("`map<string, long>`"), idl!("map<string, long> value;"))
        .but("OMG IDL 4.2 has map; idlc 0.10.2 does not"),
    says("omg-idl", "optional", Direct, idl!("@optional long value;")),
    says(
        "omg-idl",
        "oneof",
        Direct,
        "module said {\nunion Choice switch (long) { case 1: long number; case 2: string text; };\n\
         @final struct Says { Choice value; };\n};\n",
    ),
    says("omg-idl", "default", Direct, idl!("@default(5) long value;"))
        .but("idlc 0.10.2 warns that its C ignores the value"),
    says("omg-idl", "range", Direct, idl!("@range(min = -5, max = 1000) long value;"))
        .but("an annotation; idlc 0.10.2 accepts it but checks nothing"),
    says(
        "omg-idl",
        "namespace",
        Direct,
        "module constructs { module said {\n@final struct Says { long value; };\n}; };\n",
    ),
    // Protobuf
    says("proto", "char", Refused("the type `char`"), proto!("P1", "char value = 1;")),
    says("proto", "int8", Refused("the type `int8`"), proto!("P2", "int8 value = 1;")),
    says("proto", "uint8", Refused("the type `uint8`"), proto!("P3", "uint8 value = 1;")),
    says("proto", "int16", Refused("the type `int16`"), proto!("P4", "int16 value = 1;")),
    says("proto", "uint16", Refused("the type `uint16`"), proto!("P5", "uint16 value = 1;")),
    says("proto", "fixed-array", Refused("`value[4]`"), proto!("P6", "int32 value[4] = 1;")),
    says("proto", "default", Refused("`[default = 5]`"), proto!("P7", "int32 value = 1 [default = 5];"))
        .but("proto2 and editions have it"),
    says("proto", "range", Refused("an option `range`"), proto!("P8", "int32 value = 1 [range = 9];"))
        .but("custom options can express it for custom tools"),
    // ROS 1
    says("rosmsg", "char", StandIn("`char`, another name of uint8"), "char value\n"),
    says("rosmsg", "enum", StandIn("constants beside an integer"), "uint8 OFF=0\nuint8 RED=1\nuint8 GREEN=2\nuint8 value\n"),
    says("rosmsg", "enum", Refused("`enum`"), "enum Light {OFF, RED}\n"),
    says("rosmsg", "enum-numbers", StandIn("constants beside an integer"), "uint8 OFF=0\nuint8 RED=4\nuint8 value\n"),
    says("rosmsg", "map", Refused("`map<string,int32>`"), "map<string,int32> value\n"),
    says("rosmsg", "optional", Refused("`optional`"), "optional int32 value\n"),
    says("rosmsg", "default", Refused("`int32 value 5`"), "int32 value 5\n")
        .but("ROS 2 has it; `int32 value=5` is a constant"),
    says("rosmsg", "range", Refused("`int32 value [0..9]`"), "int32 value [0..9]\n"),
    // Thrift
    says("thrift", "char", Refused("the type `char`"), thrift!("1: char value")),
    says("thrift", "uint8", Refused("the type `u8`"), thrift!("1: u8 value")),
    says("thrift", "uint16", Refused("the type `u16`"), thrift!("1: u16 value")),
    says("thrift", "uint32", Refused("the type `u32`"), thrift!("1: u32 value")),
    says("thrift", "uint64", Refused("the type `u64`"), thrift!("1: u64 value")),
    says("thrift", "float", Refused("the type `float`"), thrift!("1: float value")),
    says("thrift", "fixed-array", Refused("`i32 value[4]`"), thrift!("1: i32 value[4]")),
    says(
        "thrift",
        "oneof",
        Direct,
        "union Choice { 1: i32 number, 2: string text }\nstruct Says { 1: Choice value }\n",
    ),
    says("thrift", "default", Direct, thrift!("1: i32 value = 5")),
    says("thrift", "namespace", Direct, "namespace * constructs.said\nstruct Says { 1: i32 value }\n"),
    // XML Schema
    says(
        "xsd",
        "char",
        Direct,
        xsd!(r#"<xs:simpleType name="Char"><xs:restriction base="xs:string"><xs:length value="1"/></xs:restriction></xs:simpleType>
<xs:element name="Says" type="Char"/>"#),
    ),
    says("xsd", "default", Direct, xsd!(r#"<xs:element name="Says" type="xs:int" default="5"/>"#)),
    says("xsd", "map", Refused("`xs:map`"), xsd!(r#"<xs:element name="Says" type="xs:map"/>"#))
        .but("xs:key can say that keys are unique"),
    says(
        "xsd",
        "enum-numbers",
        StandIn("an enumeration of the numbers, without names"),
        xsd!(r#"<xs:simpleType name="Light"><xs:restriction base="xs:int"><xs:enumeration value="0"/><xs:enumeration value="4"/></xs:restriction></xs:simpleType>
<xs:element name="Says" type="Light"/>"#),
    ),
    says(
        "xsd",
        "namespace",
        Direct,
        "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" targetNamespace=\"urn:constructs:said\">\n\
         <xs:element name=\"Says\" type=\"xs:int\"/>\n</xs:schema>\n",
    ),
];
