//! The Python class of secret orders, which all groups share.

use pyo3::prelude::*;
use pyo3::types::PyList;
use zeroize::Zeroizing;

use crate::convert::{bad, bytes, items, order_place, refuse, run};

/// A secret order. Neither a sequence nor iterable, so that it cannot be read by mistake.
#[pyclass(frozen, module = "nodealer.group._core")]
pub struct Order(pub nodealer_arrays::Order);

/// The cost per place, in nanoseconds, of sorting an array of this length by an order.
pub fn sort_nanos(length: usize) -> u64 {
    let rounds = u64::from(length.max(1).ilog2()) + 1;
    rounds * rounds
}

#[pymethods]
impl Order {
    /// Builds an order from a permutation of 0 … n − 1.
    #[new]
    #[pyo3(signature = (places, /))]
    fn new(py: Python<'_>, places: &Bound<'_, PyAny>) -> PyResult<Self> {
        let items = items(places, "places")?;
        let length = items.len();
        let mut numbers = Zeroizing::new(Vec::with_capacity(length));
        for item in &items {
            numbers.push(order_place(item)?);
        }
        run(py, length, sort_nanos(length), || nodealer_arrays::Order::new(&numbers)).map(Self).map_err(refuse)
    }

    /// Draws an order from uniform secret words of 8 bytes, little-endian. `None` if other words must be drawn.
    #[staticmethod]
    #[pyo3(signature = (words, /))]
    fn drawn(py: Python<'_>, words: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let data = bytes(words, "orders")?;
        if data.len() % 8 != 0 {
            return Err(bad("a word of an order has 8 bytes"));
        }
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        let words = Zeroizing::new(data.chunks_exact(8).map(word).collect::<Vec<u64>>());
        let nanos = words.len() as u64 / 4 + sort_nanos(words.len());
        let order = run(py, words.len(), nanos, || nodealer_arrays::Order::drawn(&words)).map_err(refuse)?;
        Ok(order.map(Self))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<Order native n={}>", self.0.len())
    }

    fn inverse(&self) -> Self {
        Self(self.0.inverse())
    }

    fn vartime_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.0.vartime_places())
    }
}
