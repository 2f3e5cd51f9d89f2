//! What a trial broke by, where one cause looks like another.

use wiredyno_seats::seat::away::Away;
use wiredyno_seats::seat::clock::Moment;
use wiredyno_seats::serving::Server;

use super::{ConductError, io_error};

/// If a server has ended, that is the reason for whatever went wrong.
pub(super) fn blamed(server: &mut Server, error: ConductError) -> ConductError {
    let ended = match &error {
        ConductError::Broke(_) => server.ended_soon(),
        _ => server.ended(),
    };
    ended.map_or(error, ConductError::Broke)
}

/// By a clock that was set, messages seem not to arrive: then it is the reason.
pub(super) fn clocks_first(away: Option<&dyn Away>, since: Moment, error: ConductError) -> ConductError {
    match (&error, away) {
        (ConductError::Broke(_), Some(away)) => {
            away.settle(since, Moment::now()).map_or_else(io_error("the clocks"), |()| error)
        }
        _ => error,
    }
}
