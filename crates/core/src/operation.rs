//! The operations of algorithms, and where their output goes.

use crate::word::words;

words! {
    /// What a timed call does.
    Operation, "operation" {
        /// From raw key to an object ready for use, and its release.
        KeySetup = "key-setup",
        /// Encrypt and authenticate.
        Seal = "seal",
        /// Check and decrypt.
        Open = "open",
        /// Encrypt with a bare cipher.
        Encrypt = "encrypt",
        /// Decrypt with a bare cipher.
        Decrypt = "decrypt",
        /// Move a file, encrypted, over TCP from one process to another, or to a disk and back.
        Transfer = "transfer",
    }
}

impl Operation {
    /// Whether it consumes sealed text rather than the message.
    pub const fn consumes_sealed(self) -> bool {
        matches!(self, Self::Open | Self::Decrypt)
    }
}

/// Messages of a batch: as many as DPDK's programs take from a network card at once.
pub const BATCH: u64 = 32;
/// The same in words.
pub const IN_BATCHES: &str = "in batches of 32";

words! {
    /// Where the output of a call goes. Ratios are formed within one form only.
    Form, "form" {
        /// Over the message itself.
        InPlace = "in-place",
        /// Into a second buffer that the caller allocated beforehand.
        Into = "into",
        /// Into memory that the library allocates in each call.
        Fresh = "fresh",
        /// The same, where each call is the first and only one of a process of its own.
        Process = "process",
        /// As `into`, of messages that are handed to the library [`BATCH`] at a time.
        Batch = "batch",
        /// Split among threads, to each a contiguous slice.
        Static = "static",
        /// Split among threads, of which each takes the next chunk when it is done with one.
        Dynamic = "dynamic",
        /// As `static`, from one memory-mapped file to another.
        Mapped = "mapped",
        /// As `dynamic`, read from one file and written to another through the page cache.
        Buffered = "buffered",
        /// As `dynamic`, from one file to another by direct I/O, past the page cache.
        Direct = "direct",
        /// On a graphics card, in its own memory.
        Device = "device",
        /// Copied to a graphics card, encrypted and copied back, the three overlapping, from pinned memory.
        EndToEnd = "end-to-end",
        /// The same one after another, from pageable memory.
        Pageable = "pageable",
        /// Of a transfer: the receiver authenticates the bytes and discards them.
        Discard = "discard",
        /// Of a transfer: the receiver writes a file.
        File = "file",
        /// Of a transfer: written to a disk that the kernel encrypts, and read back.
        Disk = "disk",
    }
}

impl Form {
    /// The forms of calls on messages in memory.
    pub const IN_MEMORY: &'static [Self] = &[Self::InPlace, Self::Into, Self::Fresh];

    /// The forms of one message that several threads, or a graphics card, encrypt together.
    pub const SPLIT: &'static [Self] = &[
        Self::Static,
        Self::Dynamic,
        Self::Mapped,
        Self::Buffered,
        Self::Direct,
        Self::Device,
        Self::EndToEnd,
        Self::Pageable,
    ];

    /// Whether `operation` has this form.
    pub const fn is_of(self, operation: Operation) -> bool {
        match self {
            Self::InPlace | Self::Into | Self::Fresh => !matches!(operation, Operation::Transfer),
            Self::Process | Self::Batch => !matches!(operation, Operation::Transfer | Operation::KeySetup),
            Self::Discard | Self::File | Self::Disk => matches!(operation, Operation::Transfer),
            _ => matches!(operation, Operation::Encrypt),
        }
    }

    /// Whether one message is encrypted by several threads, or by a graphics card (PROTOCOL.md, Split messages).
    pub const fn is_split(self) -> bool {
        !matches!(self, Self::InPlace | Self::Into | Self::Fresh | Self::Process | Self::Batch)
            && !self.is_of(Operation::Transfer)
    }

    /// How many messages the library gets in a call, at most.
    pub const fn messages_a_call(self) -> u64 {
        if matches!(self, Self::Batch) { BATCH } else { 1 }
    }

    /// The form of one thread that several are compared with: one has none to share chunks with.
    pub const fn of_one_thread(self) -> Self {
        if matches!(self, Self::Dynamic) { Self::Static } else { self }
    }

    /// Whether a graphics card does it.
    pub const fn is_of_card(self) -> bool {
        matches!(self, Self::Device | Self::EndToEnd | Self::Pageable)
    }

    /// Whether a processor plays the card of a library with this code path, so that a figure says nothing about cards.
    pub fn is_played_by(self, path: &str) -> bool {
        self.is_of_card() && path.ends_with("software")
    }

    /// Whether the message is a file.
    pub const fn is_of_files(self) -> bool {
        matches!(self, Self::Mapped | Self::Buffered | Self::Direct)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_in_words_has_as_many_messages() {
        assert!(IN_BATCHES.ends_with(&format!(" {BATCH}")));
        assert_eq!((Form::Batch.messages_a_call(), Form::Into.messages_a_call()), (BATCH, 1));
    }
}
