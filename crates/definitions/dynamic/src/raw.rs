//! The bytes of the payload's only field, without encoding.

use wiredyno_codec::record::Fault;

use crate::described::Described;
use crate::rule::misplaced;
use crate::value::{Datum, Member, Record};

pub fn write(_: &Described, value: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    value.members().try_for_each(|member| match member {
        Member::One(_, Datum::Text(text)) => {
            out.extend_from_slice(text.as_bytes());
            Ok(())
        }
        Member::One(_, Datum::Bytes(bytes)) => {
            out.extend_from_slice(bytes);
            Ok(())
        }
        Member::One(field, _) => Err(misplaced(field)),
        // `carries` refuses other definitions.
        _ => Ok(()),
    })
}
