//! Works on tasks: a goal on a device, by a model or by steps that the task brings.
//!
//! Everything on a phone is done through the catalogue, by the names of its tools, as any caller does it. Every step is
//! recorded in the task's memory before and after it is done, and the state of a task is nothing but what is recorded: work
//! can be broken off at any moment and taken up again from there. This layer does not know devices, drivers, wire formats, or
//! how a model is reached.
//!
//! | file | what |
//! | --- | --- |
//! | `service`, `limits`, `errors` | starts tasks, takes them up again, steers them; within which limits, and why not |
//! | `order`, `inputs`, `script` | what was asked for, checked and compiled before anything is done |
//! | `turns`, `runner` | one task a device, its lease, waiting, resting, limits, the end |
//! | `journal`, `hands` | what is recorded, and calls with what is recorded around them |
//! | `steps`, `standing`, `doubt`, `repair` | a script, how far a step had come, actions of which nobody knows whether they were done, a step that a model mends |
//! | `think`, `act`, `mind`, `prompt`, `screen` | a goal: a model decides, by what the events and the screen tell |
//! | `target`, `risk`, `circles` | what is acted on, when a human is asked, when it leads nowhere |
//! | `output`, `refs` | what form a result has, and how a model is told |
//! | `spent` | what a question costs that nobody waits for any more |
//! | `save` | a task that was done, as a script |
//! | `doors`, `view`, `known` | the capabilities, and a task as callers see it |

mod act;
mod circles;
mod doors;
mod doubt;
mod errors;
mod halt;
mod hands;
mod inputs;
mod journal;
mod known;
mod limits;
mod mind;
mod order;
mod output;
mod prompt;
mod refs;
mod repair;
mod risk;
mod runner;
mod save;
mod screen;
mod script;
mod service;
mod spent;
mod standing;
mod steps;
mod target;
#[cfg(test)]
mod tests;
mod think;
mod turns;
mod view;

pub use doors::{Seat, capabilities};
pub use service::{Agent, Parts};
