//! What a caller may ask for: each capability is declared once, and both doors, the command line and the documents are
//! generated from the declaration.
//!
//! This layer knows names, arguments, results and semantic errors. It does not know HTTP statuses, MCP types, or which
//! driver serves a device.

pub mod arguments;
mod catalogue;
mod error;
mod guard;

mod acting;
mod alert;
mod apps;
mod buttons;
mod capture;
mod clipboard;
mod context;
mod convert;
mod declare;
mod describe;
mod devices;
mod find;
mod links;
mod look;
mod orientation;
mod pinch;
mod policy;
mod reading;
mod saved;
mod scroll;
mod sight;
mod steps;
mod target;
mod text;
mod touch;
mod values;
mod visual;
mod wait;

use guard::guard;

pub use alert::{pressed, says_no};
pub use capture::show_tree;
pub use catalogue::{Answer, Caller, Capability, Catalogue, Effect, Image, Invoke, Method, Route};
pub use context::{Context, Settings};
pub use declare::{Declaration, capability};
pub use error::{Code, Error, Outcome};
pub(crate) use look::spaced;
pub use policy::Policy;
pub use saved::{FoundInPicture, Hit, Saved, Wanted};
pub use steps::{Planned, Step, plan_step, takes};

/// Every capability, over these devices, in the order in which the doors list them.
pub fn catalogue(context: &std::sync::Arc<Context>) -> Catalogue {
    let families = [
        devices::all,
        look::all,
        describe::all,
        find::all,
        wait::all,
        touch::all,
        scroll::all,
        text::all,
        buttons::all,
        apps::all,
        links::all,
        alert::all,
        orientation::all,
        clipboard::all,
        steps::all,
    ];
    Catalogue::new(families.iter().flat_map(|family| family(context)).collect())
}

/// A time as the contract writes it: RFC 3339, UTC, milliseconds.
pub fn time(time: std::time::SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}
