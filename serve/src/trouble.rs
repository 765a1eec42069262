//! What is wrong with the database, so far as those who push can be told what to do.

use std::io::ErrorKind;

use axum::http::StatusCode;
use ciphermeter_terminal::output;

/// SQLite's result codes, of which an extended one has its primary one in the last byte: <https://sqlite.org/rescode.html>.
const SQLITE_BUSY: u32 = 5;
const SQLITE_LOCKED: u32 = 6;
const SQLITE_READONLY: u32 = 8;
const SQLITE_FULL: u32 = 13;
/// PostgreSQL's codes have five characters: <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
const SQLSTATE: usize = 5;

/// A fault of the database that has a remedy of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Its disk is full.
    Full,
    /// Another program keeps it locked.
    Locked,
    /// It may not be written.
    ReadOnly,
    /// It does not answer.
    Away,
}

impl Trouble {
    /// `None`: it is another fault.
    pub fn of(error: &anyhow::Error) -> Option<Self> {
        match error.chain().find_map(|cause| cause.downcast_ref::<sqlx::Error>())? {
            sqlx::Error::Database(why) => Self::of_code(&why.code()?),
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_) | sqlx::Error::WorkerCrashed => {
                Some(Self::Away)
            }
            _ => None,
        }
    }

    fn of_code(code: &str) -> Option<Self> {
        if code.len() == SQLSTATE {
            return match code {
                "53100" => Some(Self::Full),
                "25006" => Some(Self::ReadOnly),
                // It ends, has crashed, starts, or has no connection left; the connection broke.
                "53300" | "57P01" | "57P02" | "57P03" => Some(Self::Away),
                _ if code.starts_with("08") => Some(Self::Away),
                _ => None,
            };
        }
        match code.parse::<u32>().ok()? & 0xff {
            SQLITE_FULL => Some(Self::Full),
            SQLITE_BUSY | SQLITE_LOCKED => Some(Self::Locked),
            SQLITE_READONLY => Some(Self::ReadOnly),
            _ => None,
        }
    }

    /// What is said of it, with what to do.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Full => "the disk of the server's database is full: make room there, then try again",
            Self::Locked => "another program keeps the server's database locked: end it, then try again",
            Self::ReadOnly => "the server's database may only be read: let the server's user write it, then try again",
            Self::Away => "the server's database does not answer: start it, then try again",
        }
    }

    /// The status of an answer that says so.
    pub fn status(self) -> StatusCode {
        match self {
            Self::Full => StatusCode::INSUFFICIENT_STORAGE,
            Self::Locked | Self::ReadOnly | Self::Away => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// Writes an error to standard error, once and with what to do where it is the database's.
pub fn tell(error: &anyhow::Error) {
    match error.chain().any(|cause| cause.is::<sqlx::Error>()) {
        true => output::tell_error(&anyhow::anyhow!(said_once(error))),
        false => output::tell_error(error),
    }
}

/// An error and its causes, without those that the one before already names, as the database's errors do; and a remedy.
fn said_once(error: &anyhow::Error) -> String {
    let mut said = String::new();
    for cause in error.chain() {
        let sent = cause.downcast_ref::<sqlx::Error>();
        // What PostgreSQL says, without the line of its own source.
        let text = match sent.and_then(sqlx::Error::as_database_error) {
            Some(why) => why.message().to_owned(),
            None => cause.to_string(),
        };
        if !said.contains(&text) {
            said = if said.is_empty() { text } else { format!("{said}: {text}") };
        }
        if let Some(sent) = sent {
            let remedy = remedy(sent).map(|remedy| format!("; {remedy}")).unwrap_or_default();
            return format!("{said}{remedy}");
        }
    }
    said
}

/// What to do where a PostgreSQL cannot be used as it was named.
fn remedy(error: &sqlx::Error) -> Option<&'static str> {
    match error {
        sqlx::Error::Database(why) => match &*why.code()? {
            "28000" | "28P01" => {
                Some("name a role that may use it, and its password: postgres://USER:PASSWORD@HOST/NAME")
            }
            "3D000" => Some("make it with `createdb NAME`, or name another one"),
            _ => None,
        },
        sqlx::Error::Io(why) if matches!(why.kind(), ErrorKind::ConnectionRefused | ErrorKind::NotFound) => {
            Some("start PostgreSQL there, or name another database")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_both_engines_are_known() {
        for (code, trouble) in [
            ("13", Some(Trouble::Full)),
            ("5", Some(Trouble::Locked)),
            ("517", Some(Trouble::Locked)),
            ("1032", Some(Trouble::ReadOnly)),
            ("1555", None),
            ("53100", Some(Trouble::Full)),
            ("57P01", Some(Trouble::Away)),
            ("08006", Some(Trouble::Away)),
            ("23505", None),
            ("none", None),
        ] {
            assert_eq!(Trouble::of_code(code), trouble, "{code}");
        }
    }
}
