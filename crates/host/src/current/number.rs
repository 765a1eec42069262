//! Numbers as meters and their loggers write them, with a point or a comma.

/// What a text is as a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    /// This, and its decimal mark if it has one.
    Of(f64, Option<char>),
    /// `1,081`: more than one, or a little more than a thousand.
    Either,
}

impl Number {
    /// `None` if it is no number.
    pub(super) fn read(text: &str) -> Option<Self> {
        match text.contains(',') {
            false => text.parse().ok().map(|plain| Self::Of(plain, text.contains('.').then_some('.'))),
            true => Self::with_comma(text),
        }
    }

    fn with_comma(text: &str) -> Option<Self> {
        let digits = text.trim_start_matches(['-', '+']);
        if !digits.chars().all(|letter| letter.is_ascii_digit() || letter == ',' || letter == '.') {
            return None;
        }
        let of = |whole: String, mark| whole.parse().ok().map(|value| Self::Of(value, mark));
        let is_grouped = |digits: &str, mark| is_grouped(digits.split(mark));
        match (digits.rsplit_once(','), digits.rsplit_once('.')) {
            (Some((whole, part)), Some(_)) if is_number(part) && is_grouped(whole, '.') => {
                of(text.replace('.', "").replace(',', "."), Some(','))
            }
            (Some(_), Some((whole, part))) if is_number(part) && is_grouped(whole, ',') => {
                of(text.replace(',', ""), Some('.'))
            }
            (Some(_), Some(_)) => None,
            _ if digits.matches(',').count() > 1 => is_grouped(digits, ',').then(|| of(text.replace(',', ""), None))?,
            (Some((whole, part)), _) if is_number(whole) && is_number(part) => {
                match is_grouped(digits, ',') && !whole.starts_with('0') {
                    true => Some(Self::Either),
                    false => of(text.replace(',', "."), Some(',')),
                }
            }
            _ => None,
        }
    }
}

fn is_number(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// Whether these are the thousands of a number: one to three digits, then three each.
fn is_grouped<'a>(mut groups: impl Iterator<Item = &'a str>) -> bool {
    let is_first = |group: &str| is_number(group) && group.len() <= 3;
    groups.next().is_some_and(is_first) && groups.all(|group| is_number(group) && group.len() == 3)
}

/// Whether two numbers with a blank between them may be one: `1 081.3`.
pub(super) fn may_be_one(before: &str, text: &str) -> bool {
    let whole = text.split(['.', ',']).next().unwrap_or_default();
    is_number(before) && before.len() <= 3 && is_number(whole) && whole.len() == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_are_read_where_they_mean_one_thing() {
        let read = |text| match Number::read(text) {
            Some(Number::Of(value, mark)) => (value, mark),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(read("81,3"), (81.3, Some(',')));
        assert_eq!(read("-0,081"), (-0.081, Some(',')));
        assert_eq!(read("1081,300"), (1081.3, Some(',')));
        assert_eq!(read("1,081.3"), (1081.3, Some('.')));
        assert_eq!(read("1.081,3"), (1081.3, Some(',')));
        assert_eq!(read("1,081,300"), (1_081_300.0, None));
        assert_eq!(read("1.081"), (1.081, Some('.')), "a point alone is the decimal mark");
        assert_eq!(read("2e3"), (2000.0, None));
    }

    #[test]
    fn what_means_two_things_or_none_is_no_number() {
        for either in ["1,081", "-12,500", "999,000"] {
            assert_eq!(Number::read(either), Some(Number::Either), "{either}");
        }
        for none in ["", ",", "81,", ",5", "17,3.25", "1,08,300", "1,081.3.5", "12,3456.5", "1.08,3", "x,5", "1,5e3"] {
            assert_eq!(Number::read(none), None, "{none}");
        }
    }
}
