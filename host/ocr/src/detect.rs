//! Where text stands: runs the detector over a picture, tile by tile, into one map of how likely each place shows text.
//!
//! Knows the detector's input and output; what is made of the map is known to `map`.

use crate::grid::{Grid, STEP, Tile};
use crate::map::Map;
use crate::models::{Network, Threads};
use crate::scale::Scaler;
use crate::{Area, OcrError, Picture};
use rten_tensor::{AsView, Layout, NdTensor};
use std::ops::Range;

/// How likely each place of these rows of the grid shows text.
pub(crate) fn detect(
    network: &Network,
    scaler: &mut Scaler,
    picture: &Picture<'_>,
    grid: &Grid,
    rows: Range<usize>,
) -> Result<Map, OcrError> {
    let mut map = Map::new(grid.width, rows.len());
    for tile in grid.tiles(rows.clone()) {
        let (across, down) = &tile.sees;
        let part = Area::between(
            across.start as f64 * grid.pace.0,
            down.start as f64 * grid.pace.1,
            (across.end as f64 * grid.pace.0).min(f64::from(picture.width)),
            (down.end as f64 * grid.pace.1).min(f64::from(picture.height)),
        );
        let inner = (across.len(), down.len());
        let outer = (inner.0.next_multiple_of(STEP), inner.1.next_multiple_of(STEP));
        let planes = scaler.planes(picture, &part, inner, outer)?;
        let output: NdTensor<f32, 4> = network.run(&planes, &Threads::all())?;
        if output.shape() != [1, 1, outer.1, outer.0] {
            return Err(OcrError::Model("the detector's map has another size than its input".into()));
        }
        let values = output.to_vec();
        copy(&values, outer.0, &tile, rows.start, &mut map);
    }
    Ok(map)
}

fn copy(values: &[f32], width: usize, tile: &Tile, top: usize, map: &mut Map) {
    let (across, down) = &tile.counts;
    let left = across.start - tile.sees.0.start;
    for row in down.clone() {
        let at = (row - tile.sees.1.start) * width + left;
        map.write(across.start, row - top, &values[at..at + across.len()]);
    }
}
