//! What a worker says to the harness, as a user reads it: users see no numbers of cells, and release none.

/// Advice to the harness begins like this, and ends an error.
const RELEASE: &str = "; release ";

/// An error without what only the harness has a use for.
pub fn readable(why: &str) -> String {
    let why = why.split_once(RELEASE).map_or(why, |(why, _)| why);
    let mut words = Vec::new();
    let mut rest = why.split(' ').peekable();
    while let Some(word) = rest.next() {
        let name = rest.peek().filter(|_| word == "cell").and_then(|name| of_cell(name));
        match name {
            Some(name) => {
                words.push(name);
                rest.next();
            }
            None => words.push(word),
        }
    }
    words.join(" ")
}

/// What stands for a cell's number, in which case it is in.
fn of_cell(number: &str) -> Option<&'static str> {
    let (digits, case) = number.split_once('\'').map_or((number, "it"), |(digits, _)| (digits, "its"));
    (!digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())).then_some(case)
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn numbers_of_cells_and_advice_to_the_harness_are_gone() {
        for (said, read) in [
            (
                "sampling cell 0 failed: the disk is full; release it, its figures would be wrong",
                "sampling it failed: the disk is full",
            ),
            ("making cell 12's output failed: no key; release it", "making its output failed: no key"),
            ("cell 3 failed: out of luck; release it and leave this offer out", "it failed: out of luck"),
            ("openssl panicked: a cell of 3 bars; release the cell", "openssl panicked: a cell of 3 bars"),
            ("no memory for a buffer: full; free some", "no memory for a buffer: full; free some"),
            ("", ""),
        ] {
            assert_eq!(readable(said), read);
        }
    }
}
