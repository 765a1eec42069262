//! An offer as a question to its receiver: what is shown of it, what can be answered, and when
//! nothing is asked.

mod consent;
mod name_list;
mod name_row;
mod overview;
mod prompt;
mod selection;
mod state;
mod user;

pub use consent::{Consent, Offerer};
pub use state::{decline, is_asking, is_ending, was_accepted};
pub use user::TerminalUser;
