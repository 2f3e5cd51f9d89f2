//! A definition from JSON samples alone: what they have in common becomes types, and every field says in a
//! comment from how many samples it was inferred, and why it is what it is.
//!
//! The rules, in the order in which they are tried:
//!
//! | seen | becomes |
//! |---|---|
//! | a key that some samples lack, or whose value is null in some | `optional` |
//! | only null | `optional string` |
//! | integers | the narrowest of int32, uint32, int64, uint64; beyond 64 bits refused |
//! | numbers, some with point or exponent | double; refused with both samples where an integer is beyond 2^53 |
//! | 3 to 16 different texts that are names, each about four times or more | an enum |
//! | other texts | string; a comment says if all are RFC 3339 times or base64 |
//! | objects whose keys vary, with values of one type or null, or with more than 2,000 different keys | a map |
//! | other objects | a message |
//! | lists | `repeated`; of numbers always equally long (ten lists or more) with a fixed length |
//! | lists in lists, nulls in lists | a message around the inner value |
//! | several of these in one place | a oneof |

mod decide;
mod rising;
mod seen;

use super::json::{Json, Kind};
use super::{Draft, ImportError};

/// What is known after reading samples one by one.
#[derive(Debug, Default)]
pub struct Inference {
    seen: seen::Seen,
    documents: u64,
}

impl Inference {
    /// Takes in one more document.
    pub fn add(&mut self, document: &Json) {
        self.documents += 1;
        self.seen.add(document);
    }

    /// The definition of all documents so far, for the payload `payload`; `file` is where they came from.
    ///
    /// # Errors
    /// When there was no document, or when two of them can't be values of one definition.
    pub fn draft(&self, payload: &str, file: &str) -> Result<Draft, ImportError> {
        if self.documents == 0 {
            return Err(ImportError::Empty { file: file.to_owned() });
        }
        decide::draft(&self.seen, self.documents, payload, file)
    }
}

/// What a document is once it is an object: other values are put under the key `value`.
pub fn as_object(document: Json) -> Json {
    match document.value {
        Kind::Object(_) => document,
        _ => Json { line: document.line, value: Kind::Object(vec![("value".to_owned(), document)]) },
    }
}
