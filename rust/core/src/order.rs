//! A secret order, drawn from secret words and applied to arrays. Timing and memory addresses depend only on the
//! length.

use subtle::{Choice, ConditionallySelectable};
use zeroize::{Zeroize, Zeroizing};

use crate::MAX_LENGTH;
use crate::error::Error;
use crate::network;

/// A secret permutation of 0 … n − 1. It is never printed, and it erases itself.
pub struct Order {
    /// The source index of each place: `places[j]` is π(j).
    places: Zeroizing<Vec<u32>>,
    /// The target index of each element: the inverse, by which arrays are sorted.
    targets: Zeroizing<Vec<u32>>,
}

#[allow(clippy::len_without_is_empty)] // an empty order is useless but harmless
impl Order {
    /// Builds an order from a permutation of 0 … n − 1, and refuses anything else.
    pub fn new(places: &[usize]) -> Result<Self, Error> {
        let length = places.len();
        if length > MAX_LENGTH {
            return Err(Error::TooLong { length });
        }
        // An index that is too large becomes n, which is never valid.
        let small = |&place: &usize| place.min(length) as u32;
        Self::turned(Zeroizing::new(places.iter().map(small).collect())).ok_or(Error::NotAnOrder { length })
    }

    /// Draws an order from n uniform words, by Fisher–Yates. `None` if the caller must draw other words.
    pub fn drawn(words: &[u64]) -> Result<Option<Self>, Error> {
        let order = fisher_yates(words)?;
        Ok(order.and_then(|order| Self::turned(Zeroizing::new(order.iter().map(|&place| place.into()).collect()))))
    }

    /// Adds the inverse, by sorting. `None` unless the sorted places are 0 … n − 1.
    fn turned(places: Zeroizing<Vec<u32>>) -> Option<Self> {
        let mut sorted = places.clone();
        let mut targets = Zeroizing::new((0..places.len() as u32).collect::<Vec<_>>());
        network::sort(&mut sorted, |left, right, chosen| network::swap(&mut targets, left, right, chosen));
        let other = sorted.iter().zip(0..).fold(0, |other, (place, at)| other | (place ^ at));
        (other == 0).then_some(Self { places, targets })
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The inverse order.
    pub fn inverse(&self) -> Self {
        Self { places: self.targets.clone(), targets: self.places.clone() }
    }

    /// π(0), π(1), …. Using them as indices reveals the order.
    pub fn vartime_places(&self) -> &[u32] {
        &self.places
    }

    /// Moves each of `cells` cells to its place. `exchange` must swap two cells if the choice says so, and must write
    /// both in any case. Fails if the number of cells differs from the length of the order.
    pub(crate) fn apply(&self, cells: usize, exchange: impl FnMut(usize, usize, Choice)) -> Result<(), Error> {
        if cells != self.len() {
            return Err(Error::Lengths { left: cells, right: self.len() });
        }
        network::sort(&mut self.targets.clone(), exchange);
        Ok(())
    }
}

/// The longest order that can be drawn: the work grows with the square of the length, and places have 16 bits.
const MAX_ORDER: usize = 1 << 16;

/// The number of places examined in one step.
const LANES: usize = 16;

/// Shuffles 0, 1, …, n − 1 with n uniform words: the last place is swapped with any place, the one before it with any
/// place up to itself, and so on. The remainder of the next word selects the place.
///
/// `None` if a word is at or above the largest multiple of the bound: the caller must draw other words, or some orders
/// would be favoured. With n places this happens less than n² times in 2^64.
fn fisher_yates(words: &[u64]) -> Result<Option<Zeroizing<Vec<u16>>>, Error> {
    let length = words.len();
    if length > MAX_ORDER {
        return Err(Error::TooLong { length });
    }
    let mut order: Zeroizing<Vec<u16>> = Zeroizing::new((0..=u16::MAX).take(length.next_multiple_of(LANES)).collect());
    let mut unfair = false;
    for (last, &word) in (1..length).rev().zip(words) {
        let bound = last as u64 + 1;
        // The last 2^64 mod bound words must be rejected.
        unfair |= word > u64::MAX - (u64::MAX % bound + 1) % bound;
        let mut chosen = remainder(word, bound);
        exchange(&mut order, last, chosen);
        chosen.zeroize();
    }
    order.truncate(length);
    Ok((!unfair).then_some(order))
}

/// The remainder of a secret word by a public bound of at least 2, without a division, whose time would reveal the
/// word.
fn remainder(word: u64, bound: u64) -> u16 {
    let inverse = u64::MAX / bound;
    // The quotient is at most one too small.
    let quotient = ((u128::from(word) * u128::from(inverse)) >> 64) as u64;
    let rest = word - quotient * bound;
    let less = rest.wrapping_sub(bound);
    // `less` is negative if the rest was already below the bound. The compiler cannot turn a `Choice` into a branch.
    u64::conditional_select(&less, &rest, Choice::from((less >> 63) as u8)) as u16
}

/// Swaps the place `last` with a secret place that is not after it. Every place up to `last` is read and written in any
/// case, always in full runs of `LANES`: in the remainder of a shorter run a compiler may branch, and one did.
fn exchange(places: &mut [u16], last: usize, chosen: u16) {
    let Some(before) = places.get_mut(..(last / LANES + 1) * LANES) else { return };
    let end = before[last];
    let mut found = [0; LANES];
    let mut at: [u16; LANES] = std::array::from_fn(|lane| lane as u16);
    for run in before.chunks_exact_mut(LANES) {
        for ((place, found), at) in run.iter_mut().zip(&mut found).zip(&mut at) {
            let other = *at ^ chosen;
            // All ones if nothing differs.
            let here = ((other | other.wrapping_neg()) >> 15).wrapping_sub(1);
            *found |= *place & here;
            *place ^= (*place ^ end) & here;
            *at = at.wrapping_add(LANES as u16);
        }
    }
    before[last] = found.iter().fold(0, |found, lane| found | lane);
    found.zeroize();
}

#[cfg(test)]
mod tests {
    use super::{MAX_ORDER, Order, exchange, fisher_yates, remainder};
    use crate::error::Error;

