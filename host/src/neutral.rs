//! The words for lengths, pictures, trees and apps that every layer shares.
//!
//! They are defined in `driver-api`, since drivers speak them too. The layers above `device` take them from here, so that
//! nothing else of the driver's world is within their reach.

pub use driver_api::{
    Alert, App, AppEntry, AppList, Button, Connection, DeviceInfo, DeviceState, Finger, Launch, Node, Orientation,
    PathPoint, Picture, PictureFormat, Platform, Point, Rect, Role, Screen, Swipe, Tree, TreeFlaw, Via,
};
