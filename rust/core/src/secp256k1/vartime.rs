//! Σ scalars[i]·points[i] for public values: the time depends on them.

use k256::elliptic_curve::BatchNormalize;
use k256::elliptic_curve::ops::LinearCombination;
use k256::{AffinePoint, ProjectivePoint, Scalar};

use super::digits::{BITS, Bits, count};

/// The width of the non-adjacent form. A table has the odd multiples below 2^(w-1).
const WIDTH: usize = 5;
const ODD: usize = 1 << (WIDTH - 2);

/// For fewer terms k256's sums are faster (measured): they have half the doublings and larger tables.
const TABLES_PAY: usize = 8;
/// From about this many terms on, buckets are faster than tables (measured).
const BUCKETS_PAY: usize = 150;

pub fn msm(scalars: &[Scalar], points: &[ProjectivePoint]) -> ProjectivePoint {
    match points.len() {
        0..TABLES_PAY => {
            let terms: Vec<_> = points.iter().copied().zip(scalars.iter().copied()).collect();
            ProjectivePoint::lincomb_vartime(&terms[..])
        }
        TABLES_PAY..BUCKETS_PAY => straus(scalars, points),
        _ => pippenger(scalars, points),
    }
}

/// Straus's method: P, 3P, …, 15P for each term, and one series of doublings for all.
fn straus(scalars: &[Scalar], points: &[ProjectivePoint]) -> ProjectivePoint {
    let mut multiples = Vec::with_capacity(points.len() * ODD);
    for point in points {
        let twice = point.double();
        let mut multiple = *point;
        multiples.push(multiple);
        for _ in 1..ODD {
            multiple += &twice;
            multiples.push(multiple);
        }
    }
    // Cheaper additions make up for the single inversion for all tables.
    let tables = ProjectivePoint::batch_normalize_vartime(&multiples[..]);

    let mut due: Vec<Vec<AffinePoint>> = vec![Vec::new(); BITS + 1];
    for (scalar, table) in scalars.iter().zip(tables.chunks_exact(ODD)) {
        let add = |place: usize, digit: i32| due[place].push(signed(table, digit.unsigned_abs() as usize / 2, digit));
        Bits::new(scalar).vartime_naf(WIDTH, add);
    }
    due.iter()
        .rev()
        .fold(ProjectivePoint::IDENTITY, |sum, terms| terms.iter().fold(sum.double(), |sum, term| sum + term))
}

/// Pippenger's method: sorts the points of each window into one bucket per digit.
fn pippenger(scalars: &[Scalar], points: &[ProjectivePoint]) -> ProjectivePoint {
    let points = ProjectivePoint::batch_normalize_vartime(points);
    let width = bucket_width(points.len());
    let windows = count(width);
    let mut digits = vec![0; windows * points.len()];
    for (scalar, row) in scalars.iter().zip(digits.chunks_exact_mut(windows)) {
        Bits::new(scalar).signed(width, row);
    }

    let mut total = ProjectivePoint::IDENTITY;
    let mut buckets = vec![ProjectivePoint::IDENTITY; 1 << (width - 1)];
    for window in (0..windows).rev() {
        for _ in 0..width {
            total.double_in_place();
        }
        buckets.fill(ProjectivePoint::IDENTITY);
        for (i, row) in digits.chunks_exact(windows).enumerate() {
            let digit = row[window];
            if digit != 0 {
                buckets[digit.unsigned_abs() as usize - 1] += &signed(&points, i, digit);
            }
        }
        // Computes Σ j·B_j as the sum of the suffix sums: bucket j is in j of them.
        let mut suffix = ProjectivePoint::IDENTITY;
        for bucket in buckets.iter().rev() {
            suffix += bucket;
            total += &suffix;
        }
    }
    total
}

fn signed(points: &[AffinePoint], index: usize, sign: i32) -> AffinePoint {
    if sign < 0 { -points[index] } else { points[index] }
}

/// The cheapest window width: a window costs one addition per term and two per bucket.
fn bucket_width(terms: usize) -> usize {
    (4..=15).min_by_key(|&width| count(width) * (terms + (1 << width) + width)).unwrap_or(8)
}
