//! Checks numbers against the ranges that the definition allows.
//!
//! Conditions are constants of the field, written so that the compiler drops the other branch before it generates
//! code for it: there are thousands of combinations of field and format.

use super::{Fault, Field, Problem};

/// Refuses a number outside the definition's range.
///
/// # Errors
/// When the field has a range and the number is not in it.
#[inline(always)]
pub fn check<F: Field>(value: i64) -> Result<(), Fault> {
    if const { F::INFO.range.is_some() } {
        let (min, max) = const {
            match F::INFO.range {
                Some(range) => range,
                None => (i64::MIN, i64::MAX),
            }
        };
        if value < min || value > max {
            return Err(out_of_range(value.into(), F::INFO.name));
        }
    }
    Ok(())
}

/// Converts a number to another type.
///
/// # Errors
/// When it does not fit.
#[inline(always)]
pub fn narrow<F: Field, W: Copy + Into<i128>, N: TryFrom<W>>(value: W) -> Result<N, Fault> {
    match N::try_from(value) {
        Ok(value) => Ok(value),
        Err(_) => Err(out_of_range(value.into(), F::INFO.name)),
    }
}

/// The fault of a number outside its range.
#[cold]
#[inline(never)]
pub fn out_of_range(value: i128, field: &'static str) -> Fault {
    Fault::in_field(Problem::OutOfRange(value), field)
}
