//! What a request comes to where it doesn't come to what was asked.

use std::any::Any;

use ciphermeter_protocol::Reply;

use crate::providers::Unsupported;

/// An `error`, or `unsupported`.
pub type Instead = Reply;

/// What failed, then what to do.
pub fn error(why: impl Into<String>) -> Instead {
    Reply::Error(why.into())
}

/// What the library doesn't do.
pub fn unsupported(why: Unsupported) -> Instead {
    Reply::Unsupported(why.0)
}

/// What a panic said of itself.
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it didn't say why")
}
