//! One laid-out element: what the tree says of it, how it is drawn and what a touch on it does.
//!
//! Both the picture and the tree are made from lists of these, so that they cannot disagree. Nothing here knows which app
//! made an element or how shapes become pixels.

use crate::action::Action;
use crate::icons::Icon;
use crate::text::Style;
use crate::theme::Color;
use driver_api::{Point, Rect, Role};

/// What lies over what: a higher layer is drawn later and touched first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layer {
    Content,
    Bars,
    Sheet,
    Keyboard,
    Toast,
    Alert,
}

/// Where a line of text stands in its rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Center,
    Right,
}

/// One thing to draw. All rectangles are in points of the current orientation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// A filled rectangle with round corners.
    Fill { rect: Rect, radius: f64, color: Color },
    /// The outline of a rectangle with round corners, drawn inside it.
    Border { rect: Rect, radius: f64, width: f64, color: Color },
    /// A rectangle that changes its colour from top to bottom.
    Gradient { rect: Rect, radius: f64, top: Color, bottom: Color },
    /// One line of text, centred vertically; `caret` draws the cursor behind its last letter.
    Text { rect: Rect, line: String, style: Style, color: Color, align: Align, caret: Option<Color> },
    /// A drawing from the icon set, fitted into the rectangle.
    Icon { rect: Rect, icon: Icon, color: Color },
    /// The photograph of the browser's article; a zoom of 1 shows all of it.
    Photo { rect: Rect, radius: f64, zoom: f64 },
}

impl Shape {
    /// The area outside which it surely draws nothing.
    pub(crate) fn rect(&self) -> Rect {
        match self {
            Shape::Fill { rect, .. }
            | Shape::Border { rect, .. }
            | Shape::Gradient { rect, .. }
            | Shape::Icon { rect, .. }
            | Shape::Photo { rect, .. } => *rect,
            // Letters may be wider or higher than the box that the layout gave them.
            Shape::Text { rect, style, .. } => {
                let room = f64::from(style.size) * 0.6;
                Rect::new(rect.x - room, rect.y - room, rect.width + 2.0 * room, rect.height + 2.0 * room)
            }
        }
    }
}

/// One laid-out element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Element {
    /// Index of its parent in the same list.
    pub(crate) parent: Option<u32>,
    pub(crate) role: Role,
    /// Whether the tree shows it; decoration is only drawn.
    pub(crate) in_tree: bool,
    pub(crate) label: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) placeholder: Option<String>,
    pub(crate) identifier: Option<String>,
    pub(crate) rect: Rect,
    /// The part of the screen in which it can be seen, such as its list.
    pub(crate) clip: Rect,
    pub(crate) layer: Layer,
    pub(crate) enabled: bool,
    pub(crate) focused: bool,
    pub(crate) selected: bool,
    pub(crate) checked: Option<bool>,
    /// Touches that nothing in front of it took stop here.
    pub(crate) opaque: bool,
    pub(crate) tap: Option<Action>,
    pub(crate) hold: Option<Action>,
    pub(crate) double: Option<Action>,
    pub(crate) shapes: Vec<Shape>,
}

impl Element {
    pub(crate) fn new(role: Role, rect: Rect) -> Element {
        Element {
            parent: None,
            role,
            in_tree: true,
            label: None,
            value: None,
            placeholder: None,
            identifier: None,
            rect,
            clip: rect,
            layer: Layer::Content,
            enabled: true,
            focused: false,
            selected: false,
            checked: None,
            opaque: false,
            tap: None,
            hold: None,
            double: None,
            shapes: Vec::new(),
        }
    }

    /// Something that is drawn and not told.
    pub(crate) fn decor(rect: Rect) -> Element {
        Element { in_tree: false, ..Element::new(Role::Other, rect) }
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Element {
        self.label = Some(label.into());
        self
    }

    pub(crate) fn value(mut self, value: impl Into<String>) -> Element {
        self.value = Some(value.into());
        self
    }

    pub(crate) fn id(mut self, identifier: impl Into<String>) -> Element {
        self.identifier = Some(identifier.into());
        self
    }

    pub(crate) fn enabled(mut self, enabled: bool) -> Element {
        self.enabled = enabled;
        self
    }

    pub(crate) fn selected(mut self, selected: bool) -> Element {
        self.selected = selected;
        self
    }

    pub(crate) fn checked(mut self, checked: bool) -> Element {
        self.checked = Some(checked);
        self
    }

    pub(crate) fn opaque(mut self) -> Element {
        self.opaque = true;
        self
    }

    pub(crate) fn tap(mut self, action: Action) -> Element {
        self.tap = Some(action);
        self
    }

    pub(crate) fn fill(self, color: Color, radius: f64) -> Element {
        let rect = self.rect;
        self.shape(Shape::Fill { rect, radius, color })
    }

    /// A line of text across the whole element.
    pub(crate) fn text(self, line: impl Into<String>, style: Style, color: Color, align: Align) -> Element {
        let rect = self.rect;
        self.shape(Shape::Text { rect, line: line.into(), style, color, align, caret: None })
    }

    /// An icon in its middle.
    pub(crate) fn icon(self, icon: Icon, size: f64, color: Color) -> Element {
        let middle = self.rect.center();
        let rect = Rect::new(middle.x - size / 2.0, middle.y - size / 2.0, size, size);
        self.shape(Shape::Icon { rect, icon, color })
    }

    pub(crate) fn shape(mut self, shape: Shape) -> Element {
        self.shapes.push(shape);
        self
    }

    /// The part that can be seen.
    pub(crate) fn seen(&self) -> Option<Rect> {
        self.rect.intersection(&self.clip)
    }

    /// Whether a touch at this point falls on it.
    pub(crate) fn touched(&self, at: Point) -> bool {
        self.rect.contains(at) && self.clip.contains(at)
    }

    /// Whether a touch on it does something.
    pub(crate) fn acts(&self) -> bool {
        self.tap.is_some() || self.hold.is_some() || self.double.is_some()
    }
}
