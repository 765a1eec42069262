//! Tickets as pasted text: no text panics, and an accepted ticket prints as it was, except for blanks around it, and
//! reads back equal.
#![no_main]

use ciphermeter_transfer::{Ticket, is_address};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match text.parse::<Ticket>() {
        Ok(ticket) => {
            let printed = ticket.to_string();
            assert_eq!(printed, text.trim());
            assert_eq!(printed.parse(), Ok(ticket.clone()));
            assert!(Ticket::looks_like(&printed) && printed.len() <= 1024);
            assert!((1..=8).contains(&ticket.addresses.len()) && ticket.addresses.iter().all(|a| is_address(a)));
            // It is copied from a terminal and pasted into a shell.
            assert!(printed.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"'$`\\&;|<>()".contains(&byte)));
        }
        // The text may contain a secret with one character too many, so nothing of it is repeated.
        Err(why) => assert!(why.to_string().len() < 128 && !why.to_string().contains(char::is_control)),
    }
});
