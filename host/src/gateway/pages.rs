//! The pages for people: a reference made from the catalogue, and a door plate at the root. They need no network and no
//! script.
//!
//! It knows the catalogue's shape and HTML; it does not know any capability by name.

use super::{events, problem};
use crate::capability::{Capability, Catalogue, Code, Effect, Method};
use serde_json::{Map, Value};
use std::fmt::Write;

const STYLE: &str = "
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
code,pre{font:14px/1.45 ui-monospace,monospace}
pre{padding:.75rem;overflow:auto;border:1px solid #8884;border-radius:6px}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #8884}
h2{margin-top:2.5rem;border-top:1px solid #8884;padding-top:1rem}
nav a{margin-right:.75rem;white-space:nowrap}
.route{opacity:.8}
";

/// The page at the root.
pub fn landing(catalogue: &Catalogue) -> String {
    let tools = catalogue.tools().count();
    page(
        "Fingertip",
        &format!(
            "<h1>Fingertip</h1><p>Hands and eyes on real phones. This server offers {tools} tools on two doors.</p>\
             <ul><li>Agents connect by the Model Context Protocol at <code>/mcp</code>.</li>\
             <li>Programs call the <a href=\"/docs\">routes</a>; here is their <a href=\"/openapi.json\">OpenAPI document</a>.</li>\
             <li><a href=\"/devices\">The devices</a> and <a href=\"/plugins\">the plugins</a> that are here now, \
             and <a href=\"/metrics\">the counts</a>.</li></ul>"
        ),
    )
}

/// The reference.
pub fn docs(catalogue: &Catalogue) -> String {
    let mut out = String::from(
        "<h1>Fingertip: tools and routes</h1>\
         <p>Each tool is offered to agents under its name at <code>/mcp</code>, and to programs by its route. Arguments come \
         from the path, the query and a JSON body, and mean the same in each. All lengths are in points of the current \
         orientation, from the top left. <a href=\"/openapi.json\">OpenAPI document</a></p><nav>",
    );
    for capability in catalogue.iter() {
        let _ = write!(out, "<a href=\"#{0}\">{0}</a> ", capability.name);
    }
    out.push_str("</nav>");
    for capability in catalogue.iter() {
        tool(&mut out, capability);
    }
    streams(&mut out, catalogue);
    errors(&mut out);
    page("Fingertip: tools and routes", &out)
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{}</title><style>{STYLE}</style></head>\
         <body>{body}</body></html>\n",
        escape(title)
    )
}

fn tool(out: &mut String, capability: &Capability) {
    let effect = match capability.effect {
        Effect::Read => "looks",
        Effect::Act => "acts",
        Effect::Destructive => "acts, and may lose something",
    };
    let _ = write!(
        out,
        "<h2 id=\"{0}\">{0}</h2><p><b>{1}</b> &middot; {effect}</p><p class=\"route\"><code>{2} {3}</code></p><p>{4}</p>",
        capability.name,
        escape(capability.title),
        verb(capability),
        escape(capability.route.path),
        escape(capability.description),
    );
    out.push_str("<h3>Arguments</h3>");
    fields(out, &capability.input);
    out.push_str("<h3>Answer</h3>");
    fields(out, &capability.output);
    if capability.has_image {
        out.push_str(
            "<p>With a picture: <code>picture {media_type, data}</code> in base64, or the picture itself where the Accept \
             header names <code>image/jpeg</code>, <code>image/png</code> or <code>image/*</code>.</p>",
        );
    }
    let _ = write!(out, "<h3>Example</h3><pre>{}</pre>", escape(&example(capability)));
}

/// The one route that is no capability, and that programs follow tasks by.
fn streams(out: &mut String, catalogue: &Catalogue) {
    let Some((path, _)) = events::documented(catalogue) else { return };
    let _ = write!(
        out,
        "<h2 id=\"task_events\">task_events</h2><p><b>Follow a task</b> &middot; looks</p>\
         <p class=\"route\"><code>GET {}</code></p>\
         <p>A stream of server-sent events: one for each event of the task, with its number as <code>id</code>, its kind as \
         <code>event</code> and the JSON that <code>get_task</code> gives as <code>data</code>. It begins after \
         <code>?after=</code> or the <code>Last-Event-ID</code> header and ends after the task's last event.</p>\
         <h3>Example</h3><pre>curl -N http://127.0.0.1:7311{}</pre>",
        escape(&path),
        escape(&path.replace("{task_id}", "TASK")),
    );
}

fn verb(capability: &Capability) -> &'static str {
    match capability.route.method {
        Method::Get => "GET",
        Method::Post => "POST",
    }
}

