//! The Fingertip host: loads driver plugins, manages devices, and offers one fixed set of capabilities on two doors.
//!
//! The layers, from the bottom up: [`plugin`], [`device`] and [`perception`], [`capability`], [`agent`], [`gateway`]; [`app`] wires
//! them, [`cli`] starts them. ARCHITECTURE.md says what each may know of the others, and a test holds it.

pub mod agent;
pub mod app;
pub mod capability;
pub mod cli;
pub mod config;
pub mod device;
pub mod gateway;
pub mod neutral;
pub mod perception;
pub mod plugin;
pub mod vision;
