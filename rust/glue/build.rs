//! Embeds a hash of all sources in the library, so that a stale library is detected when it is loaded.
//!
//! `nodealer/group/native.py` computes the same hash: SHA-256 over every `*.rs`, `Cargo.toml` and `Cargo.lock` below
//! `rust/` except in `target/`, sorted by path. Each path and each content is preceded by its length, 8 bytes
//! little-endian.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for watched in ["core", "glue", "Cargo.toml", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={}", root.join(watched).display());
    }

    let mut files = Vec::new();
    collect(&root, "", &mut files)?;
    files.sort();
    let mut hash = Sha256::new();
    for (name, path) in files {
        let content = fs::read(path)?;
        for part in [name.as_bytes(), &content] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo:rustc-env=NODEALER_SOURCE_HASH={digest}");
    Ok(())
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = entry.path();
        if path.is_dir() {
            if name != "target" {
                collect(&path, &format!("{prefix}{name}/"), files)?;
            }
        } else if name.ends_with(".rs") || name == "Cargo.toml" || name == "Cargo.lock" {
            files.push((format!("{prefix}{name}"), path));
        }
    }
    Ok(())
}
