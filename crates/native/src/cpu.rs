//! Which instructions this CPU has, asked in one way on every architecture: false where there is no such thing.

/// Whether an x86-64 CPU (and its operating system) has all of these features.
macro_rules! x86 {
    ($($feature:tt),+) => {{
        #[cfg(target_arch = "x86_64")]
        { $(std::arch::is_x86_feature_detected!($feature))&&+ }
        #[cfg(not(target_arch = "x86_64"))]
        { false }
    }};
}

/// Whether an aarch64 CPU has all of these features.
macro_rules! arm {
    ($($feature:tt),+) => {{
        #[cfg(target_arch = "aarch64")]
        { $(std::arch::is_aarch64_feature_detected!($feature))&&+ }
        #[cfg(not(target_arch = "aarch64"))]
        { false }
    }};
}

pub(crate) use {arm, x86};

/// The first path whose condition holds, else `soft`.
pub fn first_of(paths: &[(bool, &'static str)]) -> &'static str {
    paths.iter().find(|(here, _)| *here).map_or("soft", |(_, path)| path)
}
