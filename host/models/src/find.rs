//! Finding a call in what a model wrote: JSON on its own, in a fence, or amid prose and thinking.
//!
//! Knows texts and JSON; which names are tools it is told. A call within a broken or cut-off one is never taken: it would be
//! a part of what was meant.

use serde_json::{Deserializer, Map, Value};

/// How much of a text is looked at, in bytes.
const MOST: usize = 256 * 1024;
/// At how many braces it is looked whether a call begins: reading what is nested deeply takes long each time.
const TRIES: usize = 2000;

/// What a text has.
#[derive(Debug, PartialEq)]
pub(crate) enum Found {
    /// A call, and the text around it.
    Call { tool: String, arguments: Value, said: String },
    /// What begins like a call, or like any JSON, but is cut off or wrong.
    Broken(String),
    /// JSON that is no call.
    Other,
    /// No JSON.
    Nothing,
}

/// The call in a text; one of a known tool is preferred.
pub(crate) fn find(text: &str, known: impl Fn(&str) -> bool) -> Found {
    let text = spoken(head(text, MOST));
    // Some templates open the thinking before the answer begins, so that only its end is seen.
    if let Some((_, rest)) = text.rsplit_once("</think>")
        && let found @ Found::Call { .. } = scan(rest, &known)
    {
        return found;
    }
    scan(text, &known)
}

/// A text without the thinking that it begins with.
pub(crate) fn spoken(text: &str) -> &str {
    let text = text.trim();
    match text.strip_prefix("<think>") {
        Some(thought) => thought.split_once("</think>").map_or("", |(_, rest)| rest.trim_start()),
        None => text,
    }
}

fn head(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    &text[..end]
}

fn scan(text: &str, known: &impl Fn(&str) -> bool) -> Found {
    let (mut first, mut broken, mut other) = (None, None, false);
    let mut from = 0;
    for _ in 0..TRIES {
        let Some(start) = text[from..].find('{').map(|at| from + at) else { break };
        let mut values = Deserializer::from_str(&text[start..]).into_iter::<Value>();
        from = start + 1;
        match values.next() {
            Some(Ok(value)) => {
                other = true;
                if let Some((tool, arguments)) = call(value) {
                    from = start + values.byte_offset();
                    let said = around(&text[..start], &text[from..]);
                    let is_known = known(&tool);
                    let found = Found::Call { tool, arguments, said };
                    if is_known {
                        return found;
                    }
                    first.get_or_insert(found);
                }
            }
            // All that follows belongs to what was cut off.
            Some(Err(error)) if error.is_eof() => {
                broken.get_or_insert_with(|| "the JSON is cut off".to_owned());
                break;
            }
            Some(Err(error)) if like_a_call(&text[start..]) => {
                broken.get_or_insert_with(|| format!("the JSON is wrong: {error}"));
                match close(&text[start..]) {
                    Some(end) => from = start + end,
                    None => break,
                }
            }
            _ => {}
        }
    }
    match (first, broken) {
        (Some(call), _) => call,
        (None, Some(reason)) => Found::Broken(reason),
        (None, None) if other => Found::Other,
        (None, None) => Found::Nothing,
    }
}

/// A call in the words that models use for it.
fn call(value: Value) -> Option<(String, Value)> {
    let Value::Object(mut map) = value else { return None };
    // So the schema has it.
    if let (1, Some(inner)) = (map.len(), map.get_mut("call")) {
        return call(inner.take());
    }
    let arguments = ["arguments", "parameters"].into_iter().find_map(|key| map.remove(key));
    match (map.remove("tool"), map.remove("name")) {
        (Some(Value::String(tool)), _) => Some((tool, arguments.unwrap_or_default())),
        (None, Some(Value::String(name))) => Some((name, arguments?)),
        _ => None,
    }
}

/// Whether an object begins as a call does.
fn like_a_call(text: &str) -> bool {
    let text = text.strip_prefix('{').unwrap_or(text).trim_start().trim_start_matches(['"', '\'']);
    ["tool", "name"].into_iter().filter_map(|word| text.strip_prefix(word)).any(|rest| {
        let rest = rest.trim_start_matches(['"', '\'']).trim_start();
        rest.starts_with(':')
    })
}

