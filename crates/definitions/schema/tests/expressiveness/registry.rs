//! Tests that need no tool: the registries are consistent with each other, and the document with them.

use std::path::Path;

use libtest_mimic::Trial;
use wiredyno_schema::expressiveness::{
    By, COMPILERS, CONSTRUCTS, Change, PRINTED, Says, Support, TEXTS, TRIALS, compared, document, languages,
    table,
};

fn every_construct_has_a_cell_in_every_language() {
    let cells = table().unwrap();
    assert_eq!(cells.len(), CONSTRUCTS.len() * languages().count());
    for cell in &cells {
        let tried = CONSTRUCTS.iter().any(|c| c.id == cell.construct && matches!(c.by, By::Readers(_)));
        assert!(tried || !cell.evidence.is_empty(), "nothing backs {} in {}", cell.construct, cell.language);
    }
}

fn texts_and_trials_name_what_there_is() {
    let is_language = |id: &str| languages().any(|idl| idl.id() == id);
    for text in TEXTS {
        assert!(is_language(text.language), "{}", text.language);
        assert!(CONSTRUCTS.iter().any(|construct| construct.id == text.construct), "{}", text.construct);
    }
    for idl in languages() {
        assert_eq!(COMPILERS.iter().filter(|c| c.language == idl.id()).count(), 1, "{}", idl.id());
        for change in [Change::Add, Change::Remove] {
            let first = TRIALS.iter().find(|t| t.language == idl.id() && t.change == change);
            assert!(first.is_some_and(|first| first.form.is_empty()), "{}: {change:?}", idl.id());
        }
    }
}

/// Silence: the text is the same with and without a restriction.
fn a_no_rests_on_a_refusal_on_silence_or_on_a_trial() {
    for cell in table().unwrap() {
        if !matches!(cell.support, Support::Not(_)) {
            continue;
        }
        let refused = cell.evidence.iter().any(|evidence| !evidence.taken);
        let taken: Vec<&str> = cell
            .evidence
            .iter()
            .filter(|evidence| evidence.taken)
            .map(|evidence| evidence.text.as_str())
            .collect();
        let silent = matches!(taken.as_slice(), [with, without] if with == without);
        let tried = TRIALS
            .iter()
            .any(|trial| trial.language == cell.language && trial.change.construct() == cell.construct);
        assert!(
            refused || silent || tried,
            "nothing backs the no of {} in {}",
            cell.construct,
            cell.language
        );
    }
}

fn no_text_says_what_the_translation_says_already() {
    for cell in table().unwrap() {
        let text = TEXTS.iter().find(|text| {
            let same = text.language == cell.language && text.construct == cell.construct;
            same && !matches!(text.says, Says::Refused(_))
        });
        if text.is_some() {
            let other = cell.translated.is_some()
                || CONSTRUCTS.iter().any(|c| c.id == cell.construct && matches!(c.by, By::Text));
            assert!(other, "{} in {}: the translation is as good", cell.construct, cell.language);
        }
    }
}

fn a_difference_from_the_study_is_explained_and_nothing_else_is() {
    let cells = table().unwrap();
    for printed in PRINTED {
        let compared = compared(printed, &cells);
        assert_eq!(compared.len(), printed.cells.len(), "table {}", printed.number);
        for compared in compared {
            let cell = compared.printed;
            let what =
                format!("table {}: {} in {}: {:?}", printed.number, cell.row, cell.language, compared.ours);
            assert_eq!(compared.agrees, cell.because.is_empty(), "{what}");
        }
    }
}

fn docs_expressiveness_is_what_the_registry_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/EXPRESSIVENESS.md");
    let document = document().unwrap();
    if std::env::var_os("WIREDYNO_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, document).unwrap();
        return;
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == document,
        "docs/EXPRESSIVENESS.md is not what the registry says: run with WIREDYNO_UPDATE_SNAPSHOTS=1"
    );
}

fn known_cells_come_out() {
    let cells = table().unwrap();
    let support = |language: &str, construct: &str| {
        let cell = cells.iter().find(|cell| cell.language == language && cell.construct == construct);
        cell.unwrap().support.clone()
    };
    let by = |by: &str| Support::StandIn(by.to_owned());
    assert_eq!(support("proto", "map"), Support::Direct);
    assert_eq!(support("lcm", "uint32"), by("a signed integer of 64 bits"));
    assert_eq!(support("thrift", "float"), by("double"));
    assert_eq!(support("asn1", "range"), Support::Direct);
    assert!(matches!(support("proto", "range"), Support::Not(_)));
    assert!(matches!(support("proto", "default"), Support::Not(_)));
    assert!(matches!(support("lcm", "add-field"), Support::Not(_)));
    assert_eq!(support("proto", "add-field"), Support::Direct);
}

pub fn tests() -> Vec<Trial> {
    let tests: [(&str, fn()); 7] = [
        ("every_construct_has_a_cell_in_every_language", every_construct_has_a_cell_in_every_language),
        ("texts_and_trials_name_what_there_is", texts_and_trials_name_what_there_is),
        (
            "a_no_rests_on_a_refusal_on_silence_or_on_a_trial",
            a_no_rests_on_a_refusal_on_silence_or_on_a_trial,
        ),
        ("no_text_says_what_the_translation_says_already", no_text_says_what_the_translation_says_already),
        (
            "a_difference_from_the_study_is_explained_and_nothing_else_is",
            a_difference_from_the_study_is_explained_and_nothing_else_is,
        ),
        ("docs_expressiveness_is_what_the_registry_says", docs_expressiveness_is_what_the_registry_says),
        ("known_cells_come_out", known_cells_come_out),
    ];
    tests.into_iter().map(|(name, run)| crate::test(name.to_owned(), None, run)).collect()
}
