"""Zero-knowledge proofs: the shuffle argument, keys and equalities, and statements about hidden cards."""
