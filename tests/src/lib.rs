//! End-to-end tests of Fingertip, and the simulators that they run against.

pub mod wda_sim;
