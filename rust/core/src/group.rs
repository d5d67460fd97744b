//! What a group has to bring along. A second group is one more implementation of this trait.

use subtle::{Choice, ConditionallySelectable};
use zeroize::{Zeroize, Zeroizing};

use crate::cost;

/// What an array can hold. The default value is only ever a blank that is overwritten.
pub trait Element: ConditionallySelectable + Default + Zeroize + Send + Sync {}
impl<T: ConditionallySelectable + Default + Zeroize + Send + Sync> Element for T {}

/// A group of prime order, written additively, with functions on single elements.
///
/// Implementations are constant-time in the values wherever the name does not say `vartime`; decoding may reveal
/// whether it succeeded. Slices have the sizes of the constants: the arrays see to that.
pub trait PrimeGroup: Sized + 'static {
    const NAME: &'static str;
    /// Little-endian.
    const ORDER: &'static [u8];
    const SCALAR_SIZE: usize;
    const POINT_SIZE: usize;
    /// Uniform bytes that are reduced to one scalar.
    const WIDE_SIZE: usize;
    /// Uniform bytes that are mapped to one point.
    const UNIFORM_SIZE: usize;
    /// The one encoding of the identity.
    const IDENTITY_ENCODING: &'static [u8];
    /// What encoding one of many points costs, in nanoseconds.
    const ENCODE_NANOS: u64 = cost::POINT_CODEC;
    /// Whether many encodings of doubles cost less than those of any points: `doubles_encode` then makes them.
    const DOUBLES_PAY: bool = false;

    type Scalar: Element;
    type Point: Element;
    /// What makes multiplication of one fixed point fast.
    type Table: Send + Sync;

    fn zero() -> Self::Scalar;
    fn one() -> Self::Scalar;
    fn scalar_from_u64(value: u64) -> Self::Scalar;
    fn scalar_from_wide(bytes: &[u8]) -> Self::Scalar;
    fn scalar_decode(bytes: &[u8]) -> Option<Self::Scalar>;
    fn scalar_encode(scalar: &Self::Scalar, out: &mut [u8]);
    fn scalar_add(a: &Self::Scalar, b: &Self::Scalar) -> Self::Scalar;
    fn scalar_sub(a: &Self::Scalar, b: &Self::Scalar) -> Self::Scalar;
    fn scalar_neg(a: &Self::Scalar) -> Self::Scalar;
    /// What twice makes `a`.
    fn scalar_half(a: &Self::Scalar) -> Self::Scalar;
    fn scalar_mul(a: &Self::Scalar, b: &Self::Scalar) -> Self::Scalar;
    /// Of a value that is not zero.
    fn scalar_invert(a: &Self::Scalar) -> Self::Scalar;
    fn scalar_eq(a: &Self::Scalar, b: &Self::Scalar) -> Choice;

    fn identity() -> Self::Point;
    fn generator() -> Self::Point;
    fn generator_table() -> Self::Table;
    /// Strict. Whether the identity passes does not matter: the arrays refuse its encoding.
    fn point_decode(bytes: &[u8]) -> Option<Self::Point>;
    fn point_encode(point: &Self::Point, out: &mut [u8]);
    /// Concatenated. Groups where many at once are cheaper than each alone bring their own.
    fn points_encode(points: &[Self::Point], out: &mut [u8]) {
        for (point, cell) in points.iter().zip(out.chunks_exact_mut(Self::POINT_SIZE)) {
            Self::point_encode(point, cell);
        }
    }
    /// The concatenated encodings of twice each point, for groups where these cost less than those of any points.
    fn doubles_encode(_points: &[Self::Point]) -> Option<Zeroizing<Vec<u8>>> {
        None
    }
    fn point_map(uniform: &[u8]) -> Self::Point;
    fn point_add(a: &Self::Point, b: &Self::Point) -> Self::Point;
    fn point_sub(a: &Self::Point, b: &Self::Point) -> Self::Point;
    fn point_neg(a: &Self::Point) -> Self::Point;
    fn point_mul(scalar: &Self::Scalar, point: &Self::Point) -> Self::Point;
    fn point_eq(a: &Self::Point, b: &Self::Point) -> Choice;
    /// The table that pays for so many multiplications of a point, if one does.
    fn table(point: &Self::Point, uses: usize) -> Option<Self::Table>;
    fn table_mul(scalar: &Self::Scalar, table: &Self::Table) -> Self::Point;

    fn msm(scalars: &[Self::Scalar], points: &[Self::Point]) -> Self::Point;
    fn vartime_msm(scalars: &[Self::Scalar], points: &[Self::Point]) -> Self::Point;
}

/// The arrays only cut slices of the right size; a wrong one still fills with zeros rather than panic.
pub(crate) fn sized<const N: usize>(bytes: &[u8]) -> Zeroizing<[u8; N]> {
    let mut out = Zeroizing::new([0; N]);
    for (to, from) in out.iter_mut().zip(bytes) {
        *to = *from;
    }
    out
}
