//! The routes about the agent itself: status, session, settings, page source.

use super::Sim;
use super::device;
use super::elements;
use super::errors::{Failure, Result};
use super::faults::Source;
use super::router::{Answer, Call};
use super::session::{Tested, Wishes, default_settings};
use super::source::Form;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// `GET /status`.
pub(crate) fn status(sim: &Sim, _: &Call) -> Result<Answer> {
    let os = &sim.options.os_version;
    let mut build = json!({
        "time": "Aug 22 2026 10:00:00",
        "productBundleIdentifier": "com.facebook.WebDriverAgentRunner",
    });
    if let Some(version) = sim.options.generation.build_version() {
        build["version"] = version.into();
    }
    Ok(json!({
        "ready": true,
        "message": "WebDriverAgent is ready to accept commands",
        "state": "success",
        "os": { "name": "iOS", "version": os, "sdkVersion": os, "testmanagerdVersion": 65535 },
        "ios": { "ip": "127.0.0.1" },
        "build": build,
        "device": "iphone",
    })
    .into())
}

/// `GET /health`.
pub(crate) fn health(_: &Sim, _: &Call) -> Result<Answer> {
    Ok(Answer::page("<!DOCTYPE html><html><title>Health Check</title><body><p>I-AM-ALIVE</p></body></html>"))
}

/// `GET /calibrate`.
pub(crate) fn calibrate(_: &Sim, _: &Call) -> Result<Answer> {
    Ok(Answer::page("<html><head><title>{\"x\":null,\"y\":null}</title></head><body></body></html>"))
}

/// `GET /wda/healthcheck`.
pub(crate) fn healthcheck(_: &Sim, _: &Call) -> Result<Answer> {
    Ok(Answer::nothing())
}

/// `GET /wda/shutdown`: nothing answers after this.
pub(crate) fn shutdown(_: &Sim, _: &Call) -> Result<Answer> {
    let end = |sim: &Sim| {
        sim.faults.die();
        Ok(())
    };
    Ok(Answer::page("Shutting down").last(end))
}

/// `POST /timeouts`, `OPTIONS /*`.
pub(crate) fn nothing(_: &Sim, _: &Call) -> Result<Answer> {
    Ok(Answer::nothing())
}

fn capabilities(sim: &Sim) -> Value {
    let mut capabilities = json!({ "device": "iphone", "sdkVersion": sim.options.os_version });
    if !sim.options.generation.has(5, 9, 0) {
        let bundle = elements::in_front(&sim.agent(), &sim.phone());
        capabilities["browserName"] = sim.phone().active_app().name.into();
        capabilities["CFBundleIdentifier"] = bundle.into();
    }
    capabilities
}

/// `GET /session/ID`.
pub(crate) fn session(sim: &Sim, _: &Call) -> Result<Answer> {
    let capabilities = capabilities(sim);
    Ok(json!({ "sessionId": sim.agent().session_id(), "capabilities": capabilities }).into())
}

/// The capabilities that apply: `alwaysMatch` with the first of `firstMatch` that goes with it.
fn merged(arguments: &Map<String, Value>) -> Result<Map<String, Value>> {
    let refuse = |text: &str| Err(Failure::session_not_created(text));
    let Some(Value::Object(capabilities)) = arguments.get("capabilities") else {
        return refuse("'capabilities' is mandatory to create a new session");
    };
    let always = match capabilities.get("alwaysMatch") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(always)) => plain(always)?,
        Some(_) => return refuse("'alwaysMatch' must be an object"),
    };
    let first = match capabilities.get("firstMatch") {
        None | Some(Value::Null) => vec![Map::new()],
        Some(Value::Array(list)) if list.is_empty() => vec![Map::new()],
        Some(Value::Array(list)) => {
            let entry = |entry: &Value| match entry {
                Value::Object(entry) => plain(entry),
                _ => Err(Failure::session_not_created("'firstMatch' must be an array of objects")),
            };
            list.iter().map(entry).collect::<Result<Vec<_>>>()?
        }
        Some(_) => return refuse("'firstMatch' must be an array of objects"),
    };
    for entry in first {
        if entry.keys().all(|key| !always.contains_key(key)) {
            let mut merged = always.clone();
            merged.extend(entry);
            return Ok(merged);
        }
    }
    refuse("Could not find matching capabilities")
}

/// Without the vendor's prefix, which standard names must not carry.
fn plain(capabilities: &Map<String, Value>) -> Result<Map<String, Value>> {
    const STANDARD: [&str; 8] = [
        "browserName",
        "browserVersion",
        "platformName",
        "acceptInsecureCerts",
        "pageLoadStrategy",
        "proxy",
        "setWindowRect",
        "timeouts",
    ];
    let mut list = Map::new();
    for (name, value) in capabilities {
        let bare = name.strip_prefix("appium:").unwrap_or(name);
        if bare != name && STANDARD.contains(&bare) {
            return Err(Failure::session_not_created(format!("The capability '{bare}' must not be prefixed")));
        }
        list.insert(bare.to_owned(), value.clone());
    }
    Ok(list)
}

