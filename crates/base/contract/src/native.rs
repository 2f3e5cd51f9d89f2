//! Codecs in C and C++: what their folders declare beyond what every codec does.

use crate::need::Need;

/// The language that an application is written in which uses a codec: that of the codec's objects and calls, whatever its library is
/// written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// Rust, as the composed runner itself.
    Rust,
    /// C, compiled into the composed runner.
    C,
    /// C++, compiled into the composed runner.
    Cpp,
}

impl Language {
    /// Its name in lists, tables and studies.
    pub const fn name(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::C => "c",
            Language::Cpp => "c++",
        }
    }

    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Language::Rust => "Rust",
            Language::C => "C",
            Language::Cpp => "C++",
        }
    }
}

/// How a codec in C or C++ is compiled. Its struct has the name of the declaration's type; `wiredyno/loop.hpp` of
/// `crates/measured/cpp` says what it has to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Native {
    /// C or C++.
    pub language: Language,
    /// The header with its struct, in the `src` folder of its crate.
    pub header: &'static str,
    /// Static libraries that it links, each before those that it needs itself, without `lib` and `.a`.
    pub libraries: &'static [&'static str],
    /// The need whose version is the library's.
    pub version: Option<&'static Need>,
    /// What is generated from a definition besides the application's own types.
    pub objects: NativeObjects,
}

/// What is generated for a codec in C or C++, in addition to the application's types and their description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NativeObjects {
    /// Nothing: it walks the description.
    None,
    /// The classes of protoc, and access to their fields.
    Protobuf,
    /// The classes of flatc, and access to their fields.
    FlatBuffers,
    /// The classes of lcm-gen, and access to their members.
    Lcm,
    /// The structs of gencpp, and access to their members.
    Ros1,
    /// The classes of Thrift's compiler, and access to their members.
    Thrift,
    /// The classes of Cap'n Proto's compiler, and access to their fields.
    CapnProto,
}

impl Native {
    /// C++ from one header, without libraries.
    pub const fn cpp(header: &'static str) -> Native {
        Native {
            language: Language::Cpp,
            header,
            libraries: &[],
            version: None,
            objects: NativeObjects::None,
        }
    }

    /// Sets the static libraries.
    #[must_use]
    pub const fn libraries(self, libraries: &'static [&'static str]) -> Native {
        Native { libraries, ..self }
    }

    /// Sets the need whose version is the library's.
    #[must_use]
    pub const fn version(self, need: &'static Need) -> Native {
        Native { version: Some(need), ..self }
    }

    /// Sets what is generated.
    #[must_use]
    pub const fn objects(self, objects: NativeObjects) -> Native {
        Native { objects, ..self }
    }
}
