//! Arrays of group elements.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroizing;

use crate::array::{self, Array};
use crate::cost::{POINT_ADD, POINT_CODEC, POINT_MAP, POINT_MUL, TABLE_MUL};
use crate::error::Error;
use crate::group::PrimeGroup;
use crate::network;
use crate::order::Order;
use crate::scalars::Scalars;
use crate::threads;

/// An array of at least one point. Always valid: points only come from strict decoding, the one-way map and arithmetic.
///
/// Points erase themselves too, because a decrypted card is a point and must stay secret.
pub struct Points<G: PrimeGroup> {
    pub(crate) elements: Array<G::Point>,
    /// Only present if there is exactly one element.
    table: Option<Arc<G::Table>>,
    /// Cached once it is known: encoding a point costs as much as decoding one, and a deck received as bytes is hashed
    /// into several transcripts.
    encoding: Encoding,
}

type Encoding = OnceLock<Zeroizing<Vec<u8>>>;

impl<G: PrimeGroup> From<Array<G::Point>> for Points<G> {
    fn from(elements: Array<G::Point>) -> Self {
        Self { elements, table: None, encoding: Encoding::new() }
    }
}

#[allow(clippy::len_without_is_empty)] // never empty
impl<G: PrimeGroup> Points<G> {
    /// Strict decoding. The identity is refused.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let size = G::POINT_SIZE;
        let length = array::count("points", bytes.len(), size)?;
        let encoding = |i: usize| &bytes[i * size..(i + 1) * size];
        let make = |i: usize| G::point_decode(encoding(i)).filter(|_| encoding(i) != G::IDENTITY_ENCODING);
        let refuse = |index: usize| match encoding(index) == G::IDENTITY_ENCODING {
            true => Error::Identity { index },
            false => Error::NotCanonical { what: "point", index },
        };
        let elements = Array::try_build(length, POINT_CODEC, make, refuse)?;
        Ok(Self { encoding: Zeroizing::new(bytes.to_vec()).into(), ..Self::from(elements) })
    }

    /// Applies the group's one-way map.
    pub fn map(uniform: &[u8]) -> Result<Self, Error> {
        let size = G::UNIFORM_SIZE;
        let length = array::count("uniform bytes", uniform.len(), size)?;
        Array::build(length, POINT_MAP, |i| G::point_map(&uniform[i * size..(i + 1) * size])).map(Self::from)
    }

    pub fn identity(count: usize) -> Result<Self, Error> {
        Array::filled(count, G::identity()).map(Self::from)
    }

    /// The generator, with its table.
    pub fn generator() -> Result<Self, Error> {
        let elements = Array::filled(1, G::generator())?;
        let table = Some(Arc::new(G::generator_table()));
        Ok(Self { table, ..Self::from(elements) })
    }

    pub fn len(&self) -> usize {
        self.elements.len()
    }

    pub fn has_table(&self) -> bool {
        self.table.is_some()
    }

    pub fn add(&self, other: &Self) -> Result<Self, Error> {
        self.elements.zip(&other.elements, POINT_ADD, G::point_add).map(Self::from)
    }

    pub fn sub(&self, other: &Self) -> Result<Self, Error> {
        self.elements.zip(&other.elements, POINT_ADD, G::point_sub).map(Self::from)
    }

    pub fn neg(&self) -> Result<Self, Error> {
        Array::build(self.len(), POINT_ADD, |i| G::point_neg(&self.elements[i])).map(Self::from)
    }

    /// The cost of one element of `mul`.
    pub fn mul_nanos(&self) -> u64 {
        if self.table.is_some() { TABLE_MUL } else { POINT_MUL }
    }

    /// Multiplies elementwise, with broadcasting. One point times many scalars uses a table.
    pub fn mul(&self, scalars: &Scalars<G>) -> Result<Self, Error> {
        let made;
        let table = match &self.table {
            Some(table) => Some(&**table),
            None if self.len() == 1 => {
                made = G::table(&self.elements[0], scalars.len());
                made.as_ref()
            }
            None => None,
        };
        let product = match table {
            Some(table) => Array::build(scalars.len(), TABLE_MUL, |i| G::table_mul(&scalars.0[i], table)),
            None => scalars.0.zip(&self.elements, POINT_MUL, G::point_mul),
        };
        product.map(Self::from)
    }

    /// Like `mul`, for products that will be sent: also computes their encodings if `DOUBLES_PAY`.
    pub fn products(&self, scalars: &Scalars<G>) -> Result<Self, Error> {
        match G::DOUBLES_PAY {
            true => self.mul(&scalars.half()?)?.doubled(),
            false => self.mul(scalars),
        }
    }

    /// Compares the arrays as wholes.
    pub fn equals(&self, other: &Self) -> bool {
        let pairs = self.elements.iter().zip(other.elements.iter());
        let same = pairs.fold(Choice::from(1), |same, (a, b)| same & G::point_eq(a, b));
        self.len() == other.len() && bool::from(same)
    }

    pub fn sum(&self) -> Result<Self, Error> {
        let mut sum = Array::filled(1, G::identity())?;
        let cell = sum.cells();
        for a in self.elements.iter() {
            cell[0] = G::point_add(&cell[0], a);
        }
        Ok(sum.into())
    }

    /// 1·P_1 + 2·P_2 + … + n·P_n, computed as the sum of all suffix sums, with additions only.
    pub fn ranked_sum(&self) -> Result<Self, Error> {
        let mut sums = Array::filled(2, G::identity())?;
        let cells = sums.cells();
        for a in self.elements.iter().rev() {
            cells[0] = G::point_add(&cells[0], a);
            cells[1] = G::point_add(&cells[1], &cells[0]);
        }
        sums.slice(1, 2).map(Self::from)
    }

    /// Doubles each point. Also computes the encodings if `DOUBLES_PAY`.
    pub fn doubled(&self) -> Result<Self, Error> {
        let elements = Array::build(self.len(), POINT_ADD, |i| G::point_add(&self.elements[i], &self.elements[i]))?;
        let encoding = G::doubles_encode(&self.elements).map_or_else(Encoding::new, Encoding::from);
        Ok(Self { encoding, ..Self::from(elements) })
    }

    /// The same point with a table.
    pub fn tabled(&self) -> Result<Self, Error> {
        if self.len() != 1 {
            return Err(Error::NotOne { length: self.len() });
        }
        let table = self.table.clone().or_else(|| G::table(&self.elements[0], usize::MAX).map(Arc::new));
        let elements = Array::copied(&self.elements)?;
        Ok(Self { elements, table, encoding: self.encoding.clone() })
    }

    pub(crate) fn table(&self) -> Option<&G::Table> {
        self.table.as_deref()
    }

    /// `start..end` must be inside the array and not empty. A table is kept, since it belongs to an array of one.
    pub fn slice(&self, start: usize, end: usize) -> Result<Self, Error> {
        let elements = self.elements.slice(start, end)?;
        let encoding = self.encodings(start..end);
        Ok(Self { elements, table: self.table.clone(), encoding })
    }

    /// The elements at these indices, which must be public: plain indexing reveals them.
    pub fn vartime_take(&self, indices: &[usize]) -> Result<Self, Error> {
        let elements = self.elements.vartime_take(indices)?;
        Ok(Self { encoding: self.encodings(indices.iter().copied()), ..Self::from(elements) })
    }

    /// The elements in a secret order, with their encodings if known.
    pub fn take(&self, order: &Order) -> Result<Self, Error> {
        let mut elements = Array::copied(&self.elements)?;
        let mut encoding = self.encoding.clone();
        let (cells, mut known) = (elements.cells(), encoding.get_mut());
        order.apply(cells.len(), |left, right, chosen| {
            network::swap(cells, left, right, chosen);
            if let Some(bytes) = &mut known {
                network::swap_bytes(bytes, G::POINT_SIZE, left, right, chosen);
            }
        })?;
        Ok(Self { encoding, ..Self::from(elements) })
    }

    /// The encodings of these elements, if known.
    fn encodings(&self, indices: impl ExactSizeIterator<Item = usize>) -> Encoding {
        let pick = |bytes: &Zeroizing<Vec<u8>>| {
            let size = G::POINT_SIZE;
            // Reserve the full capacity at once: a vector that grows leaves copies behind that are never erased.
            let mut picked = Zeroizing::new(Vec::with_capacity(indices.len() * size));
            indices.for_each(|i| picked.extend_from_slice(&bytes[i * size..(i + 1) * size]));
            picked
        };
        self.encoding.get().map(pick).map_or_else(Encoding::new, Encoding::from)
    }

    /// Joins arrays. The encodings are kept if those of all parts are known.
    pub fn concat(parts: &[&Self]) -> Result<Self, Error> {
        let arrays: Vec<_> = parts.iter().map(|part| &part.elements).collect();
        let elements = Array::concat(&arrays)?;
        let known: Option<Vec<_>> = parts.iter().map(|part| part.encoding.get().map(|bytes| &bytes[..])).collect();
        let encoding = known.map_or_else(Encoding::new, |known| Zeroizing::new(known.concat()).into());
        Ok(Self { encoding, ..Self::from(elements) })
    }

    /// The index of the first identity. Examines every element in any case, by its encoding if known.
    pub fn first_identity(&self) -> Option<usize> {
        let first = match self.encoding.get() {
            Some(known) => {
                let cells = known.chunks_exact(G::POINT_SIZE);
                first(cells.map(|cell| same_bytes(cell, G::IDENTITY_ENCODING)))
            }
            None => {
                let identity = G::identity();
                first(self.elements.iter().map(|a| G::point_eq(a, &identity)))
            }
        };
        usize::try_from(first).ok().filter(|&i| i < self.len())
    }

    /// The index of the first element that is also in `other`, compared by encodings. For public points only.
    pub fn vartime_first_in(&self, other: &Self) -> Option<usize> {
        let others: HashSet<&[u8]> = other.encoded().chunks_exact(G::POINT_SIZE).collect();
        self.encoded().chunks_exact(G::POINT_SIZE).position(|cell| others.contains(cell))
    }

    /// The index of the first element that equals an earlier one, compared by encodings. For public points only.
    pub fn vartime_first_repeat(&self) -> Option<usize> {
        let mut before = HashSet::with_capacity(self.len());
        self.encoded().chunks_exact(G::POINT_SIZE).position(|cell| !before.insert(cell))
    }

    pub fn encoded_len(&self) -> usize {
        self.len() * G::POINT_SIZE
    }

    /// The encodings, which are cached from now on.
    pub fn encoded(&self) -> &[u8] {
        self.encoding.get_or_init(|| {
            let mut out = Zeroizing::new(vec![0; self.encoded_len()]);
            self.encode_into(&mut out);
            out
        })
    }

    /// Encodes into `encoded_len()` bytes.
    pub fn encode(&self, out: &mut [u8]) {
        debug_assert_eq!(out.len(), self.encoded_len());
        out.copy_from_slice(self.encoded());
    }

    fn encode_into(&self, out: &mut [u8]) {
        let share = threads::share(self.len(), G::ENCODE_NANOS);
        let job = |i: usize, cells: &mut [u8]| {
            let part = &self.elements[i * share..self.len().min((i + 1) * share)];
            G::points_encode(part, cells);
            true
        };
        let _ = threads::for_each(out, share * G::POINT_SIZE, G::ENCODE_NANOS * share as u64, job);
    }

    /// The memory used, in bytes, without the table, which may be shared.
    pub fn memory(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.elements[..]) + self.encoding.get().map_or(0, |known| known.len())
    }
}

/// Whether all bytes are equal. Compares eight at a time if possible, and examines all of them in any case.
fn same_bytes(left: &[u8], right: &[u8]) -> Choice {
    let (words, others) = (left.chunks_exact(8), right.chunks_exact(8));
    let rest = words.remainder().ct_eq(others.remainder());
    words.zip(others).fold(0, |all, (a, b)| all | (word(a) ^ word(b))).ct_eq(&0) & rest
}

fn word(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

/// The index of the first that is chosen, or `u64::MAX`. Examines all of them in any case.
fn first(chosen: impl DoubleEndedIterator<Item = Choice> + ExactSizeIterator) -> u64 {
    let indices = (0..chosen.len() as u64).rev();
    chosen.rev().zip(indices).fold(u64::MAX, |first, (this, i)| u64::conditional_select(&first, &i, this))
}
