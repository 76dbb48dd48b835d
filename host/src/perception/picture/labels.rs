//! Where the label of each box goes on a picture with many: where it hides little and no other label.
//!
//! Knows boxes in pixels and how much detail the picture has where. Does not know glyphs, colours or refs.

use super::Pixels;

/// More boxes than this get their labels at their corners unseen: comparing each with each would take too long, and so
/// many cannot be told apart anyway.
const COMPARED: usize = 400;

/// A box in whole pixels, right and lower edge excluded. It may be empty or lie outside the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) x0: i64,
    pub(super) y0: i64,
    pub(super) x1: i64,
    pub(super) y1: i64,
}

impl Area {
    pub(super) fn at(x: i64, y: i64, (width, height): (i64, i64)) -> Area {
        Area { x0: x, y0: y, x1: x.saturating_add(width), y1: y.saturating_add(height) }
    }

    fn width(&self) -> i64 {
        self.x1.saturating_sub(self.x0).max(0)
    }

    fn height(&self) -> i64 {
        self.y1.saturating_sub(self.y0).max(0)
    }

    fn size(&self) -> i64 {
        self.width().saturating_mul(self.height())
    }

    fn shared(&self, other: &Area) -> i64 {
        let (x0, y0) = (self.x0.max(other.x0), self.y0.max(other.y0));
        Area { x0, y0, x1: self.x1.min(other.x1), y1: self.y1.min(other.y1) }.size()
    }

    fn contains(&self, other: &Area) -> bool {
        self.x0 <= other.x0 && self.y0 <= other.y0 && self.x1 >= other.x1 && self.y1 >= other.y1
    }

    pub(super) fn has(&self, x: i64, y: i64) -> bool {
        (self.x0..self.x1).contains(&x) && (self.y0..self.y1).contains(&y)
    }

    /// Whether the two lie over each other and neither holds the other, as a bar does over the row that ends under it.
    fn crosses(&self, other: &Area) -> bool {
        self.shared(other) > 0 && !self.contains(other) && !other.contains(self)
    }
}

/// The boxes that lie in front of the box `index`: later ones that cross it.
pub(super) fn in_front(boxes: &[Area], index: usize) -> Vec<Area> {
    if boxes.len() > COMPARED {
        return Vec::new();
    }
    boxes[index + 1..].iter().filter(|later| later.crosses(&boxes[index])).copied().collect()
}

/// A place for each label, all of it inside the picture where that is large enough. `sizes` are width and height.
pub(super) fn place(picture: &Pixels, boxes: &[Area], sizes: &[(i64, i64)]) -> Vec<Area> {
    let mut placed: Vec<Area> = Vec::with_capacity(boxes.len());
    for (i, (own, size)) in boxes.iter().zip(sizes).enumerate() {
        let wanted = candidates(own, *size).map(|label| inside(picture, label, *size));
        let corner = wanted[0];
        let best = if boxes.len() > COMPARED {
            corner
        } else {
            let cost = |(rank, label): &(usize, Area)| cost(picture, boxes, &placed, i, label) + *rank as i64;
            wanted.into_iter().enumerate().min_by_key(cost).map_or(corner, |(_, label)| label)
        };
        placed.push(best);
    }
    placed
}

/// The corners inside the box, the middles of its sides, then around it; best first.
fn candidates(own: &Area, (width, height): (i64, i64)) -> [Area; 12] {
    let Area { x0, y0, x1, y1 } = *own;
    let (left, right) = (x0, x1.saturating_sub(width));
    let (top, bottom) = (y0, y1.saturating_sub(height));
    let middle = (x0.saturating_add(x1).saturating_sub(width) / 2, y0.saturating_add(y1).saturating_sub(height) / 2);
    let (above, before) = (y0.saturating_sub(height), x0.saturating_sub(width));
    let at = |x: i64, y: i64| Area::at(x, y, (width, height));
    [
        at(left, top),
        at(right, top),
        at(left, bottom),
        at(right, bottom),
        at(left, middle.1),
        at(right, middle.1),
        at(left, above),
        at(right, above),
        at(left, y1),
        at(right, y1),
        at(before, middle.1),
        at(x1, middle.1),
    ]
}

/// The label moved into the picture where it would stick out.
fn inside(picture: &Pixels, label: Area, size: (i64, i64)) -> Area {
    let x = label.x0.min(i64::from(picture.width) - size.0).max(0);
    let y = label.y0.min(i64::from(picture.height) - size.1).max(0);
    Area::at(x, y, size)
}

