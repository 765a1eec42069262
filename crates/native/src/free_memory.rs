//! How much memory this process holds and how much is free, where the system tells.

use std::fs;

/// Bytes resident now, and the most there ever were (Linux: `VmRSS` and `VmHWM` of /proc/self/status).
pub fn resident() -> (Option<u64>, Option<u64>) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    (kibibytes(&status, "VmRSS:"), kibibytes(&status, "VmHWM:"))
}

/// Bytes that can be had without swapping (Linux: `MemAvailable` of /proc/meminfo).
pub fn available() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// Lines of these files read `VmRSS:      9612 kB`.
fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_by_its_key() {
        assert_eq!(kibibytes("VmPeak:\t  12 kB\nVmRSS:\t    9 kB\n", "VmRSS:"), Some(9216));
        assert_eq!(kibibytes("VmRSS:\tmany\n", "VmRSS:"), None);
        assert_eq!(kibibytes("", "VmRSS:"), None);
    }
}
