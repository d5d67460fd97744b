// Included by `algebra.rs` for each group `G`. `BIG` says whether it encodes scalars in big-endian order.

use nodealer_arrays::{Error, MAX_LENGTH, Order, PrimeGroup, msm, msm_each, vartime_msm, vartime_sum};

use super::with_threads;

type Points = nodealer_arrays::Points<G>;
type Scalars = nodealer_arrays::Scalars<G>;

/// Numbers without a pattern (splitmix64).
fn noise(bytes: usize, mut seed: u64) -> Vec<u8> {
    let word = || {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    std::iter::repeat_with(word).flat_map(u64::to_le_bytes).take(bytes).collect()
}

fn scalars(n: usize, seed: u64) -> Scalars {
    Scalars::from_wide(&noise(64 * n, seed)).unwrap()
}

fn points(n: usize, seed: u64) -> Points {
    Points::map(&noise(G::UNIFORM_SIZE * n, seed)).unwrap()
}

fn numbers(values: &[u64]) -> Scalars {
    Scalars::from_u64(values).unwrap()
}

fn encoded(scalars: &Scalars) -> Vec<u8> {
    let mut out = vec![0; scalars.encoded_len()];
    scalars.encode(&mut out);
    out
}

#[test]
fn scalars_are_a_field() {
    let (a, b, c) = (scalars(9, 1), scalars(9, 2), scalars(1, 3));
    let left = a.add(&b).unwrap().mul(&c).unwrap();
    let right = a.mul(&c).unwrap().add(&c.mul(&b).unwrap()).unwrap();
    assert!(left.equals(&right));
    assert!(a.sub(&b).unwrap().equals(&b.sub(&a).unwrap().neg().unwrap()));
    assert!(a.mul(&a.invert().unwrap()).unwrap().equals(&numbers(&[1; 9])));
    assert!(a.half().unwrap().add(&a.half().unwrap()).unwrap().equals(&a));
    assert!(a.dot(&b).unwrap().equals(&a.mul(&b).unwrap().sum().unwrap()));
    assert!(Scalars::decode(&encoded(&a)).unwrap().equals(&a));
    assert!(!a.equals(&b) && !a.equals(&a.slice(0, 8).unwrap()));
}

#[test]
fn products_and_powers() {
    assert!(numbers(&[2, 3, 5, 7]).cumprod().unwrap().equals(&numbers(&[2, 6, 30, 210])));
    assert!(numbers(&[3]).powers(4).unwrap().equals(&numbers(&[3, 9, 27, 81])));
    assert_eq!(numbers(&[3, 4]).powers(2).err(), Some(Error::NotOne { length: 2 }));
    assert_eq!(numbers(&[3]).powers(0).err(), Some(Error::Empty));
    assert_eq!(numbers(&[3]).powers(usize::MAX).err(), Some(Error::TooLong { length: usize::MAX }));
    assert_eq!(Points::identity(MAX_LENGTH + 1).err(), Some(Error::TooLong { length: MAX_LENGTH + 1 }));
    assert!(numbers(&[1]).invert().unwrap().equals(&numbers(&[1])));
}

#[test]
fn zeros_and_identities_are_found() {
    let values = numbers(&[4, 0, 5, 0]);
    assert_eq!(values.first_zero(), Some(1));
    assert_eq!(values.invert().err(), Some(Error::Zero { index: 1 }));
    assert_eq!(numbers(&[4]).first_zero(), None);
    assert_eq!(numbers(&[0]).invert().err(), Some(Error::Zero { index: 0 }));
    assert_eq!(Points::generator().unwrap().mul(&values).unwrap().first_identity(), Some(1));
    assert_eq!(points(3, 1).first_identity(), None);
    // also if the encodings are known
    let found = Points::generator().unwrap().mul(&values).unwrap();
    found.encode(&mut vec![0; found.encoded_len()]);
    assert_eq!(found.first_identity(), Some(1));
    assert_eq!(found.slice(2, 4).unwrap().first_identity(), Some(1));
    assert_eq!(found.slice(2, 3).unwrap().first_identity(), None);
}

#[test]
fn the_order_is_the_order() {
    let encoded = |little: &[u8]| match BIG {
        true => little.iter().rev().copied().collect(),
        false => little.to_vec(),
    };
    let order = encoded(G::ORDER);
    assert_eq!(Scalars::decode(&order).err(), Some(Error::NotCanonical { what: "scalar", index: 0 }));
    let mut below = G::ORDER.to_vec();
    below[0] -= 1;
    let below = encoded(&below);
    let minus_one = Scalars::decode(&below).unwrap();
    assert!(minus_one.equals(&numbers(&[1]).neg().unwrap()));
    let data = [below, vec![0xff; 32]].concat();
    assert_eq!(Scalars::decode(&data).err(), Some(Error::NotCanonical { what: "scalar", index: 1 }));
}

#[test]
fn points_are_a_group() {
    let n = 250; // enough for a temporary table
    let (p, q, one) = (points(n, 1), points(n, 2), points(1, 3));
    let (a, b) = (scalars(n, 4), scalars(n, 5));
    let left = p.add(&q).unwrap().mul(&a).unwrap();
    assert!(left.equals(&p.mul(&a).unwrap().add(&q.mul(&a).unwrap()).unwrap()));
    assert!(p.sub(&q).unwrap().equals(&p.add(&q.neg().unwrap()).unwrap()));
    // twice a point, with its encoding
    let (twice, sum) = (p.doubled().unwrap(), p.add(&p).unwrap());
    let encoded = |points: &Points| {
        let mut out = vec![0; points.encoded_len()];
        points.encode(&mut out);
        out
    };
    assert!(twice.equals(&sum));
    assert_eq!(encoded(&twice), encoded(&sum));
    assert_eq!(Points::identity(2).unwrap().doubled().unwrap().first_identity(), Some(0));
    // one point times many scalars: with its own table, with a temporary table, and without a table
    let tabled = one.tabled().unwrap();
    assert!(tabled.has_table() && tabled.slice(0, 1).unwrap().has_table());
    assert!(tabled.mul(&a).unwrap().equals(&one.mul(&a).unwrap()));
    let single = |i: usize| one.mul(&a.slice(i, i + 1).unwrap()).unwrap();
    assert!(one.mul(&a).unwrap().slice(7, 8).unwrap().equals(&single(7)));
    // with every temporary table: all digits, and the ends of the range
    let edges = numbers(&[0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 127, 128, 129, 255, 256, u64::MAX]);
    let edges = Scalars::concat(&[&edges, &edges.neg().unwrap()]).unwrap();
    let plain = |i: usize| one.mul(&edges.slice(i, i + 1).unwrap()).unwrap();
    for times in [1, 16] {
        let product = one.mul(&Scalars::concat(&vec![&edges; times]).unwrap()).unwrap();
        assert!((0..product.len()).all(|i| product.slice(i, i + 1).unwrap().equals(&plain(i % edges.len()))));
    }
    // one scalar times many points
    let sum = p.mul(&b.slice(0, 1).unwrap()).unwrap().sum().unwrap();
    assert!(sum.equals(&p.sum().unwrap().mul(&b.slice(0, 1).unwrap()).unwrap()));
}

#[test]
fn multi_scalar_multiplication() {
    for threads in [1, 3] {
        let _turn = with_threads(threads);
        for n in [1, 2, 7, 8, 52, 60, 61, 121, 200, 301, 800, 801] {
            let (s, p) = (scalars(n, 6), points(n, 7));
            let expected = p.mul(&s).unwrap().sum().unwrap();
            assert!(msm(&s, &p).unwrap().equals(&expected));
            assert!(vartime_msm(&s, &p).unwrap().equals(&expected));
        }
    }
    let refused = Some(Error::Lengths { left: 1, right: 2 });
    assert_eq!(msm(&scalars(1, 1), &points(2, 1)).err(), refused);
    assert_eq!(vartime_msm(&scalars(1, 1), &points(2, 1)).err(), refused);
}

#[test]
fn sums_of_terms() {
    let (p, q, one) = (points(3, 1), points(2, 2), points(1, 3));
    let (w, s, t) = (scalars(1, 4), scalars(3, 5), scalars(2, 6));
    let product = |w: &Scalars, s: &Scalars, p: &Points| p.mul(&w.mul(s).unwrap()).unwrap().sum().unwrap();
    let terms = [(&w, &s, &p), (&s, &w, &p), (&t, &t, &q), (&t, &t, &one), (&w, &w, &q), (&t, &w, &one)];
    let each: Vec<_> = terms.iter().map(|(w, s, p)| product(w, s, p)).collect();
    let expected = Points::concat(&each.iter().collect::<Vec<_>>()).unwrap().sum().unwrap();
    assert!(vartime_sum(&terms).unwrap().equals(&expected));
    assert_eq!(vartime_sum::<G>(&[]).err(), Some(Error::Empty));
    assert_eq!(vartime_sum(&[(&s, &t, &p)]).err(), Some(Error::Lengths { left: 3, right: 2 }));
    assert_eq!(vartime_sum(&[(&w, &s, &q)]).err(), Some(Error::Lengths { left: 3, right: 2 }));
}

#[test]
fn several_sums_and_products_that_are_sent() {
    let (s, p, g) = (scalars(3, 1), points(3, 2), Points::generator().unwrap());
    let one = s.slice(0, 1).unwrap();
    let plain = Points::concat(&[&msm(&s, &p).unwrap(), &g.mul(&one).unwrap()]).unwrap();
    for threads in [1, 4] {
        let _turn = with_threads(threads);
        let sums = msm_each(&[(&s, &p), (&one, &g)]).unwrap();
        assert!(sums.equals(&plain));
        assert_eq!(sums.encoded(), plain.encoded());
    }
    assert_eq!(msm_each::<G>(&[]).err(), Some(Error::Empty));
    assert_eq!(msm_each(&[(&one, &p)]).err(), Some(Error::Lengths { left: 1, right: 3 }));
    for base in [&p, &g] {
        let (sent, plain) = (base.products(&s).unwrap(), base.mul(&s).unwrap());
        assert!(sent.equals(&plain));
        assert_eq!(sent.encoded(), plain.encoded());
    }
}

#[test]
fn what_stands_in_another_array_and_what_stands_twice() {
    let p = points(4, 1);
    let part = p.slice(2, 4).unwrap();
    assert_eq!(p.vartime_first_in(&part), Some(2));
    assert_eq!(p.vartime_first_in(&points(4, 2)), None);
    assert_eq!(p.vartime_first_repeat(), None);
    assert_eq!(Points::concat(&[&p, &part]).unwrap().vartime_first_repeat(), Some(4));
}

#[test]
fn ranked_sums() {
    for n in [1, 2, 52] {
        let (p, ranks) = (points(n, 1), numbers(&(1..=n as u64).collect::<Vec<_>>()));
        assert!(p.ranked_sum().unwrap().equals(&msm(&ranks, &p).unwrap()));
    }
}

#[test]
fn secret_orders() {
    for n in [1, 2, 3, 16, 52] {
        let chosen: Vec<usize> = (0..n).map(|at| (at * 5 + 3) % n).collect();
        let (order, a, p) = (Order::new(&chosen).unwrap(), scalars(n, 1), points(n, 2));
        assert!(a.take(&order).unwrap().equals(&a.vartime_take(&chosen).unwrap()));
        assert!(p.take(&order).unwrap().equals(&p.vartime_take(&chosen).unwrap()));
        // With known encodings, which must move with their points.
        p.encoded();
        let (taken, wanted) = (p.take(&order).unwrap(), p.vartime_take(&chosen).unwrap());
        assert!(taken.equals(&wanted) && taken.encoded() == wanted.encoded());
        assert_eq!(taken.take(&order.inverse()).unwrap().encoded(), p.encoded());
    }
    let three = Order::new(&[2, 0, 1]).unwrap();
    assert_eq!(scalars(2, 1).take(&three).err(), Some(Error::Lengths { left: 2, right: 3 }));
    assert_eq!(points(4, 1).take(&three).err(), Some(Error::Lengths { left: 4, right: 3 }));
}

#[test]
fn places() {
    let a = numbers(&[5, 6, 7]);
    assert!(a.vartime_take(&[2, 0, 0]).unwrap().equals(&numbers(&[7, 5, 5])));
    assert_eq!(a.vartime_take(&[0, 3]).err(), Some(Error::Index { index: 3, length: 3 }));
    assert_eq!(a.vartime_take(&[]).err(), Some(Error::Empty));
    assert_eq!(a.slice(1, 1).err(), Some(Error::Empty));
    assert_eq!(a.slice(1, 4).err(), Some(Error::Index { index: 4, length: 3 }));
    assert_eq!(a.slice(2, 1).err(), Some(Error::Index { index: 1, length: 3 }));
    assert!(Scalars::concat(&[&a, &a.slice(1, 2).unwrap()]).unwrap().equals(&numbers(&[5, 6, 7, 6])));
    assert_eq!(a.add(&numbers(&[1, 2])).err(), Some(Error::Lengths { left: 3, right: 2 }));
    assert_eq!(a.dot(&numbers(&[1])).err(), Some(Error::Lengths { left: 3, right: 1 }));
    assert_eq!(points(2, 1).tabled().err(), Some(Error::NotOne { length: 2 }));
}

#[test]
fn threads_change_nothing() {
    let run = |threads| {
        let _turn = with_threads(threads);
        let p = points(700, 1).mul(&scalars(700, 2)).unwrap();
        let mut out = vec![0; p.encoded_len()];
        p.encode(&mut out);
        // the first of several bad encodings is reported, whichever thread finds one first
        let mut spoilt = out.clone();
        for i in [650, 333, 334] {
            spoilt[G::POINT_SIZE * i] = 0xff;
        }
        assert_eq!(Points::decode(&spoilt).err(), Some(Error::NotCanonical { what: "point", index: 333 }));
        assert!(Points::decode(&out).unwrap().equals(&p));
        out
    };
    let alone = run(1);
    assert!([2, 3, 16].into_iter().all(|threads| run(threads) == alone));
}

#[test]
fn a_point_takes_at_most_200_bytes() {
    assert!(points(100, 1).memory() <= 200 * 100);
}
