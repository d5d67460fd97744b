//! Σ scalars[i]·points[i], divided among threads if that pays off.

use std::collections::HashMap;

use zeroize::Zeroizing;

use crate::array::{Array, broadcast};
use crate::cost::{self, POINT_MUL};
use crate::error::Error;
use crate::group::PrimeGroup;
use crate::points::Points;
use crate::scalars::Scalars;
use crate::threads::{threads, workers};

/// Σ scalars[i]·points[i], in constant time.
pub fn msm<G: PrimeGroup>(scalars: &Scalars<G>, points: &Points<G>) -> Result<Points<G>, Error> {
    cut(scalars, points, cost::MSM, G::msm)
}

/// Several sums, in constant time. Also computes their encodings if `DOUBLES_PAY`.
pub fn msm_each<G: PrimeGroup>(terms: &[(&Scalars<G>, &Points<G>)]) -> Result<Points<G>, Error> {
    let mut nanos = 0;
    for (scalars, points) in terms {
        same_length(scalars.len(), points.len())?;
        nanos = nanos.max(cost::MSM.saturating_mul(points.len() as u64));
    }
    if !G::DOUBLES_PAY {
        return sums(terms, nanos);
    }
    let halves = terms.iter().map(|(scalars, _)| scalars.half()).collect::<Result<Vec<_>, _>>()?;
    let terms: Vec<_> = halves.iter().zip(terms).map(|(half, (_, points))| (half, *points)).collect();
    sums(&terms, nanos)?.doubled()
}

/// One thread per sum, or all threads on each sum if there are more threads than sums.
fn sums<G: PrimeGroup>(terms: &[(&Scalars<G>, &Points<G>)], nanos: u64) -> Result<Points<G>, Error> {
    if terms.len() < threads() {
        let one = |&(scalars, points): &(&Scalars<G>, &Points<G>)| match points.has_table() {
            true => points.mul(scalars),
            false => msm(scalars, points),
        };
        let each = terms.iter().map(one).collect::<Result<Vec<_>, _>>()?;
        return joined(&each.iter().collect::<Vec<_>>());
    }
    let one = |i: usize| match (terms[i], terms[i].1.table()) {
        ((scalars, _), Some(table)) => G::table_mul(&scalars.0[0], table),
        ((scalars, points), None) => G::msm(&scalars.0, &points.elements),
    };
    Array::build(terms.len(), nanos, one).map(Points::from)
}

/// Σ scalars[i]·points[i] for public values only: the time depends on them.
pub fn vartime_msm<G: PrimeGroup>(scalars: &Scalars<G>, points: &Points<G>) -> Result<Points<G>, Error> {
    cut(scalars, points, cost::VARTIME_MSM, G::vartime_msm)
}

fn same_length(left: usize, right: usize) -> Result<(), Error> {
    if left == right { Ok(()) } else { Err(Error::Lengths { left, right }) }
}

fn cut<G: PrimeGroup>(
    scalars: &Scalars<G>,
    points: &Points<G>,
    nanos: u64,
    whole: impl Fn(&[G::Scalar], &[G::Point]) -> G::Point + Sync,
) -> Result<Points<G>, Error> {
    let length = scalars.len();
    same_length(length, points.len())?;
    let share = length.div_ceil(workers(length, nanos));
    let part = |i: usize| {
        let range = i * share..length.min((i + 1) * share);
        whole(&scalars.0[range.clone()], &points.elements[range])
    };
    let each = nanos.saturating_mul(share as u64);
    Points::from(Array::build(length.div_ceil(share), each, part)?).sum()
}

/// Σ w[i]·s[i]·P[i] over all terms (w, s, P), with broadcasting, for public values only. If several terms share an
/// array of points (the same one, not an equal one), it enters the sum only once.
pub fn vartime_sum<G: PrimeGroup>(terms: &[(&Scalars<G>, &Scalars<G>, &Points<G>)]) -> Result<Points<G>, Error> {
    let mut places = HashMap::new();
    let (mut points, mut length) = (Vec::new(), 0);
    for &(_, _, array) in terms {
        places.entry(std::ptr::from_ref(array)).or_insert_with(|| {
            points.push(array);
            let place = length;
            length += array.len();
            place
        });
    }
    let mut scalars = Array::filled(length, G::zero())?;
    for &(w, s, array) in terms {
        let rows = broadcast(broadcast(w.len(), s.len())?, array.len())?;
        let place = places[&std::ptr::from_ref(array)];
        let cells = &mut scalars.cells()[place..place + array.len()];
        for i in 0..rows {
            let product = G::scalar_mul(&w.0[at(w.len(), i)], &s.0[at(s.len(), i)]);
            let cell = &mut cells[at(array.len(), i)];
            *cell = G::scalar_add(cell, &product);
        }
    }
    vartime_msm(&Scalars(scalars), &joined(&points)?)
}

/// Joins arrays without their encodings, which sums do not need.
fn joined<G: PrimeGroup>(points: &[&Points<G>]) -> Result<Points<G>, Error> {
    let parts: Vec<_> = points.iter().map(|points| &points.elements).collect();
    Array::concat(&parts).map(Points::from)
}

/// The index of the i-th element of a broadcast array.
fn at(length: usize, i: usize) -> usize {
    if length == 1 { 0 } else { i }
}

/// a·p + b·q, elementwise with broadcasting, in constant time. Both products share their doublings.
pub fn combine<G: PrimeGroup>(
    a: &Scalars<G>,
    p: &Points<G>,
    b: &Scalars<G>,
    q: &Points<G>,
) -> Result<Points<G>, Error> {
    let length = broadcast(broadcast(a.len(), p.len())?, broadcast(b.len(), q.len())?)?;
    let element = |i: usize| {
        let scalars = Zeroizing::new([a.0[at(a.len(), i)], b.0[at(b.len(), i)]]);
        G::msm(&*scalars, &[p.elements[at(p.len(), i)], q.elements[at(q.len(), i)]])
    };
    Array::build(length, 2 * POINT_MUL, element).map(Points::from)
}
