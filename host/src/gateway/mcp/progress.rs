//! News of a task for a client that waits in `get_task` and asked for them.
//!
//! It knows the protocol's progress notifications and how `get_task` tells events. What a step means it does not know.

use crate::capability::{Caller, Capability, Catalogue};
use rmcp::{
    RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::RequestContext,
};
use serde_json::{Map, Value, json};
use std::convert::Infallible;

/// How long one question waits for something new. The call that is waited for has an end of its own.
const WAIT_MS: u64 = 30_000;

/// Tells the client of each step that begins while this call runs; it goes on until it is dropped with the call.
///
/// Only a call that waits for a task's end has something to tell: with `after` the first event is its answer.
pub fn tell(
    catalogue: &Catalogue,
    capability: &Capability,
    arguments: &Map<String, Value>,
    caller: &Caller,
    context: &RequestContext<RoleServer>,
) -> impl Future<Output = Infallible> + Send + use<> {
    let waits = capability.name == "get_task"
        && !arguments.contains_key("after")
        && arguments.get("wait_ms").and_then(Value::as_f64).is_some_and(|wait| wait > 0.0);
    let token = context.meta.get_progress_token().filter(|_| waits);
    let watch = token.map(|token| Watch {
        catalogue: catalogue.clone(),
        task: arguments.get("task_id").cloned().unwrap_or_default(),
        caller: caller.clone(),
        context: context.clone(),
        token,
    });
    async {
        if let Some(watch) = watch {
            // Of a task that is not there the call itself says so.
            let _ = watch.follow().await;
        }
        std::future::pending().await
    }
}

struct Watch {
    catalogue: Catalogue,
    task: Value,
    caller: Caller,
    context: RequestContext<RoleServer>,
    token: ProgressToken,
}

impl Watch {
    /// Ends when there is nobody to tell, or nothing more to be told.
    async fn follow(&self) -> Option<Infallible> {
        // How many steps had begun before: these are no news.
        let before = self.ask(u32::MAX.into(), 0).await?["task"]["used"]["steps"].as_u64()?;
        let (mut after, mut begun) = (Value::from(0), 0);
        loop {
            let body = self.ask(after, WAIT_MS).await?;
            for event in body["events"].as_array()?.iter().filter(|event| event["kind"] == "step_started") {
                begun += 1;
                if begun > before {
                    self.notify(begun, event).await?;
                }
            }
            after = body["next"].clone();
            let status = body["task"]["status"].as_str()?;
            if matches!(status, "succeeded" | "failed" | "cancelled") && body["events"].as_array()?.is_empty() {
                return None;
            }
        }
    }

    async fn ask(&self, after: Value, wait_ms: u64) -> Option<Value> {
        let arguments = json!({ "task_id": self.task, "after": after, "wait_ms": wait_ms });
        let Value::Object(arguments) = arguments else { return None };
        let answer = self.catalogue.call("get_task", arguments, self.caller.clone()).await.ok()?;
        Some(Value::Object(answer.body))
    }

    async fn notify(&self, begun: u64, event: &Value) -> Option<()> {
        let what = event["data"]["what"].as_str().unwrap_or_default();
        let message = match event["step"].as_u64() {
            Some(step) => format!("step {step}: {what}"),
            None => what.to_owned(),
        };
        let told = ProgressNotificationParam::new(self.token.clone(), begun as f64).with_message(message);
        self.context.peer.notify_progress(told).await.ok()
    }
}
