//! What a sender knows of its receiver: its addresses, its key, and the sender's credential for it.

use crate::hello::TransferId;
use crate::secret::{ResumeSecret, Token};
use crate::ticket::KeyHash;

/// The receiver's addresses, its key, and the credential that it accepts.
#[derive(Clone)]
pub(super) struct KnownReceiver {
    pub(super) addresses: Vec<String>,
    pub(super) key: KeyHash,
    pub(super) credential: Credential,
    /// It has accepted what this process offers: its user is not asked again.
    pub(super) accepts: bool,
}

/// The sender's credential.
#[derive(Clone)]
pub(super) enum Credential {
    /// The ticket's token, valid once.
    Token(Token),
    /// None: the receiver has called, and proven itself.
    Admitted,
    /// An earlier attempt's transfer and secret.
    Resume(ResumeCredential),
}

/// Proof that this sender began the transfer.
#[derive(Clone)]
pub(super) struct ResumeCredential {
    pub(super) transfer: TransferId,
    pub(super) secret: ResumeSecret,
}
