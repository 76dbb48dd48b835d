//! A game of lights: nine lamps, and a touch switches one and its neighbours. Its board is one element, so that the tree
//! says nothing of what is drawn: everything must be read from the picture.

use crate::action::Action;
use crate::element::{Align, Element, Shape};
use crate::layout::Ui;
use crate::text::Style;
use crate::theme::Color;
use driver_api::{Point, Rect, Role};

const SIDE: usize = 3;
/// Which lamps are on at the start, from the top left.
const START: [bool; SIDE * SIDE] = [true, false, true, false, true, true, false, true, false];

/// The state of the game.
#[derive(Debug)]
pub(crate) struct Game {
    lamps: [bool; SIDE * SIDE],
    moves: u32,
    /// The lamps that were touched, the last at the end.
    played: Vec<usize>,
}

impl Default for Game {
    fn default() -> Self {
        Game { lamps: START, moves: 0, played: Vec::new() }
    }
}

/// Where the parts of the board lie.
struct Places {
    board: Rect,
    cells: [Rect; SIDE * SIDE],
    title: Rect,
    status: Rect,
    new_game: Rect,
    undo: Rect,
}

fn places(area: &Rect, land: bool) -> Places {
    let (board, side) = if land {
        let side = area.height - 28.0;
        (Rect::new(area.x + 20.0, area.y + 14.0, side, side), Rect::new(area.x + side + 60.0, area.y, 0.0, 0.0))
    } else {
        let side = (area.width - 40.0).min(area.height - 320.0);
        let x = area.x + (area.width - side) / 2.0;
        (Rect::new(x, area.y + 130.0, side, side), Rect::new(x, area.y + 24.0, side, 0.0))
    };
    let width = if land { area.right() - side.x - 20.0 } else { side.width };
    let title = Rect::new(side.x, side.y + if land { 24.0 } else { 0.0 }, width, 44.0);
    let status = Rect::new(side.x, title.bottom() + 6.0, width, 28.0);
    let top = if land { area.bottom() - 80.0 } else { board.bottom() + 30.0 };
    let half = (width - 14.0) / 2.0;
    let step = board.width / SIDE as f64;
    let cell = |n: usize| {
        let (x, y) = ((n % SIDE) as f64 * step, (n / SIDE) as f64 * step);
        Rect::new(board.x + x + 6.0, board.y + y + 6.0, step - 12.0, step - 12.0)
    };
    Places {
        board,
        cells: std::array::from_fn(cell),
        title,
        status,
        new_game: Rect::new(side.x, top, half, 54.0),
        undo: Rect::new(side.x + half + 14.0, top, half, 54.0),
    }
}

impl Game {
    fn won(&self) -> bool {
        self.lamps.iter().all(|lamp| !lamp)
    }

    fn switch(&mut self, n: usize) {
        let (x, y) = (n % SIDE, n / SIDE);
        for (m, lamp) in self.lamps.iter_mut().enumerate() {
            if x.abs_diff(m % SIDE) + y.abs_diff(m / SIDE) <= 1 {
                *lamp = !*lamp;
            }
        }
    }

    /// The board was touched at this point; `area` is where it lies.
    pub(crate) fn touch(&mut self, at: Point, area: &Rect, land: bool) {
        let places = places(area, land);
        if places.new_game.contains(at) {
            *self = Game::default();
        } else if places.undo.contains(at) {
            if let Some(last) = self.played.pop() {
                self.switch(last);
                self.moves -= 1;
            }
        } else if let Some(n) = places.cells.iter().position(|cell| cell.contains(at))
            && !self.won()
        {
            self.switch(n);
            self.played.push(n);
            self.moves += 1;
        }
    }

    pub(crate) fn layout(&self, ui: &mut Ui<'_>) {
        let night = Color::rgb(0x171A2B);
        ui.background(night);
        let land = ui.screen.orientation.is_landscape();
        let (side, top) = (ui.safe.side, ui.safe.top);
        let area = Rect::new(side, top, ui.screen.width - 2.0 * side, ui.screen.height - top - ui.safe.bottom);
        let places = places(&area, land);
        let text = |rect: Rect, line: &str, style: Style, color: Color, align: Align| Shape::Text {
            rect,
            line: line.into(),
            style,
            color,
            align,
            caret: None,
        };
        let align = if land { Align::Left } else { Align::Center };
        let status =
            if self.won() { format!("Solved in {} moves", self.moves) } else { format!("Moves: {}", self.moves) };
        let soft = Color::rgb(0xA9B0D6);
        let mut board = Element::new(Role::Other, area)
            .id("board")
            .tap(Action::Board)
            .shape(text(places.title, "Lights Out", Style::bold(34.0), Color::WHITE, align))
            .shape(text(places.status, &status, Style::semibold(19.0), soft, align))
            .shape(Shape::Fill { rect: places.board, radius: 20.0, color: Color::rgb(0x22263C) });
        for (cell, lit) in places.cells.iter().zip(self.lamps) {
            let color = if lit { Color::rgb(0xFFCF4A) } else { Color::rgb(0x33395A) };
            board = board.shape(Shape::Fill { rect: *cell, radius: 16.0, color });
        }
        let dim = self.played.is_empty();
        for (rect, line, color) in [
            (places.new_game, "New Game", Color::rgb(0x8E6BE8)),
            (places.undo, "Undo", if dim { Color::rgb(0x2A2E48) } else { Color::rgb(0x4A5180) }),
        ] {
            let front = if dim && line == "Undo" { Color::rgb(0x767CA0) } else { Color::WHITE };
            board = board.shape(Shape::Fill { rect, radius: 16.0, color }).shape(text(
                rect,
                line,
                Style::semibold(19.0),
                front,
                Align::Center,
            ));
        }
        ui.add(board);
    }

    #[cfg(test)]
    pub(crate) fn moves(&self) -> u32 {
        self.moves
    }
}
