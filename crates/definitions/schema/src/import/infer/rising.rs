//! Whether numbers are counters: they rise from sample to sample, or do so for each of several interleaved devices.

/// The most devices that can be interleaved.
const MOST_DEVICES: usize = 16;

/// The fewest rising sequences that the numbers split into. Each number extends the sequence with the greatest last number below it, which
/// minimises the number of sequences.
#[derive(Debug, Clone, Default)]
pub struct Rising {
    count: u64,
    lasts: Vec<i128>,
    broken: bool,
}

impl Rising {
    /// Adds the next sample's value; `None` if it is not a number.
    pub fn add(&mut self, number: Option<i128>) {
        self.count += 1;
        let Some(number) = number.filter(|_| !self.broken) else {
            self.give_up();
            return;
        };
        let more = self.lasts.len() < MOST_DEVICES;
        match self.lasts.iter_mut().filter(|last| **last < number).max() {
            Some(last) => *last = number,
            None if more => self.lasts.push(number),
            None => self.give_up(),
        }
    }

    /// Marks the numbers as being in no known order.
    pub fn give_up(&mut self) {
        self.broken = true;
        self.lasts.clear();
    }

    /// The number of devices that count, with an average of at least `least` numbers each; `None` if they don't. Device ids split into as many
    /// sequences as there are numbers per device, and random numbers into about twice the root of their count: fewer than the root are counters.
    pub fn devices(&self, least: u64) -> Option<u64> {
        let devices = self.lasts.len() as u64;
        let is_counter = devices == 1 || devices * devices < self.count;
        (!self.broken && devices > 0 && is_counter && self.count >= devices * least).then_some(devices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn devices(numbers: impl IntoIterator<Item = i128>, least: u64) -> Option<u64> {
        let mut rising = Rising::default();
        numbers.into_iter().for_each(|number| rising.add(Some(number)));
        rising.devices(least)
    }

    #[test]
    fn counters_are_found_where_devices_take_turns_and_names_of_devices_are_none() {
        assert_eq!(devices([1, 2, 5, 9], 4), Some(1));
        assert_eq!(devices([1, 1, 2, 2, 3, 3], 2), Some(2));
        assert_eq!(devices([1, 501, 2, 502, 3, 503, 4, 504], 4), Some(2));
        assert_eq!(devices((0..60).map(|at| at / 4 + 100 * (at % 4)), 4), Some(4));
        // Device ids, in turns.
        assert_eq!(devices([1, 2, 1, 2, 1, 2], 2), None);
        assert_eq!(devices((0..60).map(|at| at % 4), 4), None);
        assert_eq!(devices([7, 7, 7, 7], 2), None);
        assert_eq!(devices([1, 2, 3], 4), None);
        assert_eq!(devices((0..40).map(|at| 40 - at), 2), None);
        // Random numbers: a linear congruential generator (Numerical Recipes' constants).
        let mut state = 1_u32;
        let chance = (0..200).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            i128::from(state)
        });
        assert_eq!(devices(chance, 2), None);
    }

    #[test]
    fn what_is_no_number_counts_nothing() {
        let mut rising = Rising::default();
        [Some(1), None, Some(3), Some(4), Some(5)].into_iter().for_each(|number| rising.add(number));
        assert_eq!((rising.devices(2), Rising::default().devices(0)), (None, None));
    }
}
