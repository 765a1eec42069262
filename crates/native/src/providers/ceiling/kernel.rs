//! What the units that are measured have in common.

/// Instructions that do one step for each of `count` vectors, without touching memory.
#[derive(Clone, Copy)]
pub struct Kernel {
    pub path: &'static str,
    /// Bytes of message that a vector stands for.
    pub vector: usize,
    /// # Safety
    /// The CPU must have the instructions that `path` names.
    pub run: unsafe fn(count: usize),
}
