//! Immutable arrays of scalars and points of a group of prime order.
//!
//! This crate has no protocol logic and knows nothing of Python. Everything that is not named `vartime_…` runs in time
//! that depends on lengths only, never on values. Arrays erase themselves when they are dropped. There is no unsafe
//! code.

#![forbid(unsafe_code)]

mod array;
mod backend;
mod error;
mod group;
mod msm;
mod network;
mod order;
mod points;
mod ristretto;
mod scalars;
mod secp256k1;
mod stack;
pub mod threads;
#[cfg(feature = "yardstick")]
pub mod yardstick;

pub use backend::code;
pub use error::Error;
pub use group::PrimeGroup;
pub use msm::{combine, msm, msm_each, vartime_msm, vartime_sum};
pub use order::Order;
pub use points::Points;
pub use ristretto::Ristretto255;
pub use scalars::Scalars;
pub use secp256k1::Secp256k1;

/// The longest array allowed, so that a wrong count cannot allocate all memory.
pub const MAX_LENGTH: usize = 1 << 24;

/// The cost of one element, in nanoseconds. Deliberately rough: it only decides whether threads pay off.
pub mod cost {
    /// Addition, subtraction or negation of scalars.
    pub const SCALAR_ADD: u64 = 35;
    /// Multiplication of scalars.
    pub const SCALAR_MUL: u64 = 115;
    /// Addition, subtraction or comparison of points.
    pub const POINT_ADD: u64 = 200;
    /// A point times a scalar.
    pub const POINT_MUL: u64 = 25_000;
    /// A point with a table times a scalar.
    pub const TABLE_MUL: u64 = 13_000;
    /// Strict decoding of a point, or its encoding.
    pub const POINT_CODEC: u64 = 5_000;
    /// The one-way map to a point.
    pub const POINT_MAP: u64 = 10_000;
    /// One term of a constant-time multi-scalar multiplication.
    pub const MSM: u64 = 8_000;
    /// One term of a variable-time multi-scalar multiplication.
    pub const VARTIME_MSM: u64 = 4_000;
}
