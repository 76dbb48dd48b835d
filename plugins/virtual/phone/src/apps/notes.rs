//! Notes: a list, one note to read and write, and a sheet that asks before one is deleted.

use crate::action::{Action, Field};
use crate::apps::Wishes;
use crate::element::{Align, Element, Shape};
use crate::icons::Icon;
use crate::layout::Ui;
use crate::text::{self, Style};
use crate::widgets::{BarButton, End, Row};
use driver_api::{Rect, Role};

/// What a touch asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    New,
    Show(usize),
    AskDelete(usize),
    Delete,
    KeepIt,
}

/// The state of Notes.
#[derive(Debug)]
pub(crate) struct Notes {
    /// The newest first.
    notes: Vec<String>,
    open: Option<usize>,
    deleting: Option<usize>,
}

impl Default for Notes {
    fn default() -> Self {
        let notes = [
            "Shopping list\nBread, olives, lemons, oat milk, coffee beans",
            "Train to Leeds\nLeaves 08:12 from platform 4\nSeat 23A, coach C",
            "Ideas for the garden\nTomatoes by the south wall\nA bench under the pear tree",
        ];
        Notes { notes: notes.map(String::from).to_vec(), open: None, deleting: None }
    }
}

/// The first line of a note, or what stands for it.
fn title(note: &str) -> &str {
    note.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("New note")
}

/// What the list shows under the title.
fn teaser(note: &str) -> &str {
    note.lines().map(str::trim).filter(|line| !line.is_empty()).nth(1).unwrap_or("No more text")
}

impl Notes {
    pub(crate) fn restart(&mut self) {
        self.leave();
        self.deleting = None;
    }

    pub(crate) fn body_mut(&mut self) -> Option<&mut String> {
        self.notes.get_mut(self.open?)
    }

    /// A note in which nothing was written is not kept.
    fn leave(&mut self) {
        if let Some(open) = self.open.take()
            && self.notes.get(open).is_some_and(|note| note.trim().is_empty())
        {
            self.notes.remove(open);
        }
    }

    pub(crate) fn back(&mut self, wishes: &mut Wishes) -> bool {
        if self.deleting.take().is_some() {
            return true;
        }
        let was_open = self.open.is_some();
        if was_open {
            wishes.focus = Some(None);
            self.leave();
        }
        was_open
    }

    pub(crate) fn act(&mut self, act: &Act, wishes: &mut Wishes) {
        match act {
            Act::New => {
                self.leave();
                self.notes.insert(0, String::new());
                self.open = Some(0);
                wishes.focus = Some(Some(Field::NoteBody));
                wishes.tops.push("notes.body");
            }
            Act::Show(n) => {
                self.open = Some(*n);
                wishes.tops.push("notes.body");
            }
            Act::AskDelete(n) => {
                self.deleting = Some(*n);
                wishes.focus = Some(None);
            }
            Act::Delete => {
                if let Some(n) = self.deleting.take() {
                    self.notes.remove(n);
                    self.open = None;
                    wishes.toast = Some("Note deleted".into());
                }
            }
            Act::KeepIt => self.deleting = None,
        }
    }

    pub(crate) fn layout(&self, ui: &mut Ui<'_>) {
        match self.open {
            Some(open) => self.note(ui, open),
            None => self.list(ui),
        }
        if let Some(note) = self.deleting.and_then(|n| self.notes.get(n)) {
            let message = format!("“{}” will be gone for good.", text::fit(title(note), Style::regular(13.0), 200.0));
            let delete = ("Delete Note", "delete-note", true, Action::Notes(Act::Delete));
            ui.sheet("Delete this note?", &message, &[delete], Some(Action::Notes(Act::KeepIt)));
        }
    }

    fn list(&self, ui: &mut Ui<'_>) {
        ui.background(ui.theme.page);
        let new = BarButton {
            icon: Icon::Compose,
            label: "New note",
            id: "new-note",
            action: Action::Notes(Act::New),
            enabled: true,
        };
        let top = ui.nav_bar("Notes", None, &[new]);
        let viewport = Rect::new(0.0, top, ui.screen.width, ui.screen.height - top);
        if self.notes.is_empty() {
            ui.empty(viewport, Icon::Note, "No notes", "Touch the pencil to write one.");
            return;
        }
        let list = Element::new(Role::List, viewport).label("Notes");
        ui.scroll("notes.list", viewport, list, |ui, y| {
            let rows: Vec<Row> = self
                .notes
                .iter()
                .enumerate()
                .map(|(n, note)| {
                    Row::new(title(note))
                        .subtitle(teaser(note))
                        .end(End::Chevron)
                        .action(Action::Notes(Act::Show(n)))
                        .hold(Action::Notes(Act::AskDelete(n)))
                })
                .collect();
            ui.group(y + 10.0, None, &rows, None) + ui.safe.bottom
        });
    }

    fn note(&self, ui: &mut Ui<'_>, open: usize) {
        let theme = ui.theme;
        ui.background(theme.card);
        let note = self.notes.get(open).map_or("", String::as_str);
        let focused = ui.focus == Some(Field::NoteBody);
        let delete = BarButton {
            icon: Icon::Trash,
            label: "Delete",
            id: "delete",
            action: Action::Notes(Act::AskDelete(open)),
            enabled: true,
        };
        let done =
            BarButton { icon: Icon::Check, label: "Done", id: "done", action: Action::HideKeyboard, enabled: true };
        let both = [delete, done];
        let top = ui.nav_bar(title(note), Some("Notes"), if focused { &both } else { &both[..1] });
        let viewport = Rect::new(0.0, top, ui.screen.width, ui.screen.height - top);
        let style = Style::regular(18.0);
        let (x, width) = (ui.safe.side + 20.0, ui.screen.width - 2.0 * ui.safe.side - 40.0);
        let lines = text::wrap(note, style, width);
        let step = style.line_height();
        let height = (lines.len() as f64 * step + 32.0).max(viewport.height);
        ui.scroll("notes.body", viewport, Element::decor(viewport), |ui, y| {
            let rect = Rect::new(0.0, y, ui.screen.width, height);
            let mut body =
                Element::new(Role::TextField, rect).label("Note").id("note-body").tap(Action::Focus(Field::NoteBody));
            body.placeholder = Some("Write something".into());
            body.focused = focused;
            let line = |n: usize| Rect::new(x, y + 16.0 + n as f64 * step, width, step);
            if note.is_empty() {
                body = body.shape(Shape::Text {
                    rect: line(0),
                    line: "Write something".into(),
                    style,
                    color: theme.faint,
                    align: Align::Left,
                    caret: None,
                });
            } else {
                body = body.value(note);
            }
            let last = lines.len().saturating_sub(1);
            for (n, words) in lines.into_iter().enumerate() {
                let rect = line(n);
                let caret = (focused && n == last).then_some(theme.accent);
                if ui.sees(&rect) {
                    // The first line is the note's title.
                    let style = if n == 0 { Style::semibold(18.0) } else { style };
                    let (color, align) = (theme.text, Align::Left);
                    body = body.shape(Shape::Text { rect, line: words, style, color, align, caret });
                }
            }
            ui.add(body);
            rect.bottom()
        });
    }
}

#[cfg(test)]
impl Notes {
    pub(crate) fn all(&self) -> &[String] {
        &self.notes
    }
}
