//! The OpenAPI 3.1 document, made from the catalogue: the same bytes for the same catalogue.
//!
//! It knows the document's form; it does not know any capability by name.

use super::{
    events,
    problem::{self, PROBLEM_JSON},
};
use crate::capability::{Capability, Catalogue, Code, Effect, Method};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The document.
pub fn document(catalogue: &Catalogue) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for capability in catalogue.iter() {
        let verb = match capability.route.method {
            Method::Get => "get",
            Method::Post => "post",
        };
        let path = paths.entry(capability.route.path).or_insert_with(|| json!({}));
        path[verb] = operation(capability);
    }
    paths.extend(events::documented(catalogue));
    for (path, summary, media_type, body) in server_routes() {
        paths.insert(path.into(), server_route(path, summary, media_type, body));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Fingertip",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Hands and eyes on real phones. Every operation here is also a tool of the same name for agents.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"}
        },
        "servers": [{"url": "/", "description": "This server."}],
        "security": [{}, {"token": []}],
        "tags": tags(catalogue),
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Needed where the server has a token: always, unless it listens on this machine only."
                }
            },
            "schemas": {"Problem": problem_schema()},
            "responses": problem_responses()
        }
    })
}

fn operation(capability: &Capability) -> Value {
    let properties = capability.input.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let in_path = path_names(capability.route.path);
    let mut parameters: Vec<Value> =
        in_path.iter().map(|name| parameter(name, "path", true, properties.get(*name))).collect();
    let rest: Map<String, Value> =
        properties.into_iter().filter(|(name, _)| !in_path.contains(&name.as_str())).collect();
    let required: Vec<&str> = capability
        .input
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(|name| !in_path.contains(name))
        .collect();
    let mut operation = json!({
        "operationId": capability.name,
        "summary": capability.title,
        "description": capability.description,
        "tags": [tag(capability)],
        "responses": responses(capability),
    });
    match capability.route.method {
        Method::Get => {
            let query = rest
                .iter()
                .map(|(name, schema)| parameter(name, "query", required.contains(&name.as_str()), Some(schema)));
            parameters.extend(query);
        }
        Method::Post => {
            let mut schema = json!({"type": "object", "properties": rest, "additionalProperties": false});
            if !required.is_empty() {
                schema["required"] = json!(required);
            }
            operation["requestBody"] = json!({"required": true, "content": {"application/json": {"schema": schema}}});
        }
    }
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
    operation
}

/// An argument that is not in the body.
pub(super) fn parameter(name: &str, place: &str, required: bool, schema: Option<&Value>) -> Value {
    let mut schema = schema.cloned().unwrap_or_else(|| json!({"type": "string"}));
    let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
    let mut parameter = json!({"name": name, "in": place, "required": required, "schema": schema});
    if let Some(description) = description {
        parameter["description"] = description;
    }
    parameter
}

fn responses(capability: &Capability) -> Value {
    let mut schema = Value::Object(capability.output.clone());
    let mut content = json!({});
    if capability.has_image {
        let binary = json!({"schema": {"type": "string", "contentMediaType": "image/jpeg"}});
        content["image/jpeg"] = binary;
        content["image/png"] = json!({"schema": {"type": "string", "contentMediaType": "image/png"}});
        schema = with_picture(schema);
    }
    content["application/json"] = json!({"schema": schema});
    let mut good = json!({"description": "Done.", "content": content});
    let mut status = "200";
    if capability.name == "start_task" {
        status = "202";
        good["description"] = json!("Accepted; look for the task where Location says.");
        good["headers"] = json!({"Location": {"description": "The task.", "schema": {"type": "string"}}});
    }
    let mut responses = json!({status: good});
    for status in statuses(capability.route.method) {
        responses[status.to_string()] = json!({"$ref": format!("#/components/responses/Problem{status}")});
    }
    responses
}

