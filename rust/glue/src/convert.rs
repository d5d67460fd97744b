//! Conversion of arguments from Python, which may have any type, and of errors to those of `nodealer.errors`.

use nodealer_arrays::{Error, MAX_LENGTH};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyMemoryView, PySequence, PySlice, PyString, PyTuple};

mod errors {
    pyo3::import_exception!(nodealer.errors, BadParameter);
    pyo3::import_exception!(nodealer.errors, DecodeError);
}
pub use errors::BadParameter;
use errors::DecodeError;

/// The work, in nanoseconds, below which the interpreter lock is kept: reacquiring it can take longer than that.
const DETACH_PAYS: u64 = 50_000;

/// Runs `work`, without the interpreter lock if it takes long.
pub fn run<T: Send>(py: Python<'_>, units: usize, nanos: u64, work: impl FnOnce() -> T + Send) -> T {
    if (units as u64).saturating_mul(nanos) < DETACH_PAYS { work() } else { py.detach(work) }
}

pub fn bad(message: impl Into<String>) -> PyErr {
    BadParameter::new_err(message.into())
}

pub fn refuse(error: Error) -> PyErr {
    match error.decode_index() {
        Some(index) => DecodeError::new_err((error.to_string(), index)),
        None => bad(error.to_string()),
    }
}

/// The name of a value's type. The value itself may be secret and is never shown.
pub fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "something".to_owned(), |name| name.to_string())
}

pub fn bytes<'a>(data: &'a Bound<'_, PyAny>, what: &str) -> PyResult<&'a [u8]> {
    match data.cast::<PyBytes>() {
        Ok(data) => Ok(data.as_bytes()),
        Err(_) => Err(bad(format!("{what} are decoded from bytes, not from {}", type_name(data)))),
    }
}

/// Checks that a value is an integer. A bool is one to Python, but a mistake here.
fn integer<'a, 'py>(value: &'a Bound<'py, PyAny>, what: &str) -> PyResult<&'a Bound<'py, PyInt>> {
    match value.cast::<PyInt>() {
        Ok(number) if !value.is_instance_of::<PyBool>() => Ok(number),
        _ => Err(bad(format!("expected {what}, got {}", type_name(value)))),
    }
}

/// The items of a sequence that is neither text nor bytes, exactly as many as its length says.
pub fn items<'py>(values: &Bound<'py, PyAny>, what: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mistaken = values.is_instance_of::<PyString>()
        || values.is_instance_of::<PyBytes>()
        || values.is_instance_of::<PyByteArray>()
        || values.is_instance_of::<PyMemoryView>();
    match values.cast::<PySequence>() {
        Ok(sequence) if !mistaken => match sequence.len() {
            Ok(length) if length <= MAX_LENGTH => {
                let items: Vec<_> = sequence.try_iter()?.take(length + 1).collect::<PyResult<_>>()?;
                if items.len() != length {
                    return Err(bad(format!("a sequence of {what} is not as long as it says")));
                }
                Ok(items)
            }
            _ => Err(bad(format!("a sequence of {what} is too long"))),
        },
        _ => Err(bad(format!("expected a sequence of {what}, got {}", type_name(values)))),
    }
}

/// A term of a sum: a tuple with one array for each name.
pub fn tuple<'py, const N: usize>(term: &Bound<'py, PyAny>, names: [&str; N]) -> PyResult<[Bound<'py, PyAny>; N]> {
    let parts = term.cast::<PyTuple>().ok().filter(|parts| parts.len() == N);
    let arrays = parts.and_then(|parts| parts.iter().collect::<Vec<_>>().try_into().ok());
    arrays.ok_or_else(|| bad(format!("expected a tuple of {}, got {}", names.join(", "), type_name(term))))
}

pub fn u64(value: &Bound<'_, PyAny>, index: usize) -> PyResult<u64> {
    let number = integer(value, "an integer")?;
    number.extract().map_err(|_| bad(format!("the integer at index {index} is not in [0, 2^64)")))
}

/// A count of at least one.
pub fn count(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    match small(value, "a count")? {
        Some(count) if count >= 1 => Ok(count.unsigned_abs()),
        Some(count) => Err(bad(format!("a count is at least 1, not {count}"))),
        None => Err(bad("a count is at least 1 and not as large as this")),
    }
}

/// An index, counted from the end if it is negative.
pub fn place(value: &Bound<'_, PyAny>, length: usize) -> PyResult<usize> {
    let Some(index) = small(value, "an index")? else {
        return Err(bad(format!("an index is far outside an array of {length}")));
    };
    let inside = match index {
        0.. => Some(index.unsigned_abs()).filter(|&index| index < length),
        _ => length.checked_sub(index.unsigned_abs()),
    };
    inside.ok_or_else(|| bad(format!("index {index} is not in an array of {length}")))
}

/// An index in an order. An impossible one becomes an index that is too large for any order.
pub fn order_place(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let number = small(value, "a place")?;
    Ok(number.and_then(|number| usize::try_from(number).ok()).unwrap_or(usize::MAX))
}

/// An integer, or `None` if it is so large that Python may refuse to print it.
fn small(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Option<isize>> {
    Ok(integer(value, what)?.extract().ok())
}

/// An index or a slice without a step, as a range.
pub fn range(key: &Bound<'_, PyAny>, length: usize) -> PyResult<(usize, usize)> {
    let Ok(slice) = key.cast::<PySlice>() else {
        let start = place(key, length)?;
        return Ok((start, start + 1));
    };
    let part = |name| slice.getattr(name).map(|bound| if bound.is_none() { None } else { Some(bound) });
    if let Some(step) = part("step")? {
        let one = integer(&step, "an index").and_then(|step| step.extract::<isize>());
        if !one.is_ok_and(|step| step == 1) {
            return Err(bad("a slice of an array has no step"));
        }
    }
    for bound in [part("start")?, part("stop")?].into_iter().flatten() {
        integer(&bound, "an index")?;
    }
    // Clamps both ends as Python does, for numbers of any size.
    let indices = slice.indices(isize::try_from(length)?)?;
    let start = usize::try_from(indices.start)?;
    Ok((start, start.max(usize::try_from(indices.stop)?)))
}
