//! The colours, light and dark. Nothing else knows a colour value except icons of apps.

/// A colour as 0xAARRGGBB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Color(pub(crate) u32);

impl Color {
    pub(crate) const WHITE: Color = Color(0xFFFF_FFFF);
    pub(crate) const BLACK: Color = Color(0xFF00_0000);

    pub(crate) const fn rgb(value: u32) -> Color {
        Color(0xFF00_0000 | value)
    }

    /// The same colour with this opacity, 0 to 255.
    pub(crate) const fn alpha(self, alpha: u8) -> Color {
        Color((self.0 & 0x00FF_FFFF) | ((alpha as u32) << 24))
    }

    /// Red, green, blue, opacity.
    pub(crate) const fn parts(self) -> [u8; 4] {
        let [a, r, g, b] = self.0.to_be_bytes();
        [r, g, b, a]
    }

    /// The colour `t` of the way (0 to 1) to another.
    pub(crate) fn mix(self, other: Color, t: f64) -> Color {
        let a = self.0.to_be_bytes();
        let b = other.0.to_be_bytes();
        let mut out = [0; 4];
        for i in 0..4 {
            out[i] = (f64::from(a[i]) + (f64::from(b[i]) - f64::from(a[i])) * t).round() as u8;
        }
        Color(u32::from_be_bytes(out))
    }
}

/// The colours of one appearance.
#[derive(Debug)]
pub(crate) struct Theme {
    /// Behind grouped lists.
    pub(crate) page: Color,
    /// Cards, and pages that are not grouped.
    pub(crate) card: Color,
    /// Bars at the top and bottom.
    pub(crate) bar: Color,
    pub(crate) text: Color,
    pub(crate) secondary: Color,
    /// Placeholders and what is disabled.
    pub(crate) faint: Color,
    pub(crate) separator: Color,
    /// Behind search fields and quiet buttons.
    pub(crate) fill: Color,
    pub(crate) accent: Color,
    pub(crate) danger: Color,
    pub(crate) good: Color,
    pub(crate) keyboard: Color,
    pub(crate) key: Color,
    pub(crate) key_special: Color,
    /// Sheets and alerts.
    pub(crate) panel: Color,
    pub(crate) wall_top: Color,
    pub(crate) wall_bottom: Color,
}

const LIGHT: Theme = Theme {
    page: Color::rgb(0xF1F3F8),
    card: Color::rgb(0xFFFFFF),
    bar: Color::rgb(0xF9FAFC),
    text: Color::rgb(0x14171F),
    secondary: Color::rgb(0x667085),
    faint: Color::rgb(0xA3ABBA),
    separator: Color::rgb(0xE2E6EE),
    fill: Color::rgb(0xE6E9F1),
    accent: Color::rgb(0x2B63E3),
    danger: Color::rgb(0xCF2A3D),
    good: Color::rgb(0x1F9D66),
    keyboard: Color::rgb(0xD5D9E3),
    key: Color::rgb(0xFFFFFF),
    key_special: Color::rgb(0xB4BBCB),
    panel: Color::rgb(0xFFFFFF),
    wall_top: Color::rgb(0x4B5FD6),
    wall_bottom: Color::rgb(0xE9A38C),
};

const DARK: Theme = Theme {
    page: Color::rgb(0x0D0F14),
    card: Color::rgb(0x1A1D25),
    bar: Color::rgb(0x14171E),
    text: Color::rgb(0xF1F3F8),
    secondary: Color::rgb(0x9AA3B5),
    faint: Color::rgb(0x616A7C),
    separator: Color::rgb(0x343A46),
    fill: Color::rgb(0x272C37),
    accent: Color::rgb(0x6E9BFF),
    danger: Color::rgb(0xFF6675),
    good: Color::rgb(0x3CC98A),
    keyboard: Color::rgb(0x20242D),
    key: Color::rgb(0x4A5161),
    key_special: Color::rgb(0x343A47),
    panel: Color::rgb(0x242934),
    wall_top: Color::rgb(0x151B3A),
    wall_bottom: Color::rgb(0x54354A),
};

impl Theme {
    pub(crate) fn of(dark: bool) -> &'static Theme {
        if dark { &DARK } else { &LIGHT }
    }
}
