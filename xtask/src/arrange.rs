//! Puts functions that are alike side by side: gzip looks back 32 KB and no further, and the compiler's order is by call.
//!
//! The order is found here and handed to wasm-opt as names, which it sorts by; nothing else of the module changes.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Writes `wasm` to `named` with a name for each function: its place among alike ones.
pub(crate) fn name_by_place(wasm: &Path, named: &Path) -> Result<()> {
    let mut bytes = fs::read(wasm).with_context(|| format!("{} was not written", wasm.display()))?;
    let names = {
        let functions = Functions::read(&bytes).context("the module is cut short")?;
        name_section(functions.imported, &functions.arranged())
    };
    bytes.extend_from_slice(&names);
    fs::write(named, bytes).with_context(|| format!("{} cannot be written", named.display()))
}

/// What a module holds of functions.
struct Functions<'a> {
    imported: usize,
    bodies: Vec<&'a [u8]>,
}

impl<'a> Functions<'a> {
    fn read(module: &'a [u8]) -> Option<Self> {
        let mut rest = Reader(module.get(HEADER..)?);
        let mut found = Self { imported: 0, bodies: Vec::new() };
        while !rest.0.is_empty() {
            let kind = rest.byte()?;
            let mut section = Reader(rest.sized()?);
            match kind {
                IMPORTS => found.imported = section.imported_functions()?,
                CODE => found.bodies = (0..section.number()?).map(|_| section.sized()).collect::<Option<_>>()?,
                _ => {}
            }
        }
        Some(found)
    }

    /// The bodies' places in an order in which each is as like those before it as can be found.
    fn arranged(&self) -> Vec<usize> {
        let mut likeness = Likeness::of(&self.bodies);
        let mut order = Vec::new();
        while let Some(next) = likeness.next() {
            likeness.take(next);
            order.push(next);
        }
        order
    }
}

/// How much each body that is left has in common with the last ones taken.
struct Likeness {
    /// The runs of bytes in each body, each once, by number.
    runs: Vec<Vec<usize>>,
    /// The bodies that have a run, where they are few enough to tell something.
    bodies: Vec<Vec<usize>>,
    /// How many of the last ones have a run.
    held: Vec<usize>,
    /// How many of its runs the last ones have; none for a body that is taken.
    shared: Vec<Option<usize>>,
    lengths: Vec<usize>,
    last: VecDeque<usize>,
}

impl Likeness {
    fn of(bodies: &[&[u8]]) -> Self {
        let mut numbers: HashMap<&[u8], usize> = HashMap::new();
        let (mut runs, mut having) = (Vec::new(), Vec::<Vec<usize>>::new());
        for (place, body) in bodies.iter().enumerate() {
            let mut own = Vec::new();
            for run in body.windows(RUN) {
                let next = numbers.len();
                let number = *numbers.entry(run).or_insert(next);
                if number == having.len() {
                    having.push(Vec::new());
                }
                if having[number].last() != Some(&place) {
                    having[number].push(place);
                    own.push(number);
                }
            }
            runs.push(own);
        }
        having.iter_mut().filter(|places| places.len() > COMMON).for_each(Vec::clear);
        Self {
            runs,
            held: vec![0; having.len()],
            bodies: having,
            shared: vec![Some(0); bodies.len()],
            lengths: bodies.iter().map(|body| body.len()).collect(),
            last: VecDeque::new(),
        }
    }

    /// The one that is most like the last ones for its length.
    fn next(&self) -> Option<usize> {
        let weighed = |place: usize| Some((self.shared[place]?, self.runs[place].len() + SHORT));
        let left = (0..self.runs.len()).filter_map(|place| Some((place, weighed(place)?)));
        let best = left.reduce(|best, one| {
            let ((_, (most, of_most)), (_, (shared, of))) = (best, one);
            if shared * of_most > most * of { one } else { best }
        });
        best.map(|(place, _)| place)
    }

    fn take(&mut self, place: usize) {
        self.shared[place] = None;
        self.hold(place, true);
        self.last.push_back(place);
        while self.last.len() > 1 && self.last.iter().map(|place| self.lengths[*place]).sum::<usize>() > LAST {
            if let Some(oldest) = self.last.pop_front() {
                self.hold(oldest, false);
            }
        }
    }