/// Where the brace that the text begins with is closed.
fn close(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// What was said before and after, without the marks around the JSON.
fn around(before: &str, after: &str) -> String {
    let before = before.trim_end();
    let before = ["```json", "```JSON", "```", "<tool_call>"]
        .into_iter()
        .find_map(|mark| before.strip_suffix(mark))
        .unwrap_or(before)
        .trim();
    let after = after.trim_start();
    let after = ["```", "</tool_call>"].into_iter().find_map(|mark| after.strip_prefix(mark)).unwrap_or(after).trim();
    match (before.is_empty(), after.is_empty()) {
        (false, false) => format!("{before}\n{after}"),
        _ => format!("{before}{after}"),
    }
}

/// Arguments as an object: given as one, as its text, or not at all.
pub(crate) fn object(arguments: Value) -> Result<Map<String, Value>, String> {
    match arguments {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        Value::String(text) if text.trim().is_empty() => Ok(Map::new()),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(map)) => Ok(map),
            Ok(_) => Err("the arguments are no JSON object".to_owned()),
            Err(error) if error.is_eof() => Err("the arguments are cut off".to_owned()),
            Err(error) => Err(format!("the arguments are no JSON: {error}")),
        },
        _ => Err("the arguments are no JSON object".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn known(name: &str) -> bool {
        ["tap", "batch"].contains(&name)
    }

    fn tap(said: &str) -> Found {
        Found::Call { tool: "tap".to_owned(), arguments: json!({ "x": 1 }), said: said.to_owned() }
    }

    #[test]
    fn a_call_is_found_wherever_it_stands() {
        let call = r#"{"tool": "tap", "arguments": {"x": 1}}"#;
        for (text, said) in [
            (call.to_owned(), ""),
            (format!("```json\n{call}\n```"), ""),
            (format!("I tap it.\n```\n{call}\n```\nThen wait."), "I tap it.\nThen wait."),
            (format!("<think>{{\"tool\": \"batch\"}} or </think>{call}"), ""),
            (format!("or {{\"tool\": \"batch\"}}?</think>\n{call}"), ""),
            (format!("Use {{ and }}: {call}"), "Use { and }:"),
            (format!("[{call}, {{\"tool\": \"batch\"}}]"), "[\n, {\"tool\": \"batch\"}]"),
            (format!("{{\"call\": {call}}}"), ""),
            (format!("{{\"tool_calls\": [{call}]}}"), "{\"tool_calls\": [\n]}"),
            (r#"<tool_call>{"name": "tap", "parameters": {"x": 1}}</tool_call>"#.to_owned(), ""),
            (format!(r#"As in {{"tool": …, "arguments": {{…}}}}: {call}"#), "As in {\"tool\": …, \"arguments\": {…}}:"),
            (format!(r#"{{"name": "Ann"}} {{"tool": "dance"}} {call}"#), "{\"name\": \"Ann\"} {\"tool\": \"dance\"}"),
        ] {
            assert_eq!(find(&text, known), tap(said), "{text}");
        }
    }

    #[test]
    fn a_part_of_a_broken_call_is_no_call() {
        let inner = r#"{"tool": "tap", "arguments": {"x": 1}}"#;
        for (text, part) in [
            (format!(r#"{{"tool": "batch", "arguments": {{"steps": [{inner}, {{"to"#), "cut off"),
            (format!(r#"{{"tool": "batch", "arguments": {{"steps": [{inner},]}}}}"#), "wrong"),
            (format!(r#"{{tool: "batch", "arguments": {{"steps": [{inner}]}}"#), "wrong"),
            (r#"{"tool": "ta"#.to_owned(), "cut off"),
        ] {
            let Found::Broken(reason) = find(&text, known) else { panic!("{text}") };
            assert!(reason.contains(part), "{text}: {reason}");
        }
    }

    #[test]
    fn what_is_no_call_is_told_apart() {
        assert_eq!(find("I would tap {it}.", known), Found::Nothing);
        assert_eq!(find("", known), Found::Nothing);
        assert_eq!(find("<think>never ends {\"tool\": \"tap\"}", known), Found::Nothing);
        assert_eq!(find(r#"{"x": 1}"#, known), Found::Other);
        assert_eq!(find(r#"{"name": "tap"}"#, known), Found::Other);
        let dance = Found::Call { tool: "dance".to_owned(), arguments: Value::Null, said: String::new() };
        assert_eq!(find(r#"{"tool": "dance"}"#, known), dance);
        let talk = r#"{"tool": "tap", "arguments": {"x": "</think>"}}"#;
        assert!(matches!(find(talk, known), Found::Call { .. }));
    }

    #[test]
    fn arguments_are_an_object_or_its_text() {
        let map = json!({ "x": 1 }).as_object().cloned().unwrap();
        assert_eq!(object(json!({ "x": 1 })), Ok(map.clone()));
        assert_eq!(object(json!("{\"x\": 1}")), Ok(map));
        assert_eq!(object(json!(" ")), Ok(Map::new()));
        assert_eq!(object(Value::Null), Ok(Map::new()));
        for wrong in [json!("[1]"), json!([1]), json!(1), json!("{\"x\": "), json!("x")] {
            assert!(object(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn deep_and_long_texts_take_no_time() {
        for text in ["{\"a\":".repeat(50_000), "{\"tool\":x".repeat(30_000), "{".repeat(1_000_000)] {
            let begun = std::time::Instant::now();
            find(&text, known);
            assert!(begun.elapsed().as_secs() < 5, "{}", &text[..20]);
        }
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            ".{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                proptest::collection::btree_map("[a-z{}\"]{1,4}", inner, 0..3)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,200}") {
            find(&text, known);
        }

        #[test]
        fn no_text_like_a_call_panics(text in "(\\{|\\}|\"|tool|name|:|,|\\[|\\\\|<think>|</think>|```|ö| ){0,40}") {
            find(&text, known);
        }

        #[test]
        fn any_call_in_prose_is_found(before in "[^{<]{0,40}", after in ".{0,40}", value in json_value(), fenced: bool) {
            let call = json!({ "tool": "tap", "arguments": { "v": value } });
            let text = if fenced { format!("{before}\n```json\n{call}\n```\n{after}") } else { format!("{before}{call}{after}") };
            match find(&text, known) {
                Found::Call { tool, arguments, .. } => {
                    prop_assert_eq!(tool, "tap");
                    prop_assert_eq!(arguments, call["arguments"].clone());
                }
                other => prop_assert!(false, "{other:?} in {text}"),
            }
        }
    }
}
