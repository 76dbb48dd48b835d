//! A phone that exists only in software: its model, its apps and its picture.
//!
//! [`Phone`] is touched, typed into and looked at like a real one. Its picture and its tree are both made from one layout,
//! so what the tree says is where the picture shows it. Everything is synchronous, needs no thread and no file, and is the
//! same every time: the clock stands still unless [`PhoneOptions::ticking_clock`] is set.
//!
//! ```
//! use driver_api::{Launch, Role};
//! use virtual_phone::{Phone, PhoneOptions};
//!
//! let mut phone = Phone::new(PhoneOptions { scale: 1.0, ..PhoneOptions::default() });
//! phone.launch(&Launch { app: "Settings".into(), ..Launch::default() })?;
//! let tree = phone.tree();
//! let row = tree.nodes.iter().find(|node| node.role == Role::Cell && node.label.as_deref() == Some("General"));
//! phone.tap(row.and_then(|node| node.bounds).expect("a row has bounds").center());
//! assert!(phone.tree().nodes.iter().any(|node| node.label.as_deref() == Some("About")));
//! # Ok::<(), driver_api::Error>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod action;
mod alert;
mod apps;
mod compose;
mod element;
mod encode;
mod handle;
mod icons;
mod keyboard;
mod layout;
mod lock;
mod options;
mod phone;
mod render;
mod text;
mod theme;
mod touch;
mod widgets;

pub use options::PhoneOptions;
pub use phone::Phone;
pub use touch::{Touch, TouchKind};

/// What the phone calls its model.
pub const MODEL: &str = "Virtual Phone";
/// The version of what runs on it.
pub const OS_VERSION: &str = "1.0";

#[cfg(test)]
mod tests;
