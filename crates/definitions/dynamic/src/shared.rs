//! What codec crates say of their formats without the format's library: the same files, compiled here once more.
//!
//! Why: those crates bring their libraries with them, which the program does not want. Limits: such a file names nothing but
//! `wiredyno-codec`, `wiredyno-contract` and the standard library.

/// Compiles files of the folders with codecs.
macro_rules! files {
    ($($module:ident: $file:literal,)*) => {$(
        #[path = $file]
        #[allow(dead_code, reason = "some of it is the codec's alone")]
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
