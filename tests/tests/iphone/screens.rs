//! Coordinates: points of the current orientation, on every kind of panel.

use super::*;
use driver_api::{Orientation, Rect};

/// Points and pixels for a point of an upright screen: the kinds of panels that iPhones have. The last three draw more pixels
/// than the panel has, or fewer points: Plus models, the mini ones, and display zoom.
const PANELS: [(f64, f64, f64); 8] = [
    (320.0, 568.0, 1.0),
    (375.0, 667.0, 2.0),
    (390.0, 844.0, 3.0),
    (402.0, 874.0, 3.0),
    (440.0, 956.0, 3.0),
    (414.0, 736.0, 2.6087),
    (375.0, 812.0, 2.88),
    (320.0, 693.0, 3.65625),
];

fn options((width, height, scale): (f64, f64, f64)) -> SimOptions {
    let mut options = SimOptions::of(Generation::V16);
    (options.phone.width, options.phone.height, options.phone.scale) = (width, height, scale);
    options
}

#[tokio::test]
async fn row_51_row_55_points_fall_where_they_were_meant_on_every_panel_in_every_orientation() {
    for panel in PANELS {
        let rig = Rig::with(options(panel)).await;
        rig.driver
            .launch(&driver_api::Launch { app: "Settings".to_owned(), ..Default::default() }, LONG)
            .await
            .unwrap();
        for orientation in [
            Orientation::Portrait,
            Orientation::LandscapeLeft,
            Orientation::LandscapeRight,
            Orientation::PortraitUpsideDown,
        ] {
            rig.driver.set_orientation(orientation, LONG).await.unwrap();
            let (width, height) = if orientation.is_landscape() { (panel.1, panel.0) } else { (panel.0, panel.1) };
            let picture = rig.driver.screenshot(LONG).await.unwrap();
            let screen = rig.driver.screen_info(LONG).await.unwrap();
            assert_eq!((screen.width, screen.height, screen.orientation), (width, height, orientation));
            // What the server says of the scale is wrong for some panels; the picture is not.
            let scale = f64::from(picture.width) / width;
            assert!((screen.scale - scale).abs() < 0.01, "{panel:?} {}", screen.scale);
            assert!((f64::from(picture.height) / height - scale).abs() < 0.01);
            // The tree counts in the same points, …
            let tree = rig.driver.tree(LONG).await.unwrap();
            assert_eq!(tree.nodes[0].bounds, Some(Rect::new(0.0, 0.0, width, height)));
            // … and so do fingers, in every corner.
            for at in [(0.5, 0.5), (width - 1.0, 1.0), (1.0, height - 1.0), (width - 0.5, height - 0.5)] {
                rig.sim.clear_log();
                rig.driver.tap(Point::new(at.0, at.1), LONG).await.unwrap();
                let touched = e2e::wda_sim::Touch::Tap { at: Point::new(at.0, at.1) };
                assert_eq!(rig.sim.touches(), [touched], "{panel:?} {orientation:?}");
            }
        }
    }
}
