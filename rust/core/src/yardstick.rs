//! Plain loops on curve25519-dalek, as a baseline for benchmarks of the arrays.
//!
//! Only the benchmarks use this file, so it is compiled only with the feature `yardstick`. It uses nothing else from this
//! crate: optimising the arrays must not speed up their baseline. The loops access the group only through `Bare`, so that
//! a test can count what they do.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use curve25519_dalek::constants::{RISTRETTO_BASEPOINT_POINT, RISTRETTO_BASEPOINT_TABLE};
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{MultiscalarMul, VartimeMultiscalarMul};

/// The operations that can be timed.
pub const KINDS: [&str; 6] = ["fixed_base", "variable_base", "msm", "vartime_msm", "decode", "encode"];

/// The group operations that the loops use. Each is a single call of the library.
trait Bare {
    fn fixed_base(&self, scalar: &Scalar) -> RistrettoPoint;
    fn variable_base(&self, scalar: &Scalar, point: &RistrettoPoint) -> RistrettoPoint;
    fn msm(&self, scalars: &[Scalar], points: &[RistrettoPoint]) -> RistrettoPoint;
    fn vartime_msm(&self, scalars: &[Scalar], points: &[RistrettoPoint]) -> RistrettoPoint;
    fn decode(&self, encoding: &CompressedRistretto) -> Option<RistrettoPoint>;
    fn encode(&self, point: &RistrettoPoint) -> [u8; 32];
}

struct Dalek;

impl Bare for Dalek {
    #[inline]
    fn fixed_base(&self, scalar: &Scalar) -> RistrettoPoint {
        scalar * RISTRETTO_BASEPOINT_TABLE
    }
    #[inline]
    fn variable_base(&self, scalar: &Scalar, point: &RistrettoPoint) -> RistrettoPoint {
        scalar * point
    }
    #[inline]
    fn msm(&self, scalars: &[Scalar], points: &[RistrettoPoint]) -> RistrettoPoint {
        RistrettoPoint::multiscalar_mul(scalars, points)
    }
    #[inline]
    fn vartime_msm(&self, scalars: &[Scalar], points: &[RistrettoPoint]) -> RistrettoPoint {
        RistrettoPoint::vartime_multiscalar_mul(scalars, points)
    }
    #[inline]
    fn decode(&self, encoding: &CompressedRistretto) -> Option<RistrettoPoint> {
        encoding.decompress()
    }
    #[inline]
    fn encode(&self, point: &RistrettoPoint) -> [u8; 32] {
        point.compress().to_bytes()
    }
}

struct Inputs {
    scalars: Vec<Scalar>,
    points: Vec<RistrettoPoint>,
    encodings: Vec<CompressedRistretto>,
}

impl Inputs {
    /// Full-sized values that are cheap to compute.
    fn new(kind: &str, n: usize, start: u64) -> Self {
        let step = Scalar::from(0x9e37_79b9_7f4a_7c15_u64 + start).invert();
        let mut scalar = step;
        let mut point = RISTRETTO_BASEPOINT_TABLE * &step;
        let mut inputs = Self { scalars: Vec::new(), points: Vec::new(), encodings: Vec::new() };
        for _ in 0..n {
            scalar *= step;
            point += RISTRETTO_BASEPOINT_POINT;
            inputs.scalars.push(scalar);
            inputs.points.push(point);
            if kind == "decode" {
                inputs.encodings.push(point.compress());
            }
        }
        inputs
    }

    fn run(&self, kind: &str, bare: &impl Bare) {
        match kind {
            "fixed_base" => {
                let out: Vec<RistrettoPoint> = self.scalars.iter().map(|s| bare.fixed_base(s)).collect();
                black_box(out);
            }
            "variable_base" => {
                let pairs = self.scalars.iter().zip(&self.points);
                let out: Vec<RistrettoPoint> = pairs.map(|(s, p)| bare.variable_base(s, p)).collect();
                black_box(out);
            }
            "msm" => {
                black_box(bare.msm(&self.scalars, &self.points));
            }
            "vartime_msm" => {
                black_box(bare.vartime_msm(&self.scalars, &self.points));
            }
            "decode" => {
                let out: Vec<Option<RistrettoPoint>> = self.encodings.iter().map(|e| bare.decode(e)).collect();
                black_box(out);
            }
            _ => {
                let out: Vec<[u8; 32]> = self.points.iter().map(|p| bare.encode(p)).collect();
                black_box(out);
            }
        }
    }
}

