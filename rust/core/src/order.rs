//! A secret order from secret words: Fisher–Yates in time that depends on how many there are, and on nothing else.

use subtle::{Choice, ConditionallySelectable};
use zeroize::{Zeroize, Zeroizing};

use crate::error::Error;

/// The most words of a call: the work grows with their square, and places have 16 bits.
pub const MAX_ORDER: usize = 1 << 16;

/// How many places are looked at in one step.
const LANES: usize = 16;

/// The order of 0, 1, …, n − 1 that n uniform words give: the last place is exchanged with one of all, then the last but
/// one with one of those before it and itself, and so on; which one is the remainder of the next word.
///
/// Nothing where a word lies in the last, incomplete run of remainders: the caller has to draw others, or some orders
/// would be favoured. With n places that happens less than n² times in 2^64.
pub fn fisher_yates(words: &[u64]) -> Result<Option<Zeroizing<Vec<u16>>>, Error> {
    let length = words.len();
    if length > MAX_ORDER {
        return Err(Error::TooLong { length });
    }
    let mut order: Zeroizing<Vec<u16>> = Zeroizing::new((0..=u16::MAX).take(length.next_multiple_of(LANES)).collect());
    let mut unfair = false;
    for (last, &word) in (1..length).rev().zip(words) {
        let bound = last as u64 + 1;
        // 2^64 modulo the bound: so many words at the end have no full run.
        unfair |= word > u64::MAX - (u64::MAX % bound + 1) % bound;
        let mut chosen = remainder(word, bound);
        exchange(&mut order, last, chosen);
        chosen.zeroize();
    }
    order.truncate(length);
    Ok((!unfair).then_some(order))
}

/// The remainder of a secret word by a public bound from 2 on, without a division by which a processor tells the word.
fn remainder(word: u64, bound: u64) -> u16 {
    let inverse = u64::MAX / bound;
    // At most one too small.
    let quotient = ((u128::from(word) * u128::from(inverse)) >> 64) as u64;
    let rest = word - quotient * bound;
    let less = rest.wrapping_sub(bound);
    // Below zero where the rest was below the bound already. A choice that the compiler cannot make a branch of.
    u64::conditional_select(&less, &rest, Choice::from((less >> 63) as u8)) as u16
}

/// Exchanges the place `last` with a secret one that is not behind it. Every place up to it is read and written, whichever
/// it is, and always whole runs of `LANES`: in what would be left over of a shorter run a compiler may branch, and did.
fn exchange(places: &mut [u16], last: usize, chosen: u16) {
    let Some(before) = places.get_mut(..(last / LANES + 1) * LANES) else { return };
    let end = before[last];
    let mut found = [0; LANES];
    let mut at: [u16; LANES] = std::array::from_fn(|lane| lane as u16);
    for run in before.chunks_exact_mut(LANES) {
        for ((place, found), at) in run.iter_mut().zip(&mut found).zip(&mut at) {
            let other = *at ^ chosen;
            // All ones where nothing differs.
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
    use super::{MAX_ORDER, exchange, fisher_yates, remainder};

    /// The same with the processor's own division and plain indexing.
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
        // 2^64 is 1 modulo 3 and 5: one word is too many. Powers of two divide it.
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
}