    /// Fisher–Yates with the processor's division and plain indexing.
    fn plain(words: &[u64]) -> Vec<u16> {
        let mut order: Vec<u16> = (0..=u16::MAX).take(words.len()).collect();
        for (last, word) in (1..words.len()).rev().zip(words) {
            order.swap(last, (word % (last as u64 + 1)) as usize);
        }
        order
    }

    fn words(seed: u64, count: usize) -> Vec<u64> {
        let step =
            |x: &u64| Some((x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(0x9e37_79b9_7f4a_7c15));
        std::iter::successors(Some(seed), step).skip(1).take(count).collect()
    }

    #[test]
    fn remainders_are_those_of_the_division() {
        for bound in (2..200).chain([255, 256, 257, 9_999, 10_000, 65_535, 65_536]) {
            let edges = [0, 1, bound - 1, bound, bound + 1, u64::MAX - bound, u64::MAX - 1, u64::MAX];
            for word in edges.into_iter().chain(words(bound, 50)) {
                assert_eq!(u64::from(remainder(word, bound)), word % bound, "{word} by {bound}");
            }
        }
    }

    #[test]
    fn every_place_can_be_exchanged() {
        for last in [0, 4, 15, 16, 31] {
            for chosen in 0..=last {
                let (mut made, mut wanted) = (places(), places());
                exchange(&mut made, last, chosen as u16);
                wanted.swap(last, chosen);
                assert_eq!(made, wanted);
            }
        }
        let mut none = places();
        exchange(&mut none, 32, 0);
        assert_eq!(none, places());
    }

    fn places() -> Vec<u16> {
        (100..132).collect()
    }

    #[test]
    fn orders_are_those_of_the_plain_loop() {
        for count in [0, 1, 2, 3, 4, 5, 13, 15, 16, 17, 52, 53, 1000] {
            let words = words(count as u64, count);
            assert_eq!(fisher_yates(&words).unwrap().unwrap().to_vec(), plain(&words));
        }
    }

    #[test]
    fn a_word_without_a_full_run_gives_no_order() {
        // 2^64 is 1 modulo 3 and 5, so one word is rejected. Powers of two divide 2^64.
        assert!(fisher_yates(&[0, u64::MAX, 0]).unwrap().is_some());
        assert!(fisher_yates(&[u64::MAX, 0, 0]).unwrap().is_none());
        assert!(fisher_yates(&[u64::MAX - 1, 0, 0]).unwrap().is_some());
        assert!(fisher_yates(&[u64::MAX, 0, 0, 0]).unwrap().is_some());
        assert!(fisher_yates(&[u64::MAX, 0, 0, 0, 0]).unwrap().is_none());
        // The last word of n is not used.
        assert!(fisher_yates(&[0, 0, u64::MAX]).unwrap().is_some());
    }

    #[test]
    fn too_many_are_refused() {
        assert!(fisher_yates(&vec![0; MAX_ORDER + 1]).is_err());
    }
    #[test]
    fn an_order_and_its_inverse() {
        for count in [0, 1, 2, 3, 5, 16, 52, 1000] {
            let words = words(7 + count as u64, count);
            let (order, plain) = (Order::drawn(&words).unwrap().unwrap(), plain(&words));
            assert!(order.vartime_places().iter().copied().eq(plain.iter().map(|&place| u32::from(place))));
            let inverse = order.inverse();
            assert!(plain.iter().zip(0..).all(|(&place, at)| inverse.vartime_places()[usize::from(place)] == at));
            assert_eq!(inverse.inverse().vartime_places(), order.vartime_places());
        }
    }

    #[test]
    fn what_is_no_order_is_refused() {
        assert_eq!(Order::new(&[2, 0, 1]).unwrap().vartime_places(), [2, 0, 1]);
        for places in [&[0, 0][..], &[1, 2], &[0, 2, 2], &[0, 3, 1], &[1], &[0, usize::MAX], &[0, 1 << 32]] {
            assert_eq!(Order::new(places).err(), Some(Error::NotAnOrder { length: places.len() }));
        }
    }
}
