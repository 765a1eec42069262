//! What the kernels of the measured units have in common.

/// Instructions that do one step for each of `count` vectors, without touching memory.
#[derive(Clone, Copy)]
pub struct Kernel {
    pub path: &'static str,
    /// Bytes of message that a vector represents.
    pub vector: usize,
    /// # Safety
    /// The CPU must have the instructions that `path` names.
    pub run: unsafe fn(count: usize),
}
