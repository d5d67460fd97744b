"""Behaviour that renames and rewrites must not change, recorded once by `baseline.make` and compared by the tests."""
