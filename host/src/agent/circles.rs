//! Going in circles: the same action on the same screen again, or actions without any effect.
//!
//! Knows what was tried, as the events tell it. What is done about it is the planner's.

use std::collections::HashMap;

/// How often the same action may be done on the same screen, and how many actions in a row may have no effect.
const SAME: u32 = 2;
const IDLE: u32 = 3;
/// How many plans in a row may be made without anything being done.
const PLANS: u32 = 3;

/// What was tried since the task last found another way.
#[derive(Debug, Default)]
pub(super) struct Circles {
    tried: HashMap<(String, String), u32>,
    idle: u32,
    plans: u32,
    /// How often it was found to go in circles.
    pub(super) found: u32,
}

impl Circles {
    /// Why this action on this screen would lead nowhere, if it would.
    pub(super) fn before(&self, screen: &str, action: &str) -> Option<String> {
        let tried = self.tried.get(&(screen.to_owned(), action.to_owned())).copied().unwrap_or(0);
        if tried >= SAME {
            return Some(format!("the same action was done {tried} times on the same screen"));
        }
        (self.idle >= IDLE).then(|| format!("the last {} actions had no effect", self.idle))
    }

    /// Why making another plan leads nowhere, if it does.
    pub(super) fn before_plan(&self) -> Option<String> {
        (self.plans >= PLANS).then(|| format!("{} plans were made and nothing was done", self.plans))
    }

    /// An action is done on a screen.
    pub(super) fn acts(&mut self, screen: &str, action: &str) {
        self.plans = 0;
        *self.tried.entry((screen.to_owned(), action.to_owned())).or_default() += 1;
    }

    /// Nobody knows whether an action that was tried was done: the host died meanwhile, which is no circle.
    pub(super) fn untried(&mut self, screen: &str, action: &str) {
        if let Some(tried) = self.tried.get_mut(&(screen.to_owned(), action.to_owned())) {
            *tried = tried.saturating_sub(1);
        }
    }

    /// An action had an effect, or none.
    pub(super) fn came(&mut self, nothing: bool) {
        self.idle = if nothing { self.idle + 1 } else { 0 };
    }

    /// A plan was made.
    pub(super) fn plans(&mut self) {
        self.plans += 1;
    }

    /// It was found out, and the task is to look for another way.
    pub(super) fn found(&mut self) {
        (self.idle, self.plans, self.found) = (0, 0, self.found + 1);
    }

    /// A human said something: everything is worth another try.
    pub(super) fn helped(&mut self) {
        *self = Circles::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_time_is_a_circle() {
        let mut circles = Circles::default();
        for _ in 0..2 {
            assert_eq!(circles.before("s", "tap a"), None);
            circles.acts("s", "tap a");
            circles.came(false);
        }
        assert!(circles.before("s", "tap a").is_some());
        assert_eq!((circles.before("s", "tap b"), circles.before("t", "tap a")), (None, None));
        circles.untried("s", "tap a");
        assert_eq!(circles.before("s", "tap a"), None);
        circles.acts("s", "tap a");
        circles.helped();
        assert_eq!(circles.before("s", "tap a"), None);
    }

    #[test]
    fn three_actions_without_effect_are_enough() {
        let mut circles = Circles::default();
        for action in ["a", "b", "c"] {
            assert_eq!(circles.before("s", action), None);
            circles.acts("s", action);
            circles.came(true);
        }
        assert!(circles.before("s", "d").is_some());
        circles.found();
        assert_eq!((circles.before("s", "d"), circles.found), (None, 1));
    }
}
