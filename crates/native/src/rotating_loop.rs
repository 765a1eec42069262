//! A loop that goes round several texts and keys, for cells whose calls find neither in the nearest cache.

use std::hash::{BuildHasher, RandomState};
use std::rc::Rc;

use crate::instances::Spacers;
use crate::loop_buffers::LoopBuffers;
use crate::timed_loop::{Failed, TimedLoop};

/// Where the texts lie in each buffer, in the order in which calls go round them.
#[derive(Clone)]
pub struct Places(Rc<[usize]>);

impl Places {
    /// So many texts, `stride` bytes apart, in an order of chance: what lies behind a text in memory isn't what the next call works on,
    /// so no CPU can fetch it beforehand.
    pub fn shuffled(texts: usize, stride: usize) -> Self {
        Self(shuffled(texts).into_iter().map(|place| place * stride).collect())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The offsets of all texts.
    pub fn all(&self) -> &[usize] {
        &self.0
    }

    /// The offset of the text of iteration `i` in its buffer.
    pub fn of(&self, i: u64) -> usize {
        self.0[(i % self.0.len() as u64) as usize]
    }
}

/// The numbers below `count` in an order of chance.
fn shuffled(count: usize) -> Vec<usize> {
    // The standard library's only source of chance: each state is seeded anew.
    let random = RandomState::new();
    let mut numbers: Vec<usize> = (0..count).collect();
    numbers.sort_by_cached_key(|number| random.hash_one(number));
    numbers
}

/// One loop for each key, and the places of the texts.
pub struct RotatingLoop {
    loops: Vec<Box<dyn TimedLoop>>,
    places: Places,
    next: Turn,
    /// What lies between the loops' objects in the heap.
    _spacers: Spacers,
}

/// The iteration that is due, and its text and key.
#[derive(Clone, Copy, Default)]
struct Turn {
    iteration: u64,
    text: usize,
    key: usize,
}

impl RotatingLoop {
    /// Has the loop of each key made, in an order of chance.
    pub fn new<E>(
        keys: usize,
        places: Places,
        mut make: impl FnMut(usize) -> Result<Box<dyn TimedLoop>, E>,
    ) -> Result<Self, E> {
        let mut spacers = Spacers::default();
        let mut made = Vec::with_capacity(keys);
        for key in shuffled(keys) {
            made.push((key, make(key)?));
            spacers.add();
        }
        made.sort_by_key(|(key, _)| *key);
        let loops = made.into_iter().map(|(_, timed_loop)| timed_loop).collect();
        Ok(Self { loops, places, next: Turn::default(), _spacers: spacers })
    }
}

impl TimedLoop for RotatingLoop {
    /// Each call costs two counters and an indirect call more than in the loop of one text.
    #[inline(never)]
    fn run(&mut self, buffers: &mut LoopBuffers<'_>, first: u64, count: u64) -> Result<(), Failed> {
        let (texts, keys) = (self.places.len(), self.loops.len());
        // A single call that is timed must not contain two divisions.
        let Turn { mut text, mut key, .. } = match self.next {
            next if next.iteration == first => next,
            _ => Turn { iteration: first, text: (first % texts as u64) as usize, key: (first % keys as u64) as usize },
        };
        for i in first..first + count {
            buffers.turn_to(self.places.0[text]);
            self.loops[key].run(buffers, i, 1)?;
            text = if text + 1 == texts { 0 } else { text + 1 };
            key = if key + 1 == keys { 0 } else { key + 1 };
        }
        self.next = Turn { iteration: first + count, text, key };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::buffer_layout::BufferLayout;
    use crate::timed_loop::writing_loop;
    use ciphermeter_core::{Algorithm, Form, Operation};

    #[test]
    fn places_are_all_there_in_another_order() {
        let places = Places::shuffled(1000, 128);
        let mut sorted: Vec<usize> = (0..1000).map(|i| places.of(i)).collect();
        assert_ne!(sorted, (0..1000).map(|place| place * 128).collect::<Vec<_>>());
        sorted.sort_unstable();
        assert_eq!(sorted, (0..1000).map(|place| place * 128).collect::<Vec<_>>());
        assert_eq!((places.of(7), places.of(1007)), (places.of(2007), places.of(7)));
    }

    #[test]
    fn calls_go_round_texts_and_keys() {
        let layout = BufferLayout {
            algorithm: Algorithm::ChaCha20,
            operation: Operation::Encrypt,
            form: Form::InPlace,
            message: 16,
            sealed: 16,
            aad: 0,
            offset: 0,
            nonce_at: 0,
            nonce: 12,
            texts: 3,
        };
        let seen = Rc::new(RefCell::new(Vec::new()));
        let make = |key: usize| {
            let seen = Rc::clone(&seen);
            Ok::<_, Failed>(writing_loop(move |call| {
                seen.borrow_mut().push((key, call.text.output() as usize));
                Ok(16)
            }))
        };
        let places = Places::shuffled(3, layout.stride());
        let mut rotating = RotatingLoop::new(2, places.clone(), make).unwrap();
        let (mut memory, mut fresh) = (vec![0; layout.bytes()], Vec::new());
        let start = {
            let mut buffers = layout.buffers(&mut memory, &mut fresh, true);
            let start = buffers.output as usize;
            rotating.run(&mut buffers, 4, 3).unwrap();
            rotating.run(&mut buffers, 7, 1).unwrap();
            start
        };
        let expected: Vec<_> = (4..8).map(|i| ((i % 2) as usize, start + places.of(i))).collect();
        assert_eq!(*seen.borrow(), expected);
    }
}
