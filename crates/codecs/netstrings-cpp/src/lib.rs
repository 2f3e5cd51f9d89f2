//! OpenDaVINCI's Netstrings of 2015 in C++, the way its visitors work.
//!
//! The library of that time is not packaged any more; this is written from the study's description of it (V. Borosean, S. Eidukas, A. Dang,
//! "Evaluating Data Marshalling Approaches for Embedded Real-Time Systems on the Example of Autonomous Scaled Cars", University of
//! Gothenburg, 2015), and is ours. The layout is that of `netstrings/wiredyno`, whose documentation states it.

pub mod declared;
