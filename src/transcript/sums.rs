//! Running sums and fingerprints of every prefix, at a fixed cost per question and under two bytes per entry.

use core::ops::Range;

use crate::{
    tokens::Tokens,
    transcript::{Blocks, Entry, Kind, Role, Shape, weight},
};

/// The numbers of each entry, and what every sixteenth prefix adds up to.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    ids: Blocks<u64>,
    tokens: Blocks<Tokens>,
    /// Role in the lowest two bits, kind above.
    meta: Blocks<u16>,
    calls: Blocks<u8>,
    /// Bytes, coded: see [`super::weight`].
    weights: Blocks<u8>,
    marks: Blocks<Mark>,
    tip: Mark,
    /// Where known entries begin behind unknown ones, and what the prefix before adds up to.
    base: (usize, Mark),
}

/// What a prefix adds up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// Tokens of all its entries.
    pub(super) tokens: u64,
    /// Tokens of its system entries.
    pub(super) system_tokens: u64,
    /// Chained hash of ids and roles. Token counts are left out: a better estimator must not make summaries void.
    pub(super) fingerprint: u64,
}

impl Sums {
    /// Takes the next entry; groups are none of its business.
    pub(super) fn push(&mut self, entry: &Entry) {
        if self.ids.len().is_multiple_of(BLOCK) {
            self.marks.push(self.tip);
        }
        self.ids.push(entry.id);
        self.tokens.push(entry.tokens);
        self.meta.push((entry.kind.bits() << ROLE_BITS) | entry.role as u16);
        self.calls.push(entry.calls);
        self.weights.push(weight::encode(entry.bytes));
        self.tip = self.tip.after(entry);
    }

    /// The entries so far are not the real ones, whose fingerprint this is.
    pub(super) fn resume(&mut self, fingerprint: u64) {
        self.tip.fingerprint = fingerprint;
        self.base = (self.ids.len(), self.tip);
    }

    /// What the first `len` entries add up to. At most fifteen steps.
    pub(super) fn mark(&self, len: u32) -> Mark {
        let len = len as usize;
        if len >= self.ids.len() {
            return self.tip;
        }
        let block = len - len % BLOCK;
        let (base, before) = self.base;
        let (from, mark) =
            if (block..=len).contains(&base) { (base, before) } else { (block, self.mark_at(len / BLOCK)) };
        (from..len).fold(mark, |mark, index| mark.after(&self.entry(index)))
    }

    /// Tokens of the first `len` entries; cheaper than [`Self::mark`], which hashes.
    pub(super) fn tokens_before(&self, len: u32) -> u64 {
        let len = len as usize;
        if len >= self.ids.len() {
            return self.tip.tokens;
        }
        let from = len - len % BLOCK;
        self.mark_at(len / BLOCK).tokens + self.tokens.pieces(from..len).flatten().map(|&t| u64::from(t)).sum::<u64>()
    }

    /// Tokens of the system entries among the first `len` entries.
    pub(super) fn system_tokens_before(&self, len: u32) -> u64 {
        let len = len as usize;
        if len >= self.ids.len() {
            return self.tip.system_tokens;
        }
        let block = len / BLOCK;
        let before = self.mark_at(block).system_tokens;
        // Nearly every block has none: then there is nothing to walk.
        if before == self.marks.get(block + 1).unwrap_or(self.tip).system_tokens {
            return before;
        }
        let within = (block * BLOCK..len).filter(|&index| self.shape(index).is_system());
        before + within.map(|index| u64::from(self.tokens_at(index))).sum::<u64>()
    }

    /// The longest prefix with at most `tokens` tokens, in entries.
    pub(super) fn prefix_within(&self, tokens: u64) -> u32 {
        let block = self.marks.partition_point(0..self.marks.len(), |mark| mark.tokens <= tokens).saturating_sub(1);
        let mut len = block * BLOCK;
        let mut sum = self.marks.get(block).map_or(0, |mark| mark.tokens);
        while let Some(next) = self.tokens.get(len).filter(|&next| sum + u64::from(next) <= tokens) {
            sum += u64::from(next);
            len += 1;
        }
        // The index holds fewer than u32::MAX entries.
        len as u32
    }

    /// Role and kind of the entry at `index`.
    pub(super) fn shape(&self, index: usize) -> Shape {
        let meta = at(&self.meta, index);
        let role = match meta & ((1 << ROLE_BITS) - 1) {
            0 => Role::System,
            1 => Role::User,
            2 => Role::Assistant,
            _ => Role::Tool,
        };
        Shape { role, kind: Kind::from_bits(meta >> ROLE_BITS) }
    }

    /// Tokens of the entry at `index`.
    pub(super) fn tokens_at(&self, index: usize) -> Tokens {
        at(&self.tokens, index)
    }

    /// The entry at `index`, without its group.
    pub(super) fn entry(&self, index: usize) -> Entry {
        let Shape { role, kind } = self.shape(index);
        let (id, tokens, calls) = (at(&self.ids, index), self.tokens_at(index), at(&self.calls, index));
        Entry { id, role, kind, tokens, group: Entry::ALONE, calls, bytes: weight::decode(at(&self.weights, index)) }
    }

    /// How many system entries in `range`, by walking it.
    pub(super) fn count_systems(&self, range: Range<usize>) -> usize {
        const LOOKED_AT: u16 = Kind::HOST_SUMMARY.bits() << ROLE_BITS | ((1 << ROLE_BITS) - 1);
        const SYSTEM: u16 = Role::System as u16;
        let system = |meta: u16| u32::from(meta & LOOKED_AT == SYSTEM);
        let mut found = 0;
        for walked in self.meta.pieces(range) {
            // Four at a time: the module is built for size, which leaves loops as they are written.
            let (fours, rest) = walked.as_chunks::<4>();
            found += fours.iter().map(|&[a, b, c, d]| (system(a) + system(b)) + (system(c) + system(d))).sum::<u32>();
            found += rest.iter().map(|&meta| system(meta)).sum::<u32>();
        }
        found as usize
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn bytes(&self) -> usize {
        let numbers = self.ids.bytes() + self.tokens.bytes() + self.meta.bytes();
        numbers + self.calls.bytes() + self.weights.bytes() + self.marks.bytes()
    }

    fn mark_at(&self, block: usize) -> Mark {
        at(&self.marks, block)
    }
}

/// # Panics
/// Where there is no such item.
fn at<T: Copy>(items: &Blocks<T>, index: usize) -> T {
    items.get(index).expect("only entries that there are, are asked for")
}

impl Mark {
    fn after(self, entry: &Entry) -> Self {
        let tokens = u64::from(entry.tokens);
        Self {
            tokens: self.tokens + tokens,
            system_tokens: self.system_tokens + if entry.is_system() { tokens } else { 0 },
            // A system entry is shown as it is, whatever it says today: a date in it makes no summary void.
            fingerprint: chain(self.fingerprint, if entry.is_system() { 0 } else { entry.id }, entry.role),
        }
    }
}

fn chain(previous: u64, id: u64, role: Role) -> u64 {
    let mut bytes = [role as u8; 17];
    bytes[..8].copy_from_slice(&previous.to_le_bytes());
    bytes[8..16].copy_from_slice(&id.to_le_bytes());
    xxhash_rust::xxh3::xxh3_64(&bytes)
}

/// Entries between two marks: a question costs at most fifteen additions, a mark 1.5 bytes per entry.
const BLOCK: usize = 16;
const ROLE_BITS: u32 = 16 - Kind::BITS;
