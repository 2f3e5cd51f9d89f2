//! The limits of a test on this server: time to compile, time of its trials, space.

use std::path::Path;
use std::time::{Duration, Instant};

use super::Settings;
use crate::space;

/// How often the space that a run uses is looked at.
const SPACE: Duration = Duration::from_secs(5);

/// The limits of an attempt, as far as it has come.
pub(super) struct Limits<'a> {
    settings: &'a Settings,
    folder: &'a Path,
    begun: Instant,
    /// When it had compiled its runners.
    compiled: Option<Instant>,
    looked: Instant,
}

/// A limit that an attempt has exceeded.
pub(super) struct Exceeded {
    pub(super) reason: String,
    /// Whether it continues as soon as it can, which is not a failure.
    pub(super) resumes: bool,
}

impl<'a> Limits<'a> {
    pub(super) fn new(settings: &'a Settings, folder: &'a Path) -> Self {
        let now = Instant::now();
        Limits { settings, folder, begun: now, compiled: None, looked: now }
    }

    /// The limit that is exceeded now.
    pub(super) fn exceeded(&mut self, compiles: bool) -> Option<Exceeded> {
        let Settings { most_compile, most_seconds, most_bytes, least_free, data, .. } = self.settings;
        let for_good = |reason: String| Some(Exceeded { reason, resumes: false });
        if compiles {
            let minutes = most_compile.as_secs() / 60;
            let late = self.begun.elapsed() > *most_compile;
            return for_good(format!("its runners were not compiled within {minutes} minutes"))
                .filter(|_| late);
        }
        let compiled = *self.compiled.get_or_insert_with(Instant::now);
        if compiled.elapsed().as_secs() > *most_seconds {
            let hours = *most_seconds as f64 / 3600.0;
            return for_good(format!(
                "its trials took more than the {hours:.1} hours that a test may take here"
            ));
        }
        if self.looked.elapsed() < SPACE {
            return None;
        }
        self.looked = Instant::now();
        if space::used(self.folder) > *most_bytes {
            let gigabytes = *most_bytes as f64 / 1e9;
            return for_good(format!(
                "its run folder has more than the {gigabytes:.1} GB that a run may have here"
            ));
        }
        space::lacking(data, least_free / 2).map(|reason| Exceeded { reason, resumes: true })
    }
}
