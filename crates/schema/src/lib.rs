//! Reads message definitions, makes and reads samples, generates types for every codec.
pub mod generator;
