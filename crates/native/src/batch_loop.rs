//! The timed loop of form `batch`: messages are handed to the library several at a time, each with a nonce, a text, a tag
//! and an output of its own, and all are done when its call returns.

use ciphermeter_core::BATCH;

use crate::loop_buffers::{CallArguments, LoopBuffers};
use crate::timed_loop::{Failed, TimedLoop};

/// Room for the longest nonce of an algorithm.
const NONCE: usize = 32;

type Nonces = [[u8; NONCE]; BATCH as usize];

/// A loop whose call gets up to [`BATCH`] messages, has all of them done, and returns how many bytes each produced, without
/// the tag. A message that fails fails its batch.
pub fn batch_loop<F>(call: F) -> Box<dyn TimedLoop>
where
    F: FnMut(Batch<'_, '_>) -> Result<usize, Failed> + 'static,
{
    Box::new(BatchLoop { call, nonces: Box::new([[0; NONCE]; BATCH as usize]) })
}

struct BatchLoop<F> {
    call: F,
    /// Apart from the buffers, whose one nonce counts on before the library is done with it.
    nonces: Box<Nonces>,
}

impl<F: FnMut(Batch<'_, '_>) -> Result<usize, Failed>> TimedLoop for BatchLoop<F> {
    #[inline(never)]
    fn run(&mut self, buffers: &mut LoopBuffers<'_>, first: u64, count: u64) -> Result<(), Failed> {
        let nonce = buffers.nonce.len();
        self.nonces.iter_mut().for_each(|own| own[..nonce].copy_from_slice(buffers.nonce));
        let (mut next, end) = (first, first + count);
        while next < end {
            let messages = BATCH.min(end - next);
            let nonces = self.nonces[..messages as usize].iter_mut();
            let place = (next % buffers.places.len() as u64) as usize;
            let produced = (self.call)(Batch { buffers: &mut *buffers, nonces, next, place })?;
            next += messages;
            buffers.produced = produced;
            if buffers.expected.is_some_and(|expected| expected != produced) {
                return Err(Failed::Length(produced));
            }
        }
        Ok(())
    }
}

/// The messages of a batch, each set up when it is taken. They stay until the call returns.
pub struct Batch<'b, 'a> {
    buffers: &'b mut LoopBuffers<'a>,
    nonces: std::slice::IterMut<'b, [u8; NONCE]>,
    next: u64,
    place: usize,
}

impl<'b> Iterator for Batch<'b, '_> {
    type Item = CallArguments<'b>;

    #[inline(always)]
    fn next(&mut self) -> Option<CallArguments<'b>> {
        let nonce = &mut self.nonces.next()?[..self.buffers.nonce.len()];
        self.buffers.numbering.write(nonce, self.next);
        self.buffers.turn_to(self.buffers.places[self.place]);
        self.next += 1;
        self.place = if self.place + 1 == self.buffers.places.len() { 0 } else { self.place + 1 };
        // SAFETY: the texts of a batch, at most as many as there are places, lie in different places; nothing else touches
        // the buffers for as long as the batch has them.
        Some(unsafe { self.buffers.view(nonce) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.nonces.size_hint()
    }
}

impl ExactSizeIterator for Batch<'_, '_> {}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use ciphermeter_core::{Algorithm, Form, Operation};

    use super::*;
    use crate::buffer_layout::BufferLayout;
    use crate::rotating_loop::Places;
    use crate::stream::Streams;

    const LAYOUT: BufferLayout = BufferLayout {
        algorithm: Algorithm::Aes256Gcm,
        operation: Operation::Seal,
        form: Form::Batch,
        message: 20,
        sealed: 36,
        aad: 3,
        offset: 0,
        nonce_at: 0,
        nonce: 12,
        texts: BATCH as usize,
    };

    /// What a loop makes of iterations `first` to `first + count - 1`.
    fn run(mut timed_loop: Box<dyn TimedLoop>, places: &Places, first: u64, count: u64) -> Result<Vec<u8>, Failed> {
        let (mut memory, mut fresh) = (vec![0; LAYOUT.bytes()], Vec::new());
        let streams = Streams::new(LAYOUT.algorithm, 7, LAYOUT.message, LAYOUT.aad);
        LAYOUT.fill_texts(&mut memory, &streams, (0..BATCH).map(|i| (places.of(i), &[][..])));
        let buffers = LAYOUT.buffers(&mut memory, &mut fresh, true);
        timed_loop.run(&mut LoopBuffers { places: places.all(), ..buffers }, first, count)?;
        Ok(LAYOUT.output(&memory, &fresh, LAYOUT.message, places.of(first + count - 1)).concat())
    }

    /// Copies the message, and puts the nonce where the tag belongs.
    fn copy(call: CallArguments<'_>) -> usize {
        call.tag[..12].copy_from_slice(call.nonce);
        let message = call.text.read().to_vec();
        call.text.inout().get_out().copy_from_slice(&message);
        LAYOUT.message
    }

    #[test]
    fn each_message_of_a_batch_has_its_own_nonce_and_text_and_the_last_batch_is_smaller() {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let timed_loop = {
            let seen = Rc::clone(&seen);
            batch_loop(move |batch| {
                let messages: Vec<CallArguments<'_>> = batch.collect();
                let number = |call: &CallArguments<'_>| u64::from_be_bytes(call.nonce[..8].try_into().unwrap());
                seen.borrow_mut().push(messages.iter().map(number).collect::<Vec<_>>());
                let apart: std::collections::BTreeSet<_> = messages.iter().map(|call| call.text.output()).collect();
                assert_eq!(apart.len(), messages.len());
                Ok(messages.into_iter().map(copy).fold(0, usize::max))
            })
        };
        let places = Places::shuffled(LAYOUT.texts, LAYOUT.stride());
        let output = run(timed_loop, &places, 5, 70).unwrap();
        let numbers = |range: std::ops::Range<u64>| range.collect::<Vec<_>>();
        assert_eq!(*seen.borrow(), [numbers(5..37), numbers(37..69), numbers(69..75)]);
        let streams = Streams::new(LAYOUT.algorithm, 7, LAYOUT.message, LAYOUT.aad);
        let nonce = [&74u64.to_be_bytes()[..], &streams.nonce[8..]].concat();
        assert_eq!(output, [&streams.message[..], &nonce, &[0; 4]].concat());
    }

    #[test]
    fn message_that_fails_fails_the_sample() {
        let places = Places::shuffled(LAYOUT.texts, LAYOUT.stride());
        let calls = Rc::new(RefCell::new(0));
        let counted = Rc::clone(&calls);
        let rejects = batch_loop(move |mut batch| {
            *counted.borrow_mut() += 1;
            match batch.any(|call| call.nonce[7] == 40) {
                true => Err(Failed::Rejected),
                false => Ok(LAYOUT.message),
            }
        });
        assert_eq!(run(rejects, &places, 1, 96), Err(Failed::Rejected));
        assert_eq!(*calls.borrow(), 2, "no batch follows");
        let short = batch_loop(|batch| Ok(batch.map(copy).sum::<usize>() / 32 - 1));
        assert_eq!(run(short, &places, 1, 64), Err(Failed::Length(19)));
    }
}
