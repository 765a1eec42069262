//! What a sender knows of its receiver: where it is, which key it has, and what shows that this sender may send.

use crate::hello::TransferId;
use crate::secret::{ResumeSecret, Token};
use crate::ticket::KeyHash;

/// Where the receiver is, which key it has, and what opens its door.
#[derive(Clone)]
pub(super) struct Receiver {
    pub(super) addresses: Vec<String>,
    pub(super) key: KeyHash,
    pub(super) pass: Pass,
}

/// What shows that one may send.
#[derive(Clone)]
pub(super) enum Pass {
    /// The ticket's token, good once.
    Token(Token),
    /// An earlier attempt's transfer and secret.
    Resume(Resume),
}

/// What shows that one sent before.
#[derive(Clone)]
pub(super) struct Resume {
    pub(super) transfer: TransferId,
    pub(super) secret: ResumeSecret,
}
