//! What can be wrong, with the place where it is.

use std::fmt;

/// Every way in which an operation can refuse. No operation panics, none gives a partial result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The number of bytes is no positive multiple of the size of an element.
    ByteLength { what: &'static str, bytes: usize, size: usize },
    /// An element's bytes are not its canonical encoding.
    NotCanonical { what: &'static str, index: usize },
    /// An encoding of the identity, which is never sent.
    Identity { index: usize },
    /// Arrays have at least one element.
    Empty,
    /// More elements than `MAX_LENGTH`, or than there is memory for.
    TooLong { length: usize },
    /// The lengths differ and neither is one, or the operation does not broadcast.
    Lengths { left: usize, right: usize },
    /// The operation is for arrays of one element.
    NotOne { length: usize },
    /// There is no such place.
    Index { index: usize, length: usize },
    /// Not each place exactly once.
    NotAnOrder { length: usize },
    /// Zero has no inverse.
    Zero { index: usize },
}

impl Error {
    /// For errors in bytes: the element that is bad, if it is one element. `None` for wrong use.
    pub fn decode_index(&self) -> Option<Option<usize>> {
        match *self {
            Error::ByteLength { .. } => Some(None),
            Error::NotCanonical { index, .. } | Error::Identity { index, .. } => Some(Some(index)),
            _ => None,
        }
    }
}

/// One sentence. The index of a bad encoding is not in it: whoever shows the error adds it.
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
