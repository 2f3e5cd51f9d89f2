//! Text-like filling: words and sentences in ASCII that compress about as well as English.
//!
//! Six words in ten are frequent English words with weights that fall as 1/rank (G. K. Zipf's law). The others are
//! invented, letter by letter with the frequencies of English letters, vowels and consonants in turn, and recur
//! within a text as a topic's words do. Frequent words alone would compress far better than real text, letters alone
//! far worse. With these shares zlib at level 6 reduces 1 KiB to 0.53 of its size, 4 KiB to 0.41 and 64 KiB to 0.39; it reduces the
//! beginnings of eight free-software licences to 0.43 to 0.56 (1 KiB) and 0.37 to 0.45 (4 KiB). Limits: no
//! grammar, no meaning, ASCII only.

use super::draw::Draw;

/// The share of words taken from [`WORDS`].
const FREQUENT_SHARE: f64 = 0.6;

/// How many invented words precede the first repeated one.
const FIRST_OWN_WORDS: usize = 48;

/// The share of new words among invented words after those.
const NEW_SHARE: f64 = 0.2;

/// The most frequent English words, most frequent first.
const WORDS: [&str; 120] = [
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "as", "was", "with", "be", "by", "on",
    "not", "he", "his", "but", "at", "are", "this", "have", "from", "or", "had", "an", "they", "which",
    "one", "you", "were", "all", "her", "she", "there", "would", "their", "we", "him", "been", "has", "when",
    "who", "will", "no", "more", "if", "out", "so", "up", "said", "what", "its", "about", "than", "into",
    "them", "can", "only", "other", "time", "new", "some", "could", "these", "two", "may", "first", "then",
    "do", "any", "like", "my", "now", "over", "such", "our", "man", "me", "even", "most", "made", "after",
    "also", "well", "did", "many", "must", "years", "back", "through", "much", "where", "your", "down",
    "should", "because", "long", "each", "just", "state", "those", "people", "too", "world", "very",
    "before", "great", "still", "see", "work", "life", "here", "between", "being", "under", "never", "day",
];

/// The words' weights, 1/rank as integers.
const RANKS: [u64; WORDS.len()] = {
    let mut weights = [0; WORDS.len()];
    let mut index = 0;
    while index < weights.len() {
        weights[index] = 10_000 / (index as u64 + 1);
        index += 1;
    }
    weights
};

/// Vowels with their frequency among English letters, in units of 0.01 %.
const VOWELS: [(u8, u64); 6] =
    [(b'e', 1270), (b'a', 817), (b'o', 751), (b'i', 697), (b'u', 276), (b'y', 197)];

/// Consonants with their frequency among English letters, in units of 0.01 %.
const CONSONANTS: [(u8, u64); 20] = [
    (b't', 906),
    (b'n', 675),
    (b's', 633),
    (b'h', 609),
    (b'r', 599),
    (b'd', 425),
    (b'l', 403),
    (b'c', 278),
    (b'm', 241),
    (b'w', 236),
    (b'f', 223),
    (b'g', 202),
    (b'p', 193),
    (b'b', 149),
    (b'v', 98),
    (b'k', 77),
    (b'j', 15),
    (b'x', 15),
    (b'q', 10),
    (b'z', 7),
];

/// Exactly `length` ASCII characters of text.
pub(super) fn prose(draw: &mut Draw, length: usize) -> String {
    let mut text = String::with_capacity(length + 24);
    let mut own_words = Vec::new();
    let mut sentence_left = 0;
    while text.len() < length {
        let capital = sentence_left == 0;
        if capital {
            sentence_left = draw.length(6, 18);
        }
        let start = text.len();
        push_word(draw, &mut text, &mut own_words);
        if capital && let Some(first) = text.get_mut(start..start + 1) {
            first.make_ascii_uppercase();
        }
        sentence_left -= 1;
        text.push_str(match (sentence_left, draw.below(12)) {
            (0, _) => ". ",
            (_, 0) => ", ",
            _ => " ",
        });
    }
    text.truncate(length);
    text
}

/// Appends a word: a frequent one, a newly invented one, or an earlier invented one of this text.
fn push_word(draw: &mut Draw, text: &mut String, own_words: &mut Vec<String>) {
    if draw.chance(FREQUENT_SHARE) {
        text.push_str(WORDS[draw.weighted(&RANKS).unwrap_or(0)]);
        return;
    }
    if own_words.len() < FIRST_OWN_WORDS || draw.chance(NEW_SHARE) {
        let word = new_word(draw);
        text.push_str(&word);
        own_words.push(word);
    } else {
        text.push_str(&own_words[draw.below(own_words.len() as u64) as usize]);
    }
}

fn new_word(draw: &mut Draw) -> String {
    let letters = draw.length(3, 9);
    let mut vowel = draw.chance(0.3);
    let mut word = String::with_capacity(letters);
    for _ in 0..letters {
        word.push(char::from(if vowel { letter(draw, &VOWELS) } else { letter(draw, &CONSONANTS) }));
        // A quarter of the consonants are followed by another one, but few vowels are.
        vowel = if vowel { draw.chance(0.08) } else { draw.chance(0.75) };
    }
    word
}

fn letter(draw: &mut Draw, letters: &[(u8, u64)]) -> u8 {
    let total = letters.iter().map(|(_, weight)| weight).sum();
    let mut left = draw.below(total);
    for (letter, weight) in letters {
        if left < *weight {
            return *letter;
        }
        left -= weight;
    }
    b'e'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_length_comes_out_exactly_and_in_ascii() {
        let mut draw = Draw::new(1);
        for length in [0, 1, 2, 9, 10, 1_000, 4_696] {
            let text = prose(&mut draw, length);
            assert_eq!(text.len(), length);
            assert!(text.is_ascii());
        }
    }

    #[test]
    fn letters_and_spaces_are_as_frequent_as_in_english() {
        let text = prose(&mut Draw::new(2), 100_000);
        let share = |wanted: char| {
            text.chars().filter(|c| c.eq_ignore_ascii_case(&wanted)).count() as f64 / 100_000.0
        };
        assert!((0.15..0.21).contains(&share(' ')), "{}", share(' '));
        assert!((0.08..0.13).contains(&share('e')), "{}", share('e'));
        assert!(share('e') > share('t') && share('t') > share('m') && share('m') > share('z'));
    }
}
