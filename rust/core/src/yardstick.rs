//! Plain loops on curve25519-dalek, written out: what the arrays are measured against.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use curve25519_dalek::constants::{RISTRETTO_BASEPOINT_POINT, RISTRETTO_BASEPOINT_TABLE};
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{MultiscalarMul, VartimeMultiscalarMul};

/// What can be timed.
pub const KINDS: [&str; 6] = ["fixed_base", "variable_base", "msm", "vartime_msm", "decode", "encode"];

struct Inputs {
    scalars: Vec<Scalar>,
    points: Vec<RistrettoPoint>,
    encodings: Vec<CompressedRistretto>,
}

impl Inputs {
    /// Full-sized values that cost little to make.
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

    fn run(&self, kind: &str) {
        match kind {
            "fixed_base" => {
                let out: Vec<RistrettoPoint> = self.scalars.iter().map(|s| s * RISTRETTO_BASEPOINT_TABLE).collect();
                black_box(out);
            }
            "variable_base" => {
                let out: Vec<RistrettoPoint> = self.scalars.iter().zip(&self.points).map(|(s, p)| s * p).collect();
                black_box(out);
            }
            "msm" => {
                black_box(RistrettoPoint::multiscalar_mul(&self.scalars, &self.points));
            }
            "vartime_msm" => {
                black_box(RistrettoPoint::vartime_multiscalar_mul(&self.scalars, &self.points));
            }
            "decode" => {
                let out: Vec<Option<RistrettoPoint>> = self.encodings.iter().map(|e| e.decompress()).collect();
                black_box(out);
            }
            _ => {
                let out: Vec<[u8; 32]> = self.points.iter().map(|p| p.compress().to_bytes()).collect();
                black_box(out);
            }
        }
    }
}

/// The shortest of `repeat` runs over `n` elements: one thread, or `threads` bare ones with an equal share each.
///
/// Starting the threads is part of the time, making the inputs is not. `None` for a kind that does not exist.
pub fn measure(kind: &str, n: usize, threads: usize, repeat: usize) -> Option<Duration> {
    if !KINDS.contains(&kind) {
        return None;
    }
    let threads = threads.clamp(1, n.max(1));
    let shares: Vec<Inputs> =
        (0..threads).map(|i| Inputs::new(kind, n * (i + 1) / threads - n * i / threads, i as u64)).collect();
    (0..repeat.max(1)).map(|_| once(kind, &shares)).min()
}

fn once(kind: &str, shares: &[Inputs]) -> Duration {
    let start = Instant::now();
    if let [one] = shares {
        black_box(one).run(kind);
    } else {
        thread::scope(|scope| {
            for share in shares {
                scope.spawn(move || black_box(share).run(kind));
            }
        });
    }
    start.elapsed()
}
