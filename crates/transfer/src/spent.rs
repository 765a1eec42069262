//! Where the time of an end's data connections went: both ends together tell from it what limited a transfer.

use std::iter::Sum;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Time of all data connections of one end, added up: with several, it may be more than passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Reading or writing files, or a pipe.
    #[serde(with = "nanoseconds")]
    pub files: Duration,
    /// Inside the cipher's calls.
    #[serde(with = "nanoseconds")]
    pub cipher: Duration,
    /// Waiting until the network took or brought bytes.
    #[serde(with = "nanoseconds")]
    pub network: Duration,
    /// Waiting for the sake of the sender's limit.
    #[serde(with = "nanoseconds")]
    pub limit: Duration,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, more: Self) {
        self.files += more.files;
        self.cipher += more.cipher;
        self.network += more.network;
        self.limit += more.limit;
    }
}

impl Sum for Spent {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, one| {
            sum += one;
            sum
        })
    }
}

/// Does the work, and adds the time that it takes.
pub(crate) fn timed<T>(sum: &mut Duration, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let done = work();
    *sum += began.elapsed();
    done
}

mod nanoseconds {
    use super::{Deserialize, Duration};
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_nanos)
    }
}
