//! Statements of a 2015 study about four of the languages, next to what the table says now.
//!
//! Source: Borosean, Eidukas, Dang, "Evaluating Data Marshalling Approaches for Embedded Real-Time Systems on the Example of
//! Autonomous Scaled Cars", University of Gothenburg and Chalmers, 2015, tables 9 to 11. Facts only, in our wording.

use super::{Cell, Support};

/// A table of the study.
#[derive(Debug)]
pub struct PrintedTable {
    /// Its number in the study.
    pub number: u8,
    /// Its subject, in our wording.
    pub title: &'static str,
    /// Its cells, each with our comment.
    pub cells: &'static [Printed],
}

/// A cell of the study.
#[derive(Debug)]
pub struct Printed {
    /// The study's name for the type.
    pub row: &'static str,
    /// The corresponding construct of [`CONSTRUCTS`](super::CONSTRUCTS).
    pub construct: &'static str,
    /// The id of the language.
    pub language: &'static str,
    /// `yes`, `no`, or the stand-in that the study names.
    pub says: &'static str,
    /// Why our cell differs; empty if it does not.
    pub because: &'static str,
}

/// A cell of the study next to the corresponding cell of the table.
#[derive(Debug)]
pub struct Compared {
    /// The study's cell.
    pub printed: &'static Printed,
    /// Our table's answer for the same construct and language.
    pub ours: Support,
    /// Whether both say the same: yes, no, or a stand-in.
    pub agrees: bool,
}

/// Pairs the cells of one of the study's tables with those of ours.
pub fn compared(printed: &'static PrintedTable, table: &[Cell]) -> Vec<Compared> {
    let of = |printed: &'static Printed| {
        let ours = table
            .iter()
            .find(|cell| cell.construct == printed.construct && cell.language == printed.language)?
            .support
            .clone();
        let agrees = matches!((printed.says, &ours), ("yes", Support::Direct) | ("no", Support::Not(_)))
            || (!matches!(printed.says, "yes" | "no") && matches!(ours, Support::StandIn(_)));
        Some(Compared { printed, ours, agrees })
    };
    printed.cells.iter().filter_map(of).collect()
}

const fn cell(
    row: &'static str,
    construct: &'static str,
    language: &'static str,
    says: &'static str,
    because: &'static str,
) -> Printed {
    Printed { row, construct, language, says, because }
}

const LISTS_IN_LCM: &str = "LCM has arrays whose length is another member, the `_count` of the translation: the study may not have counted them";
const ALWAYS_BY_LIST: &str = "No type of its own, but a list of {key, value}: the study's yes may mean that such messages can be written";
const ENUM_IN_LCM: &str = "lcm-gen 1.3.1 accepts `enum`; the study names constants instead";
const ENUM_IN_ROS: &str = "Constants beside an integer, which the study counts as an enumeration";
const ENUM_IN_ODVD: &str = "The published grammar names values inside of a message; its examples show no field of an enum's type, only integers";
const SIGNED_ONLY: &str = "LCM has no unsigned integers but `byte`; int64_t carries every value";

