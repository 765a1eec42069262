//! The ways in which simulated workers are wrong.

/// What is wrong with a provider.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Vice {
    #[default]
    None,
    /// Gives wrong outputs in `check`.
    WrongCheck,
    /// Answers no vector.
    NoCheck,
    /// Takes two seconds for each operation on a vector.
    SlowCheck,
    /// Takes 10 µs to set up each text of a sample.
    SlowTexts,
    /// Puts out something else than everybody at lengths that no vector has.
    WrongAtLength(u64),
    /// Right when it is checked; the timed loop leaves the output of an older iteration.
    Cached,
    /// Says that it can't do messages over so many bytes.
    Refuses(u64),
    /// Ends after so many samples.
    Dies(u32),
    /// Gives no answer after so many samples.
    Hangs(u32),
    /// Takes nineteen seconds for each of a process's first answers once so many seconds have passed.
    Dawdles(f64),
    /// Answers with something that is no line, after so many samples.
    Garbage(u32),
    /// Claims that a sample took so many nanoseconds.
    Claims(u64),
    /// Claims so small a part of what a sample took.
    ClaimsPart(u64),
    /// Answers for another cell.
    WrongCell,
    /// Reports an error for a sample.
    Reports,
    /// The first byte of the second thread's slice of a split message comes out wrong.
    WrongAtSlice,
    /// A byte of a split message comes out wrong that nobody looks at.
    WrongSomewhere,
    /// Does not decrypt what it encrypted.
    NoWayBack,
    /// Can't time single calls.
    NoLatency,
    /// Times fewer single calls than it was asked for.
    FewCalls,
    /// Doesn't know how much memory it uses.
    NoMemory,
    /// Breaks, refuses, or puts out something wrong once a cell was released, except where it is verified.
    BreaksAfterRelease,
    RefusesAfterRelease,
    WrongAfterRelease,
    /// Claims that each single call took so many nanoseconds.
    LongCalls(u64),
}
