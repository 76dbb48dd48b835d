//! The icon set, drawn for this phone on a grid of 24 by 24. Nothing here knows pixels.
//!
//! Each drawing is a short path text: `M x y` move, `L x y` line, `H x`, `V y`, `C` cubic, `Q` quadratic, `O x y r` circle,
//! `R x y width height radius` rectangle with round corners, `Z` close; absolute numbers only.

/// A drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Icon {
    Airplane,
    Antenna,
    Back,
    Backspace,
    Bars,
    Battery,
    Bell,
    Bubble,
    Camera,
    Check,
    Chevron,
    Clear,
    Clock,
    Compose,
    Envelope,
    Forward,
    Globe,
    Grid,
    House,
    Key,
    Lock,
    Moon,
    Note,
    Person,
    Phone,
    Pin,
    Reload,
    Search,
    Shield,
    Shift,
    ShiftFilled,
    Sliders,
    Speaker,
    Star,
    StarFilled,
    Trash,
    Waves,
    Wheel,
}

impl Icon {
    /// The path text, and whether it is filled rather than stroked.
    pub(crate) fn drawing(self) -> (&'static str, bool) {
        match self {
            Icon::Airplane => ("M3 11L21 3L14 21L11 13Z M11 13L21 3", false),
            Icon::Antenna => ("O12 10 2 M12 12V21 M7 15Q4.5 10 7 5 M17 15Q19.5 10 17 5", false),
            Icon::Back => ("M15 4L7 12L15 20", false),
            Icon::Backspace => ("M8 5H21V19H8L2 12Z M11 9L17 15 M17 9L11 15", false),
            Icon::Bars => ("R2 15 3.6 6 1 R7.4 11.5 3.6 9.5 1 R12.8 8 3.6 13 1 R18.2 4 3.6 17 1", true),
            Icon::Battery => ("R1.5 6.5 18.5 11 3 M22.5 10.5V13.5", false),
            Icon::Bell => ("M6 17V11C6 3 18 3 18 11V17L20 18.5H4Z M10 21.3H14", false),
            Icon::Bubble => ("M4 5H20V16H11L7 20V16H4Z", false),
            Icon::Camera => ("R3 7 18 13 3 O12 13.5 3.5 M8 7L9.5 4H14.5L16 7", false),
            Icon::Check => ("M4 13L9.5 18.5L20 6", false),
            Icon::Chevron => ("M9 5L16 12L9 19", false),
            Icon::Clear => ("M6 6L18 18 M18 6L6 18", false),
            Icon::Clock => ("O12 12 9 M12 7V12L15.5 14", false),
            Icon::Compose => ("M13 5H5V19H19V11 M10 14L11 11L19 3L21 5L13 13Z", false),
            Icon::Envelope => ("R3 5 18 14 2.5 M4 7L12 13L20 7", false),
            Icon::Forward => ("M9 4L17 12L9 20", false),
            Icon::Globe => ("O12 12 9 M3 12H21 M12 3C6 8 6 16 12 21 M12 3C18 8 18 16 12 21", false),
            Icon::Grid => ("R3 3 8 8 2 R13 3 8 8 2 R3 13 8 8 2 R13 13 8 8 2", true),
            Icon::House => ("M3 11L12 4L21 11 M6 9V20H18V9", false),
            Icon::Key => ("O8 15 4.5 M11.5 12L20 4 M16.5 7.2L19.5 10.2", false),
            Icon::Lock => ("R5 11 14 10 2.5 M8 11V8C8 2.5 16 2.5 16 8V11", false),
            Icon::Moon => {
                ("M19.5 14.5C12 17.5 6.5 11.5 9.5 4.5C0.5 8 3.5 21 12.5 20.5C16 20.3 18.6 18 19.5 14.5Z", false)
            }
            Icon::Note => ("R5 3 14 18 2.5 M8.5 8H15.5 M8.5 12H15.5 M8.5 16H12.5", false),
            Icon::Person => ("O12 8 4 M4.5 20.5C5 12.5 19 12.5 19.5 20.5", false),
            Icon::Phone => (
                "M6.5 3.5L9.5 3.5L11 8L9 9.8C10 12 12 14 14.2 15L16 13L20.5 14.5V17.5C20.5 19.5 19.5 20.5 17.5 20.5C10 20 4 14 3.5 6.5C3.5 4.5 4.5 3.5 6.5 3.5Z",
                false,
            ),
            Icon::Pin => {
                ("M12 21.5C8 16.5 5.5 13 5.5 9.5C5.5 1 18.5 1 18.5 9.5C18.5 13 16 16.5 12 21.5Z O12 9.3 2.4", false)
            }
            Icon::Reload => ("M19.5 12C19.5 22 4.5 22 4.5 12C4.5 3 15 2 18.6 8 M19.3 3.5V8.5H14.3", false),
            Icon::Search => ("O10.5 10.5 6.5 M15.5 15.5L21 21", false),
            Icon::Shield => ("M12 2.8L20 6V11C20 16 17 19.5 12 21.5C7 19.5 4 16 4 11V6Z", false),
            Icon::Shift => ("M12 4L20.5 12.5H16V19.5H8V12.5H3.5Z", false),
            Icon::ShiftFilled => ("M12 3L21.5 13H16.5V20H7.5V13H2.5Z", true),
            Icon::Sliders => ("M3 7H8 M14 7H21 O11 7 2.6 M3 16.5H12 M18 16.5H21 O15 16.5 2.6", false),
            Icon::Speaker => {
                ("M4 9.5H8L13 5V19L8 14.5H4Z M16.5 9C18 11 18 13 16.5 15 M19 6.5C22 10 22 14 19 17.5", false)
            }
            Icon::Star => ("M12 3L14.7 8.9L21 9.6L16.3 14L17.6 20.4L12 17.2L6.4 20.4L7.7 14L3 9.6L9.3 8.9Z", false),
            Icon::StarFilled => {
                ("M12 2.5L14.9 8.7L21.6 9.4L16.6 14L18 20.8L12 17.4L6 20.8L7.4 14L2.4 9.4L9.1 8.7Z", true)
            }
            Icon::Trash => ("M4 6.5H20 M6.5 6.5L7.5 20.5H16.5L17.5 6.5 M9.5 6.5V3.5H14.5V6.5", false),
            Icon::Waves => ("M3 9Q12 1.5 21 9 M6.5 13Q12 8.5 17.5 13 O12 17.5 1.2", false),
            Icon::Wheel => (
                "O12 12 3.2 O12 12 7.5 M12 1.8V4.5 M12 19.5V22.2 M1.8 12H4.5 M19.5 12H22.2 M4.8 4.8L6.7 6.7 M17.3 17.3L19.2 19.2 M19.2 4.8L17.3 6.7 M6.7 17.3L4.8 19.2",
                false,
            ),
        }
    }
}