    fn hold(&mut self, place: usize, more: bool) {
        for run in &self.runs[place] {
            let held = &mut self.held[*run];
            let before = *held;
            *held = if more { before + 1 } else { before - 1 };
            if (before == 0) == (*held == 0) {
                continue;
            }
            for body in &self.bodies[*run] {
                if let Some(shared) = &mut self.shared[*body] {
                    *shared = if more { *shared + 1 } else { *shared - 1 };
                }
            }
        }
    }
}

/// A custom section that names the function at each place of `order` by that place, in digits that sort.
fn name_section(imported: usize, order: &[usize]) -> Vec<u8> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, body)| places[*body] = place);
    let mut names = leb(places.len());
    for (body, place) in places.iter().enumerate() {
        names.extend(leb(imported + body));
        names.extend(sized(format!("{place:06}").as_bytes()));
    }
    let mut content = sized(b"name");
    content.push(OF_FUNCTIONS);
    content.extend(sized(&names));
    let mut section = vec![CUSTOM];
    section.extend(sized(&content));
    section
}

fn sized(bytes: &[u8]) -> Vec<u8> {
    [&leb(bytes.len()), bytes].concat()
}

fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// What is left of a module, or of a section.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<usize> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7F).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }

    fn sized(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn imported_functions(&mut self) -> Option<usize> {
        let mut functions = 0;
        for _ in 0..self.number()? {
            self.sized()?;
            self.sized()?;
            match self.byte()? {
                0 => {
                    functions += 1;
                    self.number()?;
                }
                // A table or a memory: a type, then limits. A global: a type and whether it changes.
                kind @ (1 | 2) => {
                    if kind == 1 {
                        self.byte()?;
                    }
                    let bounded = self.byte()? & 1 == 1;
                    self.number()?;
                    if bounded {
                        self.number()?;
                    }
                }
                3 => {
                    self.byte()?;
                    self.byte()?;
                }
                _ => return None,
            }
        }
        Some(functions)
    }
}

/// `\0asm` and the version.
const HEADER: usize = 8;
const CUSTOM: u8 = 0;
const IMPORTS: u8 = 2;
const CODE: u8 = 10;
/// The part of a name section that names functions.
const OF_FUNCTIONS: u8 = 1;

/// Measured, as are the three below: what makes the module smallest. The shortest match that is worth one to gzip is 3.
const RUN: usize = 5;
/// A run that more bodies have is everywhere, and says nothing.
const COMMON: usize = 60;
/// So many bytes of bodies are looked back at.
const LAST: usize = 3_000;
/// Keeps the very short ones, which are like anything, from standing between long ones.
const SHORT: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn module(imported: usize, bodies: &[&[u8]]) -> Vec<u8> {
        let mut imports = leb(imported);
        (0..imported).for_each(|_| imports.extend([1, b'm', 1, b'f', 0, 0]));
        let mut code = leb(bodies.len());
        bodies.iter().for_each(|body| code.extend(sized(body)));
        let header: &[u8] = b"\0asm\x01\0\0\0";
        [header, &[IMPORTS], &sized(&imports), &[CODE], &sized(&code)].concat()
    }

    #[test]
    fn bodies_that_are_alike_stand_side_by_side() {
        let (a, b) = (*b"the first kind of body", *b"something else, wholly");
        let (a2, b2) = (*b"the first kind of Body", *b"something else: wholly");
        let module = module(127, &[&a, &b, &a2, &b2]);
        let functions = Functions::read(&module).unwrap();
        assert_eq!(functions.imported, 127);
        assert_eq!(functions.arranged(), [0, 2, 1, 3]);
    }

    #[test]
    fn every_body_has_one_place_and_is_named_by_it() {
        let section = name_section(200, &[2, 0, 1]);
        let text = String::from_utf8_lossy(&section);
        assert_eq!(section[0], CUSTOM);
        // The names of bodies 0, 1 and 2, in the order of their indexes.
        let found: Vec<_> = ["000001", "000002", "000000"].iter().map(|name| text.find(name).unwrap()).collect();
        assert!(found.is_sorted(), "{text}");
    }

    #[test]
    fn a_module_that_is_cut_short_is_refused_and_never_arranged() {
        let whole = module(2, &[b"body"]);
        assert!(Functions::read(&whole).is_some());
        assert!(Functions::read(&whole[..whole.len() - 1]).is_none());
    }
}