fn fields(out: &mut String, schema: &Map<String, Value>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object).filter(|fields| !fields.is_empty())
    else {
        out.push_str("<p>None.</p>");
        return;
    };
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    out.push_str("<table>");
    for (name, field) in properties {
        let about = field.get("description").and_then(Value::as_str).unwrap_or_default();
        let _ = write!(
            out,
            "<tr><td><code>{}</code>{}</td><td>{}</td><td>{}</td></tr>",
            escape(name),
            if required.contains(&name.as_str()) { "" } else { "?" },
            escape(&kind(field)),
            escape(about)
        );
    }
    out.push_str("</table>");
}

/// The type of a field in a few words.
fn kind(schema: &Value) -> String {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let names: Vec<_> =
            choices.iter().map(|choice| choice.as_str().map_or_else(|| choice.to_string(), Into::into)).collect();
        return names.join(", ");
    }
    let mut kind = match schema.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => "any".to_owned(),
    };
    if let Some(items) = schema.get("items") {
        let _ = write!(kind, " of {}", self::kind(items));
    }
    if let Some(inner) = schema.get("properties").and_then(Value::as_object) {
        let names: Vec<&str> = inner.keys().map(String::as_str).collect();
        let _ = write!(kind, " {{{}}}", names.join(", "));
    }
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(least), Some(most)) => drop(write!(kind, ", {least} to {most}")),
        (Some(least), None) => drop(write!(kind, ", at least {least}")),
        (None, Some(most)) => drop(write!(kind, ", at most {most}")),
        (None, None) => {}
    }
    kind
}

fn example(capability: &Capability) -> String {
    let path = capability.route.path.replace("{device_id}", "phone-1").replace("{task_id}", "TASK");
    let url = format!("http://127.0.0.1:7311{path}");
    match capability.route.method {
        Method::Get => format!("curl {url}"),
        Method::Post => {
            let body = example_body(capability);
            format!("curl {url} \\\n  --json '{body}'")
        }
    }
}

/// The required arguments with made-up values; the rest is for the reader to choose.
fn example_body(capability: &Capability) -> Value {
    let properties = capability.input.get("properties").and_then(Value::as_object);
    let required = capability.input.get("required").and_then(Value::as_array).into_iter().flatten();
    let fields =
        required.filter_map(Value::as_str).filter(|name| !capability.route.path.contains(&format!("{{{name}}}")));
    let fields = fields.map(|name| {
        let schema = properties.and_then(|properties| properties.get(name)).cloned().unwrap_or_default();
        (name.to_owned(), sample(&schema))
    });
    Value::Object(fields.collect())
}

fn sample(schema: &Value) -> Value {
    if let Some(first) = schema.get("enum").and_then(|choices| choices.get(0)) {
        return first.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("number" | "integer") => schema.get("minimum").cloned().unwrap_or_else(|| Value::from(1)),
        Some("boolean") => Value::Bool(true),
        Some("array") => Value::Array(Vec::new()),
        Some("object") => Value::Object(Map::new()),
        _ => Value::from("…"),
    }
}

fn errors(out: &mut String) {
    out.push_str(
        "<h2 id=\"errors\">Errors</h2><p>Every error has the same body on both doors: <code>code</code>, \
         <code>message</code>, <code>hint</code> (what to do next), <code>retryable</code>, <code>outcome</code> \
         (<code>not_done</code>, <code>unknown</code> or <code>done</code>), <code>device_id</code>, <code>details</code> and \
         <code>request_id</code>.</p><table><tr><th>code</th><th>status</th><th>retryable</th></tr>",
    );
    for code in Code::ALL {
        let _ = write!(
            out,
            "<tr id=\"{0}\"><td><code>{0}</code></td><td>{1}</td><td>{2}</td></tr>",
            problem::name(code),
            problem::status(code).as_u16(),
            if code.retryable() { "yes" } else { "no" }
        );
    }
    out.push_str("</table>");
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(letter),
        }
    }
    out
}
