//! Messages that a subscriber waits for, by content.
//!
//! A few are looked up one by one. Of many only number and sum of the digests are kept: once as many have arrived as are
//! awaited, and the digests add up to the same 128 bits, all have arrived. Otherwise (copies, loss, a foreign message), contents
//! are distributed over files by their digests and counted file by file, and what is then missing is looked up one by one.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, Write};

use wiredyno_contract::bulk::{BulkError, ReceivedRow, Rows, SentRow, digest_for};
use wiredyno_contract::{Clients, Share};

/// Up to this many are looked up one by one; also about as many as one file gets: some megabytes of memory.
const FEW: u64 = 1 << 17;

/// The most files, for messages and for arrivals each.
const MOST_FILES: u64 = 128;

/// How often each content is missing.
type Counts = HashMap<u128, u64>;

/// All that subscribe, and those of them that wait here.
type Receivers = (Clients, Share);

/// The messages to wait for, each once for every subscriber that receives it.
pub struct Awaited {
    /// How many arrivals that is.
    pub deliveries: u64,
    of: Receivers,
    /// When the publisher started on the first of them: nothing received before is one of them.
    begun_ns: i64,
    missing: Missing,
}

enum Missing {
    Known { counts: Counts, left: u64 },
    Sums { sent: File, sum: u128, arrived: u64, arrived_sum: u128, files: u64 },
}

impl Awaited {
    /// From a publisher's file of rows, which is read row by row.
    pub fn of(sent: File, of: Receivers) -> Result<Self, BulkError> {
        Self::with(sent, of, FEW)
    }

    fn with(sent: File, of: Receivers, few: u64) -> Result<Self, BulkError> {
        let rows = Rows::<SentRow, _>::of(sent.try_clone()?)?;
        let most = rows.expected() * u64::from(of.0.fan_out());
        let (mut begun_ns, mut sum, mut counts, mut deliveries) = (i64::MAX, 0_u128, Counts::new(), 0);
        for row in rows {
            let row = row?;
            begun_ns = begun_ns.min(row.build_start_ns);
            for digest in digests(&row, of) {
                (sum, deliveries) = (sum.wrapping_add(digest), deliveries + 1);
                if most <= few {
                    *counts.entry(digest).or_default() += 1;
                }
            }
        }
        let missing = if most <= few {
            Missing::Known { counts, left: deliveries }
        } else {
            let files = most.div_ceil(few).min(MOST_FILES);
            Missing::Sums { sent, sum, arrived: 0, arrived_sum: 0, files }
        };
        Ok(Awaited { deliveries, of, begun_ns, missing })
    }

    fn is_later(begun_ns: i64, row: &ReceivedRow) -> bool {
        row.received_ns >= begun_ns
    }

    pub fn arrived(&mut self, row: &ReceivedRow) {
        if !Self::is_later(self.begun_ns, row) {
            return;
        }
        match &mut self.missing {
            Missing::Known { counts, left } => {
                if let Some(times @ 1..) = counts.get_mut(&row.digest) {
                    *times -= 1;
                    *left -= 1;
                }
            }
            Missing::Sums { arrived, arrived_sum, .. } => {
                *arrived += 1;
                *arrived_sum = arrived_sum.wrapping_add(row.digest);
            }
        }
    }

    /// How many are missing, at least; exact where none is, or where it is `over`. `arrivals` reads all so far.
    pub fn left<E>(&mut self, over: bool, arrivals: impl FnOnce() -> E) -> Result<u64, BulkError>
    where
        E: Iterator<Item = Result<ReceivedRow, BulkError>>,
    {
        let (sent, files) = match &self.missing {
            Missing::Known { left, .. } => return Ok(*left),
            Missing::Sums { sum, arrived, arrived_sum, .. }
                if *arrived == self.deliveries && arrived_sum == sum =>
            {
                return Ok(0);
            }
            Missing::Sums { arrived, .. } if *arrived < self.deliveries && !over => {
                return Ok(self.deliveries - arrived);
            }
            Missing::Sums { sent, files, .. } => (sent.try_clone()?, *files),
        };
        let counts = missing((sent, self.of), arrivals(), self.begun_ns, files)?;
        let left = counts.values().sum();
        self.missing = Missing::Known { counts, left };
        Ok(left)
    }
}

/// A message's content as each of its subscribers here reports it.
fn digests(row: &SentRow, (clients, share): Receivers) -> impl Iterator<Item = u128> + use<> {
    let digest = row.digest;
    let here = clients.receivers(row.number()).filter(move |subscriber| share.has(*subscriber));
    here.map(move |subscriber| digest_for(subscriber, digest))
}

