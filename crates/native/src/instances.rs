//! A cell's loops, each with a key object of its own in another place of the heap: where an allocator puts a key moves the figures of
//! short calls, so that no single place may decide them.

use std::hash::{BuildHasher, RandomState};

use crate::timed_loop::TimedLoop;

/// The most bytes of an allocation between two key objects.
const MOST_BETWEEN: usize = 1024;

/// Allocations between key objects: so many bytes each that the next object's place in a cache line and in a page is anyone's guess.
#[derive(Default)]
pub struct Spacers(Vec<Vec<u8>>);

impl Spacers {
    /// One more, behind what was allocated before.
    pub fn add(&mut self) {
        // The standard library's only source of chance: each state is seeded anew.
        let random = RandomState::new().hash_one(self.0.len()) as usize;
        self.0.push(Vec::with_capacity(1 + random % MOST_BETWEEN));
    }
}

/// Loops that do the same, and which of them is used.
#[derive(Default)]
pub struct Instances {
    loops: Vec<Box<dyn TimedLoop>>,
    spacers: Spacers,
    current: usize,
}

impl Instances {
    /// Adds one.
    pub fn add(&mut self, timed_loop: Box<dyn TimedLoop>) {
        self.loops.push(timed_loop);
        self.spacers.add();
    }

    /// Uses that one from now on, counted round where there are fewer.
    pub fn take(&mut self, instance: usize) {
        self.current = instance % self.loops.len();
    }

    /// The one in use.
    pub fn current(&mut self) -> &mut dyn TimedLoop {
        self.loops[self.current].as_mut()
    }
}
