//! Short names for elements (`e12`) that outlive scrolling and re-layout.
//!
//! One book belongs to one device. A ref stands for what an element *is* (its [`Signature`]), never for its place in a
//! list, and is never given to another element. Knows outlines and signatures. Does not know frames, devices or trees.

use super::outline::Outline;
use super::signature::Signature;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

/// The short name of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ref(u64);

impl Ref {
    /// Its number: 12 for `e12`.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

impl serde::Serialize for Ref {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Ref {
    type Err = String;

    fn from_str(text: &str) -> Result<Ref, String> {
        let digits = text.strip_prefix('e').unwrap_or_default();
        let sound = !digits.is_empty() && digits.len() <= 18 && digits.bytes().all(|b| b.is_ascii_digit());
        match digits.parse() {
            Ok(number) if sound && !(digits.len() > 1 && digits.starts_with('0')) => Ok(Ref(number)),
            _ => Err(format!("\"{}\" is not an element's ref, such as e12", super::text::shorten(text, 40))),
        }
    }
}

/// An element that a lost ref may have meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its own ref, if it has one already.
    pub r#ref: Option<Ref>,
    /// Its index in the outline.
    pub index: usize,
    /// How likely it is the one, from 0 to 1; see [`Signature::score`].
    pub score: f64,
    /// Its own words.
    pub description: String,
}

/// What became of a ref.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolved {
    /// The element is there, at this index of the outline.
    Found(usize),
    /// The element is gone; what it was called, and the nearest that are there, best first (at most five).
    Stale {
        /// What the ref stood for, such as `button "Sign in"`.
        was: String,
        /// The nearest elements.
        candidates: Vec<Candidate>,
    },
    /// This ref was never given, or so long ago that it is forgotten.
    Unknown,
}

struct Entry {
    signature: Signature,
    words: String,
    seen: u64,
}

/// The refs of one device.
pub struct RefBook {
    next: u64,
    round: u64,
    capacity: usize,
    entries: HashMap<Ref, Entry>,
    by_key: HashMap<u64, Vec<Ref>>,
    /// Refs by the round in which they were last seen, for forgetting the oldest.
    by_age: BTreeMap<(u64, Ref), ()>,
}

impl Default for RefBook {
    fn default() -> Self {
        RefBook::new()
    }
}

/// Below this likeness an element whose words changed is another element.
const SAME_ELEMENT: f64 = 0.75;
/// Likeness from which an element is worth naming as a candidate.
const CANDIDATE: f64 = 0.35;
/// Most pairs that are compared one by one within one group of elements of the same words.
const PAIRS: usize = 4096;

impl RefBook {
    /// An empty book that remembers 20,000 elements.
    pub fn new() -> RefBook {
        RefBook::with_capacity(20_000)
    }

    /// An empty book that remembers `capacity` elements and forgets those not seen for the longest time. The elements
    /// of the newest outline are always remembered.
    pub fn with_capacity(capacity: usize) -> RefBook {
        RefBook {
            next: 1,
            round: 0,
            capacity,
            entries: HashMap::new(),
            by_key: HashMap::new(),
            by_age: BTreeMap::new(),
        }
    }