/// How often each content of the file is missing among the arrivals.
fn missing(
    (mut sent, of): (File, Receivers),
    arrivals: impl Iterator<Item = Result<ReceivedRow, BulkError>>,
    begun_ns: i64,
    files: u64,
) -> Result<Counts, BulkError> {
    sent.rewind()?;
    let of_row = |row: Result<SentRow, BulkError>| {
        let (row, error) = row.map_or_else(|error| (None, Some(Err(error))), |row| (Some(row), None));
        row.into_iter().flat_map(move |row| digests(&row, of)).map(Ok).chain(error)
    };
    let of_sent = dealt(Rows::<SentRow, _>::of(sent)?.flat_map(of_row), files)?;
    let later = arrivals.filter(|row| row.as_ref().map_or(true, |row| Awaited::is_later(begun_ns, row)));
    let of_arrivals = dealt(later.map(|row| Ok(row?.digest)), files)?;
    let mut missing = Counts::new();
    for (sent, arrived) in of_sent.into_iter().zip(of_arrivals) {
        let mut counts = Counts::new();
        each(sent, |digest| *counts.entry(digest).or_default() += 1)?;
        each(arrived, |digest| {
            if let Some(times) = counts.get_mut(&digest) {
                *times = times.saturating_sub(1);
            }
        })?;
        missing.extend(counts.into_iter().filter(|(_, times)| *times > 0));
    }
    Ok(missing)
}

fn dealt(digests: impl Iterator<Item = Result<u128, BulkError>>, files: u64) -> Result<Vec<File>, BulkError> {
    let file = || Ok(BufWriter::with_capacity(1 << 14, tempfile::tempfile()?));
    let mut dealt = (0..files).map(|_| file()).collect::<io::Result<Vec<_>>>()?;
    for digest in digests {
        let digest = digest?;
        dealt[(digest as u64 % files) as usize].write_all(&digest.to_le_bytes())?;
    }
    let whole = |file: BufWriter<File>| {
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind().map(|()| file)
    };
    Ok(dealt.into_iter().map(whole).collect::<io::Result<_>>()?)
}

fn each(file: File, mut with: impl FnMut(u128)) -> io::Result<()> {
    let (mut input, mut bytes) = (BufReader::with_capacity(1 << 16, file), [0; 16]);
    loop {
        match input.read_exact(&mut bytes) {
            Ok(()) => with(u128::from_le_bytes(bytes)),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use wiredyno_contract::bulk::{ABSENT, write_sent};

    use super::*;

    fn awaited(digests: &[u128], few: u64) -> Awaited {
        let row = |digest: &u128| SentRow {
            sequence: 0,
            digest: *digest,
            body_bytes: 1,
            intended_send_ns: 100,
            build_start_ns: 100,
            built_ns: 100,
            encoded_ns: 100,
            handed_over_ns: 100,
            sent_ns: 100,
            acked_ns: ABSENT,
        };
        let file = tempfile::NamedTempFile::new().unwrap();
        write_sent(&mut file.reopen().unwrap(), &digests.iter().map(row).collect::<Vec<_>>()).unwrap();
        Awaited::with(file.reopen().unwrap(), (Clients::default(), Share::WHOLE), few).unwrap()
    }

    fn row(digest: u128, received_ns: i64) -> ReceivedRow {
        ReceivedRow { digest, body_bytes: 1, received_ns, decoded_ns: ABSENT }
    }

    /// What is missing after some arrivals, one by one.
    fn left(awaited: &mut Awaited, arrivals: &[ReceivedRow], from: usize, over: bool) -> u64 {
        arrivals[from..].iter().for_each(|row| awaited.arrived(row));
        awaited.left(over, || arrivals.iter().map(|row| Ok(*row))).unwrap()
    }

    #[test]
    fn few_and_many_come_to_the_same() {
        let sent: Vec<u128> = (0..100).map(|number| u128::from(number % 50_u64) << 64 | 7).collect();
        let mut arrivals = vec![row(sent[0], 99)];
        arrivals.extend(sent.iter().map(|digest| row(*digest, 100)));
        for few in [1_000, 99, 7, 1] {
            assert_eq!(left(&mut awaited(&sent, few), &arrivals, 0, false), 0);
            // One is missing, and a copy, or a foreign message, came in its place.
            for other in [sent[0], 5] {
                let mut with_other = arrivals.clone();
                with_other.swap_remove(30);
                with_other.push(row(other, 101));
                let mut awaited = awaited(&sent, few);
                assert_eq!(left(&mut awaited, &with_other, 0, false), 1, "{few}");
                with_other.push(row(sent[29], 102));
                assert_eq!(left(&mut awaited, &with_other, 101, false), 0, "{few}");
            }
            assert_eq!(left(&mut awaited(&sent, few), &arrivals[..41], 0, true), 60);
        }
    }
}
