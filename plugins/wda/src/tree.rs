//! Asking the phone for its tree: in the format that it has, as deep as it can.
//!
//! It knows when to ask again in another way. Reading the answer is the business of [`source`](crate::source).

use crate::{
    apps,
    error::{Fault, Purpose},
    habits::{DEPTH, Habits},
    http::{Answer, Broken, within},
    session::Session,
    source,
};
use driver_api::{Error, ErrorKind, Result, Tree, TreeFlaw};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long a tree may take.
const TREE: Duration = Duration::from_secs(60);
/// Which part of the time the first question may take, so that there is some for a second one.
const FIRST: f64 = 0.6;
/// With less time than this there is no point in asking once more.
const WORTH: Duration = Duration::from_secs(1);
/// A phone that was slow to read its tree is left alone for as long as that took, up to this: read again and again, some
/// lose their automation program.
const LONGEST_REST: Duration = Duration::from_secs(2);
/// A tree that came sooner than this needs no rest.
const SHORT_READ: Duration = Duration::from_millis(100);
/// How long the phone may take to say which app is in front, while it may be busy with a tree.
const FRONT: Duration = Duration::from_secs(3);

/// What is on the screen.
pub(crate) async fn tree(session: &Session, habits: &Habits) -> Result<Tree> {
    let failed = |fault: Fault| fault.into_error(Purpose::Tree);
    rest(session).await;
    if habits.matter() {
        front(session).await;
    }
    let mut app = session.known().front.unwrap_or_default();
    if let Some(left) = habits.spared(&app) {
        return Err(Error::new(
            ErrorKind::TreeUnavailable,
            format!(
                "reading the elements of the app in front ended the iPhone's automation program twice; use pictures of it, \
                 its elements are tried again in {} minutes",
                left.as_secs().div_ceil(60)
            ),
        ));
    }
    let depth = habits.depth(&app);
    let by_cable = session.is_by_cable();
    let mut read = at(session, depth, within(TREE).mul_f64(FIRST)).await;
    if let Err(fault) = &read
        && is_trouble(fault)
    {
        if matches!(fault, Fault::Refused(_)) {
            front(session).await;
            app = session.known().front.unwrap_or_default();
        }
        // One that is late may be at this tree for longer than this call lasts, so that nothing is waited for before this.
        let less = habits.too_deep(&app, depth);
        tracing::debug!(?fault, app, depth, less, "the phone failed at a deep tree; asking for less of it");
        if let Some(less) = less.filter(|_| worth_it()) {
            read = at(session, less, TREE).await;
        }
    }
    match &read {
        Ok(tree) => {
            habits.went_well();
            if let Some(app) = &tree.app {
                session.saw_in_front(app);
            }
        }
        // A cable that was pulled is no app's fault.
        Err(Fault::Broken(Broken::Lost)) if session.is_by_cable() == by_cable => habits.broke(&app),
        Err(_) => {}
    }
    read.map_err(failed)
}

/// The phone could not read its screen, or took too long for it.
fn is_trouble(fault: &Fault) -> bool {
    match fault {
        Fault::Refused(refusal) => refusal.is_snapshot_trouble(),
        fault => *fault == Fault::Broken(Broken::Late),
    }
}

/// Learns which app is in front, where the phone tells.
async fn front(session: &Session) {
    let asked = tokio::time::timeout(within(FRONT), apps::active(session)).await;
    if !matches!(asked, Ok(Ok(_))) {
        session.learn(|known| known.front = None);
    }
}

async fn rest(session: &Session) {
    if let Some(until) = session.known().tree_rest
        && worth_it()
    {
        sleep_until(until).await;
    }
}

/// The tree down to this depth, in the format that the phone has.
async fn at(session: &Session, depth: u32, limit: Duration) -> Result<Tree, Fault> {
    if session.known().applied_depth != depth {
        session.apply_depth(depth).await?;
    }
    let until = Instant::now() + limit;
    let mut xml = session.known().xml;
    let mut refused_json = false;
    loop {
        let began = Instant::now();
        let asked = ask(session, xml, until.saturating_duration_since(began)).await;
        let took = began.elapsed();
        let pause = (took > SHORT_READ).then(|| Instant::now() + took.min(LONGEST_REST));
        session.learn(|known| known.tree_rest = pause);
        match asked {
            Ok(Some((tree, levels))) => {
                if refused_json {
                    session.learn(|known| known.xml = true);
                }
                return Ok(finished(tree, levels, depth));
            }
            Err(Fault::Refused(refusal))
                if !xml && worth_it() && !refusal.is_snapshot_trouble() && refusal.is_about_the_format() =>
            {
                tracing::debug!(name = refusal.name, "the phone gives no tree as JSON; asking for XML");
                (xml, refused_json) = (true, true);
            }
            Ok(None) if !xml && worth_it() => {
                tracing::debug!("nothing could be read of the phone's tree as JSON; asking for XML");
                xml = true;
            }
            Ok(None) => return Err(Fault::Foreign),
            Err(fault) => return Err(fault),
        }
    }
}

fn finished(mut tree: Tree, levels: u32, depth: u32) -> Tree {
    // A tree that ends at the limit was probably cut there; a lowered limit always cuts something.
    if (depth < DEPTH || levels == depth || levels == depth + 1) && !tree.flaws.contains(&TreeFlaw::Cut) {
        tree.flaws.push(TreeFlaw::Cut);
    }
    tree
}

async fn ask(session: &Session, xml: bool, limit: Duration) -> Result<Option<source::Read>, Fault> {
    let path = match xml {
        false => "/source?format=json",
        // These two cost the phone most of the time.
        true => "/source?format=xml&excluded_attributes=visible,accessible",
    };
    let answer = session.get_bytes(path, limit).await?;
    let read = read(&answer);
    if read.is_none() && !answer.whole {
        return Err(Fault::Broken(Broken::Lost));
    }
    Ok(read)
}

/// The tree in an answer.
fn read(answer: &Answer) -> Option<source::Read> {
    let (mut tree, levels) = source::from_any(&answer.body)?;
    if !answer.whole && !tree.flaws.contains(&TreeFlaw::Damaged) {
        tree.flaws.push(TreeFlaw::Damaged);
    }
    Some((tree, levels))
}

fn worth_it() -> bool {
    driver_api::time_left().is_none_or(|left| left > WORTH)
}
