//! Counts of what the doors answered, as Prometheus reads them.
//!
//! It knows names of tools, doors and codes. Labels come from closed sets only, never from a caller.

use super::problem;
use crate::capability::{Catalogue, Code};
use std::{
    collections::HashMap,
    fmt::Write,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// Through which door a call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// The Model Context Protocol.
    Mcp,
    /// Routes.
    Rest,
}

impl Door {
    const ALL: [Door; 2] = [Door::Mcp, Door::Rest];

    fn name(self) -> &'static str {
        match self {
            Door::Mcp => "mcp",
            Door::Rest => "rest",
        }
    }
}

/// Upper bounds of the duration histogram, in milliseconds.
const BOUNDS_MS: [u64; 8] = [1, 5, 25, 100, 500, 2_500, 10_000, 60_000];

/// All counts of one server.
pub struct Metrics {
    tools: Vec<(&'static str, [Calls; 2])>,
    index: HashMap<&'static str, usize>,
    refused: [AtomicU64; Code::ALL.len()],
    in_flight: [AtomicU64; 2],
}

#[derive(Default)]
struct Calls {
    ok: AtomicU64,
    failed: [AtomicU64; Code::ALL.len()],
    within: [AtomicU64; BOUNDS_MS.len()],
    micros: AtomicU64,
}

impl Metrics {
    /// For the tools of this catalogue.
    pub fn new(catalogue: &Catalogue) -> Self {
        let tools: Vec<_> = catalogue.iter().map(|capability| (capability.name, Default::default())).collect();
        let index = tools.iter().enumerate().map(|(index, (name, _))| (*name, index)).collect();
        Metrics { tools, index, refused: Default::default(), in_flight: Default::default() }
    }

    /// A call has begun: how many are running on all doors now.
    pub fn begin(&self, door: Door) -> u64 {
        let here = self.in_flight[door as usize].fetch_add(1, Relaxed) + 1;
        let others: u64 = Door::ALL.iter().filter(|other| **other != door).map(|other| self.running(*other)).sum();
        here + others
    }

    /// A call has ended.
    pub fn end(&self, door: Door, tool: &str, code: Option<Code>, took: Duration) {
        self.in_flight[door as usize].fetch_sub(1, Relaxed);
        let Some(index) = self.index.get(tool) else { return };
        let calls = &self.tools[*index].1[door as usize];
        match code {
            None => &calls.ok,
            Some(code) => &calls.failed[code as usize],
        }
        .fetch_add(1, Relaxed);
        calls.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Relaxed);
        if let Some(bound) = BOUNDS_MS.iter().position(|bound| took <= Duration::from_millis(*bound)) {
            calls.within[bound].fetch_add(1, Relaxed);
        }
    }

    /// A request was turned away before it became a call.
    pub fn refused(&self, code: Code) {
        self.refused[code as usize].fetch_add(1, Relaxed);
    }

    fn running(&self, door: Door) -> u64 {
        self.in_flight[door as usize].load(Relaxed)
    }

    /// The text that Prometheus scrapes.
    pub fn text(&self) -> String {
        let mut out = String::from(
            "# HELP fingertip_calls_total Calls of tools by door and result.\n# TYPE fingertip_calls_total counter\n",
        );
        let codes: Vec<String> = Code::ALL.into_iter().map(problem::name).collect();
        self.each(|tool, door, calls| {
            let ok = calls.ok.load(Relaxed);
            let failed = codes.iter().zip(&calls.failed).map(|(code, count)| (code.as_str(), count.load(Relaxed)));
            for (code, count) in std::iter::once(("ok", ok)).chain(failed).filter(|(_, count)| *count > 0) {
                let _ =
                    writeln!(out, "fingertip_calls_total{{tool=\"{tool}\",door=\"{door}\",code=\"{code}\"}} {count}");
            }
        });
        out.push_str("# HELP fingertip_call_seconds How long calls took.\n# TYPE fingertip_call_seconds histogram\n");
        self.each(|tool, door, calls| {
            let total = calls.total();
            if total == 0 {
                return;
            }
            let labels = format!("tool=\"{tool}\",door=\"{door}\"");
            let mut sum = 0;
            for (bound, count) in BOUNDS_MS.iter().zip(&calls.within) {
                sum += count.load(Relaxed);
                let bound = *bound as f64 / 1000.0;
                let _ = writeln!(out, "fingertip_call_seconds_bucket{{{labels},le=\"{bound}\"}} {sum}");
            }
            let seconds = calls.micros.load(Relaxed) as f64 / 1e6;
            let _ = writeln!(out, "fingertip_call_seconds_bucket{{{labels},le=\"+Inf\"}} {total}");
            let _ = writeln!(out, "fingertip_call_seconds_sum{{{labels}}} {seconds}");
            let _ = writeln!(out, "fingertip_call_seconds_count{{{labels}}} {total}");
        });
        out.push_str("# HELP fingertip_calls_in_flight Calls that run now.\n# TYPE fingertip_calls_in_flight gauge\n");
        for door in Door::ALL {
            let _ = writeln!(out, "fingertip_calls_in_flight{{door=\"{}\"}} {}", door.name(), self.running(door));
        }
        out.push_str(
            "# HELP fingertip_refused_total Requests that never became a call.\n# TYPE fingertip_refused_total counter\n",
        );
        for (code, count) in codes.iter().zip(&self.refused) {
            let count = count.load(Relaxed);
            if count > 0 {
                let _ = writeln!(out, "fingertip_refused_total{{code=\"{code}\"}} {count}");
            }
        }
        out
    }

    fn each(&self, mut visit: impl FnMut(&str, &str, &Calls)) {
        for (tool, doors) in &self.tools {
            for (door, calls) in Door::ALL.into_iter().zip(doors) {
                visit(tool, door.name(), calls);
            }
        }
    }
}

impl Calls {
    fn total(&self) -> u64 {
        self.ok.load(Relaxed) + self.failed.iter().map(|count| count.load(Relaxed)).sum::<u64>()
    }
}
