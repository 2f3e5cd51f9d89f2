//! Which sample and number each message of a publisher gets, so that contents differ as far as the payload allows.
//!
//! Publishers follow it, and the program knows beforehand what will be sent.

/// The rule of one publisher, from the samples and messages it has loaded and sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbering {
    /// Samples loaded, at least 1.
    pub samples: u64,
    /// Records that measured messages have instead of samples, at least 1; absent if they have samples, or as many records.
    pub records: Option<u64>,
    /// How many different numbers the sequence fields of all samples can hold, at least 1; absent without such a field.
    pub span: Option<u64>,
    /// Warm-up messages that the publisher sends before the measured ones.
    pub warmups: u64,
}

/// What a message is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Index of the loaded sample or of the record, from 0.
    pub sample: u64,
    /// The number in its sequence field; the code that sets it takes it modulo what the field can hold.
    pub number: u64,
}

impl Numbering {
    /// How many numbers the measured messages cycle through: those that warm-up has not used. `None` where numbers can't
    /// keep the two apart.
    pub fn own_numbers(&self) -> Option<u64> {
        self.span.map(|span| span.saturating_sub(self.warmups)).filter(|own| *own > 0)
    }

    /// How many samples, or records, the measured messages cycle through. Where numbers can't keep them apart from those of warm-up,
    /// only the loaded ones: warm-up takes its samples from their end.
    pub fn own_samples(&self) -> u64 {
        let samples = self.samples.max(1);
        match self.own_numbers() {
            Some(_) => self.records.unwrap_or(samples).max(1),
            None if samples > self.warmups => samples - self.warmups,
            None => samples,
        }
    }

    /// The place of a measured message, counted from 0.
    pub fn measured(&self, message: u64) -> Place {
        let numbers = self.own_numbers().or(self.span).unwrap_or(u64::MAX);
        Place { sample: message % self.own_samples(), number: (message + 1) % numbers.max(1) }
    }

    /// The place of a warm-up message, counted from 0 over all warm-ups of the publisher: taken from the end of
    /// samples and numbers.
    pub fn warmup(&self, message: u64) -> Place {
        let (samples, numbers) = (self.samples.max(1), self.span.unwrap_or(u64::MAX).max(1));
        Place { sample: samples - 1 - message % samples, number: numbers - 1 - message % numbers }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    type Contents = HashSet<(u64, u64)>;

    fn contents(numbering: Numbering, messages: u64) -> (Contents, Contents) {
        let span = numbering.span.unwrap_or(1);
        let content = |place: Place| (place.sample, place.number % span);
        (
            (0..messages).map(|message| content(numbering.measured(message))).collect(),
            (0..numbering.warmups).map(|message| content(numbering.warmup(message))).collect(),
        )
    }

    #[test]
    fn no_measured_message_has_the_content_of_a_warm_up_message() {
        for (samples, span, warmups) in [
            (1, Some(1_000), 2),
            (100, Some(1_000), 10),
            (3, Some(3), 2),
            (20, None, 2),
            (20, Some(1), 19),
            (5, Some(4), 4),
        ] {
            let (measured, warmup) = contents(Numbering { samples, records: None, span, warmups }, 5_000);
            assert!(measured.is_disjoint(&warmup), "{samples} {span:?} {warmups}");
        }
    }

    #[test]
    fn numbers_wrap_where_those_of_warm_up_begin() {
        let numbering = Numbering { samples: 7, records: None, span: Some(1_000), warmups: 2 };
        let numbers = |messages: [u64; 4]| messages.map(|message| numbering.measured(message).number);
        assert_eq!(numbers([0, 996, 997, 998]), [1, 997, 0, 1]);
        assert_eq!([0, 1].map(|message| numbering.warmup(message).number), [999, 998]);
        assert_eq!(numbering.measured(8).sample, 1);
        assert_eq!(numbering.warmup(0).sample, 6);
    }

    #[test]
    fn records_beyond_the_samples_are_used_where_numbers_keep_them_apart_from_warm_up() {
        let of = |span| Numbering { samples: 10, records: Some(1_000), span, warmups: 3 };
        let sample = |span, message| of(span).measured(message).sample;
        assert_eq!([999, 1_000].map(|message| sample(Some(5_000), message)), [999, 0]);
        assert_eq!(of(Some(5_000)).warmup(0).sample, 9);
        assert_eq!([6, 7].map(|message| sample(None, message)), [6, 0]);
        assert_eq!(sample(Some(2), 8), 1);
    }

    #[test]
    fn one_sample_without_a_number_stays_one_content() {
        for span in [None, Some(1)] {
            let (measured, warmup) = contents(Numbering { samples: 1, records: None, span, warmups: 1 }, 10);
            assert_eq!((measured.len(), measured.is_disjoint(&warmup)), (1, false));
        }
    }
}
