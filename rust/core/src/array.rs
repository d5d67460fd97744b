//! A fixed-length array that erases itself, and the operations common to scalars and points.

use zeroize::Zeroize;

use crate::MAX_LENGTH;
use crate::error::Error;
use crate::group::Element;
use crate::threads;

/// An array of at least one element. It never grows, so no copy of a secret is left behind in freed memory.
pub struct Array<T: Element>(Box<[T]>);

impl<T: Element> Drop for Array<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Element> std::ops::Deref for Array<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

/// The length of the result of broadcasting arrays of these lengths, which must be equal unless one of them is one.
pub fn broadcast(left: usize, right: usize) -> Result<usize, Error> {
    match (left, right) {
        (a, b) if a == b => Ok(a),
        (1, b) => Ok(b),
        (a, 1) => Ok(a),
        _ => Err(Error::Lengths { left, right }),
    }
}

/// The number of elements of `size` bytes in this many bytes.
pub fn count(what: &'static str, bytes: usize, size: usize) -> Result<usize, Error> {
    if bytes == 0 || bytes % size != 0 {
        return Err(Error::ByteLength { what, bytes, size });
    }
    Ok(bytes / size)
}

impl<T: Element> Array<T> {
    /// Copies of one element.
    pub fn filled(length: usize, element: T) -> Result<Self, Error> {
        if length == 0 {
            return Err(Error::Empty);
        }
        let mut cells = Vec::new();
        if length > MAX_LENGTH || cells.try_reserve_exact(length).is_err() {
            return Err(Error::TooLong { length });
        }
        cells.resize(length, element);
        Ok(Self(cells.into_boxed_slice()))
    }

    /// Computes each element from its index, in place. `nanos` is the cost of one element.
    pub fn build(length: usize, nanos: u64, make: impl Fn(usize) -> T + Sync) -> Result<Self, Error> {
        Self::try_build(length, nanos, |i| Some(make(i)), |_| Error::Empty)
    }

    /// Like `build`, for elements that may not exist: `refuse` gives the error for the first such index.
    pub fn try_build(
        length: usize,
        nanos: u64,
        make: impl Fn(usize) -> Option<T> + Sync,
        refuse: impl Fn(usize) -> Error,
    ) -> Result<Self, Error> {
        let mut array = Self::filled(length, T::default())?;
        let job = |i: usize, cell: &mut [T]| match make(i) {
            Some(element) => {
                cell.fill(element);
                true
            }
            None => false,
        };
        threads::for_each(&mut array.0, 1, nanos, job).map_err(refuse)?;
        Ok(array)
    }

    /// Like `build` on one thread, for elements that depend on the one before.
    pub fn scan(length: usize, first: T, next: impl Fn(usize, &T) -> T) -> Result<Self, Error> {
        let mut array = Self::filled(length, first)?;
        for i in 1..length {
            array.0[i] = next(i, &array.0[i - 1]);
        }
        Ok(array)
    }

    /// Applies an operation elementwise, with broadcasting.
    pub fn zip<U: Element, V: Element>(
        &self,
        other: &Array<U>,
        nanos: u64,
        op: impl Fn(&T, &U) -> V + Sync,
    ) -> Result<Array<V>, Error> {
        let length = broadcast(self.len(), other.len())?;
        let (a, b) = (usize::from(self.len() > 1), usize::from(other.len() > 1));
        Array::build(length, nanos, |i| op(&self[i * a], &other[i * b]))
    }

    pub fn slice(&self, start: usize, end: usize) -> Result<Self, Error> {
        if start == end {
            return Err(Error::Empty);
        }
        let part = self.get(start..end).ok_or(Error::Index { index: end, length: self.len() })?;
        Self::copied(part)
    }

    /// Takes elements by plain indexing. Other processes that share the cache may see which indices are read.
    pub fn vartime_take(&self, indices: &[usize]) -> Result<Self, Error> {
        if let Some(&index) = indices.iter().find(|&&i| i >= self.len()) {
            return Err(Error::Index { index, length: self.len() });
        }
        Self::build(indices.len(), 0, |i| self[indices[i]])
    }

    pub fn concat(parts: &[&Self]) -> Result<Self, Error> {
        let length = parts.iter().map(|part| part.len()).sum();
        let mut array = Self::filled(length, T::default())?;
        let mut rest = &mut array.0[..];
        for part in parts {
            let (here, after) = rest.split_at_mut(part.len());
            here.copy_from_slice(part);
            rest = after;
        }
        Ok(array)
    }

    pub fn copied(elements: &[T]) -> Result<Self, Error> {
        Self::build(elements.len(), 0, |i| elements[i])
    }

    /// The elements as a mutable slice, for code that writes them in its own order.
    pub fn cells(&mut self) -> &mut [T] {
        &mut self.0
    }
}
