//! The operations that a group must implement. To add a group, implement this trait.

use subtle::{Choice, ConditionallySelectable};
use zeroize::{Zeroize, Zeroizing};

use crate::cost;

/// An element of an array. The default value is only a placeholder that gets overwritten.
pub trait Element: ConditionallySelectable + Default + Zeroize + Send + Sync {}
impl<T: ConditionallySelectable + Default + Zeroize + Send + Sync> Element for T {}

/// A group of prime order, written additively, with functions on single elements.
///
/// Implementations are constant-time in the values unless the name says `vartime`. Decoding may reveal whether it
/// succeeded. The arrays guarantee that slices have the sizes given by the constants.
pub trait PrimeGroup: Sized + 'static {
    const NAME: &'static str;
    /// Little-endian.
    const ORDER: &'static [u8];
    const SCALAR_SIZE: usize;
    const POINT_SIZE: usize;
    /// The number of uniform bytes that are reduced to one scalar.
    const WIDE_SIZE: usize;
    /// The number of uniform bytes that are mapped to one point.
    const UNIFORM_SIZE: usize;
    /// The only encoding of the identity.
    const IDENTITY_ENCODING: &'static [u8];
    /// The cost of encoding one of many points, in nanoseconds.
    const ENCODE_NANOS: u64 = cost::POINT_CODEC;
    /// Whether encoding many doubled points, with `doubles_encode`, is cheaper than encoding arbitrary points.
    const DOUBLES_PAY: bool = false;

    type Scalar: Element;
    type Point: Element;
    /// A precomputed table that makes multiplication of one fixed point fast.
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
    /// Divides `a` by two.
    fn scalar_half(a: &Self::Scalar) -> Self::Scalar;
    fn scalar_mul(a: &Self::Scalar, b: &Self::Scalar) -> Self::Scalar;
    /// The inverse of a value, which must not be zero.
    fn scalar_invert(a: &Self::Scalar) -> Self::Scalar;
    fn scalar_eq(a: &Self::Scalar, b: &Self::Scalar) -> Choice;

    fn identity() -> Self::Point;
    fn generator() -> Self::Point;
    fn generator_table() -> Self::Table;
    /// Strict decoding. It may accept the identity, because the arrays refuse its encoding.
    fn point_decode(bytes: &[u8]) -> Option<Self::Point>;
    fn point_encode(point: &Self::Point, out: &mut [u8]);
    /// Encodes many points, concatenated. Groups in which a batch is cheaper override this.
    fn points_encode(points: &[Self::Point], out: &mut [u8]) {
        for (point, cell) in points.iter().zip(out.chunks_exact_mut(Self::POINT_SIZE)) {
            Self::point_encode(point, cell);
        }
    }
    /// The concatenated encodings of twice each point, for groups in which `DOUBLES_PAY`.
    fn doubles_encode(_points: &[Self::Point]) -> Option<Zeroizing<Vec<u8>>> {
        None
    }
    fn point_map(uniform: &[u8]) -> Self::Point;
    fn point_add(a: &Self::Point, b: &Self::Point) -> Self::Point;
    fn point_sub(a: &Self::Point, b: &Self::Point) -> Self::Point;
    fn point_neg(a: &Self::Point) -> Self::Point;
    fn point_mul(scalar: &Self::Scalar, point: &Self::Point) -> Self::Point;
    fn point_eq(a: &Self::Point, b: &Self::Point) -> Choice;
    /// The table that pays off for this many multiplications of a point, if there is one.
    fn table(point: &Self::Point, uses: usize) -> Option<Self::Table>;
    fn table_mul(scalar: &Self::Scalar, table: &Self::Table) -> Self::Point;

    fn msm(scalars: &[Self::Scalar], points: &[Self::Point]) -> Self::Point;
    fn vartime_msm(scalars: &[Self::Scalar], points: &[Self::Point]) -> Self::Point;
}

/// Copies a slice into an array. The arrays only pass slices of the right size; a shorter one is padded with zeros
/// instead of causing a panic.
pub(crate) fn sized<const N: usize>(bytes: &[u8]) -> Zeroizing<[u8; N]> {
    let mut out = Zeroizing::new([0; N]);
    for (to, from) in out.iter_mut().zip(bytes) {
        *to = *from;
    }
    out
}
