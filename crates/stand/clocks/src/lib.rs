//! The offset between two machines' clocks, with a bound on its error, from exchanges of four timestamps (the on-wire protocol of NTP,
//! RFC 5905, section 8). Pure and deterministic: it reads no clock and opens no socket.
//!
//! # What is known
//!
//! `C` is our clock, `A` the other machine's, and `θ(c) = A − C` at the moment when ours shows `c`. An exchange leaves at `t1` (C), arrives at
//! `t2` (A), is answered at `t3` (A), and the answer arrives at `t4` (C). No packet arrives before it leaves, so
//!
//! ```text
//! t3 − t4  ≤  θ  ≤  t2 − t1        width: the round trip (t4 − t1) − (t3 − t2)
//! ```
//!
//! Its middle is NTP's offset `((t2 − t1) + (t3 − t4)) / 2`, and half its width, half the round trip, is how wrong that can be: all of the
//! delay may lie on one way (Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989).
//!
//! # What is assumed of clocks
//!
//! [`Assumptions`] has the numbers. The offset changes no faster than `rate`, and that speed changes by no more than `wander` a second, except
//! at a *break*: a step of the offset or of its speed. Within twice the [`horizon`](Assumptions::horizon_ns) around a moment there is at most one break, and none
//! within an exchange.
//!
//! # The estimate
//!
//! For a moment `c`, exchange `i` in the middle of its round trip, `Δ` before or after `c`, rules out all offsets `θ` and speeds `ρ` at `c` but
//!
//! ```text
//! t3 − t4 − s  ≤  θ + ρ Δ  ≤  t2 − t1 + s        s = resolution + rate · h + wander · (|Δ| + h)² / 2
//! ```
//!
//! with `h` half the time from `t1` to `t4`. What is left is a convex polygon, whose extent along `θ` is exact (two linear programs in two
//! variables). This holds for the tangent at any other moment too, with `Δ` in `s` counted from there, and `wander · Δ² / 2` added for the way from there to `c`: what all of several tangents leave
//! counts. Fitting lines below and above samples of delays is the method of Moon, Skelly and Towsley ("Estimation and removal of clock skew
//! from network delay measurements", INFOCOM 1999); here the line also bends, and the whole polygon counts instead of one optimum.
//!
//! The exchanges up to `c` give one interval, those from `c` on another. A break at an unknown moment spoils at most one of the two, so the
//! estimate covers both: the truth is in it wherever the break was, and however well the delays hide it. An estimate between these ends is
//! [`Estimate::offset_ns`], half their distance [`Estimate::bound_ns`]: half the smallest round trip, more for the time since that
//! exchange, and the resolution.
//!
//! # Limits
//!
//! The bound holds for a machine that stamps exchanges with the clock with which it stamps messages: one that lies in exchanges alone can't be detected,
//! unless its stamps contradict each other. While NTP slews a clock faster than `rate` (chrony may), there are two breaks shortly after each other.

mod change;
mod exchange;
mod polygon;
mod track;

pub use change::Change;
pub use exchange::{Exchange, ExchangeError};
pub use track::{Assumptions, Break, Contradiction, Estimate, Track, narrower};

mod identity;
pub use identity::{ClockIdentity, SameClockError};
