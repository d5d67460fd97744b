//! Constant-time multiplication of one point by many scalars, if there are too few for dalek's table to pay off.
//!
//! The table has a row for each of the 64 signed digits in base 16, with the eight multiples that a digit can need.
//! Dalek's table has affine points, each of which takes an inversion to compute; these stay projective. A
//! multiplication consists of additions only, and examines every entry of every row.

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::Identity;
use subtle::{Choice, ConditionallyNegatable, ConditionallySelectable, ConstantTimeEq};
use zeroize::{Zeroize, Zeroizing};

const DIGITS: usize = 64;
const ENTRIES: usize = 8;

/// P, 2P, …, 8P, then 16 times those, and so on. Erased when dropped.
pub struct Comb(Box<[[RistrettoPoint; ENTRIES]]>);

impl Drop for Comb {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Comb {
    pub fn new(point: &RistrettoPoint) -> Self {
        let mut rows = vec![[RistrettoPoint::identity(); ENTRIES]; DIGITS].into_boxed_slice();
        let mut base = Zeroizing::new(*point);
        for row in rows.iter_mut() {
            row[0] = *base;
            for i in 1..ENTRIES {
                row[i] = row[i - 1] + *base;
            }
            *base = row[ENTRIES - 1] + row[ENTRIES - 1];
        }
        Self(rows)
    }

    pub fn mul(&self, scalar: &Scalar) -> RistrettoPoint {
        let mut sum = RistrettoPoint::identity();
        for (row, &digit) in self.0.iter().zip(digits(scalar).iter()) {
            sum += select(row, digit);
        }
        sum
    }
}

/// digit·P from the row of P, for a digit in [-8, 8].
fn select(row: &[RistrettoPoint; ENTRIES], digit: i8) -> RistrettoPoint {
    let sign = digit >> 7;
    let size = (digit ^ sign) - sign;
    let mut found = RistrettoPoint::identity();
    for (entry, multiple) in row.iter().zip(1i8..) {
        found.conditional_assign(entry, size.ct_eq(&multiple));
    }
    found.conditional_negate(Choice::from((sign & 1) as u8));
    found
}

/// The digits of a scalar in base 16, lowest first, each in [-8, 8). The last is at most 2, since a scalar is below
/// 2^253.
fn digits(scalar: &Scalar) -> Zeroizing<[i8; DIGITS]> {
    let mut out = Zeroizing::new([0; DIGITS]);
    for (pair, byte) in out.chunks_exact_mut(2).zip(scalar.as_bytes()) {
        pair[0] = (byte & 15) as i8;
        pair[1] = (byte >> 4) as i8;
    }
    for i in 1..DIGITS {
        let carry = (out[i - 1] + 8) >> 4;
        out[i - 1] -= carry << 4;
        out[i] += carry;
    }
    out
}
