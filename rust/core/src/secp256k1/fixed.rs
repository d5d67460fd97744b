//! Constant-time multiplication with tables: one point by many scalars, and sums of products.
//!
//! Both divide scalars into signed windows of five bits. A row of affine points has the sixteen multiples that a window
//! can need, and every lookup examines the whole row.

use k256::elliptic_curve::BatchNormalize;
use k256::elliptic_curve::ops::LinearCombination;
use k256::{AffinePoint, ProjectivePoint, Scalar};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroizing;

use super::digits::{Bits, count};

const WIDTH: usize = 5;
const DIGITS: usize = count(WIDTH);
const ENTRIES: usize = 1 << (WIDTH - 1);

/// For fewer terms k256's sums are faster (measured): they have half the doublings and larger tables.
const ROWS_PAY: usize = 8;

/// The number of terms that share their doublings. More would save little and not fit in the cache.
const BLOCK: usize = 256;

/// P, 2P, …, 16P for each of several points. Erased when dropped.
struct Rows(Zeroizing<Vec<AffinePoint>>);

impl Rows {
    fn new(points: &[ProjectivePoint]) -> Self {
        let mut multiples = Zeroizing::new(Vec::with_capacity(points.len() * ENTRIES));
        for point in points {
            let mut multiple = *point;
            multiples.push(multiple);
            for _ in 1..ENTRIES {
                multiple += point;
                multiples.push(multiple);
            }
        }
        Self(Zeroizing::new(ProjectivePoint::batch_normalize(&multiples[..])))
    }

    /// digit·P from the row of P, for a digit in [-16, 16].
    fn select(row: &[AffinePoint], digit: i32) -> AffinePoint {
        let sign = digit >> 31;
        let size = (digit ^ sign) - sign;
        let mut found = AffinePoint::IDENTITY;
        for (entry, multiple) in row.iter().zip(1i32..) {
            found.conditional_assign(entry, size.ct_eq(&multiple));
        }
        AffinePoint::conditional_select(&found, &-found, Choice::from((sign & 1) as u8))
    }

    fn each(&self) -> impl Iterator<Item = &[AffinePoint]> {
        self.0.chunks_exact(ENTRIES)
    }
}

fn digits(scalar: &Scalar) -> Zeroizing<[i32; DIGITS]> {
    let mut out = Zeroizing::new([0; DIGITS]);
    Bits::new(scalar).signed(WIDTH, &mut out[..]);
    out
}

/// A row for each window, each 32 times the one before, so that a multiplication consists of additions only.
pub struct Table(Rows);

impl Table {
    pub fn new(point: &ProjectivePoint) -> Self {
        let mut base = *point;
        let mut bases = Zeroizing::new([ProjectivePoint::IDENTITY; DIGITS]);
        for cell in bases.iter_mut() {
            *cell = base;
            for _ in 0..WIDTH {
                base.double_in_place();
            }
        }
        Self(Rows::new(&bases[..]))
    }

    pub fn mul(&self, scalar: &Scalar) -> ProjectivePoint {
        let mut sum = ProjectivePoint::IDENTITY;
        for (row, &digit) in self.0.each().zip(digits(scalar).iter()) {
            sum += &Rows::select(row, digit);
        }
        sum
    }
}

/// Σ scalars[i]·points[i] with shared doublings (Straus).
pub fn msm(scalars: &[Scalar], points: &[ProjectivePoint]) -> ProjectivePoint {
    let blocks = scalars.chunks(BLOCK).zip(points.chunks(BLOCK));
    blocks.fold(ProjectivePoint::IDENTITY, |sum, (scalars, points)| sum + block(scalars, points))
}

fn block(scalars: &[Scalar], points: &[ProjectivePoint]) -> ProjectivePoint {
    if scalars.len() < ROWS_PAY {
        let terms: Zeroizing<Vec<_>> = Zeroizing::new(points.iter().copied().zip(scalars.iter().copied()).collect());
        return ProjectivePoint::lincomb(&terms[..]);
    }
    let rows = Rows::new(points);
    let digits = Zeroizing::new(scalars.iter().map(|scalar| *digits(scalar)).collect::<Vec<_>>());
    let mut sum = ProjectivePoint::IDENTITY;
    for place in (0..DIGITS).rev() {
        for _ in 0..WIDTH {
            sum.double_in_place();
        }
        for (row, digits) in rows.each().zip(digits.iter()) {
            sum += &Rows::select(row, digits[place]);
        }
    }
    sum
}
