//! Arrays of integers modulo the group's order.

use subtle::{Choice, ConditionallySelectable};
use zeroize::Zeroizing;

use crate::array::{self, Array};
use crate::cost::{SCALAR_ADD, SCALAR_MUL};
use crate::error::Error;
use crate::group::PrimeGroup;
use crate::network;
use crate::order::Order;
use crate::threads;

/// An array of at least one scalar. They may be secret: no operation branches on a value, except to report a zero.
pub struct Scalars<G: PrimeGroup>(pub(crate) Array<G::Scalar>);

#[allow(clippy::len_without_is_empty)] // never empty
impl<G: PrimeGroup> Scalars<G> {
    /// Strict decoding: each scalar must be below the order.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let size = G::SCALAR_SIZE;
        let length = array::count("scalars", bytes.len(), size)?;
        let refuse = |index| Error::NotCanonical { what: "scalar", index };
        let make = |i: usize| G::scalar_decode(&bytes[i * size..(i + 1) * size]);
        Array::try_build(length, SCALAR_MUL, make, refuse).map(Self)
    }

    /// Reduces each `WIDE_SIZE` bytes to one scalar.
    pub fn from_wide(bytes: &[u8]) -> Result<Self, Error> {
        let size = G::WIDE_SIZE;
        let length = array::count("wide scalars", bytes.len(), size)?;
        Array::build(length, SCALAR_MUL, |i| G::scalar_from_wide(&bytes[i * size..(i + 1) * size])).map(Self)
    }

    pub fn from_u64(values: &[u64]) -> Result<Self, Error> {
        Array::build(values.len(), SCALAR_ADD, |i| G::scalar_from_u64(values[i])).map(Self)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn add(&self, other: &Self) -> Result<Self, Error> {
        self.0.zip(&other.0, SCALAR_ADD, G::scalar_add).map(Self)
    }

    pub fn sub(&self, other: &Self) -> Result<Self, Error> {
        self.0.zip(&other.0, SCALAR_ADD, G::scalar_sub).map(Self)
    }

    pub fn mul(&self, other: &Self) -> Result<Self, Error> {
        self.0.zip(&other.0, SCALAR_MUL, G::scalar_mul).map(Self)
    }

    pub fn neg(&self) -> Result<Self, Error> {
        Array::build(self.len(), SCALAR_ADD, |i| G::scalar_neg(&self.0[i])).map(Self)
    }

    /// Divides each element by two.
    pub fn half(&self) -> Result<Self, Error> {
        Array::build(self.len(), SCALAR_ADD, |i| G::scalar_half(&self.0[i])).map(Self)
    }

    /// Compares the arrays as wholes.
    pub fn equals(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(other.0.iter());
        let same = pairs.fold(Choice::from(1), |same, (a, b)| same & G::scalar_eq(a, b));
        self.len() == other.len() && bool::from(same)
    }

    /// Inverts all elements with a single inversion and three multiplications per element (Montgomery's trick).
    pub fn invert(&self) -> Result<Self, Error> {
        let mut out = self.cumprod()?.0;
        let last = self.len() - 1;
        // The product is zero if and only if a factor is, and the caller learns that anyway.
        if bool::from(G::scalar_eq(&out[last], &G::zero())) {
            return Err(Error::Zero { index: self.first_zero().unwrap_or(0) });
        }
        let cells = out.cells();
        let mut rest = Zeroizing::new(G::scalar_invert(&cells[last])); // inverse of the product of elements 0 … i
        for i in (1..=last).rev() {
            cells[i] = G::scalar_mul(&rest, &cells[i - 1]);
            *rest = G::scalar_mul(&rest, &self.0[i]);
        }
        cells[0] = *rest;
        Ok(Self(out))
    }

    pub fn sum(&self) -> Result<Self, Error> {
        let mut sum = Zeroizing::new(G::zero());
        for a in self.0.iter() {
            *sum = G::scalar_add(&sum, a);
        }
        Array::filled(1, *sum).map(Self)
    }

    /// Σ a·b, without broadcasting.
    pub fn dot(&self, other: &Self) -> Result<Self, Error> {
        if self.len() != other.len() {
            return Err(Error::Lengths { left: self.len(), right: other.len() });
        }
        let mut sum = Zeroizing::new(G::zero());
        for (a, b) in self.0.iter().zip(other.0.iter()) {
            let product = Zeroizing::new(G::scalar_mul(a, b));
            *sum = G::scalar_add(&sum, &product);
        }
        Array::filled(1, *sum).map(Self)
    }

    /// x, x², …, x^count, for an array with the single element x.
    pub fn powers(&self, count: usize) -> Result<Self, Error> {
        let [x] = self.0[..] else {
            return Err(Error::NotOne { length: self.len() });
        };
        let x = Zeroizing::new(x);
        Array::scan(count, *x, |_, before| G::scalar_mul(before, &x)).map(Self)
    }

    pub fn cumprod(&self) -> Result<Self, Error> {
        Array::scan(self.len(), self.0[0], |i, before| G::scalar_mul(before, &self.0[i])).map(Self)
    }

    /// `start..end` must be inside the array and not empty.
    pub fn slice(&self, start: usize, end: usize) -> Result<Self, Error> {
        self.0.slice(start, end).map(Self)
    }

    /// The elements at these indices, which must be public: plain indexing reveals them.
    pub fn vartime_take(&self, indices: &[usize]) -> Result<Self, Error> {
        self.0.vartime_take(indices).map(Self)
    }

    /// The elements in a secret order.
    pub fn take(&self, order: &Order) -> Result<Self, Error> {
        let mut taken = Array::copied(&self.0)?;
        let cells = taken.cells();
        order.apply(cells.len(), |left, right, chosen| network::swap(cells, left, right, chosen))?;
        Ok(Self(taken))
    }

    pub fn concat(parts: &[&Self]) -> Result<Self, Error> {
        let parts: Vec<_> = parts.iter().map(|part| &part.0).collect();
        Array::concat(&parts).map(Self)
    }

    /// The index of the first zero. Examines every element in any case.
    pub fn first_zero(&self) -> Option<usize> {
        let zero = G::zero();
        let found = self.0.iter().rev().zip((0..self.len() as u64).rev());
        let first = found.fold(u64::MAX, |first, (a, i)| u64::conditional_select(&first, &i, G::scalar_eq(a, &zero)));
        usize::try_from(first).ok().filter(|&i| i < self.len())
    }

    pub fn encoded_len(&self) -> usize {
        self.len() * G::SCALAR_SIZE
    }

    /// Encodes into `encoded_len()` bytes.
    pub fn encode(&self, out: &mut [u8]) {
        debug_assert_eq!(out.len(), self.encoded_len());
        let job = |i: usize, cell: &mut [u8]| {
            G::scalar_encode(&self.0[i], cell);
            true
        };
        let _ = threads::for_each(out, G::SCALAR_SIZE, 1, job);
    }

    /// The memory used, in bytes.
    pub fn memory(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.0[..])
    }
}
