//! Arithmetic modulo the order of ristretto255, in less than half of the time that dalek takes.
//!
//! Dalek multiplies twice in Montgomery form. The order is 2^252 + C with a C of 125 bits, so 2^252 is congruent to -C,
//! and folding the bits above 252 twice is enough. Nothing here branches on a value.

use curve25519_dalek::scalar::Scalar;
use subtle::{Choice, ConditionallySelectable};

/// 27742317777372353535851937790883648493
const C: [u64; 2] = [0x5812_631a_5cf5_d3ed, 0x14de_f9de_a2f7_9cd6];
const ORDER: [u64; 4] = [C[0], C[1], 0, 1 << 60];
/// The bits of the top limb that are below 2^252.
const TOP: u64 = (1 << 60) - 1;

/// a·b modulo the order.
pub fn mul(a: &Scalar, b: &Scalar) -> Scalar {
    // a·b = low + high·2^252, which is congruent to low - high·C.
    let (low, high) = split::<8, 4>(&product(&read(a.as_bytes()), &read(b.as_bytes())));
    // high is below 2^253, so high·C is below 2^378. Split it too: below + above·2^252, congruent to below - above·C.
    let (below, above) = split::<6, 2>(&product(&high, &C));
    // low + above·C + order - below is positive, since below < 2^252, and less than three times the order.
    let sum = plus(&plus(&low, &product(&above, &C)), &ORDER);
    let (sum, _) = minus(&sum, &below);
    scalar(&once_less(&once_less(&sum)))
}

/// a + b modulo the order.
pub fn add(a: &Scalar, b: &Scalar) -> Scalar {
    scalar(&once_less(&plus(&read(a.as_bytes()), &read(b.as_bytes()))))
}

/// a - b modulo the order.
pub fn sub(a: &Scalar, b: &Scalar) -> Scalar {
    let (difference, smaller) = minus(&read(a.as_bytes()), &read(b.as_bytes()));
    let order = ORDER.map(|limb| u64::conditional_select(&0, &limb, smaller));
    scalar(&plus(&difference, &order))
}

/// Decodes a scalar. `None` unless it is below the order.
pub fn decode(bytes: &[u8; 32]) -> Option<Scalar> {
    let number = read(bytes);
    let (_, smaller) = minus(&number, &ORDER);
    bool::from(smaller).then(|| scalar(&number))
}

/// The only place that passes a number to dalek without reducing it: it is already below the order.
fn scalar(number: &[u64; 4]) -> Scalar {
    let mut bytes = [0; 32];
    for (cell, limb) in bytes.chunks_exact_mut(8).zip(number) {
        cell.copy_from_slice(&limb.to_le_bytes());
    }
    Scalar::from_bits(bytes)
}

fn read(bytes: &[u8; 32]) -> [u64; 4] {
    std::array::from_fn(|i| u64::from_le_bytes(std::array::from_fn(|j| bytes[8 * i + j])))
}

/// The product of two numbers. K must be N + M.
fn product<const N: usize, const M: usize, const K: usize>(a: &[u64; N], b: &[u64; M]) -> [u64; K] {
    let mut out = [0; K];
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, &y) in b.iter().enumerate() {
            let cell = u128::from(x) * u128::from(y) + u128::from(out[i + j]) + u128::from(carry);
            (out[i + j], carry) = (cell as u64, (cell >> 64) as u64);
        }
        out[i + M] = carry;
    }
    out
}

/// The part below bit 252, and the part from there on.
fn split<const K: usize, const H: usize>(number: &[u64; K]) -> ([u64; 4], [u64; H]) {
    let low = [number[0], number[1], number[2], number[3] & TOP];
    (low, std::array::from_fn(|i| (number[i + 3] >> 60) | (number[i + 4] << 4)))
}

/// a + b modulo 2^256.
fn plus(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let mut carry = 0;
    std::array::from_fn(|i| {
        let cell = u128::from(a[i]) + u128::from(b[i]) + carry;
        carry = cell >> 64;
        cell as u64
    })
}

/// a - b modulo 2^256, and whether a is smaller.
fn minus(a: &[u64; 4], b: &[u64; 4]) -> ([u64; 4], Choice) {
    let mut borrow = 0;
    let difference = std::array::from_fn(|i| {
        let cell = u128::from(a[i]).wrapping_sub(u128::from(b[i])).wrapping_sub(borrow);
        borrow = (cell >> 64) & 1;
        cell as u64
    });
    (difference, Choice::from(borrow as u8))
}

/// Subtracts the order once, unless the number is below it.
fn once_less(number: &[u64; 4]) -> [u64; 4] {
    let (less, smaller) = minus(number, &ORDER);
    std::array::from_fn(|i| u64::conditional_select(&less[i], &number[i], smaller))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers around all special values, and some without a pattern.
    fn numbers() -> Vec<Scalar> {
        let (one, order) = (Scalar::ONE, -Scalar::ONE);
        let mut power = one;
        let mut found = vec![Scalar::ZERO, one, order, order - one];
        for _ in 0..256 {
            found.extend([power, power - one, -power, order - power]);
            power += power;
        }
        let mut mixed = Scalar::from(0x9e37_79b9_7f4a_7c15_u64);
        for _ in 0..500 {
            mixed = mixed * mixed + one;
            found.push(mixed);
        }
        found
    }

    #[test]
    fn results_are_those_of_dalek_and_canonical() {
        let numbers = numbers();
        for (i, a) in numbers.iter().enumerate() {
            for b in numbers.iter().skip(i % 41).step_by(41) {
                for (found, dalek) in [(mul(a, b), a * b), (add(a, b), a + b), (sub(a, b), a - b)] {
                    assert_eq!(found.as_bytes(), dalek.as_bytes());
                    assert!(bool::from(Scalar::from_canonical_bytes(found.to_bytes()).is_some()));
                }
            }
        }
    }

    #[test]
    fn what_is_not_below_the_order_is_no_scalar() {
        let mut order = [0; 32];
        for (cell, limb) in order.chunks_exact_mut(8).zip(ORDER) {
            cell.copy_from_slice(&limb.to_le_bytes());
        }
        let mut tried = vec![order, [0xff; 32], [0x7f; 32], [0x10; 32], [0x0f; 32], [0; 32]];
        tried.extend(numbers().iter().map(|a| a.to_bytes()));
        for place in 0..32 {
            for change in [1, 0xff] {
                let mut near = order;
                near[place] = near[place].wrapping_add(change);
                tried.push(near);
            }
        }
        for bytes in tried {
            assert_eq!(decode(&bytes), Option::from(Scalar::from_canonical_bytes(bytes)), "{bytes:?}");
        }
    }
}
