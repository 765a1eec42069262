//! The kernel's notation for sets of CPUs: `0-3,8,10-11`.

/// The most CPUs that a list may name; Linux is built for at most 8192.
const MAX_CPUS: usize = 8192;

/// The CPUs of a list, ascending; `None` if it is invalid.
pub(crate) fn parse(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last >= MAX_CPUS {
            return None;
        }
        cpus.extend(first..=last);
    }
    cpus.sort_unstable();
    cpus.dedup();
    Some(cpus)
}

/// The CPUs in the kernel's notation.
pub(crate) fn write(cpus: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &cpu in cpus {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => parts.push((cpu, cpu)),
        }
    }
    let part = |(first, last): (usize, usize)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    parts.into_iter().map(part).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_survives_a_round_trip() {
        for (text, cpus) in [("", vec![]), ("0", vec![0]), ("0-2,5", vec![0, 1, 2, 5]), ("3,11", vec![3, 11])] {
            assert_eq!(parse(text), Some(cpus.clone()));
            assert_eq!(write(&cpus), text);
        }
    }

    #[test]
    fn invalid_list_is_none() {
        for text in ["a", "3-1", "0-99999999999", "-", "0-8192", "1-2-3"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
