//! Constant-time multiplication of one point by many scalars, where dalek's table would not pay.
//!
//! A row for each of the 64 signed digits to the base 16, with the eight multiples that a digit can ask for. Dalek keeps
//! affine points, and each of them takes an inversion to make; these stay projective. A multiplication is additions
//! only, and every entry of a row is looked at every time.

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::Identity;
use subtle::{Choice, ConditionallyNegatable, ConditionallySelectable, ConstantTimeEq};
use zeroize::{Zeroize, Zeroizing};

const DIGITS: usize = 64;
const ENTRIES: usize = 8;

/// P, 2P, …, 8P, then 16 times those, and so on; erased in the end.
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

/// Digits in [-8, 8), the last one up to 2, to the base 16, lowest first: a scalar is below 2^253.
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
