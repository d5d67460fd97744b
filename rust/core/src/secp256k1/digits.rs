//! Scalars as digits.

use k256::Scalar;
use zeroize::Zeroizing;

/// Little-endian, with zeros behind, so that a window may reach over the end.
const BYTES: usize = 32 + 3;

/// The bits of a scalar are this many at most.
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

    /// `width` bits from `place` on, at most 16.
    fn window(&self, place: usize, width: usize) -> i32 {
        let at = place / 8;
        let word = u32::from_le_bytes([self.0[at], self.0[at + 1], self.0[at + 2], 0]);
        ((word >> (place % 8)) & ((1 << width) - 1)) as i32
    }

    /// Digits in [-2^(w-1), 2^(w-1)) to the base 2^w, lowest first. In constant time.
    pub fn signed(&self, width: usize, out: &mut [i32]) {
        let mut carry = 0;
        for (i, digit) in out.iter_mut().enumerate() {
            let value = self.window(i * width, width) + carry;
            carry = (value + (1 << (width - 1))) >> width;
            *digit = value - (carry << width);
        }
    }

    /// `(place, odd digit)` of the non-adjacent form of this width, lowest place first. For public values.
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

/// How many signed digits hold every scalar, with the carry out of the last bit.
pub const fn count(width: usize) -> usize {
    BITS / width + 1
}
