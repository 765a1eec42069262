//! Moments as text, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

use time::UtcDateTime;

/// `2026-11-27T23:05:09Z`, as runs are stored.
pub fn now() -> String {
    let now = UtcDateTime::now();
    let (hour, minute, second) = now.as_hms();
    format!("{}T{hour:02}:{minute:02}:{second:02}Z", date(now))
}

/// `2026-11-27 23:05 UTC`; `None` outside the years 1970 to 9999.
pub fn minute(moment: SystemTime) -> Option<String> {
    let seconds = moment.duration_since(UNIX_EPOCH).ok()?.as_secs();
    let moment = UtcDateTime::from_unix_timestamp(seconds.try_into().ok()?).ok()?;
    Some(format!("{} {:02}:{:02} UTC", date(moment), moment.hour(), moment.minute()))
}

fn date(moment: UtcDateTime) -> String {
    format!("{}-{:02}-{:02}", moment.year(), u8::from(moment.month()), moment.day())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn moment_is_text_in_utc() {
        let at = |seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).and_then(minute);
        assert_eq!(at(0).as_deref(), Some("1970-01-01 00:00 UTC"));
        assert_eq!(at(951_827_696).as_deref(), Some("2000-02-29 12:34 UTC"));
        assert_eq!(at(u64::MAX >> 2), None);
        assert_eq!(minute(UNIX_EPOCH - Duration::from_secs(1)), None);
        assert_eq!((now().len(), &now()[10..11], &now()[19..]), (20, "T", "Z"));
    }
}
