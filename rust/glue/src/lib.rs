//! The Python module `nodealer.group._core`: thin classes over `nodealer_arrays`, and over the libraries for keys.

#![forbid(unsafe_code)]

mod classes;
mod convert;
mod keys;
mod order;

#[cfg(feature = "yardstick")]
use std::time::Duration;

use nodealer_arrays::threads;
#[cfg(feature = "yardstick")]
use nodealer_arrays::yardstick;
use pyo3::prelude::*;

#[cfg(feature = "yardstick")]
use convert::bad;
use convert::{BadParameter, count};

// To add a group, add a line here and one in `_core`.
classes::group_classes!(ristretto255 = nodealer_arrays::Ristretto255: Ristretto255, Ristretto255Scalars, Ristretto255Points);
classes::group_classes!(secp256k1 = nodealer_arrays::Secp256k1: Secp256k1, Secp256k1Scalars, Secp256k1Points);

/// The number of threads that one call may use.
#[pyfunction(name = "threads")]
fn get_threads() -> usize {
    threads::threads()
}

/// Sets the number of threads that one call may use.
#[pyfunction]
#[pyo3(signature = (n, /))]
fn set_threads(n: &Bound<'_, PyAny>) -> PyResult<()> {
    threads::set_threads(count(n)?);
    Ok(())
}

/// The shortest time in seconds of a plain loop on curve25519-dalek over `n` elements: CPU time on one thread,
/// wall-clock time on several.
#[cfg(feature = "yardstick")]
#[pyfunction(name = "yardstick")]
fn run_yardstick(py: Python<'_>, kind: &str, n: usize, threads: usize, repeat: usize) -> PyResult<f64> {
    if n == 0 || n > nodealer_arrays::MAX_LENGTH || threads == 0 || threads > threads::MAX_THREADS || repeat == 0 {
        return Err(bad("a yardstick needs a positive size, number of threads and number of runs"));
    }
    let time = if threads == 1 {
        let thread_time = py.import("time")?.getattr("thread_time_ns")?;
        let clock = || -> PyResult<Duration> { Ok(Duration::from_nanos(thread_time.call0()?.extract()?)) };
        yardstick::measure(kind, n, repeat, clock).transpose()?
    } else {
        py.detach(|| yardstick::measure_threads(kind, n, threads, repeat))
    };
    let time = time.ok_or_else(|| bad(format!("no such yardstick: there is {}", yardstick::KINDS.join(", "))))?;
    Ok(time.as_secs_f64())
}

/// `NODEALER_THREADS` if it is set, otherwise the number of processors.
fn first_threads() -> PyResult<usize> {
    match std::env::var("NODEALER_THREADS") {
        Err(std::env::VarError::NotPresent) => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        Ok(text) if text.is_empty() => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        Ok(text) if text.parse().is_ok_and(|n: usize| n >= 1) => Ok(text.parse().unwrap_or(1)),
        _ => Err(BadParameter::new_err("NODEALER_THREADS must be a whole number of at least 1")),
    }
}

/// Keeps freed memory in the process. By default glibc returns a block of 128 kB to the system as soon as it is freed,
/// and every page of the next one costs a page fault. Freeing a larger block raises that threshold, so that smaller
/// blocks are kept.
fn keep_freed_memory() {
    const KEPT: usize = 4 << 20;
    drop(std::hint::black_box(Vec::<u8>::with_capacity(KEPT)));
}

/// Arrays of scalars and points, in Rust.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    keep_freed_memory();
    threads::set_threads(first_threads()?);
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add("SOURCE_HASH", env!("NODEALER_SOURCE_HASH"))?;
    module.add("CODE", nodealer_arrays::code())?;
    module.add("PROFILE", if cfg!(debug_assertions) { "debug" } else { "release" })?;
    module.add_function(wrap_pyfunction!(get_threads, module)?)?;
    module.add_function(wrap_pyfunction!(set_threads, module)?)?;
    #[cfg(feature = "yardstick")]
    module.add_function(wrap_pyfunction!(run_yardstick, module)?)?;
    module.add_class::<order::Order>()?;
    keys::add(module)?;
    ristretto255::add(module)?;
    secp256k1::add(module)
}
