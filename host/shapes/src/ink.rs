//! How much ink is where: one value a pixel, from nothing (0) to full (1).
//!
//! Knows its box of ink. Does not know whether the ink was drawn from a path or cut out of a screen.

/// Ink over a small rectangle.
#[derive(Clone, Debug)]
pub(crate) struct Ink {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) values: Vec<f32>,
}

/// Ink below this is none: what a blur or noise leaves beside an edge.
const FAINT: f32 = 0.25;

impl Ink {
    /// The value at a place, nothing outside.
    pub(crate) fn at(&self, x: isize, y: isize) -> f32 {
        if x < 0 || y < 0 || x as usize >= self.width || y as usize >= self.height {
            return 0.0;
        }
        self.values[y as usize * self.width + x as usize]
    }

    /// Left, top, right and bottom of what has ink, edges placed between pixels by how much ink the outermost have.
    pub(crate) fn bounds(&self) -> Option<[f32; 4]> {
        let mut columns = vec![0f32; self.width];
        let mut rows = vec![0f32; self.height];
        for (y, row) in self.values.chunks_exact(self.width.max(1)).enumerate() {
            for (x, value) in row.iter().enumerate() {
                columns[x] = columns[x].max(*value);
                rows[y] = rows[y].max(*value);
            }
        }
        let ends = |line: &[f32]| -> Option<(f32, f32)> {
            let first = line.iter().position(|v| *v >= FAINT)?;
            let last = line.iter().rposition(|v| *v >= FAINT)?;
            let most = line.iter().copied().fold(0.0, f32::max).max(FAINT);
            let part = |at: usize| (line[at] / most).clamp(0.0, 1.0);
            Some((first as f32 + 1.0 - part(first), last as f32 + part(last)))
        };
        let (left, right) = ends(&columns)?;
        let (top, bottom) = ends(&rows)?;
        (right > left && bottom > top).then_some([left, top, right, bottom])
    }

    /// The same, the other way round.
    pub(crate) fn mirrored(&self) -> Ink {
        let mut values = self.values.clone();
        for row in values.chunks_exact_mut(self.width.max(1)) {
            row.reverse();
        }
        Ink { values, ..*self }
    }
}
