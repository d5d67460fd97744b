//! Where on the stack long work runs.
//!
//! The inner loops of the curve library keep about a kilobyte of vectors on the stack. Where a page ends in the middle of
//! those, sums in buckets take 10 to 40 percent longer; measured on one kind of processor, AMD's Zen 4, whose cause for it
//! is not known. A process has its stack at an address that is drawn when it starts, so a third of all processes were
//! slow for as long as they lived.

use std::hint::black_box;

const PAGE: usize = 4096;
/// What the loops and all calls on the way to them take, with something to spare.
const ROOM: usize = 3328;
/// Less than is left of a page, so that no step jumps over the places that have room.
const STEP: usize = 256;

/// Runs `work` where at least `ROOM` bytes of the stack below are on one page: a few calls further down if need be.
#[inline(never)]
pub fn on_one_page<T>(work: impl FnOnce() -> T) -> T {
    let here = [0u8; STEP];
    if std::ptr::from_ref(black_box(&here)).addr() % PAGE >= ROOM {
        return below(work);
    }
    let result = on_one_page(work);
    black_box(&here); // still in use: so this call has a place of its own below, and is no loop
    result
}

/// In a call of its own: what `work` keeps on the stack is below, and the steps stay small.
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

    /// So many calls further down, what `work` returns.
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
        // They began in every part of a page.
        for part in 0..8 {
            assert!(called.iter().any(|here| here / (PAGE / 8) == part));
        }
    }
}
