//! The code of curve25519-dalek that runs on this processor.

/// The code of the library that runs here: "avx512", "avx2" or "serial". Multiplications of a fixed base and decoding
/// are serial everywhere, and sums of products are not, so their times are not comparable between kinds of code.
pub fn code() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        // The library uses AVX-512 only if it is compiled for such a processor.
        if cfg!(all(target_feature = "avx512ifma", target_feature = "avx512vl")) {
            return "avx512";
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            return "avx2";
        }
    }
    "serial"
}
