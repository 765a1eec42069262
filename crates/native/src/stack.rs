//! The stack's position during a sample. Libraries keep tables and blocks on the stack, and a store that crosses a cache line costs more:
//! where the stack happens to lie in a process decides several percent of a short call
//! (METHODOLOGY.md, point 6a).

use std::hint::black_box;
use std::mem::MaybeUninit;

/// Positions repeat after so many bytes.
const PERIOD: usize = 1024;
/// The alignment that calling conventions of all supported systems have.
const STEP: usize = 16;
/// What is skipped is shared out among so many frames.
const FRAMES: usize = 7;

/// Calls `run` with the stack pointer at `position` (a multiple of 16) in 1024 bytes, up to a constant of this program; `None`: wherever it
/// is.
pub fn at<R>(position: Option<usize>, run: impl FnOnce() -> R) -> R {
    let Some(position) = position else { return run() };
    let (mut run, mut result) = (Some(run), None);
    // The stack grows downwards everywhere: the more is skipped, the lower the rest lies.
    let here = &raw const result as usize / STEP;
    let mut call = || result = run.take().map(|run| run());
    let skipped = here.wrapping_sub(position / STEP) % (PERIOD / STEP);
    let shares: [_; FRAMES] = std::array::from_fn(|frame| SKIPS[(skipped + frame) / FRAMES]);
    below(&shares, &mut call);
    result.expect("every skip calls")
}

/// Calls `run` below all of `skips`.
fn below(skips: &[fn(&mut dyn FnMut())], run: &mut dyn FnMut()) {
    match skips {
        [] => run(),
        [first, rest @ ..] => first(&mut || below(rest, run)),
    }
}

/// Calls `run` below `BYTES` bytes of stack that nothing uses.
#[inline(never)]
fn skip<const BYTES: usize>(run: &mut dyn FnMut()) {
    let skipped = MaybeUninit::<[u8; BYTES]>::uninit();
    black_box(&skipped);
    run();
    black_box(&skipped);
}

/// Stable Rust cannot allocate on the stack by a length known at run time only, so there is a function for each. All are small, and none is
/// empty: for aarch64, LLVM adds 16 bytes to frames above some 256, and gives those of 0 and 16 bytes the same length.
macro_rules! skips {
    ($($sixteens:literal)*) => { [$(skip::<{ STEP * $sixteens }>),*] };
}

static SKIPS: [fn(&mut dyn FnMut()); (PERIOD / STEP - 1).div_ceil(FRAMES) + 1] = skips!(1 2 3 4 5 6 7 8 9 10);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[inline(never)]
    fn place() -> usize {
        let local = 0_u64;
        black_box(&raw const local) as usize % PERIOD
    }

    #[test]
    fn each_position_is_another_and_the_same_again_from_another_depth() {
        let all = || (0..PERIOD).step_by(STEP).map(|position| at(Some(position), place)).collect::<Vec<_>>();
        let first = all();
        assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), PERIOD / STEP);
        for (number, place) in first.iter().enumerate() {
            assert_eq!((first[0] + number * STEP) % PERIOD, *place);
        }
        let mut deeper = Vec::new();
        skip::<48>(&mut || deeper = all());
        assert_eq!(deeper, first);
    }

    #[test]
    fn without_a_position_it_only_calls() {
        assert_eq!(at(None, || 7), 7);
    }
}
