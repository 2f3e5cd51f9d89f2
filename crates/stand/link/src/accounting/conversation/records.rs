//! The records in a Kafka request or answer: batches of version 2 (documentation, "Record Batch"), which are contiguous in a
//! frame, at a place that depends on its version. They are found by their shape: lengths, magic and number of records must be
//! consistent. Batches that a client has compressed are not read.

use super::be_u32;

/// What a batch's length excludes: its base offset and the length itself.
const BEFORE_LENGTH_BYTES: usize = 12;
const MAGIC_AT: usize = 16;
const MAGIC: u8 = 2;
const ATTRIBUTES_AT: usize = 21;
/// The bits of the attributes' low byte that select a compression.
const COMPRESSION: u8 = 7;
const COUNT_AT: usize = 57;
const RECORDS_AT: usize = 61;

/// Calls `give` with the value of every record.
pub(super) fn values(frame: &[u8], give: &mut dyn FnMut(&[u8])) {
    let mut at = 0;
    while at + RECORDS_AT <= frame.len() {
        let batch = batch(&frame[at..]);
        at += batch.as_ref().map_or(1, |(length, _)| *length);
        batch.into_iter().flat_map(|(_, values)| values).for_each(&mut *give);
    }
}

/// A batch's length and values, if a batch begins here.
fn batch(bytes: &[u8]) -> Option<(usize, Vec<&[u8]>)> {
    if bytes[MAGIC_AT] != MAGIC {
        return None;
    }
    let length = BEFORE_LENGTH_BYTES + be_u32(bytes, 8)? as usize;
    let mut records = bytes.get(RECORDS_AT..length)?;
    if bytes[ATTRIBUTES_AT + 1] & COMPRESSION != 0 {
        return None;
    }
    let mut values = Vec::new();
    for _ in 0..be_u32(bytes, COUNT_AT)? {
        let (length, behind) = number(records)?;
        let (record, rest) = behind.split_at_checked(usize::try_from(length).ok()?)?;
        values.push(value(record)?);
        records = rest;
    }
    records.is_empty().then_some((length, values))
}

/// A record's value, after its attributes, two deltas and its key; `None` for a null value.
fn value(record: &[u8]) -> Option<&[u8]> {
    let (_, rest) = number(record.get(1..)?)?;
    let (_, rest) = number(rest)?;
    let (_, rest) = sized(rest)?;
    Some(sized(rest)?.0)
}

/// Length-prefixed bytes (length -1 means null), and the rest.
fn sized(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = number(bytes)?;
    rest.split_at_checked(usize::try_from(length.max(0)).ok()?)
}

/// A zigzag number in seven-bit groups, least significant first, and the bytes after it.
fn number(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let last = bytes.iter().take(10).position(|byte| byte & 0x80 == 0)?;
    let digits = bytes[..=last].iter().rev();
    let folded = digits.fold(0_u64, |value, byte| value << 7 | u64::from(byte & 0x7f));
    Some(((folded >> 1).cast_signed() ^ -((folded & 1).cast_signed()), &bytes[last + 1..]))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A batch with these values.
    pub(in super::super) fn written(values: &[&[u8]], attributes: u8) -> Vec<u8> {
        let mut records = Vec::new();
        for (number, value) in values.iter().enumerate() {
            // Attributes, two deltas, no key; lengths here take one or two bytes.
            let mut record = vec![0, 0, (number * 2) as u8, 1];
            record.extend(varint(value.len()));
            record.extend(*value);
            record.push(0);
            records.extend(varint(record.len()));
            records.extend(record);
        }
        let mut batch = vec![0; RECORDS_AT];
        batch[MAGIC_AT] = MAGIC;
        batch[ATTRIBUTES_AT + 1] = attributes;
        batch[COUNT_AT..].copy_from_slice(&(values.len() as u32).to_be_bytes());
        batch.extend(records);
        let length = (batch.len() - BEFORE_LENGTH_BYTES) as u32;
        batch[8..12].copy_from_slice(&length.to_be_bytes());
        batch
    }

    fn varint(length: usize) -> Vec<u8> {
        match length * 2 {
            short @ ..128 => vec![short as u8],
            long => vec![long as u8 | 0x80, (long >> 7) as u8],
        }
    }

    fn found(frame: &[u8]) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        values(frame, &mut |value| found.push(value.to_vec()));
        found
    }

    #[test]
    fn records_are_found_behind_whatever_stands_before_them() {
        let (one, two) = (written(&[b"a", &[2; 200]], 0), written(&[b""], 0));
        let expected = [b"a".to_vec(), vec![2; 200], Vec::new()];
        assert_eq!(found(&[&[2; 33][..], &one, &two, b"behind"].concat()), expected);
        // The second is truncated, as brokers do it.
        assert_eq!(found(&[&one[..], &two[..two.len() - 1]].concat()), expected[..2]);
    }

    #[test]
    fn what_is_compressed_or_no_batch_has_none() {
        assert!(found(&written(&[b"abc"], 1)).is_empty());
        assert!(found(&[2; 500]).is_empty() && found(&[0; 61]).is_empty() && found(b"").is_empty());
        let mut miscounted = written(&[b"abc"], 0);
        miscounted[COUNT_AT + 3] = 2;
        assert!(found(&miscounted).is_empty());
    }
}