/// All of the study's tables about languages.
pub static PRINTED: &[PrintedTable] = &[
    PrintedTable {
        number: 9,
        title: "Compound types",
        cells: &[
            cell("message", "message", "odvd", "yes", ""),
            cell("message", "message", "lcm", "yes", ""),
            cell("message", "message", "proto", "yes", ""),
            cell("message", "message", "rosmsg", "yes", ""),
            cell("list", "list", "odvd", "yes", ""),
            cell("list", "list", "lcm", "no", LISTS_IN_LCM),
            cell("list", "list", "proto", "no", "Protobuf has `repeated`, and already had it in 2015"),
            cell("list", "list", "rosmsg", "yes", ""),
            cell("map", "map", "odvd", "yes", ""),
            cell(
                "map",
                "map",
                "lcm",
                "no",
                "A list of {key, value} carries a map, but the study counts only types",
            ),
            cell("map", "map", "proto", "yes", ""),
            cell("map", "map", "rosmsg", "yes", ALWAYS_BY_LIST),
            cell("fixed array", "fixed-array", "odvd", "yes", ""),
            cell("fixed array", "fixed-array", "lcm", "yes", ""),
            cell("fixed array", "fixed-array", "proto", "no", ""),
            cell("fixed array", "fixed-array", "rosmsg", "yes", ""),
            cell("enumeration", "enum", "odvd", "yes", ENUM_IN_ODVD),
            cell("enumeration", "enum", "lcm", "no", ENUM_IN_LCM),
            cell("enumeration", "enum", "proto", "yes", ""),
            cell("enumeration", "enum", "rosmsg", "yes", ENUM_IN_ROS),
        ],
    },
    PrintedTable {
        number: 10,
        title: "Primitive types of ODVD",
        cells: &[
            cell("bool", "bool", "odvd", "yes", ""),
            cell("char", "char", "odvd", "yes", ""),
            cell("int8", "int8", "odvd", "no", GRAMMAR),
            cell("uint8", "uint8", "odvd", "no", GRAMMAR),
            cell("int16", "int16", "odvd", "no", GRAMMAR),
            cell("uint16", "uint16", "odvd", "no", GRAMMAR),
            cell("int32", "int32", "odvd", "yes", ""),
            cell("uint32", "uint32", "odvd", "yes", ""),
            cell("int64", "int64", "odvd", "no", GRAMMAR),
            cell("uint64", "uint64", "odvd", "no", GRAMMAR),
            cell("double", "double", "odvd", "yes", ""),
            cell("float", "float", "odvd", "yes", ""),
            cell("string", "string", "odvd", "yes", ""),
            cell("bytes", "bytes", "odvd", "no", GRAMMAR),
        ],
    },
    PrintedTable {
        number: 11,
        title: "Primitive types",
        cells: &[
            cell("bool", "bool", "odvd", "yes", ""),
            cell("bool", "bool", "lcm", "yes", ""),
            cell("bool", "bool", "proto", "yes", ""),
            cell(
                "bool",
                "bool",
                "rosmsg",
                "as uint8",
                "ROS 1 has a type `bool`; it is a byte on the wire, as the study says",
            ),
            cell("char", "char", "odvd", "yes", ""),
            cell("char", "char", "lcm", "as int8", ""),
            cell("char", "char", "proto", "as byte", ""),
            cell("char", "char", "rosmsg", "yes", "`char` is another name of uint8, and deprecated"),
            cell("int32", "int32", "odvd", "yes", ""),
            cell("int32", "int32", "lcm", "yes", ""),
            cell("int32", "int32", "proto", "yes", ""),
            cell("int32", "int32", "rosmsg", "yes", ""),
            cell("uint32", "uint32", "odvd", "yes", ""),
            cell("uint32", "uint32", "lcm", "no", SIGNED_ONLY),
            cell("uint32", "uint32", "proto", "yes", ""),
            cell("uint32", "uint32", "rosmsg", "yes", ""),
            cell("float", "float", "odvd", "yes", ""),
            cell("float", "float", "lcm", "yes", ""),
            cell("float", "float", "proto", "yes", ""),
            cell("float", "float", "rosmsg", "yes", ""),
            cell("double", "double", "odvd", "yes", ""),
            cell("double", "double", "lcm", "yes", ""),
            cell("double", "double", "proto", "yes", ""),
            cell("double", "double", "rosmsg", "yes", ""),
            cell("string", "string", "odvd", "yes", ""),
            cell("string", "string", "lcm", "yes", ""),
            cell("string", "string", "proto", "yes", ""),
            cell("string", "string", "rosmsg", "yes", ""),
        ],
    },
];

const GRAMMAR: &str = "Not in the study's list; the grammar that OpenDaVINCI publishes has it";
