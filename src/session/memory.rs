//! The session itself: what it holds in memory, and the questions that are answered from there.

use std::{
    cell::{Ref, RefCell},
    sync::atomic::AtomicU8,
};

use crate::{
    config::{Config, ConfigError},
    id::{AttemptId, ModelId, OpId, OwnerId},
    policy::{self, Action, Applied, Decision, Event, Observation, State},
    record::{Pins, Root, Summary},
    session::{
        Notice, Planned, Settings, link::Link, over_line::OverLine, pin::PinnedPlaces, sight::RefusedPrompt,
        sight::Sight, writing::Writing,
    },
    store::{Capabilities, Revision},
    time::Timestamp,
    tokens::{Ratio, Tokens},
    transcript::{Entry, Index},
    view::{self, View},
};

/// One conversation, as one tab or process sees it.
#[derive(Debug)]
pub struct Session {
    id: String,
    owner: OwnerId,
    settings: Settings,
    model: ModelId,
    index: Index,
    root: Root,
    generations: Vec<view::Generation>,
    /// The texts of the generations, with what was frozen with each.
    summaries: Vec<Summary>,
    pins: Pins,
    pinned: PinnedPlaces,
    revision: Option<Revision>,
    link: Link,
    reported_here: bool,
    /// The last prompt that a provider refused for its length, until one is answered.
    refused_prompt: Option<RefusedPrompt>,
    /// What reports of this page taught of the model's tokens.
    ratio: Ratio,
    sight: RefCell<Option<Sight>>,
    over_line: OverLine,
    planned: Option<Planned>,
    writing: Writing,
    notices: Vec<Notice>,
    drawn: u64,
    version: u32,
}

impl Session {
    /// A session called `id` on a store with these `capabilities`. `owner` tells this object from every other one that
    /// opens the same session: draw it at random.
    ///
    /// # Errors
    /// [`ConfigError`] for a setting that cannot be.
    pub fn new(id: &str, owner: OwnerId, settings: Settings, capabilities: Capabilities) -> Result<Self, ConfigError> {
        settings.config.validate()?;
        Ok(Self {
            id: id.to_owned(),
            owner,
            settings,
            model: ModelId::UNNAMED,
            index: Index::default(),
            root: Root::new(id, owner.0),
            generations: Vec::new(),
            summaries: Vec::new(),
            pins: Pins::default(),
            pinned: PinnedPlaces::default(),
            revision: None,
            link: Link::new(capabilities),
            reported_here: false,
            refused_prompt: None,
            ratio: Ratio::default(),
            sight: RefCell::new(None),
            over_line: OverLine::default(),
            planned: None,
            writing: Writing::default(),
            notices: Vec::new(),
            drawn: 0,
            version: 0,
        })
    }

    /// Appends an entry of the transcript.
    pub fn push(&mut self, entry: Entry) {
        let at = self.index.len();
        self.index.push(entry);
        if self.pinned.note(&self.pins.entries, at, entry.id) || self.joins_a_pin(at) {
            self.refresh_generations();
        }
        self.touch();
    }

    /// Whether a pass may start by itself now. Constant time, from memory, changes nothing.
    pub fn decide(&self, now: Timestamp) -> Decision {
        match self.is_refused() {
            true => policy::decide_overflow(&self.root.state, &self.seen(), now),
            false => policy::decide(&self.root.state, &self.seen(), now),
        }
    }

    /// Whether [`Session::decide`] lets a pass start.
    #[must_use]
    pub fn should_compact(&self, now: Timestamp) -> bool {
        match self.is_refused() {
            true => matches!(self.decide(now).action, Action::Compact { .. }),
            false => policy::due(&self.root.state, &self.seen(), now),
        }
    }

    /// Whether a pass can be due at all: no clock needed, so that the common answer costs nothing.
    #[must_use]
    #[inline]
    pub fn over_line(&self) -> bool {
        self.over_line.known().unwrap_or_else(|| self.look_over_line())
    }

    /// Keeps in `mirror` what [`Session::over_line`] would answer: [`BELOW_LINE`](super::BELOW_LINE) or
    /// [`OVER_LINE`](super::OVER_LINE), anything else while the session has to be asked.
    pub fn mirror_over_line(&mut self, mirror: &'static AtomicU8) {
        self.over_line.mirror_in(mirror);
        self.touch();
    }

    /// What the next prompt shows.
    #[must_use]
    pub fn view(&self) -> View {
        self.sight().view.clone()
    }

    /// The live summary, as it was written, with what was frozen with it.
    #[must_use]
    pub fn live(&self) -> Option<&Summary> {
        let view = self.sight().view.generation()?;
        let shown = self.generations.iter().find(|generation| generation.number == view)?;
        self.written(shown.summary).filter(|_| shown.covered_count > 0)
    }

    /// The summary with this number, with what was frozen with it.
    #[must_use]
    pub fn written(&self, number: u32) -> Option<&Summary> {
        self.summaries.iter().find(|written| written.number == number)
    }