/// The shortest of `repeat` runs over `n` elements on this thread, measured with the given clock, such as the thread's
/// CPU time. Creating the inputs is not included. `None` for an unknown kind.
pub fn measure<E>(
    kind: &str,
    n: usize,
    repeat: usize,
    clock: impl Fn() -> Result<Duration, E>,
) -> Option<Result<Duration, E>> {
    if !KINDS.contains(&kind) {
        return None;
    }
    let inputs = Inputs::new(kind, n, 0);
    let once = |_| {
        let start = clock()?;
        black_box(&inputs).run(kind, &Dalek);
        Ok(clock()?.saturating_sub(start))
    };
    let times: Result<Vec<Duration>, E> = (0..repeat.max(1)).map(once).collect();
    Some(times.map(|times| times.into_iter().min().unwrap_or_default()))
}

/// Like `measure`, on `threads` plain threads with equal shares, in wall-clock time. Starting the threads is included.
pub fn measure_threads(kind: &str, n: usize, threads: usize, repeat: usize) -> Option<Duration> {
    if !KINDS.contains(&kind) {
        return None;
    }
    let threads = threads.clamp(1, n.max(1));
    let share = |i: usize| Inputs::new(kind, n * (i + 1) / threads - n * i / threads, i as u64);
    let shares: Vec<Inputs> = (0..threads).map(share).collect();
    let once = |_| {
        let start = Instant::now();
        thread::scope(|scope| {
            for share in &shares {
                scope.spawn(move || black_box(share).run(kind, &Dalek));
            }
        });
        start.elapsed()
    };
    (0..repeat.max(1)).map(once).min()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Records every operation and its number of points.
    #[derive(Default)]
    struct Counting(RefCell<Vec<(&'static str, usize)>>);

    impl Counting {
        fn note(&self, name: &'static str, points: usize) {
            self.0.borrow_mut().push((name, points));
        }
    }

    impl Bare for Counting {
        fn fixed_base(&self, scalar: &Scalar) -> RistrettoPoint {
            self.note("fixed_base", 1);
            Dalek.fixed_base(scalar)
        }
        fn variable_base(&self, scalar: &Scalar, point: &RistrettoPoint) -> RistrettoPoint {
            self.note("variable_base", 1);
            Dalek.variable_base(scalar, point)
        }
        fn msm(&self, scalars: &[Scalar], points: &[RistrettoPoint]) -> RistrettoPoint {
            assert_eq!(scalars.len(), points.len());
            self.note("msm", points.len());
            Dalek.msm(scalars, points)
        }
        fn vartime_msm(&self, scalars: &[Scalar], points: &[RistrettoPoint]) -> RistrettoPoint {
            assert_eq!(scalars.len(), points.len());
            self.note("vartime_msm", points.len());
            Dalek.vartime_msm(scalars, points)
        }
        fn decode(&self, encoding: &CompressedRistretto) -> Option<RistrettoPoint> {
            self.note("decode", 1);
            Dalek.decode(encoding)
        }
        fn encode(&self, point: &RistrettoPoint) -> [u8; 32] {
            self.note("encode", 1);
            Dalek.encode(point)
        }
    }

    #[test]
    fn each_loop_does_what_it_is_called_and_nothing_else() {
        for kind in KINDS {
            for n in [1, 2, 104, 260] {
                let counting = Counting::default();
                Inputs::new(kind, n, 0).run(kind, &counting);
                let expected = match kind {
                    "msm" | "vartime_msm" => vec![(kind, n)],
                    _ => vec![(kind, 1); n],
                };
                assert_eq!(counting.0.into_inner(), expected);
            }
        }
    }

    #[test]
    fn inputs_are_full_sized_and_all_different() {
        let inputs = Inputs::new("decode", 300, 7);
        let mut encodings: Vec<[u8; 32]> = inputs.encodings.iter().map(|e| e.to_bytes()).collect();
        encodings.sort();
        encodings.dedup();
        assert_eq!(encodings.len(), 300);
        // The top bits of a scalar below 2^252 are in byte 31: some of them are set in nearly all.
        let long = inputs.scalars.iter().filter(|s| s.as_bytes()[31] != 0).count();
        assert!(long > 250);
    }

    #[test]
    fn a_clock_that_is_given_is_the_one_that_counts() {
        let now = RefCell::new(0);
        let clock = || -> Result<Duration, ()> {
            *now.borrow_mut() += 3;
            Ok(Duration::from_secs(*now.borrow()))
        };
        assert_eq!(measure("msm", 2, 4, clock), Some(Ok(Duration::from_secs(3))));
        assert_eq!(measure("msm", 2, 1, || Err::<Duration, _>("stopped")), Some(Err("stopped")));
        assert_eq!(measure("sort", 2, 1, || Ok::<_, ()>(Duration::ZERO)), None);
        assert_eq!(measure_threads("sort", 2, 2, 1), None);
        assert!(measure_threads("msm", 9, 2, 2).is_some());
    }
}
