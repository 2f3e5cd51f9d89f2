//! Codecs in C and C++, as a runner uses them.
//!
//! A codec is a [`Table`] of C functions for one message definition, compiled from the codec's own sources, from what the format's
//! compiler generated, and from the headers in `include/wiredyno/` here. [`Bound`] is the [`BoundCodec`] over it. The loop over the
//! calls of a batch is the table's, in C or C++; it starts and stops the same clocks, and the same window of heap and stack, as Rust's.
//!
//! Values go to the other side as Protobuf bytes, outside every clock, and are kept on both: the Rust value shows where a decoded one differs, and carries
//! the number of a message.
//!
//! Limits: in a message trial the encoded bytes are copied from the codec's own buffer into the client's, inside the clock, as
//! `protobuf/upb` does.

mod bound;
mod table;

use wiredyno_codec::Codec;
use wiredyno_contract::{CodecDescription, IdError};

pub use bound::{Bound, bind};
pub use table::Table;
pub use wiredyno_contract::DeclaredCodec;

/// A codec in C or C++ for one definition: its declaration, and its functions. Generated code has one as a static.
pub struct Foreign {
    declared: fn() -> &'static DeclaredCodec,
    table: *const Table,
    /// What a table says, where there is none.
    version: &'static str,
    compiler: &'static str,
}

// SAFETY: a table is constant, and its functions have no state but that of the codec that they are given.
unsafe impl Sync for Foreign {}

impl Foreign {
    /// From a declaration, and the table that was compiled with it.
    ///
    /// # Safety
    /// The table must be constant, and its functions must do what `include/wiredyno/codec.h` says.
    pub const unsafe fn new(declared: fn() -> &'static DeclaredCodec, table: *const Table) -> Foreign {
        Foreign { declared, table, version: "", compiler: "" }
    }

    /// Of a codec that does not carry the definition, for which nothing was compiled; with the versions of the library and the compiler
    /// that it would have been compiled with.
    pub const fn refusing(
        declared: fn() -> &'static DeclaredCodec,
        version: &'static str,
        compiler: &'static str,
    ) -> Foreign {
        Foreign { declared, table: std::ptr::null(), version, compiler }
    }

    /// Its functions; `None` where it does not carry the definition.
    fn table(&self) -> Option<&'static Table> {
        // SAFETY: it is null, or whoever made this stated that it is a constant table.
        unsafe { self.table.as_ref() }
    }
}

/// The declaration with this id among those of a package.
///
/// # Panics
/// Where there is none: generated code names the package of the codec that it was generated for.
pub fn declared(codecs: &'static [&'static DeclaredCodec], id: &str) -> &'static DeclaredCodec {
    match codecs.iter().find(|codec| codec.id == id) {
        Some(codec) => codec,
        None => panic!("{id} is not a codec of the package that it was generated from"),
    }
}

impl Codec for Foreign {
    fn declared(&self) -> &'static DeclaredCodec {
        (self.declared)()
    }

    fn description(&self) -> Result<CodecDescription, IdError> {
        let table = self.table();
        let description = self.declared().describe(table.map_or(self.version, Table::library_version))?;
        let compiler = table.map_or(self.compiler, Table::compiler);
        Ok(CodecDescription { compiler: Some(compiler.to_owned()), ..description })
    }
}
