//! Line numbers in a text.

/// The positions of a text's line ends, found once for all lookups.
#[derive(Debug)]
pub(crate) struct Lines {
    ends: Vec<usize>,
}

impl Lines {
    pub(crate) fn of(text: &str) -> Lines {
        Lines { ends: text.match_indices('\n').map(|(at, _)| at).collect() }
    }

    /// The line, counted from 1, of the byte at `offset`.
    pub(crate) fn at(&self, offset: usize) -> usize {
        1 + self.ends.partition_point(|end| *end < offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_up_to_its_end() {
        let text = "a\n\nbc\n";
        let lines = Lines::of(text);
        let found: Vec<usize> = (0..=text.len()).map(|offset| lines.at(offset)).collect();
        assert_eq!(found, [1, 1, 2, 3, 3, 3, 4]);
        assert_eq!(Lines::of("").at(0), 1);
    }
}
