//! Why an action changed nothing, where the screen's elements tell.
//!
//! It reads the tree once, and only when nothing changed.

use super::{
    super::{context::Target, look, values::Cause},
    Subject,
};
use crate::{
    device::{Feature, Operation},
    perception::describe,
};
use std::time::Duration;

const FOCUS: Operation = Operation { name: "focus", limit: Duration::from_secs(20) };

/// The likely cause; `None` where none can be known.
pub(super) async fn of_nothing(target: &Target, subject: Subject) -> Option<Cause> {
    if let Subject::Focus = subject
        && target.device.has(Feature::ElementAtFocus)
    {
        let focus = target.look(FOCUS, |driver, within| async move { driver.element_at_focus(within).await }).await;
        if let Ok(None) = focus {
            return Some(Cause::NothingFocused);
        }
    }
    let Subject::Point(point) = subject else { return None };
    // Some alerts are no part of the tree.
    if target.device.has(Feature::Alert)
        && let Ok(Some(_)) = look::alert(target).await
    {
        return Some(Cause::AlertInFront);
    }
    let seen = look::see(target).await.ok()?;
    let outline = &seen.outline;
    let hit = outline.at(point);
    if let Some(alert) = outline.alert()
        && !hit.is_some_and(|hit| outline.is_within(hit, alert))
    {
        return Some(Cause::AlertInFront);
    }
    let covered = || {
        outline
            .elements()
            .iter()
            .any(|element| element.covered_by.is_some() && element.bounds.is_some_and(|bounds| bounds.contains(point)))
    };
    // Of what a tree does not tell it cannot be said that nothing is there.
    let blind = describe::blind_regions(&seen.tree, outline).iter().any(|region| region.contains(point));
    match hit.and_then(|hit| outline.get(hit)) {
        None if covered() => Some(Cause::TargetCovered),
        None if blind || seen.is_unread() => None,
        None => Some(Cause::NothingAtPoint),
        Some(element) if !element.enabled => Some(Cause::TargetDisabled),
        Some(element) if !element.actionable && !blind => Some(Cause::NothingAtPoint),
        Some(_) => None,
    }
}