    /// The text of the live summary, as it was written.
    #[must_use]
    pub fn summary(&self) -> Option<&str> {
        self.live().map(|live| live.text.as_str())
    }

    /// The text of the summary with this number.
    #[must_use]
    pub fn text(&self, number: u32) -> Option<&str> {
        self.written(number).map(|written| written.text.as_str())
    }

    /// What is observed right now.
    #[must_use]
    pub fn observation(&self) -> Observation {
        self.sight().seen
    }

    /// The state of the guards, in memory.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.root.state
    }

    /// Takes what happened since the last call, oldest first.
    pub fn drain_notices(&mut self) -> Vec<Notice> {
        core::mem::take(&mut self.notices)
    }

    /// Rises whenever an answer may have changed, but for the passing of time.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The conversation's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The root record, in memory.
    #[must_use]
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// What a person pinned.
    #[must_use]
    pub fn pins(&self) -> &Pins {
        &self.pins
    }

    /// The store's revision that memory is based on.
    #[must_use]
    pub fn revision(&self) -> Option<Revision> {
        self.revision
    }

    /// The transcript, as numbers.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The attempt that this object has claimed and not ended.
    #[must_use]
    pub fn planned(&self) -> Option<&Planned> {
        self.planned.as_ref()
    }

    /// What was set.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

/// For the operations.
impl Session {
    pub(super) fn owner(&self) -> OwnerId {
        self.owner
    }

    pub(super) fn model(&self) -> ModelId {
        self.model
    }

    /// Another model is in force whose window is another one: it stands in for the one in the settings.
    ///
    /// # Errors
    /// What [`Config::validate`] says of it; the old one stands.
    pub fn set_context_window(&mut self, window: Tokens) -> Result<(), ConfigError> {
        let config = Config { context_window: Some(window), ..self.settings.config.clone() };
        config.validate()?;
        // Said again with each call, it changes nothing.
        if self.settings.config.context_window != config.context_window {
            self.refused_prompt = None;
        }
        self.settings.config = config;
        self.touch();
        Ok(())
    }

    /// What was learned of another model says nothing of this one, nor what was refused by it.
    pub(super) fn set_model(&mut self, model: ModelId) {
        if self.model != model {
            self.ratio = Ratio::default();
            self.refused_prompt = None;
        }
        self.model = model;
        self.touch();
    }

    pub(super) fn link(&self) -> &Link {
        &self.link
    }

    pub(super) fn link_mut(&mut self) -> &mut Link {
        &mut self.link
    }

    pub(super) fn generations(&self) -> &[view::Generation] {
        &self.generations
    }

    pub(super) fn reported_here(&self) -> bool {
        self.reported_here
    }

    /// Whether a provider has refused what the next prompt would send, whatever is estimated of it.
    fn is_refused(&self) -> bool {
        self.refused_prompt.is_some_and(|refused| {
            refused.view_revision == self.root.state.view_revision && refused.entries <= self.index.len()
        })
    }

    pub(super) fn note_refused_prompt(&mut self, refused: Option<RefusedPrompt>) {
        self.refused_prompt = refused;
        self.touch();
    }

    pub(super) fn note_reported_here(&mut self, reported: bool) {
        self.reported_here = reported;
    }

    /// What reports taught of the model's tokens.
    pub(super) fn ratio(&self) -> Ratio {
        self.ratio
    }

    pub(super) fn learn(&mut self, counted: Tokens, estimated: Tokens) {
        self.ratio.learn(counted, estimated);
    }

    /// What the last report left after the entries: system prompt and tool schemas.
    pub(super) fn overhead(&self) -> Tokens {
        self.root.anchor.as_ref().map_or(0, |anchor| anchor.overhead)
    }

    pub(super) fn draw_attempt(&mut self) -> AttemptId {
        self.drawn += 1;
        AttemptId::derive(self.owner, self.drawn)
    }

    pub(super) fn draw_op(&mut self) -> OpId {
        self.drawn += 1;
        OpId::derive(self.owner, self.drawn)
    }

    pub(super) fn set_revision(&mut self, revision: Option<Revision>) {
        self.revision = revision;
        if revision.is_none() {
            self.link.stored.clear();
        }
    }

    pub(super) fn writing(&self) -> &Writing {
        &self.writing
    }

    pub(super) fn writing_mut(&mut self) -> &mut Writing {
        &mut self.writing
    }

    pub(super) fn set_planned(&mut self, planned: Option<Planned>) {
        self.planned = planned;
    }

    pub(super) fn end_planned(&mut self, attempt: AttemptId) {
        if self.planned.take_if(|planned| planned.attempt == attempt).is_some() {
            self.writing = Writing::default();
        }
    }

