//! The word that somebody meant who wrote another.

/// One in so many letters may be another, missing or too many in a word that is meant.
const LETTERS_A_SLIP: usize = 3;

/// The letters of the beginning of a word that stands for it.
const LETTERS_OF_BEGINNING: usize = 3;

/// The known word that is nearest to a given one, if any is near enough to be meant: by slips of the keyboard, or because it
/// begins so.
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
