//! Compares the arrays with the single operations that they consist of, for every group.

use std::sync::{Mutex, MutexGuard, PoisonError};

use nodealer_arrays::threads;

/// The number of threads is a global setting, so tests that set it take turns.
fn with_threads(count: usize) -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    threads::set_threads(count);
    turn
}

mod ristretto255 {
    type G = nodealer_arrays::Ristretto255;
    const BIG: bool = false;
    include!("shared/algebra.rs");
}

mod secp256k1 {
    type G = nodealer_arrays::Secp256k1;
    const BIG: bool = true;
    include!("shared/algebra.rs");
}
