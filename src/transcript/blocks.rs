//! A list that only grows at its end, in blocks: what is there is never moved, and nothing is held for later but the rest
//! of one block. A list in one piece takes twice its length while it is moved, and WebAssembly gives no memory back.

use core::ops::Range;

/// Items in blocks of 256: their rest and their list come to less than two bytes per entry from 10,000 entries on.
#[derive(Clone, Debug)]
pub struct Blocks<T> {
    /// All but the last are full; none is empty.
    blocks: Vec<Vec<T>>,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self { blocks: Vec::new() }
    }
}

impl<T: Copy> Blocks<T> {
    /// How many items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.last().map_or(0, |last| (self.blocks.len() - 1) * BLOCK + last.len())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The item at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<T> {
        self.blocks.get(index / BLOCK)?.get(index % BLOCK).copied()
    }

    /// The last item.
    #[must_use]
    pub fn last(&self) -> Option<T> {
        self.blocks.last()?.last().copied()
    }

    /// The items in `range`, as pieces of memory; what lies past the end is left out.
    pub fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[T]> {
        let blocks = range.start / BLOCK..range.end.div_ceil(BLOCK).min(self.blocks.len());
        blocks.map(move |at| {
            let (block, first) = (&self.blocks[at][..], at * BLOCK);
            let end = range.end.saturating_sub(first).min(block.len());
            &block[range.start.saturating_sub(first).min(end)..end]
        })
    }

    /// All items, in their order.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.blocks.iter().flatten().copied()
    }

    /// The first place in `range` whose item is none of `wanted`, which holds for its first items alone; its end where it
    /// holds for all.
    pub fn partition_point(&self, range: Range<usize>, wanted: impl Fn(T) -> bool) -> usize {
        let Range { start: mut low, end: mut high } = range;
        while low < high {
            let middle = low.midpoint(high);
            if self.get(middle).is_some_and(&wanted) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Appends `item`.
    pub(super) fn push(&mut self, item: T) {
        match self.blocks.last_mut() {
            Some(last) if last.len() < last.capacity() => last.push(item),
            _ => self.push_grown(item),
        }
    }

    /// Takes the last item away.
    pub(super) fn pop(&mut self) -> Option<T> {
        let last = self.blocks.last_mut()?;
        let item = last.pop();
        if last.is_empty() {
            self.blocks.pop();
        }
        item
    }

    /// Heap bytes held.
    pub(super) fn bytes(&self) -> usize {
        let items: usize = self.blocks.iter().map(Vec::capacity).sum();
        items * size_of::<T>() + self.blocks.capacity() * size_of::<Vec<T>>()
    }

    /// A short list is one block that doubles.
    #[cold]
    #[inline(never)]
    fn push_grown(&mut self, item: T) {
        match &mut self.blocks[..] {
            [first] if first.len() < BLOCK => {
                first.reserve_exact(first.len());
                first.push(item);
            }
            _ => {
                if self.blocks.len() == self.blocks.capacity() {
                    self.blocks.reserve_exact(self.blocks.len() / 8 + 1);
                }
                let mut block = Vec::with_capacity(if self.blocks.is_empty() { SHORT } else { BLOCK });
                block.push(item);
                self.blocks.push(block);
            }
        }
    }
}

const BLOCK: usize = 1 << 8;
const SHORT: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn list_of(len: u32) -> Blocks<u32> {
        let mut list = Blocks::default();
        (0..len).for_each(|item| list.push(item * 3));
        list
    }

    #[test]
    fn a_list_in_blocks_answers_as_one_in_a_single_piece_does() {
        for len in [0_u32, 1, 15, 16, 17, 255, 256, 257, 512, 1_024, 5_000] {
            let (mut list, mut plain) = (list_of(len), (0..len).map(|item| item * 3).collect::<Vec<_>>());
            assert_eq!((list.len(), list.is_empty(), list.last()), (plain.len(), len == 0, plain.last().copied()));
            for from in [0, 1, 256, 1_000, 1_024, 4_999, 9_000] {
                for to in [0, 1, 1_024, 1_500, 5_000, 9_000] {
                    let pieces: Vec<u32> = list.pieces(from..to).flatten().copied().collect();
                    assert_eq!(pieces, plain.get(from..to.min(plain.len())).unwrap_or(&[]), "{len}: {from}..{to}");
                }
                let behind = list.partition_point(0..list.len(), |item| item < from as u32);
                assert_eq!(behind, plain.partition_point(|&item| item < from as u32));
            }
            while let Some(item) = plain.pop() {
                assert_eq!((list.pop(), list.last()), (Some(item), plain.last().copied()));
            }
            assert_eq!((list.pop(), list.len()), (None, 0));
            list.push(7);
            assert!(list.iter().eq([7]));
        }
    }

    #[test]
    fn a_long_list_holds_less_than_a_block_that_it_does_not_use() {
        for len in [20_000, 100_000] {
            assert!(list_of(len).bytes() <= (len as usize + BLOCK) * 4 + (len as usize / BLOCK + 1) * 48);
        }
    }
}
