//! Placement of long computations on the stack.
//!
//! The inner loops of the curve library keep about a kilobyte of vectors on the stack. If a page boundary falls within
//! those, sums in buckets take 10 to 40 percent longer. This was measured on one kind of processor, AMD's Zen 4; the
//! cause is unknown. The address of a process's stack is random, so a third of all processes were slow for as long as
//! they ran.

use std::hint::black_box;

const PAGE: usize = 4096;
/// The stack space needed by the loops and all calls leading to them, with a margin.
const ROOM: usize = 3328;
/// Less than the rest of a page, so that no step skips over all suitable addresses.
const STEP: usize = 256;

/// Runs `work` at a stack address with at least `ROOM` bytes below it on the same page, a few calls deeper if
/// necessary.
#[inline(never)]
pub fn on_one_page<T>(work: impl FnOnce() -> T) -> T {
    let here = [0u8; STEP];
    if std::ptr::from_ref(black_box(&here)).addr() % PAGE >= ROOM {
        return below(work);
    }
    let result = on_one_page(work);
    black_box(&here); // keeps `here` alive, so that the recursive call gets its own frame and is not turned into a loop
    result
}

/// A separate call, so that the locals of `work` are in a frame below and the steps stay small.
#[inline(never)]
fn below<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> usize {
        let local = 0u8;
        std::ptr::from_ref(black_box(&local)).addr()
    }

    /// Runs `work` this many calls deeper.
    fn deeper<T>(calls: usize, work: &dyn Fn() -> T) -> T {
        let result = if calls == 0 { work() } else { deeper(calls - 1, work) };
        black_box(calls);
        result
    }

    #[test]
    fn work_runs_once_with_room_below_it_wherever_it_is_called() {
        let mut called = Vec::new();
        for calls in 0..300 {
            let (here, there) = deeper(calls, &|| (place(), on_one_page(place)));
            assert!(there < here && here - there < 3 * PAGE);
            assert!(there % PAGE >= ROOM / 2, "{calls}");
            called.push(here % PAGE);
        }
        // The calls began in every part of a page.
        for part in 0..8 {
            assert!(called.iter().any(|here| here / (PAGE / 8) == part));
        }
    }
}
