//! A record taken apart into plain CBOR values and put together again, so that a test can change any one of them.

use minicbor::{Decoder, Encoder, data::Type};

/// A CBOR value, as far as records have them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    Number(u64),
    Negative(i64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Tree>),
    Map(Vec<(Tree, Tree)>),
    Flag(bool),
    Null,
    Float(f64),
}

impl Tree {
    /// The payload of a sealed part.
    pub(crate) fn of_part(bytes: &[u8]) -> Self {
        let mut input = Decoder::new(&bytes[16..]);
        let tree = Self::read(&mut input);
        assert_eq!(input.position(), bytes.len() - 16, "one value and nothing else");
        tree
    }

    /// A whole part of schema 1 with this payload, its checksum made by another implementation.
    pub(crate) fn into_part(self) -> Vec<u8> {
        seal(&self.payload(), 1)
    }

    /// The value at `path`: a number is a key of a map or an index of a list.
    pub(crate) fn at(&mut self, path: &[u64]) -> &mut Tree {
        let Some((first, rest)) = path.split_first() else { return self };
        let inner = match self {
            Self::Map(pairs) => pairs.iter_mut().find(|(key, _)| *key == Self::Number(*first)).map(|(_, value)| value),
            Self::List(items) => items.get_mut(usize::try_from(*first).expect("a small index")),
            _ => None,
        };
        inner.unwrap_or_else(|| panic!("nothing at {path:?}")).at(rest)
    }

    /// Takes the value at `path` out of its map or list.
    pub(crate) fn remove(&mut self, path: &[u64]) {
        let (last, parent) = path.split_last().expect("a path");
        match self.at(parent) {
            Self::Map(pairs) => pairs.retain(|(key, _)| *key != Self::Number(*last)),
            Self::List(items) => drop(items.remove(usize::try_from(*last).expect("a small index"))),
            _ => panic!("nothing to remove from"),
        }
    }

    /// Every path to a value of a map, maps in lists included.
    pub(crate) fn paths(&self) -> Vec<Vec<u64>> {
        let inner: Vec<(u64, &Tree)> = match self {
            Self::Map(pairs) => pairs.iter().filter_map(|(key, value)| Some((key.number()?, value))).collect(),
            Self::List(items) => (0..).zip(items).filter(|(_, item)| matches!(item, Self::Map(_))).collect(),
            _ => Vec::new(),
        };
        let below = |(key, value): (u64, &Tree)| {
            let mut paths = vec![vec![key]];
            paths.extend(value.paths().into_iter().map(|path| [vec![key], path].concat()));
            paths
        };
        inner.into_iter().flat_map(below).collect()
    }

    fn number(&self) -> Option<u64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    fn payload(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(&mut Encoder::new(&mut bytes));
        bytes
    }

    fn read(input: &mut Decoder<'_>) -> Self {
        match input.datatype().expect("a value") {
            Type::U8 | Type::U16 | Type::U32 | Type::U64 => Self::Number(input.u64().expect("a number")),
            Type::I8 | Type::I16 | Type::I32 | Type::I64 => Self::Negative(input.i64().expect("a number")),
            Type::String => Self::Text(input.str().expect("text").to_owned()),
            Type::Bytes => Self::Bytes(input.bytes().expect("bytes").to_vec()),
            Type::Bool => Self::Flag(input.bool().expect("a flag")),
            Type::F64 => Self::Float(input.f64().expect("a float")),
            Type::Array => {
                let length = input.array().expect("a list").expect("a definite length");
                Self::List((0..length).map(|_| Self::read(input)).collect())
            }
            Type::Map => {
                let length = input.map().expect("a map").expect("a definite length");
                Self::Map((0..length).map(|_| (Self::read(input), Self::read(input))).collect())
            }
            Type::Null => {
                input.null().expect("null");
                Self::Null
            }
            other => panic!("records hold no {other}"),
        }
    }

    fn write(&self, out: &mut Encoder<&mut Vec<u8>>) {
        match self {
            Self::Number(number) => drop(out.u64(*number)),
            Self::Negative(number) => drop(out.i64(*number)),
            Self::Text(text) => drop(out.str(text)),
            Self::Bytes(bytes) => drop(out.bytes(bytes)),
            Self::Flag(flag) => drop(out.bool(*flag)),
            Self::Float(float) => drop(out.f64(*float)),
            Self::Null => drop(out.null()),
            Self::List(items) => {
                drop(out.array(items.len() as u64));
                items.iter().for_each(|item| item.write(out));
            }
            Self::Map(pairs) => {
                drop(out.map(pairs.len() as u64));
                pairs.iter().for_each(|(key, value)| {
                    key.write(out);
                    value.write(out);
                });
            }
        }
    }
}

/// `payload` in a frame that asks for a reader of schema `min_reader`.
pub(crate) fn seal(payload: &[u8], min_reader: u16) -> Vec<u8> {
    let mut bytes = b"CGR1".to_vec();
    bytes.extend(min_reader.max(1).to_le_bytes());
    bytes.extend(min_reader.to_le_bytes());
    bytes.extend(u32::try_from(payload.len()).expect("a short payload").to_le_bytes());
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&bytes), payload);
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(payload);
    bytes
}
