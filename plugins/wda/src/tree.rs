//! Asking the phone for its tree: in the format that it has, as deep as it can.
//!
//! It knows when to ask again in another way. Reading the answer is the business of [`source`](crate::source).

use crate::{
    apps,
    error::{Fault, Purpose},
    http::{Answer, Broken, within},
    session::{DEPTH, Session},
    source,
};
use driver_api::{Result, Tree, TreeFlaw};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long a tree may take.
const TREE: Duration = Duration::from_secs(60);
/// No tree is asked for less deep: what an app shows of itself lies deeper.
const SHALLOWEST: u32 = 12;
/// With less time than this there is no point in asking once more.
const WORTH: Duration = Duration::from_secs(1);
/// A phone that was slow to read its tree is left alone for as long as that took, up to this: read again and again, some
/// lose their automation program.
const LONGEST_REST: Duration = Duration::from_secs(2);
/// A tree that came sooner than this needs no rest.
const SHORT_READ: Duration = Duration::from_millis(100);
/// For how many apps a lowered depth is remembered.
const REMEMBERED: usize = 64;

/// What is on the screen.
pub(crate) async fn tree(session: &Session) -> Result<Tree> {
    let failed = |fault: Fault| fault.into_error(Purpose::Tree);
    rest(session).await;
    // Only once some app has needed less depth does it matter which is in front.
    let mut app = match session.known().depths.is_empty() {
        true => None,
        false => front(session).await,
    };
    let known = session.known();
    let depth = app.as_ref().and_then(|app| known.depths.get(app)).copied().unwrap_or(DEPTH);
    let trouble = match at(session, depth, first_limit()).await {
        Err(fault) if is_trouble(&fault) && depth > SHALLOWEST && worth_it() => fault,
        read => return read.map_err(failed),
    };
    let less = (depth / 2).max(SHALLOWEST);
    tracing::debug!(?trouble, depth, less, "the phone failed at a deep tree; asking for less of it");
    if app.is_none() {
        app = front(session).await;
    }
    if let Some(app) = app {
        session.learn(|known| {
            if known.depths.len() >= REMEMBERED {
                known.depths.clear();
            }
            known.depths.insert(app, less);
        });
    }
    at(session, less, TREE).await.map_err(failed)
}

/// The phone could not read its screen, or took too long for it.
fn is_trouble(fault: &Fault) -> bool {
    match fault {
        Fault::Refused(refusal) => refusal.is_snapshot_trouble(),
        fault => *fault == Fault::Broken(Broken::Late),
    }
}

/// Leaves time to ask once more.
fn first_limit() -> Duration {
    within(TREE).mul_f64(0.6)
}

/// The app in front; `None` where the phone does not tell.
async fn front(session: &Session) -> Option<String> {
    apps::active(session).await.ok().map(|app| app.id)
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
        session.apply_settings(depth).await?;
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
                return Ok(finished(session, tree, levels, depth));
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

fn finished(session: &Session, mut tree: Tree, levels: u32, depth: u32) -> Tree {
    // A tree that ends at the limit was probably cut there; a lowered limit always cuts something.
    if (depth < DEPTH || levels == depth || levels == depth + 1) && !tree.flaws.contains(&TreeFlaw::Cut) {
        tree.flaws.push(TreeFlaw::Cut);
    }
    if let Some(app) = &tree.app {
        session.saw(app);
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
