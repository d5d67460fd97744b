"""Tests of the proofs: hostile ones, and the second implementations they are measured against."""
