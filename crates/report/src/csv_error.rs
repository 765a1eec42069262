//! Errors of writing CSV.

use std::io;

/// The error beneath, so that whoever asks for its kind still finds a closed pipe.
pub(crate) fn unwrapped(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
