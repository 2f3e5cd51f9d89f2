//! Composes runners: a message definition, codecs and transports become a program in the cache.
//!
//! A [`Composition`] says what a runner must contain. [`Cache`] has the runners that were built; [`Workshop`] builds missing
//! ones, from the sources that the program carries and the crates that are generated for the definition.
//!
//! Limits: one definition per runner. Libraries have the versions of the program, its profile, and the features that all
//! codecs and transports together need, whichever of them are compiled.

mod answers;
mod cache;
mod cache_error;
mod cargo;
mod composition;
mod desk;
mod estimate;
mod left_out;
mod made;
pub mod pack;
mod parts;
mod tools;
mod user_folder;
mod weight;
mod workshop;

pub use answers::ask;
pub use cache::{Cache, CachedRunner, Composed, Level};
pub use cache_error::CacheError;
pub use cargo::{BuildStep, CargoError};
pub use composition::{ComposeError, Composition};
pub use left_out::LeftOut;
pub use made::{Bench, Ordered};
pub use pack::Pack;
pub use weight::{Weight, WeightError};
pub use workshop::{BuildError, MOST_BYTES, Workshop};
