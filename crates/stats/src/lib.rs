//! Summaries, intervals, comparisons and sequential stopping. Pure functions.
