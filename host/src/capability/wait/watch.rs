//! A text that is waited for, in trees and, where a tree does not tell all of a screen, in pictures.
//!
//! Reading trees at the pace of pictures takes some phones' automation program down, so that one is read anew only where the picture
//! is another, and now and then.

use super::{Look, Sighted, differs};
use crate::{
    capability::{
        Code, Context, Error,
        context::Target,
        look::{self, Seen},
        reading,
    },
    perception::{
        change::Glance,
        find::{self, Match},
        fuse,
        outline::Element,
    },
};
use std::time::Duration;
use tokio::time::Instant;

/// The least pause between two trees of a screen that moves, which grows: some phones endure no more than one in five seconds.
const FIRST_TREE_PAUSE: Duration = Duration::from_millis(300);
const LONGEST_TREE_PAUSE: Duration = Duration::from_secs(5);
/// After so long the tree is read even where the picture is the same: not all that it tells can be seen.
const REREAD: Duration = Duration::from_secs(5);

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    There,
    Gone,
}

/// A text, and what is known of it.
pub(super) struct Watch {
    text: String,
    wish: Wish,
    read: Option<Read>,
    pause: Duration,
}

/// What the last reading told.
struct Read {
    at: Instant,
    /// The picture just before it.
    glance: Option<Glance>,
    look: Look,
}

impl Watch {
    pub(super) fn new(text: String, wish: Wish) -> Watch {
        Watch { text, wish, read: None, pause: FIRST_TREE_PAUSE }
    }

    /// What the screen tells, which is read only where it may tell something new.
    pub(super) async fn look(&mut self, context: &Context, target: &Target) -> Result<Look, Error> {
        let mut glance = None;
        if let Some(read) = &self.read {
            // A phone that gives no picture now is asked for its tree.
            glance = look::glance(target).await.ok();
            let same = match (&read.glance, &glance) {
                (Some(then), Some(now)) => !differs(then, now),
                _ => false,
            };
            let least = if same { REREAD } else { self.pause };
            let first = read.glance.is_none() && glance.is_some();
            if read.at.elapsed() < least && !first {
                return Ok(read.look.clone());
            }
            self.pause = (self.pause * 3 / 2).min(LONGEST_TREE_PAUSE);
        }
        let look = self.read(context, target, glance.as_ref()).await?;
        self.read = Some(Read { at: Instant::now(), glance, look: look.clone() });
        Ok(look)
    }

    /// What the tree tells, and the picture where the tree does not tell all.
    async fn read(&self, context: &Context, target: &Target, glance: Option<&Glance>) -> Result<Look, Error> {
        let seen = match look::see(target).await {
            Err(error) if error.code == Code::PerceptionFailed => {
                let shown = glance.cloned().map(Sighted::Picture);
                return self.by_picture(context, target, shown).await.ok_or(error);
            }
            seen => seen?,
        };
        let (told, decided) = match self.wish {
            Wish::There => text_is_there(&seen, &self.text),
            Wish::Gone => text_is_gone(&seen, &self.text),
        };
        if decided || !seen.is_partial() {
            return Ok(told);
        }
        Ok(self.by_picture(context, target, told.shown.clone()).await.unwrap_or(told))
    }

    /// What the picture tells; `None` where it cannot be had or read.
    async fn by_picture(&self, context: &Context, target: &Target, shown: Option<Sighted>) -> Option<Look> {
        let page = reading::page(context, target).await.ok()?;
        let there = !fuse::find_in_lines(&page.lines, &self.text, Match::Contains, 1).matches.is_empty();
        let reason = match there {
            true => "the picture shows the text still",
            false => "neither the tree nor the picture shows the text",
        };
        Some(Look { met: there == (self.wish == Wish::There), shown, reason: reason.to_owned() })
    }
}

/// The texts that match, as far as they are on the screen, with their elements; and the nearest where none does.
fn found<'a>(seen: &'a Seen, text: &str) -> (Vec<Option<&'a Element>>, Option<String>) {
    let found = find::find_text(&seen.tree, &seen.outline, text, Match::Contains, usize::MAX);
    let on_screen = found.matches.iter().filter(|found| found.on_screen);
    let elements = on_screen.map(|found| found.element.and_then(|index| seen.outline.get(index))).collect();
    (elements, found.near.into_iter().next().map(|near| near.text))
}

/// What the tree tells, and whether a picture could tell nothing else.
fn text_is_there(seen: &Seen, text: &str) -> (Look, bool) {
    let (elements, near) = found(seen, text);
    let met = elements.iter().any(|element| element.is_none_or(Element::is_reachable));
    let reason = match near {
        _ if !elements.is_empty() => "the text is there, but covered or not to be seen".to_owned(),
        Some(near) => format!("the text is not on the screen; the nearest is {near:?}"),
        None => "the text is not on the screen".to_owned(),
    };
    (Look { met, shown: Some(seen.sighted()), reason }, !elements.is_empty())
}

/// The same of a text that shall vanish. What is only covered is not gone, and what could not be read may be there.
fn text_is_gone(seen: &Seen, text: &str) -> (Look, bool) {
    let (elements, _) = found(seen, text);
    let there =
        elements.iter().any(|element| element.is_none_or(|element| !element.hidden || element.covered_by.is_some()));
    let reason = match there {
        true => "the text is still on the screen",
        false => "the screen could not be read as a whole, so that the text may still be there",
    };
    (Look { met: !there && !seen.is_unread(), shown: Some(seen.sighted()), reason: reason.to_owned() }, there)
}

impl Seen {
    fn sighted(&self) -> Sighted {
        Sighted::Tree(self.screen, self.hash())
    }
}
