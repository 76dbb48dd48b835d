//! Asking the phone for its tree: in the format that it has, as deep as it can.
//!
//! It knows when to ask again in another way. Reading the answer is the business of [`source`](crate::source).

use crate::{
    error::{Fault, Purpose},
    http::{Answer, Broken},
    session::{DEPTH, Session},
    source,
};
use driver_api::{Error, ErrorKind, Result, Tree, TreeFlaw};
use std::time::Duration;

/// How long a tree may take.
const TREE: Duration = Duration::from_secs(60);
/// The depths to ask for, one after the other, when the phone fails at one.
const DEPTHS: [u32; 3] = [DEPTH, 40, 25];
/// With less time than this there is no point in asking once more.
const WORTH: Duration = Duration::from_secs(1);

/// What is on the screen.
pub(crate) async fn tree(session: &Session) -> Result<Tree> {
    let failed = |fault: Fault| fault.into_error(Purpose::Tree);
    let mut xml = session.known().xml;
    let mut refused_json = false;
    loop {
        let depth = session.known().depth;
        if session.known().applied_depth != depth {
            session.apply_settings().await.map_err(failed)?;
        }
        match ask(session, xml).await {
            Ok(Some((tree, levels))) => {
                if refused_json {
                    session.learn(|known| known.xml = true);
                }
                return Ok(finished(session, tree, levels, depth));
            }
            Err(Fault::Refused(refusal)) if refusal.is_snapshot_trouble() => {
                let next = DEPTHS.into_iter().find(|next| *next < depth).filter(|_| worth_it());
                let Some(next) = next else { return Err(failed(Fault::Refused(refusal))) };
                tracing::debug!(depth, next, "the phone failed at a deep tree; asking for less of it");
                session.learn(|known| known.depth = next);
            }
            Err(Fault::Refused(refusal)) if !xml && worth_it() && refusal.is_about_the_format() => {
                tracing::debug!(name = refusal.name, "the phone gives no tree as JSON; asking for XML");
                (xml, refused_json) = (true, true);
            }
            Ok(None) if !xml && worth_it() => {
                tracing::debug!("nothing could be read of the phone's tree as JSON; asking for XML");
                xml = true;
            }
            Ok(None) => {
                return Err(Error::new(
                    ErrorKind::TreeUnavailable,
                    "what the iPhone says of its screen cannot be read",
                ));
            }
            Err(fault) => return Err(failed(fault)),
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

async fn ask(session: &Session, xml: bool) -> Result<Option<source::Read>, Fault> {
    let path = match xml {
        false => "/source?format=json",
        // These two cost the phone most of the time.
        true => "/source?format=xml&excluded_attributes=visible,accessible",
    };
    let answer = session.get_bytes(path, TREE).await?;
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
