//! The errors of this crate, with the index at which they occurred.

use std::fmt;

/// Every reason for which an operation can fail. No operation panics or returns a partial result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The number of bytes is not a positive multiple of the size of an element.
    ByteLength { what: &'static str, bytes: usize, size: usize },
    /// An element's bytes are not its canonical encoding.
    NotCanonical { what: &'static str, index: usize },
    /// The bytes encode the identity, which is never sent.
    Identity { index: usize },
    /// An array would have no elements.
    Empty,
    /// There are more elements than `MAX_LENGTH`, or not enough memory for them.
    TooLong { length: usize },
    /// The lengths differ and neither is one, or the operation does not broadcast.
    Lengths { left: usize, right: usize },
    /// The operation needs an array of one element.
    NotOne { length: usize },
    /// The index is outside the array.
    Index { index: usize, length: usize },
    /// The indices are not a permutation.
    NotAnOrder { length: usize },
    /// Zero has no inverse.
    Zero { index: usize },
}

impl Error {
    /// For errors in encoded bytes, the index of the bad element if there is one. `None` if the caller made a mistake.
    pub fn decode_index(&self) -> Option<Option<usize>> {
        match *self {
            Error::ByteLength { .. } => Some(None),
            Error::NotCanonical { index, .. } | Error::Identity { index, .. } => Some(Some(index)),
            _ => None,
        }
    }
}

/// A sentence without the index of a bad encoding: the code that shows the error adds it.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::ByteLength { what, bytes, size } => {
                write!(f, "{what}: {bytes} bytes are not a positive multiple of {size}")
            }
            Error::NotCanonical { what, .. } => write!(f, "not a canonical {what}"),
            Error::Identity { .. } => write!(f, "the identity where a point is due"),
            Error::Empty => write!(f, "an array has at least one element"),
            Error::TooLong { length } => write!(f, "an array of {length} elements is too long"),
            Error::Lengths { left, right } => write!(f, "arrays of {left} and {right} do not match"),
            Error::NotOne { length } => write!(f, "this is for an array of one, not of {length}"),
            Error::Index { index, length } => write!(f, "index {index} is not in an array of {length}"),
            Error::NotAnOrder { length } => write!(f, "not an order of {length} places"),
            Error::Zero { index } => write!(f, "the scalar at index {index} is zero and has no inverse"),
        }
    }
}

impl std::error::Error for Error {}
