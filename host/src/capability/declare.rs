//! Turns a typed function into a [`Capability`]: its schemas come from its argument and result types.

use super::{Answer, Caller, Capability, Context, Effect, Error, Image, Route, arguments};
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{future::Future, sync::Arc};

/// What is said of a capability beside its types.
pub struct Declaration {
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
}

/// What a capability's function gives back.
pub struct Reply<R> {
    body: R,
    image: Option<Image>,
}

impl<R> From<R> for Reply<R> {
    fn from(body: R) -> Self {
        Reply { body, image: None }
    }
}

impl<R> Reply<R> {
    /// A body with what was observed beside it.
    pub(super) fn observed(body: R, image: Option<Image>) -> Self {
        Reply { body, image }
    }

    /// The body and the picture.
    pub(super) fn into_parts(self) -> (R, Option<Image>) {
        (self.body, self.image)
    }

    pub(super) fn with_image(body: R, image: Image) -> Self {
        Reply { body, image: Some(image) }
    }
}

/// A capability whose answer is an object.
pub fn capability<A, R, B, F, Fut>(context: &Arc<Context>, declaration: Declaration, function: F) -> Capability
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    R: Serialize + JsonSchema + Send + 'static,
    B: Into<Reply<R>>,
    F: Fn(Arc<Context>, A, Caller) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<B, Error>> + Send + 'static,
{
    let context = context.clone();
    let Declaration { name, title, description, effect, route } = declaration;
    Capability {
        name,
        title,
        description,
        effect,
        route,
        input: arguments::input_schema_for::<A>(),
        output: arguments::output_schema_for::<R>(),
        has_image: false,
        tool: true,
        invoke: Arc::new(move |arguments, caller| {
            let (context, function) = (context.clone(), function.clone());
            Box::pin(async move {
                let (ledger, given, who) = (context.clone(), context.named(&arguments), caller.clone());
                let run = move || -> BoxFuture<'static, Result<Answer, Error>> {
                    Box::pin(async move {
                        // The schema has been checked, so that this fails only where the schema says less than the type.
                        let arguments = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
                            Error::invalid(error.to_string(), format!("See the description of {name}."))
                        })?;
                        let Reply { body, image } = function(context, arguments, caller).await?.into();
                        match serde_json::to_value(body) {
                            Ok(Value::Object(body)) => Ok(Answer { body, image }),
                            _ => panic!("the result of {name} is not an object"),
                        }
                    })
                };
                ledger.ledger.once(name, &who, &given, run).await
            })
        }),
    }
}

/// A capability whose answer may carry a picture.
pub(super) fn capability_with_image<A, R, F, Fut>(
    context: &Arc<Context>,
    declaration: Declaration,
    function: F,
) -> Capability
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    R: Serialize + JsonSchema + Send + 'static,
    F: Fn(Arc<Context>, A, Caller) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<Reply<R>, Error>> + Send + 'static,
{
    Capability { has_image: true, ..capability::<A, R, _, _, _>(context, declaration, function) }
}
