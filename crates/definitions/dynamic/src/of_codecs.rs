//! The parts of codec crates that don't need the format's library: the same files, compiled again here.
//!
//! Why: those crates depend on their libraries, which the program must not contain. Limits: such a file may only use
//! `wiredyno-codec`, `wiredyno-contract` and the standard library.

/// Compiles files from the codecs' folders.
macro_rules! files {
    ($($module:ident: $file:literal,)*) => {$(
        #[path = $file]
        #[allow(dead_code, reason = "the codec alone uses some of it")]
        pub mod $module;
    )*};
}

files! {
    capnproto: "../../../codecs/capnproto/src/layout.rs",
    container: "../../../codecs/protobuf-container/src/layout.rs",
    rasn: "../../../codecs/rasn/src/bounds.rs",
    thrift: "../../../codecs/thrift/src/types.rs",
    xml: "../../../codecs/xml/src/characters.rs",
}
