//! End-to-end tests of Fingertip, and the simulators that they run against.

pub mod corpus;
pub mod host;
pub mod mcp;
pub mod phones;
pub mod usbmux_sim;
pub mod wda_sim;
