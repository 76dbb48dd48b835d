//! The declaration of a capability, and the list of all of them.

use super::{Code, Error};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

/// What a capability does to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It only looks.
    Read,
    /// It acts.
    Act,
    /// It acts in a way that can lose something.
    Destructive,
}

/// How a capability is reached by route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reads; arguments come in path and query.
    Get,
    /// Arguments come in path, query and a JSON body.
    Post,
}

/// Where a capability stands among the routes. `{name}` in the path is the argument of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Which verb.
    pub method: Method,
    /// Such as `/devices/{device_id}/tap`.
    pub path: &'static str,
}

/// Who calls. The holder of a lease is told from this.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    /// The stdio process or the MCP session, where there is one: it names the holder alone.
    pub session: Option<String>,
    /// Name of the token and of the client, for callers without a session.
    pub client: String,
    /// The most bytes that a picture for this caller may have, where its door has a limit.
    pub picture_limit: Option<usize>,
}

/// A picture that goes with an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// `image/jpeg` or `image/png`.
    pub media_type: &'static str,
    /// Encoded.
    pub bytes: Bytes,
}

/// What a capability answers: an object that fits its output schema, and perhaps a picture. The doors decide how the
/// picture travels; `body` never holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Fits the capability's output schema.
    pub body: Map<String, Value>,
    /// A picture.
    pub image: Option<Image>,
}

/// The function behind a capability; its arguments have been checked against the input schema.
pub type Invoke = Arc<dyn Fn(Map<String, Value>, Caller) -> BoxFuture<'static, Result<Answer, Error>> + Send + Sync>;

/// One thing that a caller may ask for.
#[derive(Clone)]
pub struct Capability {
    /// Tool name.
    pub name: &'static str,
    /// A few words for people.
    pub title: &'static str,
    /// One paragraph for models and people.
    pub description: &'static str,
    /// What it does to the device.
    pub effect: Effect,
    /// Its route.
    pub route: Route,
    /// JSON Schema of the arguments: an object without additional properties.
    pub input: Map<String, Value>,
    /// JSON Schema of [`Answer::body`].
    pub output: Map<String, Value>,
    /// Whether an answer may carry a picture.
    pub has_image: bool,
    /// Whether it is a tool too; what stands beside the contract's rows is a route alone.
    pub tool: bool,
    /// What it runs.
    pub invoke: Invoke,
}

/// All capabilities, in the order in which the doors list them.
#[derive(Clone)]
pub struct Catalogue {
    capabilities: Arc<Vec<Capability>>,
    by_name: Arc<HashMap<&'static str, usize>>,
}

/// A catalogue for those that it holds itself: they would keep it alive for ever.
pub(super) struct Offered {
    capabilities: Weak<Vec<Capability>>,
    by_name: Weak<HashMap<&'static str, usize>>,
}

impl Offered {
    /// The catalogue, while somebody offers it.
    pub(super) fn catalogue(&self) -> Option<Catalogue> {
        Some(Catalogue { capabilities: self.capabilities.upgrade()?, by_name: self.by_name.upgrade()? })
    }
}

impl Catalogue {
    /// A catalogue of these.
    pub fn new(capabilities: Vec<Capability>) -> Self {
        let by_name = capabilities.iter().enumerate().map(|(index, capability)| (capability.name, index)).collect();
        Catalogue { capabilities: Arc::new(capabilities), by_name: Arc::new(by_name) }
    }

    /// A handle that does not keep it alive.
    pub(super) fn offered(&self) -> Offered {
        Offered { capabilities: Arc::downgrade(&self.capabilities), by_name: Arc::downgrade(&self.by_name) }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Capability> {
        self.capabilities.iter()
    }

    /// Those that are tools.
    pub fn tools(&self) -> impl Iterator<Item = &Capability> {
        self.iter().filter(|capability| capability.tool)
    }

    /// The one with this name.
    pub fn get(&self, name: &str) -> Option<&Capability> {
        self.by_name.get(name).map(|index| &self.capabilities[*index])
    }

    /// Runs a capability: checks the arguments against its schema, keeps a panic from reaching the door.
    ///
    /// # Errors
    /// [`Code::NotFound`] for an unknown name, else what the capability answers.
    pub async fn call(&self, name: &str, arguments: Map<String, Value>, caller: Caller) -> Result<Answer, Error> {
        let Some(capability) = self.get(name) else {
            return Err(Error::new(
                Code::NotFound,
                format!("there is no tool named {name:?}"),
                "List the tools and use one of their names.",
            ));
        };
        let arguments = super::arguments::accept(&capability.input, arguments)?;
        // Called inside the guard: a function may panic before it has made its future.
        super::guard(capability.name, async move { (capability.invoke)(arguments, caller).await }).await
    }
}
