//! A sorting network: which places are compared depends only on the length.

use subtle::{Choice, ConditionallySelectable};

/// Sorts the keys, which are secret and below 2^31. For each pair of places compared, `exchange` is called with the
/// choice whether they are swapped, so that it can swap the associated data. It must write both in any case.
///
/// Batcher's merge exchange (Knuth, volume 3, 5.2.2, algorithm M): about n·log²n / 4 comparisons, for any n.
pub fn sort(keys: &mut [u32], mut exchange: impl FnMut(usize, usize, Choice)) {
    let length = keys.len();
    let top = length.next_power_of_two() / 2;
    let mut p = top;
    while p > 0 {
        let (mut q, mut first, mut distance) = (top, 0, p);
        loop {
            for start in (first..length.saturating_sub(distance)).step_by(2 * p) {
                for left in start..(start + p).min(length - distance) {
                    let right = left + distance;
                    let (a, b) = (keys[left], keys[right]);
                    // The highest bit is the sign of b − a. A `Choice` hides from the compiler that it is a boolean.
                    let wrong = Choice::from((b.wrapping_sub(a) >> 31) as u8);
                    keys[left] = u32::conditional_select(&a, &b, wrong);
                    keys[right] = u32::conditional_select(&b, &a, wrong);
                    exchange(left, right, wrong);
                }
            }
            if q == p {
                break;
            }
            (distance, q, first) = (q - p, q / 2, p);
        }
        p /= 2;
    }
}

/// Swaps two cells, with left < right, if chosen. Writes both in any case.
pub fn swap<T: ConditionallySelectable>(cells: &mut [T], left: usize, right: usize, chosen: Choice) {
    if let Some((before, after)) = cells.split_at_mut_checked(right) {
        if let (Some(a), Some(b)) = (before.get_mut(left), after.first_mut()) {
            T::conditional_swap(a, b, chosen);
        }
    }
}

/// Like `swap`, for cells of `size` bytes.
pub fn swap_bytes(bytes: &mut [u8], size: usize, left: usize, right: usize, chosen: Choice) {
    let mask = chosen.unwrap_u8().wrapping_neg();
    if let Some((before, after)) = bytes.split_at_mut_checked(right * size) {
        if let (Some(a), Some(b)) = (before.get_mut(left * size..(left + 1) * size), after.get_mut(..size)) {
            for (a, b) in a.iter_mut().zip(b) {
                let other = (*a ^ *b) & mask;
                *a ^= other;
                *b ^= other;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{sort, swap, swap_bytes};

    fn compared(keys: &mut [u32]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        sort(keys, |left, right, _| pairs.push((left, right)));
        pairs
    }

    /// A network that sorts every sequence of zeros and ones sorts everything.
    #[test]
    fn every_row_of_zeros_and_ones_is_sorted() {
        for length in 0..=12 {
            let mut steps = BTreeSet::new();
            for row in 0..1_u32 << length {
                let mut keys: Vec<u32> = (0..length).map(|at| row >> at & 1).collect();
                steps.insert(compared(&mut keys));
                assert!(keys.is_sorted(), "{row:b} of {length}");
            }
            assert_eq!(steps.len(), 1, "another row, other comparisons");
        }
    }

    #[test]
    fn so_many_comparisons() {
        assert_eq!(compared(&mut [0; 16]).len(), 63);
        assert_eq!(compared(&mut [0; 64]).len(), 543);
    }

    #[test]
    fn what_belongs_to_the_keys_goes_with_them() {
        let mut keys: Vec<u32> = (0..100).map(|at| (at * 37 + 11) % 100).collect();
        let (mut cells, mut bytes) = (keys.clone(), keys.iter().flat_map(|&key| [key as u8; 33]).collect::<Vec<_>>());
        sort(&mut keys, |left, right, chosen| {
            swap(&mut cells, left, right, chosen);
            swap_bytes(&mut bytes, 33, left, right, chosen);
        });
        assert!(cells.iter().copied().eq(0..100));
        assert!(bytes.chunks(33).zip(0..100).all(|(cell, at)| cell == [at; 33]));
    }
}
