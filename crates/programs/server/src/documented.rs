//! The limits that docs/SERVER.md names are those of the code.

use std::time::Duration;

use crate::{audit, metrics, patience, payloads, routes, serve, start};

const DOCUMENT: &str = include_str!("../../../../docs/SERVER.md");

fn whole(of: f64) -> u64 {
    of as u64
}

fn seconds(of: Duration) -> u64 {
    of.as_secs()
}

/// A number as it is written: `100,000`.
fn grouped(number: i64) -> String {
    wiredyno_report::quantity::count(number.unsigned_abs())
}

#[test]
fn the_documented_limits_are_those_of_the_code() {
    let told = [
        format!(
            "bodies ({} MB, {} MB together, {} kB before login)",
            routes::BODY_BYTES >> 20,
            routes::BODIES >> 10,
            routes::FIRST_BODY_BYTES >> 10
        ),
        format!("texts ({} MB)", payloads::UPLOAD_BYTES >> 20),
        format!("connections ({}, {} from one address)", serve::CONNECTIONS, serve::CONNECTIONS_EACH),
        format!("event streams ({}, {} of one client)", start::STREAMS, start::STREAMS_EACH),
        format!(
            "requests ({} a second per client, {} at once) and queries ({} a second)",
            whole(start::REQUESTS.0),
            whole(start::REQUESTS.1),
            whole(start::QUESTIONS.0)
        ),
        format!(
            "bodies at a time ({} of one client), on the time for headers ({} s), bodies ({} s, before login {} s) and answers ({} s)",
            routes::SENDERS_EACH,
            seconds(serve::HEAD),
            seconds(routes::BODY),
            seconds(routes::FIRST_BODY),
            seconds(routes::ANSWER)
        ),
        format!("({} kB in {} s)", patience::LEAST >> 10, seconds(patience::WINDOW)),
        format!("a limit each ({} and {})", grouped(audit::CHANGES), grouped(audit::REFUSALS)),
        format!(
            "({} fields, {} kB of definition)",
            grouped(payloads::FIELDS as i64),
            payloads::DEFINITION_BYTES >> 10
        ),
        format!("the latest run of each of {} studies", metrics::STUDIES),
        format!("of up to {} cells", metrics::CELLS),
        format!(
            "after {} wrong ones from an address, one attempt every {} seconds",
            in_words(whole(start::LOGINS.1)),
            in_words(whole(1.0 / start::LOGINS.0))
        ),
        format!("sessions last {} hours", in_words(crate::session::SESSION_MS as u64 / 3_600_000)),
    ];
    let document = DOCUMENT.split_whitespace().collect::<Vec<_>>().join(" ");
    let missing: Vec<&String> = told.iter().filter(|limit| !document.contains(limit.as_str())).collect();
    assert!(missing.is_empty(), "docs/SERVER.md lacks {missing:#?}");
}

fn in_words(number: u64) -> &'static str {
    match number {
        6 => "six",
        10 => "ten",
        12 => "twelve",
        other => panic!("no word for {other}"),
    }
}
