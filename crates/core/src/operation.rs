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
        /// Transfer a file, encrypted, over TCP from one process to another.
        Transfer = "transfer",
    }
}

impl Operation {
    /// Whether it consumes sealed text rather than the message.
    pub const fn consumes_sealed(self) -> bool {
        matches!(self, Self::Open | Self::Decrypt)
    }
}

words! {
    /// Where the output of a call goes. Ratios are formed within one form only.
    Form, "form" {
        /// Over the message itself.
        InPlace = "in-place",
        /// Into a second buffer that the caller allocated beforehand.
        Into = "into",
        /// Into memory that the library allocates in each call.
        Fresh = "fresh",
        /// Of a transfer: the receiver authenticates the bytes and discards them.
        Discard = "discard",
        /// Of a transfer: the receiver writes a file.
        File = "file",
    }
}

impl Form {
    /// The forms of calls on messages in memory.
    pub const IN_MEMORY: &'static [Self] = &[Self::InPlace, Self::Into, Self::Fresh];

    /// Whether `operation` has this form.
    pub const fn is_of(self, operation: Operation) -> bool {
        matches!(operation, Operation::Transfer) == matches!(self, Self::Discard | Self::File)
    }
}
