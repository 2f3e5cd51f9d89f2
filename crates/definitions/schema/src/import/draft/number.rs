//! Integers of a draft: their bounds, and the narrowest type that holds them.

use super::DraftType;

/// An integer from digits without fraction and exponent.
pub fn integer(digits: &str) -> Option<i128> {
    // Minus zero is a float: as an integer it would lose its sign.
    if digits == "-0" { None } else { digits.parse().ok() }
}

/// An integer in any notation, including `1e5` and `2.0`.
pub fn whole_number(digits: &str) -> Option<i128> {
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let zeros = usize::try_from(exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?).ok();
    let digits = format!("{whole}{fraction}");
    if digits.trim_start_matches('-').bytes().all(|digit| digit == b'0') {
        return Some(0);
    }
    // 39 digits exceed 128 bits.
    let zeros = zeros.filter(|zeros| *zeros < 39);
    match zeros {
        Some(zeros) => format!("{digits}{}", "0".repeat(zeros)).parse().ok(),
        None => {
            let cut = usize::try_from(-exponent).ok().filter(|_| fraction.is_empty())?;
            let kept = digits.strip_suffix("0".repeat(cut.min(39)).as_str())?;
            kept.parse().ok()
        }
    }
}

/// Whether an integer type can hold a number.
pub fn fits(ty: DraftType, number: i128) -> bool {
    match ty {
        DraftType::Int32 | DraftType::Sint32 | DraftType::Sfixed32 => i32::try_from(number).is_ok(),
        DraftType::Int64 | DraftType::Sint64 | DraftType::Sfixed64 => i64::try_from(number).is_ok(),
        DraftType::Uint32 | DraftType::Fixed32 => u32::try_from(number).is_ok(),
        DraftType::Uint64 | DraftType::Fixed64 => u64::try_from(number).is_ok(),
        _ => false,
    }
}

/// The narrowest integer type that holds all numbers from `least` to `most`; `None` beyond 64 bits.
pub fn narrowest(least: i128, most: i128) -> Option<DraftType> {
    let types = [DraftType::Int32, DraftType::Uint32, DraftType::Int64, DraftType::Uint64];
    types.into_iter().find(|ty| fits(*ty, least) && fits(*ty, most))
}
