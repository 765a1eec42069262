//! The server's clock, as text: RFC 3339, UTC, to the second.

use anyhow::{Context, Result};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime, UtcOffset};

use crate::fault;

/// The present moment.
pub fn now() -> String {
    text(fault::now()).unwrap_or_default()
}

/// A moment by how far it is from now.
///
/// # Errors
/// It is beyond the calendar.
pub fn from_now(away: Duration) -> Result<String> {
    let moment = fault::now().checked_add(away).and_then(text);
    moment.context("that is beyond the calendar; name fewer days")
}

/// A moment as RFC 3339 has it, in UTC. `None`: it is none.
pub fn moment(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()?.checked_to_offset(UtcOffset::UTC)
}

/// A moment of any zone as runs are stored, to the second: one within a second becomes its end. `None`: it is none.
pub fn as_stored(written: &str) -> Option<String> {
    let moment = moment(written)?;
    text(if moment.nanosecond() == 0 { moment } else { moment.checked_add(Duration::SECOND)? })
}

/// A moment in UTC as text.
pub fn text(moment: OffsetDateTime) -> Option<String> {
    moment.replace_nanosecond(0).ok()?.format(&Rfc3339).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_runs_are_stored() {
        let now = now();
        assert_eq!((now.len(), &now[10..11], &now[19..]), (20, "T", "Z"));
        assert!(from_now(-Duration::days(1)).unwrap() < now && from_now(Duration::days(1)).unwrap() > now);
        assert!(from_now(Duration::days(i64::from(i32::MAX))).is_err());
    }
}
