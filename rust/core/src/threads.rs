//! Threads that live for a single call.
//!
//! There is no pool, so a process that forks can never wait for threads that no longer exist. Starting a thread costs
//! some tens of microseconds, so each must have several times as much work.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::stack::on_one_page;

/// More threads than this are never started.
pub const MAX_THREADS: usize = 256;

/// The work, in nanoseconds, for which one more thread pays off.
const WORTH: u64 = 200_000;

/// The work, in nanoseconds, below which the position of the stack does not matter.
const PAGE_PAYS: u64 = 10_000;

/// The number of parts into which each thread's share is divided, so that one delayed thread does not delay the call.
const PARTS: usize = 4;

static THREADS: AtomicUsize = AtomicUsize::new(1);

/// The number of threads that a call may use.
pub fn threads() -> usize {
    THREADS.load(Ordering::Relaxed)
}

/// Sets the number of threads, at least one and at most `MAX_THREADS`.
pub fn set_threads(count: usize) {
    THREADS.store(count.clamp(1, MAX_THREADS), Ordering::Relaxed);
}

/// The number of threads that pays off for this many units of work that take `nanos` nanoseconds each.
pub fn workers(units: usize, nanos: u64) -> usize {
    let work = u64::try_from(units).unwrap_or(u64::MAX).saturating_mul(nanos);
    let useful = usize::try_from(work / WORTH).unwrap_or(usize::MAX);
    useful.clamp(1, threads()).min(units.max(1))
}

/// The number of units that one job should do if it can do several: all of them, or a fair part for each thread.
pub fn share(units: usize, nanos: u64) -> usize {
    match workers(units, nanos) {
        1 => units.max(1),
        workers => units.div_ceil(workers * PARTS),
    }
}

/// Runs `job(i, part)` for every part of `unit` elements of `out`, of which the last may be shorter, on as many threads
/// as pay off.
///
/// If a job returns `false`, the rest is stopped and the smallest index at which one did is returned.
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
    // Parts are taken in order, so if one fails, all before it have already been taken and only later ones are skipped.
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
            // If the system refuses to start a thread, the others do its work.
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
