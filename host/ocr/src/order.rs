//! The order in which lines are read: row by row, each from the left.
//!
//! Knows bounds alone.

use crate::Area;

/// Sorts by rows, and within a row from the left. Lines are of one row where their middles are closer than half the lower
/// one's height.
pub(crate) fn sort<T>(items: &mut [T], bounds: impl Fn(&T) -> &Area) {
    let middle = |item: &T| bounds(item).y + bounds(item).height / 2.0;
    items.sort_by(|one, two| middle(one).total_cmp(&middle(two)));
    let mut start = 0;
    while start < items.len() {
        let first = middle(&items[start]);
        let mut height = bounds(&items[start]).height;
        let mut end = start + 1;
        while end < items.len() {
            height = height.min(bounds(&items[end]).height);
            if middle(&items[end]) - first > height / 2.0 {
                break;
            }
            end += 1;
        }
        items[start..end].sort_by(|one, two| bounds(one).x.total_cmp(&bounds(two).x));
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_before_columns() {
        let area = |x, y| Area { x, y, width: 40.0, height: 20.0 };
        let mut areas = [area(100.0, 3.0), area(0.0, 60.0), area(0.0, 0.0), area(50.0, 57.0)];
        sort(&mut areas, |area| area);
        assert_eq!(areas.map(|area| (area.x, area.y)), [(0.0, 0.0), (100.0, 3.0), (0.0, 60.0), (50.0, 57.0)]);
    }
}
