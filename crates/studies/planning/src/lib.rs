//! From a study to the trials that a run carries out: the study as requested, what is at hand for it, what this machine lacks,
//! which runners it needs, in which order its trials begin, and what an interrupted run still lacks.

pub mod catalogue;
pub mod left_out;
pub mod meaning;
pub mod needs;
pub mod plan;
pub mod ready;
pub mod resume;
pub mod source;
pub mod stock;
pub mod study;