/// What a label there would hide or confuse, in pixels.
fn cost(picture: &Pixels, boxes: &[Area], placed: &[Area], index: usize, label: &Area) -> i64 {
    let own = &boxes[index];
    let labels: i64 = placed.iter().map(|other| other.shared(label)).sum();
    // Over another box it would look like the name of that one. What holds the own box or lies behind it does not count.
    let foreign = boxes.iter().enumerate().filter(|(i, other)| {
        let behind = *i < index && other.crosses(own);
        *i != index && !behind && !other.contains(own)
    });
    let foreign = foreign.map(|(_, other)| other.shared(label)).max().unwrap_or(0);
    let inside = own.shared(label);
    // A small element would be hidden as a whole, also where it has no edges, such as a switch.
    let hidden = inside.saturating_mul(inside) / own.size().max(1);
    8 * labels + 2 * foreign + (label.size() - inside) / 4 + hidden + 4 * picture.detail(label)
}

impl Pixels {
    /// How many pixels of the area differ much from their neighbour on the left or above: text and edges.
    fn detail(&self, area: &Area) -> i64 {
        let clip = |v: i64, most: u32| v.clamp(1, i64::from(most).max(1)) as usize;
        let (x0, x1) = (clip(area.x0, self.width), clip(area.x1, self.width));
        let (y0, y1) = (clip(area.y0, self.height), clip(area.y1, self.height));
        let (step, row) = (usize::from(self.channels), self.width as usize * usize::from(self.channels));
        let mut count = 0;
        for y in y0..y1 {
            for x in x0..x1 {
                let at = y * row + x * step;
                // Green is most of what eyes see.
                let (here, left, above) = (self.data[at + 1], self.data[at + 1 - step], self.data[at + 1 - row]);
                count += i64::from(here.abs_diff(left) > 24 || here.abs_diff(above) > 24);
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn white(width: u32, height: u32) -> Pixels {
        Pixels::new(width, height, 3, vec![255; width as usize * height as usize * 3]).unwrap()
    }

    fn area(x: i64, y: i64, width: i64, height: i64) -> Area {
        Area::at(x, y, (width, height))
    }

    fn overlaps(labels: &[Area]) -> i64 {
        let pairs = |(i, a): (usize, &Area)| labels[i + 1..].iter().map(|b| a.shared(b)).sum::<i64>();
        labels.iter().enumerate().map(pairs).sum()
    }

    #[test]
    fn labels_of_a_close_grid_do_not_hide_each_other() {
        let boxes: Vec<Area> = (0..60).map(|n| area(n % 6 * 65, n / 6 * 40, 60, 36)).collect();
        let labels = place(&white(390, 844), &boxes, &[(38, 18); 60]);
        assert_eq!(overlaps(&labels), 0);
        // None stands over another box, where it would be taken for the neighbour's.
        for (i, label) in labels.iter().enumerate() {
            assert!(boxes.iter().enumerate().all(|(j, other)| i == j || other.shared(label) == 0), "{i}: {label:?}");
        }
    }

    #[test]
    fn boxes_in_one_place_get_labels_side_by_side() {
        let boxes = [area(100, 100, 120, 60); 4];
        assert_eq!(overlaps(&place(&white(390, 844), &boxes, &[(38, 18); 4])), 0);
    }

    #[test]
    fn a_small_element_is_not_hidden_by_its_own_label() {
        let (row, switch) = (area(16, 200, 358, 47), area(307, 208, 51, 31));
        let labels = place(&white(390, 844), &[row, switch], &[(38, 18); 2]);
        assert!(labels[1].shared(&switch) * 3 < switch.size(), "{labels:?}");
        assert_eq!(labels[0].shared(&switch), 0);
    }

    #[test]
    fn a_label_avoids_text() {
        let mut picture = white(390, 844);
        // Something like text in the upper left corner of the box.
        for y in 100..120 {
            for x in (100..140).step_by(2) {
                picture.data[(y * 390 + x) * 3..][..3].fill(0);
            }
        }
        let label = place(&picture, &[area(100, 100, 200, 60)], &[(38, 18)])[0];
        assert_eq!(label.shared(&area(100, 100, 40, 20)), 0, "{label:?}");
    }

    proptest! {
        #[test]
        fn every_label_lies_in_the_picture(
            boxes in prop::collection::vec((any::<i64>(), any::<i64>(), any::<i64>(), any::<i64>()), 0..20),
            far in any::<bool>(),
            width in 1u32..80, height in 1u32..80,
        ) {
            let bound = |v: i64| if far { v } else { v % 100 };
            let boxes: Vec<Area> = boxes
                .into_iter()
                .map(|(x0, y0, x1, y1)| Area { x0: bound(x0), y0: bound(y0), x1: bound(x1), y1: bound(y1) })
                .collect();
            let sizes = vec![(19, 9); boxes.len()];
            for label in place(&white(width, height), &boxes, &sizes) {
                prop_assert!(label.x0 >= 0 && label.y0 >= 0);
                prop_assert!(label.x1 <= i64::from(width.max(19)) && label.y1 <= i64::from(height.max(9)));
            }
        }
    }
}
