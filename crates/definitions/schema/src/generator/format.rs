//! Values in the form given by a field's `(wiredyno.format)` or `(wiredyno.decimal)`, if no other rule applies.
//!
//! Host names and addresses are those that RFC 2606 and RFC 3849 reserve for examples. Limits: times are in the years 2020 to 2029, in UTC.

use super::calendar::rfc3339;
use super::draw::Draw;

/// The first millisecond of 2020, in milliseconds since 1970.
pub(super) const FIRST_MS: i64 = 1_577_836_800_000;
/// The last millisecond of 2029, in milliseconds since 1970.
pub(super) const LAST_MS: i64 = 1_893_455_999_999;
const DAY_MS: i64 = 86_400_000;
/// The maximum number of a decimal's digits: an integer of 127 bits holds them.
const MOST_DIGITS: u32 = 38;

/// A string of a format; `None` if the format is unknown.
pub(super) fn text(format: &str, draw: &mut Draw) -> Option<String> {
    Some(match format {
        "uuid" => uuid(draw),
        "date-time" => rfc3339(time(draw), 3 * u32::from(draw.chance(0.5))),
        "date" => rfc3339(time(draw), 0).get(..10)?.to_owned(),
        "time" => rfc3339(time(draw), 0).get(11..)?.to_owned(),
        "duration" => format!("PT{}M{}S", draw.below(60), draw.below(60)),
        "email" => format!("{}.{}@{}.example", word(draw), word(draw), word(draw)),
        "hostname" => format!("{}.{}.example", word(draw), word(draw)),
        "ipv4" => format!("10.{}.{}.{}", draw.below(256), draw.below(256), draw.below(256)),
        "ipv6" => {
            let groups: Vec<String> = (0..6).map(|_| format!("{:x}", draw.below(0x1_0000))).collect();
            format!("2001:db8:{}", groups.join(":"))
        }
        "uri" => format!("https://{}.example/{}/{}", word(draw), word(draw), draw.below(100_000)),
        _ => return None,
    })
}

/// An integer of a format; `None` if the format is unknown.
pub(super) fn integer(format: &str, draw: &mut Draw) -> Option<i64> {
    let time = time(draw);
    Some(match format {
        "date" => time / DAY_MS,
        "time-millis" => time % DAY_MS,
        "time-micros" => time % DAY_MS * 1_000,
        "timestamp-millis" => time,
        "timestamp-micros" => time * 1_000,
        _ => return None,
    })
}

/// A decimal number of at most `precision` digits, as text.
pub(super) fn decimal_text(precision: u32, scale: u32, draw: &mut Draw) -> String {
    let unscaled = unscaled(precision, draw);
    let sign = if unscaled < 0 { "-" } else { "" };
    let (digits, places) = (unscaled.unsigned_abs().to_string(), scale as usize);
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// Its digits as a big-endian two's complement integer, in `length` bytes or in as few as hold it.
pub(super) fn decimal_bytes(precision: u32, length: Option<u32>, draw: &mut Draw) -> Vec<u8> {
    let whole = unscaled(precision, draw).to_be_bytes();
    let sign = if whole[0] & 0x80 == 0 { 0x00 } else { 0xff };
    let needed = |from: usize| whole.len() - from;
    let mut from = 0;
    while from + 1 < whole.len() && whole[from] == sign && (whole[from + 1] ^ sign) & 0x80 == 0 {
        from += 1;
    }
    match length.map(|length| length as usize) {
        Some(length) if length >= needed(from) => {
            let mut bytes = vec![sign; length - needed(from)];
            bytes.extend_from_slice(&whole[from..]);
            bytes
        }
        _ => whole[from..].to_vec(),
    }
}

/// An integer of one to `precision` digits; all numbers of digits are equally likely.
fn unscaled(precision: u32, draw: &mut Draw) -> i128 {
    let digits = draw.length(1, precision.clamp(1, MOST_DIGITS));
    let mut number: i128 = 0;
    for _ in 0..digits {
        number = number * 10 + i128::from(draw.below(10));
    }
    if draw.chance(0.2) { -number } else { number }
}

fn time(draw: &mut Draw) -> i64 {
    FIRST_MS + draw.below((LAST_MS - FIRST_MS) as u64 + 1) as i64
}

/// Version 4 (random), as in RFC 9562.
fn uuid(draw: &mut Draw) -> String {
    let (high, low) = (draw.bits(), draw.bits());
    let (high, low) = (high & !0xf000 | 0x4000, low & !(0b11 << 62) | 0b10 << 62);
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

fn word(draw: &mut Draw) -> String {
    let letters = draw.length(3, 9);
    (0..letters).map(|_| char::from(b'a' + draw.below(26) as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_look_like_what_their_formats_say() {
        let mut draw = Draw::new(1);
        for _ in 0..200 {
            let mut of = |format: &str| text(format, &mut draw).unwrap();
            let uuid = of("uuid");
            assert_eq!((uuid.len(), &uuid[14..15]), (36, "4"), "{uuid}");
            assert!("89ab".contains(&uuid[19..20]), "{uuid}");
            assert!([20, 24].contains(&of("date-time").len()));
            let date = of("date");
            assert!(date.len() == 10 && (date.starts_with("202")), "{date}");
            let time = of("time");
            assert!(time.len() == 9 && time.ends_with('Z') && &time[2..3] == ":", "{time}");
            assert!(of("email").ends_with(".example") && of("email").contains('@'));
            assert!(of("ipv4").parse::<std::net::Ipv4Addr>().is_ok());
            assert!(of("ipv6").parse::<std::net::Ipv6Addr>().is_ok());
            assert!(of("uri").starts_with("https://") && of("duration").starts_with("PT"));
        }
        assert_eq!(text("regex", &mut draw), None);
    }

    #[test]
    fn decimals_have_the_places_and_no_more_digits_than_they_may() {
        let mut draw = Draw::new(2);
        for _ in 0..500 {
            let number = decimal_text(9, 2, &mut draw);
            let (whole, fraction) = number.trim_start_matches('-').split_once('.').unwrap();
            assert!(fraction.len() == 2 && (1..=7).contains(&whole.len()), "{number}");
            // With its sign, 10^9 needs 31 bits.
            assert!((1..=4).contains(&decimal_bytes(9, None, &mut draw).len()));
            assert_eq!(decimal_bytes(9, Some(8), &mut draw).len(), 8);
            assert!(integer("timestamp-millis", &mut draw).unwrap() >= FIRST_MS);
            assert!((18_262..21_915).contains(&integer("date", &mut draw).unwrap()));
        }
        assert!(!decimal_text(5, 0, &mut draw).contains('.'));
    }
}
