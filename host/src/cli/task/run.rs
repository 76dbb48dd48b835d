//! `fingertip task run`: starts a task, stays until it has ended, and prints what came of it.
//!
//! Standard output has the result alone; what happens on the way goes to standard error.

use super::{
    call,
    follow::{Followed, follow},
    order::Arguments,
    output, pretty, program, show,
    terminal::Terminal,
    told,
};
use crate::cli::session::{Kind, Session};
use serde_json::Value;
use std::path::Path;

pub(super) async fn run(config: Option<&Path>, arguments: Arguments) -> Result<(), String> {
    let as_json = arguments.json;
    let mut terminal = Terminal::default();
    let order = arguments.order(&mut terminal).await?;
    let session = Session::open(config, Kind::Work).await?;
    let program = program(config);
    let done = match call(&session, "start_task", order).await {
        Err(error) => Err(told(error)),
        Ok(started) => {
            let id = started.get("task_id").and_then(Value::as_str).unwrap_or_default();
            eprintln!("task {}", show::plain(id));
            let answer = format!("{program} task answer {id} \"…\"");
            let followed = follow(&session, id, &mut terminal, &answer).await;
            end(followed, id, &program, session.is_own(), as_json)
        }
    };
    session.close().await;
    done
}

/// Prints what came of it.
fn end(followed: Followed, id: &str, program: &str, own: bool, as_json: bool) -> Result<(), String> {
    let (task, mended) = match followed {
        Followed::Ended { task, mended } => (task, mended),
        Followed::Left if own => {
            return Err(format!(
                "task {id} is left unfinished: the next `{program} serve` takes it up; `{program} task cancel {id}` ends it"
            ));
        }
        Followed::Left => {
            return Err(format!(
                "task {id} goes on in the running server: `{program} task show {id}` tells how it is, `{program} task cancel {id}` ends it"
            ));
        }
        Followed::Lost(error) => {
            let message = error.message.trim_end_matches('.');
            return Err(format!(
                "{message}; task {id} goes on with the next `{program} serve`, and `{program} task show {id}` tells how it is"
            ));
        }
    };
    let status = task["status"].as_str().unwrap_or_default();
    eprintln!("task {id} {}: {}", ended(status), show::used(&task["used"]));
    for step in mended {
        eprintln!("step {step} was mended; `{program} task save {id}` keeps that");
    }
    if as_json {
        output(&format!("{}\n", pretty(&task)));
    }
    match status {
        "succeeded" => {
            if !as_json {
                output(&result(&task["result"]));
            }
            Ok(())
        }
        "failed" => Err(show::error(&task["error"]).unwrap_or_else(|| "the task failed".to_owned())),
        _ => Err("the task was cancelled before it was done".to_owned()),
    }
}

fn ended(status: &str) -> &str {
    match status {
        "cancelled" => "was cancelled",
        status => status,
    }
}

/// A result that is a text is printed as that.
fn result(result: &Value) -> String {
    match result {
        Value::Null => String::new(),
        Value::String(text) => format!("{text}\n"),
        other => format!("{}\n", pretty(other)),
    }
}
