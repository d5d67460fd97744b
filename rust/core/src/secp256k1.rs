//! secp256k1 (SEC 2) on k256, which uses complete addition formulas, and the endomorphism for single multiplications.
//!
//! Points are kept in projective form, so arithmetic needs no inversion. Encoding many points takes a single inversion.

mod digits;
mod fixed;
mod vartime;

use k256::elliptic_curve::bigint::U512;
use k256::elliptic_curve::ff::PrimeField;
use k256::elliptic_curve::group::GroupEncoding;
use k256::elliptic_curve::ops::Reduce;
use k256::elliptic_curve::point::DecompressPoint;
use k256::elliptic_curve::{BatchNormalize, FieldBytes};
use k256::hash2curve::MapToCurve;
use k256::{AffinePoint, ProjectivePoint, Scalar};
use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroizing;

use crate::group::{PrimeGroup, sized};

/// The group of SEC 2, section 2.4.1.
pub enum Secp256k1 {}

/// 2^256 - 432420386565659656852420866394968145599
const ORDER: [u8; 32] = [
    0x41, 0x41, 0x36, 0xd0, 0x8c, 0x5e, 0xd2, 0xbf, 0x3b, 0xa0, 0x48, 0xaf, 0xe6, 0xdc, 0xae, 0xba, 0xfe, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
];

const POINT_SIZE: usize = 33;
/// From this many multiplications of one point on, building a table pays off.
const TABLE_PAYS: usize = 200;
/// The number of bytes that are reduced to one field element: L in RFC 9380, section 8.7.
const FIELD_UNIFORM: usize = 48;

/// RFC 9380, section 8.7: a field element from the bytes, then the simplified SWU map and the isogeny.
fn map_half(uniform: &[u8]) -> ProjectivePoint {
    let bytes = sized::<FIELD_UNIFORM>(uniform);
    let element = <k256::Secp256k1 as MapToCurve>::FieldElement::reduce(&(*bytes).into());
    k256::Secp256k1::map_to_curve(element)
}

impl PrimeGroup for Secp256k1 {
    const NAME: &'static str = "secp256k1";
    const ORDER: &'static [u8] = &ORDER;
    const SCALAR_SIZE: usize = 32;
    const POINT_SIZE: usize = POINT_SIZE;
    const WIDE_SIZE: usize = 64;
    const UNIFORM_SIZE: usize = 2 * FIELD_UNIFORM;
    /// SEC 1 encodes it in a single byte, which does not fit the fixed size. This encoding is only ever hashed.
    const IDENTITY_ENCODING: &'static [u8] = &[0; POINT_SIZE];
    const ENCODE_NANOS: u64 = 400;

    type Scalar = Scalar;
    type Point = ProjectivePoint;
    type Table = fixed::Table;

    fn zero() -> Scalar {
        Scalar::ZERO
    }
    fn one() -> Scalar {
        Scalar::ONE
    }
    fn scalar_from_u64(value: u64) -> Scalar {
        Scalar::from(value)
    }
    fn scalar_from_wide(bytes: &[u8]) -> Scalar {
        let number = Zeroizing::new(U512::from_le_slice(&sized::<64>(bytes)[..]));
        Scalar::reduce(&*number)
    }
    fn scalar_decode(bytes: &[u8]) -> Option<Scalar> {
        Scalar::from_repr((*sized::<32>(bytes)).into()).into()
    }
    fn scalar_encode(scalar: &Scalar, out: &mut [u8]) {
        out.copy_from_slice(&Zeroizing::new(scalar.to_bytes())[..]);
    }
    fn scalar_add(a: &Scalar, b: &Scalar) -> Scalar {
        a + b
    }
    fn scalar_sub(a: &Scalar, b: &Scalar) -> Scalar {
        a - b
    }
    fn scalar_neg(a: &Scalar) -> Scalar {
        -a
    }
    fn scalar_half(a: &Scalar) -> Scalar {
        a * &Scalar::TWO_INV
    }
    fn scalar_mul(a: &Scalar, b: &Scalar) -> Scalar {
        a * b
    }
    fn scalar_invert(a: &Scalar) -> Scalar {
        a.invert().unwrap_or(Scalar::ZERO)
    }
    fn scalar_eq(a: &Scalar, b: &Scalar) -> Choice {
        a.ct_eq(b)
    }

    fn identity() -> ProjectivePoint {
        ProjectivePoint::IDENTITY
    }
    fn generator() -> ProjectivePoint {
        ProjectivePoint::GENERATOR
    }
    fn generator_table() -> fixed::Table {
        fixed::Table::new(&ProjectivePoint::GENERATOR)
    }
    /// SEC 1, section 2.3.4, compressed points only. On its own, k256 would also accept other prefixes.
    fn point_decode(bytes: &[u8]) -> Option<ProjectivePoint> {
        let (prefix, x) = bytes.split_first()?;
        let odd = match prefix {
            2 => Choice::from(0),
            3 => Choice::from(1),
            _ => return None,
        };
        let x = FieldBytes::<k256::Secp256k1>::try_from(x).ok()?;
        Option::<AffinePoint>::from(AffinePoint::decompress(&x, odd)).map(ProjectivePoint::from)
    }
    fn point_encode(point: &ProjectivePoint, out: &mut [u8]) {
        Self::points_encode(&[*point], out);
    }
    fn points_encode(points: &[ProjectivePoint], out: &mut [u8]) {
        let affine = Zeroizing::new(ProjectivePoint::batch_normalize(points));
        for (point, cell) in affine.iter().zip(out.chunks_exact_mut(POINT_SIZE)) {
            cell.copy_from_slice(&point.to_bytes());
        }
    }
    fn point_map(uniform: &[u8]) -> ProjectivePoint {
        let (first, second) = uniform.split_at(FIELD_UNIFORM.min(uniform.len()));
        map_half(first) + map_half(second)
    }
    fn point_add(a: &ProjectivePoint, b: &ProjectivePoint) -> ProjectivePoint {
        a + b
    }
    fn point_sub(a: &ProjectivePoint, b: &ProjectivePoint) -> ProjectivePoint {
        a - b
    }
    fn point_neg(a: &ProjectivePoint) -> ProjectivePoint {
        -a
    }
    fn point_mul(scalar: &Scalar, point: &ProjectivePoint) -> ProjectivePoint {
        point * scalar
    }
    fn point_eq(a: &ProjectivePoint, b: &ProjectivePoint) -> Choice {
        a.ct_eq(b)
    }
    fn table(point: &ProjectivePoint, uses: usize) -> Option<fixed::Table> {
        (uses >= TABLE_PAYS).then(|| fixed::Table::new(point))
    }
    fn table_mul(scalar: &Scalar, table: &fixed::Table) -> ProjectivePoint {
        table.mul(scalar)
    }

    fn msm(scalars: &[Scalar], points: &[ProjectivePoint]) -> ProjectivePoint {
        fixed::msm(scalars, points)
    }
    fn vartime_msm(scalars: &[Scalar], points: &[ProjectivePoint]) -> ProjectivePoint {
        vartime::msm(scalars, points)
    }
}