fn with_picture(mut schema: Value) -> Value {
    let picture = json!({
        "type": "object",
        "description": "The picture, where there is one. An Accept header that names a picture gets it as the body instead.",
        "properties": {
            "media_type": {"type": "string", "enum": ["image/jpeg", "image/png"]},
            "data": {"type": "string", "contentEncoding": "base64"}
        },
        "required": ["media_type", "data"]
    });
    if let Some(fields) = schema.as_object_mut() {
        let properties = fields.entry("properties").or_insert_with(|| json!({}));
        properties["picture"] = picture;
    }
    schema
}

/// The statuses of problems that a route of this kind may answer with.
fn statuses(method: Method) -> BTreeSet<u16> {
    let mut statuses: BTreeSet<u16> = Code::ALL.into_iter().map(|code| problem::status(code).as_u16()).collect();
    if method == Method::Post {
        statuses.extend([413, 415]);
    }
    statuses
}

fn problem_responses() -> Value {
    let mut by_status: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    for code in Code::ALL {
        by_status.entry(problem::status(code).as_u16()).or_default().push(problem::name(code));
    }
    for status in [413, 415] {
        by_status.insert(status, vec![problem::name(Code::InvalidArguments)]);
    }
    let responses = by_status.into_iter().map(|(status, codes)| {
        let mut response = json!({
            "description": format!("code: {}", codes.join(", ")),
            "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}}
        });
        if matches!(status, 409 | 429 | 503) {
            let schema = json!({"type": "integer", "minimum": 1});
            response["headers"] = json!({"Retry-After": {"description": "Seconds to wait.", "schema": schema}});
        }
        (format!("Problem{status}"), response)
    });
    Value::Object(responses.collect())
}

fn problem_schema() -> Value {
    let mut schema = problem::schema();
    let fields = &mut schema["properties"];
    fields["type"] = json!({"type": "string", "description": "Where the code is explained."});
    fields["title"] = json!({"type": "string"});
    fields["status"] = json!({"type": "integer"});
    schema
}

/// The names in braces.
fn path_names(path: &str) -> Vec<&str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect()
}

fn tag(capability: &Capability) -> &'static str {
    let first = capability.route.path.split('/').nth(1).unwrap_or_default();
    match (first, capability.effect) {
        ("devices", Effect::Read) => "looking",
        ("devices", _) => "acting",
        _ => "tasks",
    }
}

fn tags(catalogue: &Catalogue) -> Value {
    let known = [
        ("looking", "What is on a phone."),
        ("acting", "What a phone is made to do."),
        ("tasks", "Goals that the server works on by itself."),
        ("server", "The server itself."),
    ];
    let used: BTreeSet<&str> = catalogue.iter().map(tag).chain(["server"]).collect();
    let used = known.into_iter().filter(|(name, _)| used.contains(name));
    used.map(|(name, description)| json!({"name": name, "description": description})).collect()
}

fn server_routes() -> [(&'static str, &'static str, &'static str, Value); 4] {
    let answer =
        |field: &str| json!({"type": "object", "properties": {field: {"type": "boolean"}}, "required": [field]});
    [
        ("/healthz", "Whether the server lives", "application/json", answer("ok")),
        ("/readyz", "Whether the server takes calls", "application/json", answer("ready")),
        ("/metrics", "Counts for Prometheus", "text/plain", json!({"type": "string"})),
        ("/plugins", "Which plugins are loaded", "application/json", json!({"type": ["object", "array"]})),
    ]
}

fn server_route(path: &str, summary: &str, media_type: &str, schema: Value) -> Value {
    let mut responses = json!({
        "200": {"description": "Done.", "content": {media_type: {"schema": schema.clone()}}},
        "403": {"$ref": "#/components/responses/Problem403"}
    });
    let mut operation = json!({
        "operationId": path.trim_start_matches('/'), "summary": summary, "tags": ["server"],
    });
    match path {
        "/healthz" => operation["security"] = json!([]),
        "/readyz" => {
            operation["security"] = json!([]);
            responses["503"] = json!({"description": "Not now.", "content": {media_type: {"schema": schema}}});
        }
        _ => responses["401"] = json!({"$ref": "#/components/responses/Problem401"}),
    }
    operation["responses"] = responses;
    json!({"get": operation})
}
