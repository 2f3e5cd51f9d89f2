//! Expands a study into cells and trials, schedules, starts and collects them.
