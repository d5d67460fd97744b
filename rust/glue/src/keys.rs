//! Signatures, sealing and key agreement: the functions of the libraries, as `nodealer/keys.py` needs them.
//!
//! Which keys may identify a player is not decided here, but once for every backend, in Python.

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, KeyInit, Nonce};
use curve25519_dalek::montgomery::MontgomeryPoint;
use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

use crate::convert::{bad, bytes};

/// Adds the classes and functions.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Ed25519Signing>()?;
    module.add_class::<Ed25519Verifying>()?;
    module.add_function(wrap_pyfunction!(seal_once, module)?)?;
    module.add_function(wrap_pyfunction!(open_once, module)?)?;
    module.add_function(wrap_pyfunction!(x25519, module)?)
}

fn thirty_two(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Zeroizing<[u8; 32]>> {
    match <[u8; 32]>::try_from(bytes(value, what)?) {
        Ok(array) => Ok(Zeroizing::new(array)),
        Err(_) => Err(bad(format!("{what} have 32 bytes"))),
    }
}

/// A signing key, erased when dropped.
#[pyclass(frozen, module = "nodealer.group._core")]
pub struct Ed25519Signing(SigningKey);

#[pymethods]
impl Ed25519Signing {
    #[new]
    #[pyo3(signature = (secret, /))]
    fn new(secret: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(SigningKey::from_bytes(&*thirty_two(secret, "signing keys")?)))
    }

    #[getter]
    fn public<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.verifying_key().as_bytes())
    }

    #[pyo3(signature = (message, /))]
    fn sign<'py>(&self, py: Python<'py>, message: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.sign(bytes(message, "messages")?).to_bytes()))
    }
}

/// A public key, decoded once.
#[pyclass(frozen, module = "nodealer.group._core")]
pub struct Ed25519Verifying(VerifyingKey);

#[pymethods]
impl Ed25519Verifying {
    #[new]
    #[pyo3(signature = (key, /))]
    fn new(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let key = VerifyingKey::from_bytes(&*thirty_two(key, "public keys")?);
        key.map(Self).map_err(|_| bad("a public key that is no point of the curve"))
    }

    /// Verifies without the cofactor and compares R as bytes, as RFC 8032 allows and OpenSSL does. Never in a batch,
    /// which would accept other signatures.
    #[pyo3(signature = (signature, message, /))]
    fn verify(&self, signature: &Bound<'_, PyAny>, message: &Bound<'_, PyAny>) -> PyResult<bool> {
        let message = bytes(message, "messages")?;
        let signature = Signature::from_slice(bytes(signature, "signatures")?);
        Ok(signature.is_ok_and(|signature| self.0.verify(message, &signature).is_ok()))
    }
}

fn cipher(key: &Bound<'_, PyAny>) -> PyResult<ChaCha20Poly1305> {
    Ok(ChaCha20Poly1305::new(&Key::from(*thirty_two(key, "sealing keys")?)))
}

/// ChaCha20-Poly1305 with nonce 0, for keys that seal a single text.
#[pyfunction]
#[pyo3(signature = (key, aad, plaintext, /))]
fn seal_once<'py>(
    py: Python<'py>,
    key: &Bound<'_, PyAny>,
    aad: &Bound<'_, PyAny>,
    plaintext: &Bound<'_, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let payload = Payload { msg: bytes(plaintext, "texts")?, aad: bytes(aad, "texts")? };
    let sealed = cipher(key)?.encrypt(&Nonce::default(), payload).map_err(|_| bad("a text too long to seal"))?;
    Ok(PyBytes::new(py, &sealed))
}

/// The plaintext, or `None` if it was not sealed with this key and this `aad`.
#[pyfunction]
#[pyo3(signature = (key, aad, sealed, /))]
fn open_once<'py>(
    py: Python<'py>,
    key: &Bound<'_, PyAny>,
    aad: &Bound<'_, PyAny>,
    sealed: &Bound<'_, PyAny>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let payload = Payload { msg: bytes(sealed, "texts")?, aad: bytes(aad, "texts")? };
    let opened = cipher(key)?.decrypt(&Nonce::default(), payload).ok().map(Zeroizing::new);
    Ok(opened.map(|opened| PyBytes::new(py, &opened)))
}

/// The function of RFC 7748 without further checks: the caller must refuse zero.
#[pyfunction]
#[pyo3(signature = (secret, public, /))]
fn x25519<'py>(py: Python<'py>, secret: &Bound<'_, PyAny>, public: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let (secret, public) = (thirty_two(secret, "secrets")?, thirty_two(public, "public keys")?);
    let shared = Zeroizing::new(MontgomeryPoint(*public).mul_clamped(*secret).to_bytes());
    Ok(PyBytes::new(py, &*shared))
}
