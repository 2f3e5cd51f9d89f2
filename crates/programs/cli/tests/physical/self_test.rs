//! The positive control. The assertions need no quiet machine: bytes, and losses that the link draws.

use serde_json::Value;

use crate::stand::{Desk, array};

/// One result per control. The exit code is 0 or 3, depending on the controls that need quiet.
pub fn finds_what_was_made() {
    let desk = Desk::for_runs();
    let said = desk.wiredyno(&["doctor", "--self-test", "--repeats", "5", "--json"]);
    assert!(matches!(said.code, Some(0 | 3)), "{}", said.err);
    let findings: Value = serde_json::from_str(&said.out).unwrap();
    let of = |control: &str| {
        let mut all = array(&findings).iter();
        all.find(|finding| finding["control"] == control)
            .unwrap_or_else(|| panic!("{control}: {findings}"))
            .clone()
    };
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"));

    // 64 bytes of 1,281: 48 more of the payload in base64.
    let bytes = of("bytes");
    assert!((number(&bytes["difference"]["mean"]) - 64.0 / 1281.0).abs() < 1e-9, "{bytes}");
    assert_eq!((bytes["found"].as_bool(), number(&bytes["power"])), (Some(true), 1.0));
    assert_eq!(number(&bytes["between_equal"]["p_value"]), 1.0, "{bytes}");
    assert_eq!(bytes["smallest"], serde_json::json!([[5, 0.0], [20, 0.0]]));

    // Of 5,000 messages 100 are lost on average, with a deviation of 10.
    let loss = of("loss");
    assert_eq!((&loss["found"], &loss["pairs"]), (&true.into(), &5.into()), "{loss}");
    assert!((0.01..0.03).contains(&number(&loss["difference"]["mean"])), "{loss}");

    // Controls that need quiet are judged, or the output says why not.
    for control in ["delay", "work", "cost"] {
        let finding = of(control);
        let judged = finding["found"].is_boolean() && number(&finding["smallest"][1][1]) > 0.0;
        let why = finding["not_judged"].as_str().unwrap_or_default();
        assert!(judged || why.contains("are complete") || why.contains("would need"), "{finding}");
    }
    // A tenth of what the pilot measured, from which the study's own value may differ a little.
    let cost = of("cost");
    assert!(cost["not_judged"].is_string() || (0.02..0.5).contains(&number(&cost["made"])), "{cost}");
}

/// Fewer repeats than an interval needs are refused.
pub fn refuses_too_few_repeats() {
    let said = Desk::new().wiredyno(&["doctor", "--self-test", "--repeats", "4"]);
    assert!(said.refused(1).contains("at least 5"));
}