/// `POST /session`. The session that stood ends even if this one cannot be created.
pub(crate) fn new_session(sim: &Sim, call: &Call) -> Result<Answer> {
    end_session(sim);
    let wanted = merged(&call.arguments)?;
    let flag = |name: &str, usual: bool| wanted.get(name).and_then(Value::as_bool).unwrap_or(usual);
    let bundle = wanted.get("bundleId").and_then(Value::as_str);
    if let Some(bundle) = bundle {
        let arguments = wanted.get("arguments").and_then(Value::as_array).into_iter().flatten();
        let arguments = arguments.filter_map(Value::as_str).map(str::to_owned).collect();
        let fresh = flag("forceAppLaunch", true);
        device::bring(sim, bundle, fresh, arguments).map_err(|text| {
            Failure::session_not_created(format!("Cannot launch {bundle} application. Original error: {text}"))
        })?;
    }
    let known = default_settings();
    let mut settings: Map<String, Value> = wanted
        .iter()
        .filter(|(name, value)| known.contains_key(*name) && !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if !flag("shouldWaitForQuiescence", true) {
        settings.insert("waitForIdleTimeout".to_owned(), 0.into());
    }
    let wishes = Wishes {
        tested: bundle.map(|bundle| Tested { bundle: bundle.to_owned(), expected: true }),
        terminate_at_end: flag("shouldTerminateApp", true),
        settings,
    };
    let id = sim.agent().begin_session(wishes);
    let value = json!({ "sessionId": id, "capabilities": capabilities(sim) });
    Ok(Answer::from(value).after(sim.idle_wait(false), |_| Ok(())))
}

/// Ends the session that stands and, where it was asked for, its app.
fn end_session(sim: &Sim) {
    let session = sim.agent().session.take();
    if let Some(session) = session
        && let Some(tested) = session.tested.filter(|_| session.terminate_at_end)
    {
        device::end(sim, &tested.bundle);
    }
}

/// `DELETE /session/ID`.
pub(crate) fn delete_session(sim: &Sim, _: &Call) -> Result<Answer> {
    end_session(sim);
    Ok(Answer::nothing())
}

/// `GET /appium/settings`.
pub(crate) fn settings(sim: &Sim, _: &Call) -> Result<Answer> {
    Ok(Value::Object(sim.agent().settings.clone()).into())
}

/// `POST /appium/settings`: unknown names and nulls change nothing.
pub(crate) fn set_settings(sim: &Sim, call: &Call) -> Result<Answer> {
    let Some(Value::Object(changes)) = call.arguments.get("settings") else {
        return Err(Failure::invalid_argument("Missing or invalid 'settings' parameter"));
    };
    let mut agent = sim.agent();
    for (name, value) in changes {
        if !agent.settings.contains_key(name) {
            continue;
        }
        if !value.is_null() {
            agent.settings.insert(name.clone(), value.clone());
        } else if name.to_lowercase().contains("alert") {
            agent.settings.insert(name.clone(), "".into());
        }
    }
    Ok(Value::Object(agent.settings.clone()).into())
}

/// `GET /source`.
pub(crate) fn source(sim: &Sim, call: &Call) -> Result<Answer> {
    let format = call.query("format").unwrap_or("xml").to_lowercase();
    let failed = || Failure::unknown(format!("Cannot get '{format}' source of the current application"));
    if let Some(source) = sim.faults.source() {
        return match (source, format.as_str()) {
            (Source::Raw(body), _) => Ok(Answer::raw(200, body)),
            (Source::Xml(text), "xml") => Ok(Value::from(text).into()),
            (Source::Json(tree), "json") => Ok(tree.into()),
            _ => Err(failed()),
        };
    }
    let snapshot = elements::snapshot(sim)?;
    let excluded = call.query("excluded_attributes").unwrap_or_default();
    let form = Form {
        generation: sim.options.generation,
        excluded: excluded.split(',').map(str::trim).filter(|name| !name.is_empty()).collect(),
        scope: call.query("scope").filter(|scope| !scope.is_empty()),
        settings: sim.agent().settings.clone(),
    };
    let wait = if format == "xml" { sim.still_wait() } else { Duration::ZERO };
    let value = match format.as_str() {
        "xml" => snapshot.xml(&form).into(),
        "json" => snapshot.json(&form, |_| true),
        "description" => snapshot.description().into(),
        other => return Err(Failure::invalid_argument(format!("Unknown source format '{other}'"))),
    };
    Ok(Answer::from(value).after(wait, |_| Ok(())))
}

/// `GET /wda/accessibleSource`: only what a screen reader would stop at.
pub(crate) fn accessible_source(sim: &Sim, _: &Call) -> Result<Answer> {
    let snapshot = elements::snapshot(sim)?;
    let form = Form { generation: sim.options.generation, ..Form::default() };
    Ok(snapshot.json(&form, |element| element.accessible).into())
}
