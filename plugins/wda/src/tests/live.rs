//! The driver against whatever answers at `FINGERTIP_WDA_URL`, a phone or a simulator; without it nothing is done.
//!
//! It only looks, goes home, opens Settings and taps nothing, so that it can be run against somebody's phone.

use super::driver;
use driver_api::{Driver, Launch};

#[tokio::test]
async fn a_walk_over_a_running_phone() {
    let Ok(address) = std::env::var("FINGERTIP_WDA_URL") else {
        eprintln!("FINGERTIP_WDA_URL is not set; no phone is asked");
        return;
    };
    let driver = driver(&address);
    driver.probe().await.unwrap();
    for _ in 0..2 {
        driver.connect().await.unwrap();
        driver.unlock().await.unwrap();
        let screen = driver.screen_info().await.unwrap();
        let picture = driver.screenshot().await.unwrap();
        assert!(
            (f64::from(picture.width) - screen.width * screen.scale).abs() <= screen.scale,
            "{screen:?} {}",
            picture.width
        );
        println!("{screen:?}, {} bytes, {:?}", picture.bytes.len(), driver.device_info().await);
        driver.home().await.unwrap();
        println!("home: {:?}, {} nodes", driver.active_app().await, driver.tree().await.unwrap().nodes.len());
        let app = driver.launch(Launch { app: "Settings".to_owned(), ..Launch::default() }).await.unwrap();
        assert_eq!(driver.active_app().await.unwrap().id, app.id);
        let tree = driver.tree().await.unwrap();
        for node in tree.nodes.iter().filter(|node| node.label.is_some()).take(30) {
            println!("{} {:?} {:?} {:?}", node.role.name(), node.label, node.value, node.bounds);
        }
        println!("{:?} {:?} {:?}", driver.apps().await, driver.alert().await, driver.orientation().await);
        println!("{:?} {:?}", driver.element_at_focus().await, driver.hide_keyboard().await);
        assert!(driver.terminate(&app.id).await.unwrap());
        driver.disconnect().await.unwrap();
    }
}
