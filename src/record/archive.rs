//! A whole session as one run of bytes, to be kept or carried to another store.
//!
//! The frame of a part with a magic of its own, `CGA1`, around a map: session (1), root record (2), and a list of every
//! other part (3): number, bytes, number, bytes, ascending; the pins have number 0. Parts are carried as they are, with
//! their own frames, so that what a later build wrote into them survives.

use core::{cell::Cell, fmt};

use thiserror::Error;

use crate::record::{
    CorruptKind, Unknown,
    cbor::{NUMBER, Reader},
    fields::Fields,
    frame::{self, Fault, Head},
    part,
    writer::MapWriter,
};

/// All parts of one session.
#[derive(Clone, PartialEq, Eq)]
pub struct Archive {
    /// The session they belong to.
    pub session: String,
    /// The root record.
    pub root: Vec<u8>,
    /// The pins, under 0, and the summaries, by the number of their generation; ascending, no number twice.
    pub numbered: Vec<(u32, Vec<u8>)>,
}

/// Why bytes are not read as an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// They begin as something else.
    #[error("these bytes are no archive of a session; nothing was written; pass what export gave")]
    NotAnArchive,
    /// They are not what was exported.
    #[error("the archive is damaged ({}); nothing was written; export it again", .0.code())]
    Damaged(CorruptKind),
    /// A later build wrote them and says that this one cannot read them.
    #[error("the archive needs a release that reads format {min_reader}; nothing was written; update this package")]
    Newer {
        /// The oldest schema that can read them.
        min_reader: u16,
    },
}

impl ArchiveError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotAnArchive => "not_an_archive",
            Self::Damaged(_) => "damaged_archive",
            Self::Newer { .. } => "newer_archive",
        }
    }
}

/// Says how long the parts are, never what they hold.
impl fmt::Debug for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Archive")
            .field("session", &self.session)
            .field("root_bytes", &self.root.len())
            .field("numbered", &self.numbered.len())
            .finish_non_exhaustive()
    }
}

/// The bytes of an archive: the same parts give the same bytes.
#[must_use]
pub fn encode_archive(archive: &Archive) -> Vec<u8> {
    let mut map = MapWriter::default();
    map.text(part::SESSION, &archive.session);
    map.bytes(ROOT, &archive.root);
    map.numbered(NUMBERED, &archive.numbered);
    frame::seal_as(Head::ARCHIVE, &map.finish(&Unknown::default()))
}

/// Reads an archive, whatever the bytes are. What a later build put beside the parts is passed over.
///
/// # Errors
/// [`ArchiveError`], for anything that is not exactly one whole archive.
pub fn load_archive(bytes: &[u8]) -> Result<Archive, ArchiveError> {
    let (_, payload) = frame::open_as(Head::ARCHIVE, bytes).map_err(|fault| match fault {
        Fault::Corrupt(CorruptKind::Magic) => ArchiveError::NotAnArchive,
        Fault::Corrupt(why) => ArchiveError::Damaged(why),
        Fault::Future { min_reader } => ArchiveError::Newer { min_reader },
    })?;
    let repaired = Cell::new(false);
    let fields = Fields::split(payload, KNOWN, &repaired);
    fields.and_then(|fields| decode(&fields)).ok_or(ArchiveError::Damaged(CorruptKind::Decode))
}

fn decode(fields: &Fields<'_, '_>) -> Option<Archive> {
    let mut numbered: Vec<(u32, Vec<u8>)> = Vec::new();
    for pair in fields.items(NUMBERED)?.chunks(2) {
        let &[number, bytes] = pair else { return None };
        let number = u32::try_from(Reader::new(number).of(NUMBER)?).ok()?;
        if numbered.last().is_some_and(|(before, _)| *before >= number) {
            return None;
        }
        numbered.push((number, Reader::new(bytes).bytes()?.to_vec()));
    }
    Some(Archive { session: fields.text(part::SESSION)?.to_owned(), root: fields.bytes(ROOT)?.to_vec(), numbered })
}

/// Keys below this one are known to this build.
const KNOWN: u8 = 4;
const ROOT: u8 = 2;
const NUMBERED: u8 = 3;
