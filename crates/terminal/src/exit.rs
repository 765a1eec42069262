//! Exit codes, in one place.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All well.
    Fine,
    /// Something is surely slower than it was.
    Regression,
    /// Wrong arguments, scenario or store: nothing was measured.
    Usage,
    /// A provider's output was wrong.
    WrongOutput,
    /// Nothing here can be measured.
    Nothing,
    /// Some cells or workers fell out.
    Partial,
    /// Ended by the user.
    Interrupted,
}

impl Exit {
    /// The code for an error.
    pub fn of(error: &anyhow::Error) -> Self {
        error.downcast_ref::<WithExit>().map_or(Self::Usage, |with| with.exit)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Regression => 1,
            Exit::Usage => 2,
            Exit::WrongOutput => 3,
            Exit::Nothing => 4,
            Exit::Partial => 5,
            Exit::Interrupted => 130,
        })
    }
}

/// An error that asks for another exit code than that of wrong usage.
#[derive(Debug)]
pub struct WithExit {
    /// The code.
    pub exit: Exit,
    /// What to say.
    pub message: String,
}

impl std::fmt::Display for WithExit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for WithExit {}
