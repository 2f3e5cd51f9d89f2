//! Questions to start from: each is a study for users to adapt.

use schemars::JsonSchema;
use serde::Serialize;

/// A question to start from, with its study.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Question {
    /// Its id, which is also the study's `name`.
    pub id: &'static str,
    /// A heading of a few words.
    pub title: &'static str,
    /// The question in a sentence, which is also the study's `why`.
    pub why: &'static str,
    /// The text of the study that answers it.
    pub study: &'static str,
}

/// The questions in the order of the page.
pub const QUESTIONS: &[Question] = &[
    Question {
        id: "vehicle-telemetry",
        title: "Vehicle telemetry over LTE",
        why: "Which format and delivery guarantee cost the least data and time from a car?",
        study: include_str!("../questions/vehicle-telemetry.toml"),
    },
    Question {
        id: "sensor-fleet",
        title: "Sensor fleet",
        why: "How should many small sensors report a short message over a lossy mobile network?",
        study: include_str!("../questions/sensor-fleet.toml"),
    },
    Question {
        id: "data-pipeline",
        title: "Data pipeline",
        why: "Which format and acknowledgement carry the most records a second between services?",
        study: include_str!("../questions/data-pipeline.toml"),
    },
    Question {
        id: "robot-middleware",
        title: "Robot middleware",
        why: "Which format adds the least delay to a robot's messages in its own network?",
        study: include_str!("../questions/robot-middleware.toml"),
    },
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_question_is_a_study_that_a_server_takes() {
        for question in QUESTIONS {
            let study = crate::study::read(question.study).unwrap_or_else(|e| panic!("{}: {e}", question.id));
            assert_eq!((study.name.as_str(), study.why.as_str()), (question.id, question.why));
        }
    }
}
