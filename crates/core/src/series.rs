//! What is followed through a sample's last transfer.

use crate::word::words;

words! {
    /// What is followed through a transfer, an entry for each 50 ms of it.
    Series, "series" {
        /// CPU time that the sender's process used within them, in microseconds.
        Cpu = "series_cpu",
        /// The same of the receiver's process.
        PeerCpu = "series_peer_cpu",
        /// What is resident in the sender's process, in KiB.
        Rss = "series_rss",
        /// The same of the receiver's process.
        PeerRss = "series_peer_rss",
    }
}

impl Series {
    /// The most entries: 50 s.
    pub const MOST: usize = 1000;
}
