//! Published vectors for secp256k1, and encodings that are not points of it.

use nodealer_arrays::{Error, Secp256k1};

type Points = nodealer_arrays::Points<Secp256k1>;
type Scalars = nodealer_arrays::Scalars<Secp256k1>;

/// The generator of SEC 2, section 2.4.1, times 1, 2, …, 8.
const MULTIPLES: [&str; 8] = [
    "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
    "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
    "02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
    "02e493dbf1c10d80f3581e4904930b1404cc6c13900ee0758474fa94abe8c4cd13",
    "022f8bde4d1a07209355b4a7250a5c5128e88b84bddc619ab7cba8d569b240efe4",
    "03fff97bd5755eeea420453a14355235d382f6472f8568a18b2f057a1460297556",
    "025cbdf0646e5db4eaa398f365f2ea7a0e3d419b7e0330e39ce92bddedcac4f9bc",
    "022f01e5e15cca351daff3843fb70f3c2f0a1bdd05e5af888a67784ef3e10a2a01",
];

/// RFC 9380, appendix J.8.1, for the messages "" and "abc": u[0], u[1], and the point.
const MAPPED: [(&str, &str, &str); 2] = [
    (
        "6b0f9910dd2ba71c78f2ee9f04d73b5f4c5f7fc773a701abea1e573cab002fb3",
        "1ae6c212e08fe1a5937f6202f929a2cc8ef4ee5b9782db68b0d5799fd8f09e16",
        "03c1cae290e291aee617ebaef1be6d73861479c48b841eaba9b7b5852ddfeb1346",
    ),
    (
        "128aab5d3679a1f7601e3bdf94ced1f43e491f544767e18a4873f397b08a2b61",
        "5897b65da3b595a813d0fdcc75c895dc531be76a03518b044daaa0f2e4689e00",
        "023377e01eab42db296b512293120c6cee72b6ecf9f9205760bd9ff11fb3cb2c4b",
    ),
];

/// p, the order of the field.
const FIELD: &str = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn encoded(points: &Points) -> Vec<u8> {
    let mut out = vec![0; points.encoded_len()];
    points.encode(&mut out);
    out
}

#[test]
fn small_multiples() {
    let factors = Scalars::from_u64(&[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    let points = Points::generator().unwrap().mul(&factors).unwrap();
    let expected = bytes(&MULTIPLES.concat());
    assert_eq!(encoded(&points), expected);
    assert!(Points::decode(&expected).unwrap().equals(&points));
}

#[test]
fn the_map() {
    for (first, second, point) in MAPPED {
        let uniform = [vec![0; 16], bytes(first), vec![0; 16], bytes(second)].concat();
        assert_eq!(encoded(&Points::map(&uniform).unwrap()), bytes(point));
    }
}

#[test]
fn what_is_no_point_is_refused_with_its_index() {
    let x = &bytes(MULTIPLES[0])[1..];
    let mut bad: Vec<Vec<u8>> = (0..=255).filter(|&p| p != 2 && p != 3).map(|p| [&[p], x].concat()).collect();
    let five = [vec![0; 31], vec![5]].concat(); // 132 has no square root
    for x in [bytes(FIELD), vec![0xff; 32], vec![0; 32], five] {
        bad.push([vec![2], x.clone()].concat());
        bad.push([vec![3], x].concat());
    }
    for encoding in bad {
        let data = [bytes(MULTIPLES[1]), encoding].concat();
        assert_eq!(Points::decode(&data).err(), Some(Error::NotCanonical { what: "point", index: 1 }));
    }
    assert_eq!(Points::decode(&[0; 33]).err(), Some(Error::Identity { index: 0 }));
}

#[test]
fn identities_are_encoded_as_zeros_among_others() {
    let factors = Scalars::from_u64(&[0, 1, 0, 2]).unwrap();
    let points = Points::generator().unwrap().mul(&factors).unwrap();
    assert_eq!(encoded(&points), [vec![0; 33], bytes(MULTIPLES[0]), vec![0; 33], bytes(MULTIPLES[1])].concat());
}

#[test]
fn scalars_are_big_endian_and_wide_ones_little_endian() {
    let five = Scalars::from_u64(&[5]).unwrap();
    assert!(Scalars::decode(&[vec![0; 31], vec![5]].concat()).unwrap().equals(&five));
    assert!(Scalars::from_wide(&[vec![5], vec![0; 63]].concat()).unwrap().equals(&five));
}
