//! Finds the word that a mistyped one was meant to be.

/// One letter in this many may differ, be missing or be extra.
const LETTERS_A_SLIP: usize = 3;

/// How many letters an abbreviation needs.
const LETTERS_OF_BEGINNING: usize = 3;

/// The known word that is nearest to the given one, if any is near enough: by typing errors, or because it starts with the
/// given one.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |word: &str| word.chars().count();
    let is_meant = |key: &str| {
        let slips = strsim::osa_distance(&given.to_lowercase(), &key.to_lowercase());
        let begins = letters(given) >= LETTERS_OF_BEGINNING && key.starts_with(given);
        begins || slips <= (letters(given).max(letters(key)) / LETTERS_A_SLIP).max(1)
    };
    known
        .into_iter()
        .filter(|key| is_meant(key))
        .map(|key| (strsim::jaro_winkler(given, key), key))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, key)| key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_near_by_slips_or_by_its_beginning() {
        let known = ["opaque", "person", "lan", "lte", "json/serde-json", "interval", "trials"];
        let near = |given| nearest(given, known);
        assert_eq!(
            ["lann", "tle", "Person", "json", "intervall"].map(near),
            [Some("lan"), Some("lte"), Some("person"), Some("json/serde-json"), Some("interval"),]
        );
        assert_eq!(["nope", "x", "", "interlude", "op"].map(near), [None; 5]);
    }
}
