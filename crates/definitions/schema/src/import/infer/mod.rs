//! Infers a definition from JSON samples alone: what they have in common becomes types. Each field has a
//! comment with the number of samples that it was inferred from and the reasons for its type.
//!
//! The rules, in the order in which they apply:
//!
//! | seen | becomes |
//! |---|---|
//! | a key that some samples lack, or whose value is null in some | `optional` |
//! | only nulls | `optional string` |
//! | integers | the narrowest of int32, uint32, int64, uint64; beyond 64 bits refused |
//! | numbers, some with a point or exponent | double; refused with both samples where an integer is beyond 2^53 |
//! | 3 to 16 different strings that are names, each about four times or more | an enum |
//! | other strings | string; a comment says if all are RFC 3339 times or base64 |
//! | objects with varying keys and values of one type or null, or with more than 2,000 different keys | a map |
//! | other objects | a message |
//! | lists | `repeated`; with a fixed length if of numbers and always equally long (ten lists or more) |
//! | lists in lists, nulls in lists | a message around the inner value |
//! | several of these at one path | a oneof |

mod decide;
mod rising;
mod seen;

use super::json::{Json, Kind};
use super::{Draft, ImportError};

/// The state after reading samples one by one.
#[derive(Debug, Default)]
pub struct Inference {
    seen: seen::Seen,
    documents: u64,
}

impl Inference {
    /// Adds another document.
    pub fn add(&mut self, document: &Json) {
        self.documents += 1;
        self.seen.add(document);
    }

    /// The definition inferred from all documents so far, for the payload `payload`; `file` names their source.
    ///
    /// # Errors
    /// When there was no document, or when two can't be values of one definition.
    pub fn draft(&self, payload: &str, file: &str) -> Result<Draft, ImportError> {
        if self.documents == 0 {
            return Err(ImportError::Empty { file: file.to_owned() });
        }
        decide::draft(&self.seen, self.documents, payload, file)
    }
}

/// Wraps a document that is not an object in one, under the key `value`.
pub fn as_object(document: Json) -> Json {
    match document.value {
        Kind::Object(_) => document,
        _ => Json { line: document.line, value: Kind::Object(vec![("value".to_owned(), document)]) },
    }
}
