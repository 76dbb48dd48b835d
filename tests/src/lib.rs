//! End-to-end tests of Fingertip, and the simulators that they run against.

pub mod corpus;
pub mod host;
pub mod mcp;
pub mod model_sim;
pub mod phones;
pub mod pipe;
pub mod tasks;
pub mod usbmux_sim;
pub mod wda_process;
pub mod wda_sim;
