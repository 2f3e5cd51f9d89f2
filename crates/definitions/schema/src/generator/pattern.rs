//! Strings that match a regular expression, if it is just a sequence of characters and classes, each with or without a count: `^[A-Z]{3}-\d+$`.
//!
//! Limits: alternatives, groups, look-around and negated classes are not supported; unlimited repeats are short.

use super::draw::Draw;

/// The maximum number of unlimited repeats.
const MOST_REPEATS: u32 = 8;
/// Higher counts are not supported.
const MOST_COUNTED: u32 = 1_000;

/// A character class and how often it repeats.
struct Step {
    class: Vec<char>,
    count: (u32, u32),
}

/// A matching string; `None` if the expression has unsupported parts.
pub(super) fn text(pattern: &str, draw: &mut Draw) -> Option<String> {
    let steps = steps(pattern)?;
    let mut text = String::new();
    for Step { class, count } in steps {
        for _ in 0..draw.length(count.0, count.1) {
            text.push(class[draw.below(class.len() as u64) as usize]);
        }
    }
    Some(text)
}

fn steps(pattern: &str) -> Option<Vec<Step>> {
    let inner = pattern.strip_prefix('^').unwrap_or(pattern);
    let inner = match inner.strip_suffix('$') {
        Some(inner) if !inner.ends_with('\\') => inner,
        _ => inner,
    };
    let mut rest = inner.chars().peekable();
    let mut steps = Vec::new();
    while let Some(first) = rest.next() {
        let class = match first {
            '[' => class(&mut rest)?,
            '\\' => escaped(rest.next()?)?,
            '.' => vec!['x', 'y', '7'],
            '(' | ')' | '|' | '^' | '$' | '*' | '+' | '?' | '{' | '}' | ']' => return None,
            plain => vec![plain],
        };
        let count = match rest.peek() {
            Some('*') => Some((0, MOST_REPEATS)),
            Some('+') => Some((1, MOST_REPEATS)),
            Some('?') => Some((0, 1)),
            Some('{') => {
                rest.next();
                let mut inside = String::new();
                while *rest.peek()? != '}' {
                    inside.extend(rest.next());
                }
                let (least, most) = inside.split_once(',').unwrap_or((&inside, &inside));
                let least: u32 = least.parse().ok()?;
                let most = if most.is_empty() { least + MOST_REPEATS } else { most.parse().ok()? };
                (least <= most && most <= MOST_COUNTED).then_some(Some((least, most)))?
            }
            _ => None,
        };
        if count.is_some() {
            rest.next();
            // After a count, `?` or `+` only affects how matches are searched.
            if matches!(rest.peek(), Some('?' | '+')) {
                return None;
            }
        }
        steps.push(Step { class, count: count.unwrap_or((1, 1)) });
    }
    Some(steps)
}

fn escaped(letter: char) -> Option<Vec<char>> {
    Some(match letter {
        'd' => ('0'..='9').collect(),
        'w' => ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(['_']).collect(),
        's' => vec![' '],
        letter if letter.is_ascii_alphanumeric() => return None,
        sign => vec![sign],
    })
}

fn class(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Vec<char>> {
    let mut all: Vec<char> = Vec::new();
    loop {
        let first = rest.next()?;
        let one = match first {
            ']' if !all.is_empty() => return Some(all),
            '^' if all.is_empty() => return None,
            '[' => return None,
            '\\' => escaped(rest.next()?)?,
            plain => vec![plain],
        };
        let is_range = rest.peek() == Some(&'-') && rest.clone().nth(1).is_some_and(|next| next != ']');
        match (&one[..], is_range) {
            ([from], true) => {
                rest.next();
                let to = match rest.next()? {
                    '\\' => *escaped(rest.next()?)?.first()?,
                    plain => plain,
                };
                all.extend(*from..=to);
            }
            (_, true) => return None,
            (several, false) => all.extend(several),
        }
        if all.is_empty() {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_what_the_pattern_says() {
        let mut draw = Draw::new(1);
        for (pattern, is_one) in [
            (
                "^[A-Z]{3}$",
                (|text| text.len() == 3 && text.bytes().all(|b| b.is_ascii_uppercase())) as fn(&str) -> bool,
            ),
            ("^v\\\\d+\\\\.x{2,3}$", |text| text.starts_with('v') && text.contains(".xx")),
            ("[a-f0-9_-]*", |text| text.chars().all(|c| "abcdef0123456789_-".contains(c))),
            ("^$", str::is_empty),
            ("^\\\\w?$", |text| text.len() < 2),
        ] {
            let pattern = pattern.replace("\\\\", "\\");
            for _ in 0..50 {
                let text = text(&pattern, &mut draw).unwrap();
                assert!(is_one(&text), "{pattern}: {text}");
            }
        }
        for pattern in
            ["^(a|b)$", "a|b", "[^a]", "(?=x)", "a**", "\\b", "a{", "a{3,2}", "[", "[]", "a{99999}", "\\"]
        {
            assert_eq!(text(pattern, &mut draw), None, "{pattern}");
        }
    }
}
