//! `fingertip task`: has something done and shows how it goes, tells of tasks, and steers them.
//!
//! Each command is a few calls of the catalogue, of the running server's or of a host of its own. What a task does is not known here.
//!
//! | file | what |
//! | --- | --- |
//! | `run`, `order` | `task run`: what is asked for, and how it ended |
//! | `follow`, `progress` | a task's events as they come, a line for each step |
//! | `show` | tasks in words, for people |
//! | `terminal` | what a person types, shown or not |

mod follow;
mod order;
mod progress;
mod run;
mod show;
mod terminal;

use super::{
    pretty, print,
    session::{self, Kind, Session},
};
use crate::capability::Error;
use clap::Subcommand;
use serde_json::{Map, Value, json};
use std::{
    io::{IsTerminal, Read},
    path::{Path, PathBuf},
};
use terminal::Terminal;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Start a task, show what it does, and print what comes of it
    Run(order::Arguments),
    /// List tasks, the newest first
    List {
        /// Only tasks with this status, such as running, needs_human or failed
        #[arg(long)]
        status: Option<String>,
        /// Only tasks of this device
        #[arg(long, value_name = "ID")]
        device: Option<String>,
        /// At most this many [default: 20]
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
        /// Print the answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show how a task is, and its steps
    Show {
        /// The task's name, as `task run` and `task list` print it
        id: String,
        /// Also everything that happened to it
        #[arg(long)]
        events: bool,
        /// Print the task as JSON
        #[arg(long)]
        json: bool,
    },
    /// Save what a task did as a script, which `task run --steps FILE` does again without a model
    Save {
        /// The task's name
        id: String,
        /// Where to [default: standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// End a task
    Cancel {
        /// The task's name
        id: String,
    },
    /// Have a task rest after the step that it is at
    Pause {
        /// The task's name
        id: String,
    },
    /// Have a paused task go on
    Resume {
        /// The task's name
        id: String,
    },
    /// Answer what a task asks
    Answer {
        /// The task's name
        id: String,
        /// The answer [default: what is typed or comes from standard input, which suits a secret]
        text: Option<String>,
    },
}

pub(super) async fn run(config: Option<&Path>, command: Command) -> Result<(), String> {
    if let Command::Run(arguments) = command {
        return run::run(config, arguments).await;
    }
    let session = Session::open(config, Kind::Command).await?;
    let done = tell(&session, config, command).await;
    session.close().await;
    done
}

async fn tell(session: &Session, config: Option<&Path>, command: Command) -> Result<(), String> {
    // Nobody works on the tasks of a host that lives as long as this command.
    let served = !session.is_own();
    match command {
        Command::Run(_) => Ok(()),
        Command::List { status, device, limit, json } => {
            let arguments = given([("status", json!(status)), ("device_id", json!(device)), ("limit", json!(limit))]);
            let listed = call(session, "list_tasks", arguments).await.map_err(told)?;
            output(&if json { format!("{}\n", pretty(&Value::Object(listed))) } else { show::table(&listed, served) });
            Ok(())
        }
        Command::Show { id, events, json } => {
            let (task, all) = get(session, &id, events).await.map_err(told)?;
            output(&match (json, events) {
                (true, true) => format!("{}\n", pretty(&json!({ "task": task, "events": all }))),
                (true, false) => format!("{}\n", pretty(&task)),
                (false, _) => show::task(&task, &all, served),
            });
            Ok(())
        }
        Command::Save { id, out } => {
            let script = call(session, "task_script", given([("task_id", json!(id))])).await.map_err(told)?;
            let text = format!("{}\n", pretty(&Value::Object(script)));
            let Some(file) = out else {
                output(&text);
                return Ok(());
            };
            std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
            let file = file.display();
            eprintln!("saved; `{} task run --steps {file}` does it again", program(config));
            Ok(())
        }
        Command::Cancel { id } => steer(session, config, &id, "cancel", None).await,
        Command::Pause { id } => steer(session, config, &id, "pause", None).await,
        Command::Resume { id } => steer(session, config, &id, "resume", None).await,
        Command::Answer { id, text } => {
            let text = match text {
                Some(text) => text,
                None => answer(session, &id).await?,
            };
            steer(session, config, &id, "answer", Some(text)).await
        }
    }
}

async fn steer(
    session: &Session,
    config: Option<&Path>,
    id: &str,
    action: &str,
    answer: Option<String>,
) -> Result<(), String> {
    let arguments = given([("task_id", json!(id)), ("action", json!(action)), ("answer", json!(answer))]);
    let task = call(session, "control_task", arguments).await.map_err(told)?.remove("task").unwrap_or_default();
    let status = task["status"].as_str().unwrap_or_default();
    eprintln!("task {id} is {}", steered(status, session.is_own(), id, &program(config)));
    Ok(())
}

/// How a task is after it was steered, and what comes of that where no server runs.
fn steered(status: &str, alone: bool, id: &str, program: &str) -> String {
    let is = show::words(status);
    match status {
        _ if !alone || show::is_finished(status) => is,
        "paused" => {
            format!("{is}; it stays so, also with the next `{program} serve`, until `{program} task resume {id}`")
        }
        "needs_human" => format!(
            "{is}; no server is running: the next `{program} serve` takes it up, and `{program} task answer {id} \"…\"` has it go on"
        ),
        _ => format!("left where it is: no server is running; the next `{program} serve` takes it up"),
    }
}

/// An answer that did not stand on the command line.
async fn answer(session: &Session, id: &str) -> Result<String, String> {
    let (task, _) = get(session, id, false).await.map_err(told)?;
    let question = &task["question"];
    if question.is_null() {
        return Err(format!("task {id} asks nothing; `fingertip task show {id}` tells how it is"));
    }
    if Terminal::is_there() {
        eprintln!("{}", show::question(question));
        return Terminal::default().ask("answer", question["reason"] == "secret_input").await;
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| format!("standard input cannot be read: {error}"))?;
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(format!("the answer is missing: fingertip task answer {id} \"…\"")),
        text => Ok(text.to_owned()),
    }
}

/// A task and, if they are wanted, all its events.
async fn get(session: &Session, id: &str, events: bool) -> Result<(Value, Vec<Value>), Error> {
    let mut all = Vec::new();
    let mut after = if events { 0 } else { u32::MAX.into() };
    loop {
        let arguments = given([("task_id", json!(id)), ("after", json!(after))]);
        let mut got = call(session, "get_task", arguments).await?;
        let task = got.remove("task").unwrap_or_default();
        let Some(Value::Array(page)) = got.remove("events").filter(|page| page != &json!([])) else {
            return Ok((task, all));
        };
        all.extend(page);
        after = got["next"].as_u64().unwrap_or(u32::MAX.into());
    }
}

async fn call(session: &Session, name: &str, arguments: Map<String, Value>) -> Result<Map<String, Value>, Error> {
    session.catalogue().call(name, arguments, session::caller()).await.map(|answer| answer.body)
}

/// Arguments, without those that are not given.
fn given<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)).collect()
}

fn told(error: Error) -> String {
    show::plain(&format!("{}. {}", error.message.trim_end_matches('.'), error.hint))
}

/// Prints what a command is for. Some of it comes from phones and models: a terminal shows it, programs get it as it is.
fn output(text: &str) {
    print(&if std::io::stdout().is_terminal() { show::lines(text) } else { text.to_owned() });
}

/// This program as a further command would call it, with the same settings.
fn program(config: Option<&Path>) -> String {
    config.map_or("fingertip".to_owned(), |file| format!("fingertip --config {}", file.display()))
}