    pub(super) fn truncate_index(&mut self, len: u32) {
        // What is written in the place of what was cut may be shorter.
        self.refused_prompt = self.refused_prompt.filter(|refused| refused.entries <= len);
        self.index.truncate(len);
        self.find_pins();
    }

    pub(super) fn replace_index(&mut self, index: Index) {
        self.index = index;
        self.find_pins();
    }

    /// Puts another root in place, with the summaries it names.
    pub(super) fn replace_root(&mut self, root: Root) {
        self.root = root;
        self.refresh_generations();
    }

    /// Changes the root outside of the policy.
    pub(super) fn edit_root<T>(&mut self, edit: impl FnOnce(&mut Root) -> T) -> T {
        let result = edit(&mut self.root);
        self.refresh_generations();
        result
    }

    pub(super) fn insert_summary(&mut self, summary: Summary) {
        self.summaries.retain(|written| written.number != summary.number);
        self.summaries.push(summary);
        self.refresh_generations();
    }

    pub(super) fn remove_summary(&mut self, number: u32) {
        self.summaries.retain(|written| written.number != number);
        self.refresh_generations();
    }

    pub(super) fn edit_pins(&mut self, edit: impl FnOnce(&mut Pins)) {
        edit(&mut self.pins);
        self.find_pins();
    }

    /// Where in the transcript the pinned entries are.
    pub(super) fn pinned_entries(&self) -> &[u32] {
        self.pinned.places()
    }

    /// Looks the pinned entries up: a walk over the transcript where there are any.
    fn find_pins(&mut self) {
        self.pinned = PinnedPlaces::default();
        if !self.pins.entries.is_empty() {
            for at in 0..self.index.len() {
                self.pinned.note(&self.pins.entries, at, self.index.entry(at).id);
            }
        }
        self.refresh_generations();
    }

    /// Lets go of every text.
    pub(super) fn clear_texts(&mut self) {
        self.summaries.clear();
        self.edit_pins(|pins| *pins = Pins::default());
    }

    /// A generation whose text is not there cannot be shown: the view falls back to an older one, or to the transcript.
    fn refresh_generations(&mut self) {
        let mut shown = Vec::new();
        for generation in &self.root.generations {
            if let Some(written) = self.written(generation.number) {
                shown.push(view::Generation {
                    number: generation.number,
                    summary: generation.number,
                    covered_count: generation.covered_entries,
                    covered_last_id: generation.covered_last_id,
                    matched_count: generation.matched_entries.unwrap_or(generation.covered_entries),
                    fingerprint: generation.fingerprint,
                    pinned: self.shown_pins(&generation.pinned, generation.covered_entries),
                    pruned: self.without_pins(&written.pruned),
                    capped: self.uncut_pins(&written.capped),
                    summary_tokens: generation.summary_tokens,
                });
            }
        }
        self.generations = shown;
        self.touch();
    }

    /// Covered entries that the view shows: what the commit pinned, and what was pinned since.
    fn shown_pins(&self, committed: &[u32], covered: u32) -> Vec<u32> {
        let mut shown = committed.to_vec();
        for &pin in self.pinned.places() {
            for at in self.index.members(pin).filter(|at| *at < covered) {
                if let Err(place) = shown.binary_search(&at) {
                    shown.insert(place, at);
                }
            }
        }
        shown
    }

    /// Applies one event of the policy, in memory.
    pub(super) fn apply(&mut self, event: Event, now: Timestamp) -> Applied {
        let seen = *self.seen();
        let applied = policy::apply(&self.root.state, event, &seen, now);
        self.note_guards(&applied.state);
        if let Some(settled) = applied.verdict {
            self.note_verdict(settled);
        }
        self.root.state = applied.state.clone();
        self.touch();
        applied
    }

    pub(super) fn notify(&mut self, notice: Notice) {
        self.notices.push(notice);
        self.touch();
    }

    pub(super) fn notices_len(&self) -> usize {
        self.notices.len()
    }

    pub(super) fn truncate_notices(&mut self, len: usize) {
        self.notices.truncate(len);
    }

    pub(super) fn sight(&self) -> Ref<'_, Sight> {
        if self.sight.borrow().is_none() {
            let sight = Sight::of(self);
            *self.sight.borrow_mut() = Some(sight);
        }
        Ref::map(self.sight.borrow(), |sight| sight.as_ref().expect("filled above, emptied only through &mut self"))
    }

    pub(super) fn seen(&self) -> Ref<'_, Observation> {
        Ref::map(self.sight(), |sight| &sight.seen)
    }

    #[cold]
    fn look_over_line(&self) -> bool {
        let over = {
            let seen = self.seen();
            self.is_refused() || seen.lines.is_some_and(|lines| seen.occupancy >= lines.threshold)
        };
        self.over_line.answer(Some(over));
        over
    }

    pub(super) fn touch(&mut self) {
        *self.sight.get_mut() = None;
        self.over_line.answer(None);
        self.version = self.version.wrapping_add(1);
    }
}
