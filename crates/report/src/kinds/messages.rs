//! Calls on messages: shown as is usual.

use super::kind::ShownKind;

/// Calls on messages.
pub(crate) struct Messages;

impl ShownKind for Messages {}
