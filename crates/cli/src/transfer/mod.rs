//! What `recv` and `send` share: the bar, the summary, and how they end.

mod announce;
mod aside;
mod asking;
mod bar;
mod choosing;
mod failure;
mod hosts;
pub mod kept;
mod lines;
mod listing;
mod new_folder;
mod numbers;
mod offered;
mod question;
mod rates;
mod rows;
mod sent;
mod standard_stream;
mod summary;
pub mod ticket;
mod watch;
pub mod worker;

pub use announce::{announce, note};
pub use asking::{Asking, accepted_before, warn, was_accepted};
pub use failure::failed;
pub use hosts::hosts;
pub use listing::listing;
pub use new_folder::Destination;
pub use numbers::{entries, size};
pub use question::shown;
pub use rates::{rates, streams};
pub use sent::{received, sent};
pub use standard_stream::check_open;
pub use summary::{End, print};
pub use watch::{end_when_interrupted, watched};