    /// How many elements are remembered.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Forgets all elements. Their refs are never given again.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.by_key.clear();
        self.by_age.clear();
    }

    /// A ref that nothing has had yet, for what is no element of an outline.
    pub fn fresh(&mut self) -> Ref {
        let fresh = Ref(self.next);
        self.next += 1;
        fresh
    }

    /// A ref for each element of `outline`, in its order: the one it had before, or a new one.
    pub fn assign(&mut self, outline: &Outline) -> Vec<Ref> {
        self.round += 1;
        let known = self.matches(outline);
        let mut refs = Vec::with_capacity(known.len());
        for (element, known) in outline.elements().iter().zip(known) {
            let name = known.unwrap_or_else(|| self.fresh());
            let key = element.signature.key();
            if let Some(old) = self.entries.get(&name) {
                self.by_age.remove(&(old.seen, name));
                let old_key = old.signature.key();
                if old_key != key {
                    self.forget_key(old_key, name);
                    self.by_key.entry(key).or_default().push(name);
                }
            } else {
                self.by_key.entry(key).or_default().push(name);
            }
            self.by_age.insert((self.round, name), ());
            self.entries.insert(
                name,
                Entry {
                    signature: element.signature.clone(),
                    words: super::locator::plain_words(element),
                    seen: self.round,
                },
            );
            refs.push(name);
        }
        while self.entries.len() > self.capacity {
            let Some((&(seen, oldest), ())) = self.by_age.first_key_value() else { break };
            if seen == self.round {
                break;
            }
            self.by_age.remove(&(seen, oldest));
            if let Some(entry) = self.entries.remove(&oldest) {
                self.forget_key(entry.signature.key(), oldest);
            }
        }
        refs
    }

    /// Which element of `outline` the ref stands for. Gives the same answer before and after `outline` was assigned.
    pub fn resolve(&self, name: Ref, outline: &Outline) -> Resolved {
        let Some(entry) = self.entries.get(&name) else { return Resolved::Unknown };
        let known = self.matches(outline);
        if let Some(index) = known.iter().position(|found| *found == Some(name)) {
            return Resolved::Found(index);
        }
        let mut candidates: Vec<Candidate> = outline
            .elements()
            .iter()
            .enumerate()
            .map(|(index, element)| Candidate {
                r#ref: known[index],
                index,
                score: entry.signature.score(&element.signature),
                description: String::new(),
            })
            .filter(|candidate| candidate.score >= CANDIDATE)
            .collect();
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        candidates.truncate(5);
        for candidate in &mut candidates {
            candidate.description = super::locator::words(outline, candidate.index);
        }
        Resolved::Stale { was: entry.words.clone(), candidates }
    }

    /// What the ref stood for when it was last seen, in words.
    pub fn words(&self, name: Ref) -> Option<&str> {
        self.entries.get(&name).map(|entry| entry.words.as_str())
    }

    fn forget_key(&mut self, key: u64, name: Ref) {
        if let Some(names) = self.by_key.get_mut(&key) {
            names.retain(|other| *other != name);
            if names.is_empty() {
                self.by_key.remove(&key);
            }
        }
    }

    /// For each element the remembered one that it is.
    fn matches(&self, outline: &Outline) -> Vec<Option<Ref>> {
        let elements = outline.elements();
        let mut found: Vec<Option<Ref>> = vec![None; elements.len()];
        let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
        for (i, element) in elements.iter().enumerate() {
            groups.entry(element.signature.key()).or_default().push(i);
        }
        let mut taken: HashSet<Ref> = HashSet::new();
        let same_screen = self.is_same_screen(&groups);
        for (key, group) in &groups {
            let Some(names) = self.by_key.get(key) else { continue };
            self.match_group(outline, group, names, same_screen, &mut found, &mut taken);
        }
        self.match_renamed(outline, &mut found, &taken);
        found
    }

    /// The round of the newest outline.
    fn newest(&self) -> u64 {
        self.by_age.last_key_value().map_or(0, |((seen, _), ())| *seen)
    }

    /// Whether at least half of the words on the screen were there in the newest outline.
    fn is_same_screen(&self, groups: &HashMap<u64, Vec<usize>>) -> bool {
        let newest = self.newest();
        let known = groups.keys().filter(|key| {
            self.by_key.get(key).is_some_and(|names| names.iter().any(|name| self.entries[name].seen == newest))
        });
        known.count() * 2 >= groups.len()
    }

    /// Pairs elements and remembered ones of the same words by what is around them, then by order.
    fn match_group(
        &self,
        outline: &Outline,
        group: &[usize],
        names: &[Ref],
        same_screen: bool,
        found: &mut [Option<Ref>],
        taken: &mut HashSet<Ref>,
    ) {
        let elements = outline.elements();
        // Those of the newest outlines first: a ref from an hour ago must not win over one in use.
        let mut names: Vec<(u64, u32, Ref)> = names
            .iter()
            .filter_map(|name| self.entries.get(name).map(|entry| (entry.seen, entry.signature.ordinal, *name)))
            .collect();
        names.sort_by_key(|(seen, ordinal, name)| (std::cmp::Reverse(*seen), *ordinal, *name));
        names.truncate((PAIRS / group.len().max(1)).max(group.len()).max(8));
        // Exactly the same surroundings, in order.
        let around = |s: &Signature| (s.ancestor, s.elder, s.before, s.after);
        let mut exact: HashMap<(u64, u64, u64, u64), std::collections::VecDeque<Ref>> = HashMap::new();
        for (_, _, name) in &names {
            exact.entry(around(&self.entries[name].signature)).or_default().push_back(*name);
        }
        for &i in group {
            if let Some(name) = exact.get_mut(&around(&elements[i].signature)).and_then(|names| names.pop_front()) {
                found[i] = Some(name);
                taken.insert(name);
            }
        }
        let rest: Vec<usize> = group.iter().copied().filter(|i| found[*i].is_none()).collect();
        let free: Vec<(usize, Ref)> = names
            .iter()
            .enumerate()
            .map(|(order, (_, _, name))| (order, *name))
            .filter(|(_, name)| !taken.contains(name))
            .collect();
        if rest.is_empty() || free.is_empty() {
            return;
        }
        if rest.len() * free.len() > PAIRS {
            return;
        }
        let newest = self.newest();
        let mut pairs: Vec<(f64, u32, usize, usize, Ref)> = Vec::with_capacity(rest.len() * free.len());
        for &i in &rest {
            let own = &elements[i].signature;
            for (order, name) in &free {
                let entry = &self.entries[name];
                let around = own.surroundings(&entry.signature);
                // An element without words is known by its surroundings alone. One with words needs some of them, since
                // "Delete" on the next screen is not the same; but where all else is the same screen and it is the only
                // one of its words, its neighbours may be clocks.
                let only = group.len() == 1 && same_screen && entry.seen == newest;
                let enough = match () {
                    () if only => 0.0,
                    () if own.name.is_empty() && own.identifier.is_empty() => 0.5,
                    () => 0.2,
                };
                // One that stands in another row is another one, however alike its own words are.
                let moved = own.ancestor != entry.signature.ancestor && around < 0.5;
                if around >= enough && (!moved || only) {
                    pairs.push((around, own.ordinal.abs_diff(entry.signature.ordinal), *order, i, *name));
                }
            }
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)).then(a.3.cmp(&b.3)));
        for (_, _, _, i, name) in pairs {
            if found[i].is_none() && !taken.contains(&name) {
                found[i] = Some(name);
                taken.insert(name);
            }
        }
    }

    /// Elements whose words changed while their identifier and surroundings did not: the newest round only.
    fn match_renamed(&self, outline: &Outline, found: &mut [Option<Ref>], taken: &HashSet<Ref>) {
        let newest = self.newest();
        let mut lost: HashMap<(crate::neutral::Role, &str), Vec<Ref>> = HashMap::new();
        for ((_, name), ()) in self.by_age.range((newest, Ref(0))..) {
            let signature = &self.entries[name].signature;
            if !taken.contains(name) && !signature.identifier.is_empty() {
                lost.entry((signature.role, &signature.identifier)).or_default().push(*name);
            }
        }
        if lost.is_empty() {
            return;
        }
        let mut fresh: HashMap<(crate::neutral::Role, &str), Vec<usize>> = HashMap::new();
        for (i, element) in outline.elements().iter().enumerate() {
            if found[i].is_none() && !element.signature.identifier.is_empty() {
                fresh.entry((element.role, &element.signature.identifier)).or_default().push(i);
            }
        }
        for (key, indices) in fresh {
            if let (&[index], Some(&[name])) = (indices.as_slice(), lost.get(&key).map(Vec::as_slice))
                && (self.entries[&name].signature.surroundings(&outline.elements()[index].signature) >= 0.5
                    || self.entries[&name].signature.score(&outline.elements()[index].signature) >= SAME_ELEMENT)
            {
                found[index] = Some(name);
            }
        }
    }
}
