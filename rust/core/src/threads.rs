//! Threads for one call: started for it, gone after it.
//!
//! There is no pool, so a process that forks can never wait for threads that are not there. Starting a thread costs
//! some tens of microseconds, so each must have several times that to do.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::stack::on_one_page;

/// More threads than this are never started.
pub const MAX_THREADS: usize = 256;

/// Nanoseconds of work for which one more thread pays.
const WORTH: u64 = 200_000;

/// Nanoseconds of work below which it does not matter where the stack lies.
const PAGE_PAYS: u64 = 10_000;

/// Each thread's share is cut in so many parts, so that one that is held up does not hold up the call.
const PARTS: usize = 4;

static THREADS: AtomicUsize = AtomicUsize::new(1);

/// How many threads a call may use.
pub fn threads() -> usize {
    THREADS.load(Ordering::Relaxed)
}

/// Sets it, at least one and at most `MAX_THREADS`.
pub fn set_threads(count: usize) {
    THREADS.store(count.clamp(1, MAX_THREADS), Ordering::Relaxed);
}

/// How many threads pay for so many units of so many nanoseconds.
pub fn workers(units: usize, nanos: u64) -> usize {
    let work = u64::try_from(units).unwrap_or(u64::MAX).saturating_mul(nanos);
    let useful = usize::try_from(work / WORTH).unwrap_or(usize::MAX);
    useful.clamp(1, threads()).min(units.max(1))
}

/// How many units one job should do, where a job can do several: all, or a fair part for each thread.
pub fn share(units: usize, nanos: u64) -> usize {
    match workers(units, nanos) {
        1 => units.max(1),
        workers => units.div_ceil(workers * PARTS),
    }
}

/// Runs `job(i, part)` for every part of `unit` elements of `out`, the last maybe shorter, on as many threads as
/// pay.
///
/// A job that returns `false` stops the rest, and the smallest index at which one did is returned.
pub fn for_each<T: Send>(
    out: &mut [T],
    unit: usize,
    nanos: u64,
    job: impl Fn(usize, &mut [T]) -> bool + Sync,
) -> Result<(), usize> {
    let units = out.len().div_ceil(unit);
    let workers = workers(units, nanos);
    if nanos.saturating_mul(units as u64) < PAGE_PAYS {
        return run(0, out, unit, &job);
    }
    if workers == 1 {
        return on_one_page(|| run(0, out, unit, &job));
    }

    let share = units.div_ceil(workers * PARTS);
    let queue = Mutex::new(out.chunks_mut(share * unit).enumerate());
    let first_bad = AtomicUsize::new(usize::MAX);
    // Parts are taken in order, so when one fails, all before it are taken already and only later ones are skipped.
    let work = || {
        while first_bad.load(Ordering::Relaxed) == usize::MAX {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((i, part)) = next else { break };
            if let Err(bad) = on_one_page(|| run(i * share, part, unit, &job)) {
                first_bad.fetch_min(bad, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..workers {
            // When the system refuses a thread, the others do its part.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    match first_bad.into_inner() {
        usize::MAX => Ok(()),
        bad => Err(bad),
    }
}

fn run<T>(start: usize, part: &mut [T], unit: usize, job: &impl Fn(usize, &mut [T]) -> bool) -> Result<(), usize> {
    for (i, cell) in part.chunks_mut(unit).enumerate() {
        if !job(start + i, cell) {
            return Err(start + i);
        }
    }
    Ok(())
}
