//! Writing scalars as digits.

use k256::Scalar;
use zeroize::Zeroizing;

/// The scalar in little-endian form and three zeros, so that a window may extend past the end.
const BYTES: usize = 32 + 3;

/// The maximum number of bits of a scalar.
pub const BITS: usize = 256;

/// A scalar whose bits can be read.
pub struct Bits(Zeroizing<[u8; BYTES]>);

impl Bits {
    pub fn new(scalar: &Scalar) -> Self {
        let mut bytes = Zeroizing::new([0; BYTES]);
        let encoded = Zeroizing::new(scalar.to_bytes());
        for (to, from) in bytes.iter_mut().zip(encoded.iter().rev()) {
            *to = *from;
        }
        Self(bytes)
    }

    /// `width` bits, at most 16, starting at bit `place`.
    fn window(&self, place: usize, width: usize) -> i32 {
        let at = place / 8;
        let word = u32::from_le_bytes([self.0[at], self.0[at + 1], self.0[at + 2], 0]);
        ((word >> (place % 8)) & ((1 << width) - 1)) as i32
    }

    /// The digits in base 2^w, each in [-2^(w-1), 2^(w-1)), lowest first. In constant time.
    pub fn signed(&self, width: usize, out: &mut [i32]) {
        let mut carry = 0;
        for (i, digit) in out.iter_mut().enumerate() {
            let value = self.window(i * width, width) + carry;
            carry = (value + (1 << (width - 1))) >> width;
            *digit = value - (carry << width);
        }
    }

    /// Calls `each(place, odd digit)` for the non-adjacent form of this width, lowest place first. For public values.
    pub fn vartime_naf(&self, width: usize, mut each: impl FnMut(usize, i32)) {
        let (mut place, mut carry) = (0, 0);
        while place <= BITS {
            let value = self.window(place, width) + carry;
            if value & 1 == 0 {
                place += 1;
                continue;
            }
            carry = value >> (width - 1);
            each(place, value - (carry << width));
            place += width;
        }
    }
}

/// The number of signed digits that represent any scalar, including the carry out of the last bit.
pub const fn count(width: usize) -> usize {
    BITS / width + 1
}
