//! The contract between the Fingertip host and its driver plugins: write a driver in plain async Rust, and the host loads it
//! at run time.
//!
//! # A driver, step by step
//!
//! A plugin is a crate of its own that builds a `cdylib`:
//!
//! ```toml
//! [lib]
//! crate-type = ["cdylib"]
//!
//! [dependencies]
//! driver-api = "1"
//! ```
//!
//! It implements two traits. A [`Plugin`] knows which devices there are; a [`Driver`] is hands and eyes on one of them.
//! [`export_driver!`] makes the library loadable. This is all of it, for a device that remembers where it was touched:
//!
//! ```
//! #![forbid(unsafe_code)]
//! use driver_api::*;
//! use std::sync::Mutex;
//!
//! export_driver!("sketch", SketchPlugin);
//!
//! struct SketchPlugin {
//!     devices: Vec<DeviceConfig>,
//! }
//!
//! impl Plugin for SketchPlugin {
//!     type Driver = Sketch;
//!
//!     // The operator's configuration. An error becomes the sentence that the operator reads at start.
//!     fn new(config: PluginConfig) -> Result<Self> {
//!         Ok(SketchPlugin { devices: config.devices })
//!     }
//!
//!     // Known without looking. Devices that come and go are reported from `discover`.
//!     fn devices(&self) -> Vec<DeviceInfo> {
//!         self.devices
//!             .iter()
//!             .map(|device| DeviceInfo {
//!                 id: device.id.clone(),
//!                 name: device.name.clone().unwrap_or_default(),
//!                 platform: Platform::Virtual,
//!                 model: None,
//!                 os_version: None,
//!                 connection: Connection { via: Via::Local, address: "in memory".into() },
//!             })
//!             .collect()
//!     }
//!
//!     fn driver(&self, _device_id: &str) -> Result<Sketch> {
//!         Ok(Sketch::default())
//!     }
//! }
//!
//! #[derive(Default)]
//! struct Sketch {
//!     touched: Mutex<Vec<Point>>,
//! }
//!
//! impl Driver for Sketch {
//!     async fn connect(&self) -> Result<()> {
//!         Ok(())
//!     }
//!     async fn disconnect(&self) -> Result<()> {
//!         self.touched.lock().unwrap().clear();
//!         Ok(())
//!     }
//!     async fn tap(&self, at: Point) -> Result<()> {
//!         self.touched.lock().unwrap().push(at);
//!         Ok(())
//!     }
//!     async fn screenshot(&self) -> Result<Picture> {
//!         Err(Error::new(ErrorKind::PictureUnavailable, "the sketch has no picture"))
//!     }
//!     async fn swipe(&self, swipe: Swipe) -> Result<()> {
//!         self.tap(swipe.from).await
//!     }
//!     async fn input(&self, _text: &str) -> Result<()> {
//!         Err(Error::new(ErrorKind::NothingFocused, "there is no text field"))
//!     }
//!     async fn launch(&self, launch: Launch) -> Result<App> {
//!         Err(Error::new(ErrorKind::AppNotFound, format!("there is no app {}", launch.app)))
//!     }
//!     async fn terminate(&self, _app: &str) -> Result<bool> {
//!         Ok(false)
//!     }
//!     async fn tree(&self) -> Result<Tree> {
//!         let mut text = Node::new(Role::Text);
//!         text.label = Some(format!("touched {} times", self.touched.lock().unwrap().len()));
//!         text.bounds = Some(Rect::new(0.0, 0.0, 100.0, 20.0));
//!         Ok(Tree { nodes: vec![text], ..Tree::default() })
//!     }
//!     async fn home(&self) -> Result<()> {
//!         Ok(())
//!     }
//!     async fn lock(&self) -> Result<()> {
//!         Err(Error::unsupported("a sketch has no lock"))
//!     }
//!     async fn unlock(&self) -> Result<()> {
//!         Ok(())
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! `cargo build` makes `libsketch.so` (`sketch.dll`, `libsketch.dylib`). Put it into one of the host's plugin folders and name
//! it in `fingertip.toml`:
//!
//! ```toml
//! [[plugin]]
//! name = "sketch"
//! [[plugin.device]]
//! id = "pad"
//! ```
//!
//! `fingertip plugin list` tells whether the host takes it, and why not; `fingertip call get_ui_tree` shows its first tree.
//! `examples/custom-driver` in the repository is this driver as a crate to copy.
//!
//! # Units
//!
//! Lengths are **points** (iOS points, Android dp), `f64`, from the top left corner of the screen in its *current*
//! orientation. Times are [`Duration`](std::time::Duration)s. Pictures are encoded bytes with their size in pixels. The tree
//! is a flat pre-order list with parent indices: no depth meets a recursion limit.
//!
//! ```
//! use driver_api::{Point, Rect};
//! let button = Rect::new(10.0, 20.0, 100.0, 40.0);
//! assert_eq!(button.center(), Point::new(60.0, 40.0));
//! ```
//!
//! # Errors
//!
//! An [`Error`] has a [kind](ErrorKind), an [`Outcome`] and a sentence. The kind decides what the host does: a kind that speaks
//! of the connection marks the device offline, [`Timeout`](ErrorKind::Timeout) marks it as not answering. The outcome must be
//! honest, since a caller decides by it whether to repeat an action:
//!
//! ```
//! use driver_api::{Error, ErrorKind, Outcome};
//! // Nothing was sent: the caller may try again.
//! let refused = Error::new(ErrorKind::NotReachable, "nothing listens on port 8100");
//! assert_eq!(refused.outcome, Outcome::NotDone);
//! // The connection broke after the tap was sent.
//! let broken = Error::unknown(ErrorKind::NotReachable, "the connection broke before the answer came");
//! assert_eq!(broken.outcome, Outcome::Unknown);
//! ```
//!
//! Callers read the sentence only for [`InvalidArgument`](ErrorKind::InvalidArgument) and
//! [`Unsupported`](ErrorKind::Unsupported): write those two in the caller's words. All others go to the operator's log.
//!
//! # What runs where
//!
//! Each plugin has its own tokio runtime, which [`export_driver!`] starts; spawn and sleep as in any tokio program. A panic, in
//! async code or not, becomes an error of the call. When the host drops a call, the plugin's future is dropped too. What the
//! plugin writes with `tracing` appears in the host's log with the plugin's name. [`time_left`] tells how long the call that is
//! running may still take.
//!
//! What a plugin cannot do: survive its own stack overflow or `abort`, which end the host's process with it.
//!
//! # Versions
//!
//! A plugin built with an older 1.x runs in a newer host, where the operations it lacks answer
//! [`Unsupported`](ErrorKind::Unsupported); one built with a newer 1.x runs in an older host. Another major version is refused
//! with one sentence.

#![deny(missing_docs)]

pub mod abi;
mod driver;
mod error;
mod export;
pub mod handle;
mod log;
mod types;

pub use driver::{DeviceEvents, Driver, Plugin};
pub use error::{Error, ErrorKind, Outcome, Result};
pub use export::time_left;
pub use log::LogRecord;
pub use types::*;

#[doc(hidden)]
pub mod __private {
    pub use crate::{
        abi::LibHeader,
        export::{Export, header},
    };
}
