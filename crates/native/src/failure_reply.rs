//! The replies to requests that could not be fulfilled.

use std::any::Any;

use ciphermeter_protocol::Reply;

use crate::providers::Unsupported;

/// An `error`, or `unsupported`.
pub type FailureReply = Reply;

/// What failed, then what to do.
pub fn error(why: impl Into<String>) -> FailureReply {
    Reply::Error(why.into())
}

/// What the library does not support.
pub fn unsupported(why: Unsupported) -> FailureReply {
    Reply::Unsupported(why.0)
}

/// A panic's message.
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
