//! What `task run` is asked for: the words of the command line and the files that they name, as arguments of start_task.
//!
//! Checks what only the command line can get wrong; the rest is the catalogue's to check.

use super::terminal::Terminal;
use clap::Args;
use serde_json::{Map, Value, json};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// What stands before the name of a secret input in the environment variable that holds it.
const SECRET: &str = "FINGERTIP_SECRET_";

#[derive(Args)]
pub(in crate::cli) struct Arguments {
    /// What is to be done, in words: needs a model, unless there are steps
    goal: Option<String>,
    /// The device [default: the only one]
    #[arg(long, value_name = "ID")]
    device: Option<String>,
    /// Steps to take, as JSON: a list of them, or what `task save` wrote; `-` is standard input
    #[arg(long, value_name = "FILE")]
    steps: Option<PathBuf>,
    /// What ${NAME} in the steps stands for; a number or true and false as NAME:=5
    #[arg(long = "input", value_name = "NAME=VALUE")]
    inputs: Vec<String>,
    /// An input that is never shown: taken from the environment variable FINGERTIP_SECRET_NAME, else asked for
    #[arg(long = "secret", value_name = "NAME")]
    secrets: Vec<String>,
    /// JSON Schema that the result must fit
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// At most this many steps
    #[arg(long, value_name = "N")]
    limit_steps: Option<u32>,
    /// At most this many tokens of the model
    #[arg(long, value_name = "N")]
    limit_tokens: Option<u64>,
    /// At most this many US dollars
    #[arg(long, value_name = "X")]
    limit_usd: Option<f64>,
    /// At most this many seconds at work
    #[arg(long, value_name = "X")]
    limit_seconds: Option<f64>,
    /// Print the whole task as JSON when it has ended
    #[arg(long)]
    pub(super) json: bool,
}

impl Arguments {
    /// The arguments of start_task.
    pub(super) async fn order(self, terminal: &mut Terminal) -> Result<Map<String, Value>, String> {
        let mut order = match &self.steps {
            None => Map::new(),
            Some(file) => match json_of(file)? {
                Value::Array(steps) => Map::from_iter([("steps".to_owned(), Value::Array(steps))]),
                Value::Object(script) if script.contains_key("steps") => script,
                _ => {
                    return Err(format!(
                        "{}: neither a list of steps nor an object with `steps`; write [{{\"tool\": \"tap\", …}}, …]",
                        shown(file)
                    ));
                }
            },
        };
        let mut inputs = match order.remove("inputs") {
            None => Map::new(),
            Some(Value::Object(inputs)) => inputs,
            Some(_) => return Err("`inputs` of the script must be an object: {\"name\": \"value\"}".to_owned()),
        };
        for given in &self.inputs {
            let (name, value) = input(given)?;
            inputs.insert(name, value);
        }
        // A saved script names its secrets without their values.
        let unknown = |value: &Value| value.get("secret").is_some_and(|secret| secret.is_null() || secret == "");
        let mut secrets = self.secrets.clone();
        secrets.extend(inputs.iter().filter(|(_, value)| unknown(value)).map(|(name, _)| name.clone()));
        secrets.sort();
        secrets.dedup();
        for name in secrets {
            let value = secret(&name, terminal).await?;
            inputs.insert(name, json!({ "secret": value }));
        }
        let schema = self.schema.as_deref().map(json_of).transpose()?;
        let limits = super::given([
            ("steps", json!(self.limit_steps)),
            ("tokens", json!(self.limit_tokens)),
            ("usd", json!(self.limit_usd)),
            ("seconds", json!(self.limit_seconds)),
        ]);
        order.extend(super::given([
            ("goal", json!(self.goal)),
            ("device_id", json!(self.device)),
            ("output_schema", json!(schema)),
        ]));
        if !inputs.is_empty() {
            order.insert("inputs".to_owned(), Value::Object(inputs));
        }
        if !limits.is_empty() {
            order.insert("limits".to_owned(), Value::Object(limits));
        }
        if !order.contains_key("goal") && !order.contains_key("steps") {
            return Err("say what is to be done, as in `fingertip task run \"Turn Wi-Fi off\"`, or give --steps FILE"
                .to_owned());
        }
        Ok(order)
    }
}

/// The JSON in a file, or on standard input where the file is `-`.
fn json_of(file: &Path) -> Result<Value, String> {
    let place = shown(file);
    let text = if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(file)
    };
    let text = text.map_err(|error| format!("{place}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{place} is not JSON: {error}"))
}

fn shown(file: &Path) -> String {
    if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() }
}

/// `NAME=VALUE`, or `NAME:=JSON` for what is no text.
fn input(given: &str) -> Result<(String, Value), String> {
    let Some((name, value)) = given.split_once('=') else {
        return Err(format!("--input {given}: write NAME=VALUE, as in --input to=Ada, or NAME:=5 for a number"));
    };
    let Some(name) = name.strip_suffix(':') else { return Ok((name.to_owned(), value.into())) };
    let value = serde_json::from_str(value).map_err(|_| {
        format!("--input {given}: what stands after := must be a number, true or false; for a text write {name}=…")
    })?;
    Ok((name.to_owned(), value))
}

/// A secret input, from where nobody sees it.
async fn secret(name: &str, terminal: &mut Terminal) -> Result<String, String> {
    let variable = format!("{SECRET}{}", name.to_uppercase());
    match std::env::var(&variable) {
        Ok(value) if !value.is_empty() => Ok(value),
        Err(std::env::VarError::NotUnicode(_)) => Err(format!("the environment variable {variable} is not UTF-8")),
        _ if Terminal::is_there() => terminal.ask(name, true).await,
        _ => Err(format!(
            "the secret input {name} is not known: set the environment variable {variable}, or run this in a terminal, which asks for it"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_texts_unless_they_say_otherwise() {
        for (given, name, value) in [
            ("to=Ada", "to", json!("Ada")),
            ("code=0123", "code", json!("0123")),
            ("sum=a=b", "sum", json!("a=b")),
            ("empty=", "empty", json!("")),
            ("x:=12.5", "x", json!(12.5)),
            ("on:=true", "on", json!(true)),
        ] {
            assert_eq!(input(given), Ok((name.to_owned(), value)), "{given}");
        }
        for given in ["Ada", "x:=", "x:=Ada"] {
            assert!(input(given).unwrap_err().contains("write"), "{given}");
        }
    }
}
