//! A task's events, shown as they come until it has ended, and its questions put to the person at the terminal.
//!
//! It knows how `get_task` tells events, and questions; what a task does it does not know.

use super::{
    call, given,
    progress::Progress,
    show,
    terminal::{Silence, Terminal},
    told,
};
use crate::{
    capability::{Catalogue, Error},
    cli::{
        session::{self, Session},
        stop,
    },
};
use serde_json::{Map, Value, json};
use std::io::IsTerminal;
use tokio::sync::mpsc;

/// How long one question for news waits for some.
const WAIT_MS: u64 = 25_000;

/// How the watching ended.
pub(super) enum Followed {
    /// With the task.
    Ended {
        /// As it is.
        task: Value,
        /// Its steps that a model mended.
        mended: Vec<u64>,
    },
    /// The person wants to go.
    Left,
    /// Nobody tells any more, for this reason.
    Lost(Error),
}

/// Shows what happens to a task. `answer` is the command by which its questions can be answered from elsewhere.
pub(super) async fn follow(session: &Session, id: &str, terminal: &mut Terminal, answer: &str) -> Followed {
    let mut progress = Progress::new(std::io::stderr(), std::io::stderr().is_terminal());
    let mut pages = pages(session.catalogue().clone(), id.to_owned());
    let left = stop::told();
    tokio::pin!(left);
    let mut asked: Option<Asked> = None;
    let mut mended = Vec::new();
    loop {
        tokio::select! {
            page = pages.recv() => {
                let Some(page) = page else { return Followed::Left };
                let mut page = match page {
                    Ok(page) => page,
                    Err(error) => return Followed::Lost(error),
                };
                // What it asks is told by the events: the task beside them may be a moment older.
                let mut question = None;
                for event in page["events"].as_array().into_iter().flatten() {
                    match event["kind"].as_str() {
                        Some("asked") => question = Some(&event["data"]),
                        Some("answered" | "finished") => (question, asked) = (None, None),
                        Some("note") if event["data"].get("repaired").is_some() => mended.extend(event["step"].as_u64()),
                        _ => {}
                    }
                    progress.take(event);
                }
                if let Some(question) = question {
                    terminal.forget();
                    asked = Some(Asked::begin(question, answer, &mut progress));
                }
                progress.queued(&page["task"]);
                let over = show::is_finished(page["task"]["status"].as_str().unwrap_or_default());
                if over && page["events"] == json!([]) {
                    return Followed::Ended { task: page.remove("task").unwrap_or_default(), mended };
                }
            }
            line = terminal.line(), if asked.as_ref().is_some_and(|asked| asked.here) => {
                let Some(line) = line else {
                    // The end of the input is no answer; the question stays for others.
                    asked = Some(Asked::elsewhere(answer, &mut progress));
                    continue;
                };
                let answered = given([("task_id", json!(id)), ("action", json!("answer")), ("answer", json!(line))]);
                match call(session, "control_task", answered).await {
                    Ok(_) => asked = None,
                    Err(error) => {
                        progress.say(&told(error));
                        prompt();
                    }
                }
            }
            () = &mut left => return Followed::Left,
        }
    }
}

/// A question that stands.
struct Asked {
    /// Whether the person at this terminal may answer it.
    here: bool,
    _silence: Option<Silence>,
}

impl Asked {
    fn begin<W: std::io::Write>(question: &Value, answer: &str, progress: &mut Progress<W>) -> Asked {
        if !Terminal::is_there() {
            return Asked::elsewhere(answer, progress);
        }
        let secret = question["reason"] == "secret_input";
        let silence = secret.then(Silence::begin);
        prompt();
        Asked { here: true, _silence: silence }
    }

    fn elsewhere<W: std::io::Write>(answer: &str, progress: &mut Progress<W>) -> Asked {
        progress.say(&format!("to answer: {answer}"));
        Asked { here: false, _silence: None }
    }
}

fn prompt() {
    eprint!("     answer: ");
}

/// What `get_task` tells, one answer after another, until the task has ended and all is told.
fn pages(catalogue: Catalogue, id: String) -> mpsc::Receiver<Result<Map<String, Value>, Error>> {
    let (sender, pages) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut after = json!(0);
        loop {
            let arguments = given([("task_id", json!(id)), ("after", after), ("wait_ms", json!(WAIT_MS))]);
            let page = catalogue.call("get_task", arguments, session::caller()).await.map(|answer| answer.body);
            after = page.as_ref().ok().and_then(|page| page.get("next").cloned()).unwrap_or_default();
            let broken = page.is_err();
            // Nobody listens once the end was seen.
            if sender.send(page).await.is_err() || broken {
                return;
            }
        }
    });
    pages
}
