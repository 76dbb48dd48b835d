//! Where questions go: the server, the protocol and the key that a configuration comes to.
//!
//! Knows genai's names for providers. Nothing is sent here.

use crate::{ModelConfig, ModelError};
use genai::{
    Client, Headers, ModelIden, ModelSpec, ServiceTarget,
    adapter::AdapterKind,
    resolver::{AuthData, Endpoint},
};
use reqwest::{Url, header::HeaderValue, redirect::Policy};
use std::time::Duration;

/// Where Ollama listens when nothing else is said.
const OLLAMA: &str = "http://localhost:11434/v1";
/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Where the questions to one model go.
pub(crate) struct Target {
    pub(crate) client: Client,
    pub(crate) spec: ModelSpec,
    /// A host or a provider's name, for messages.
    pub(crate) host: String,
    /// The key, which must stand in no message.
    pub(crate) key: Option<String>,
    /// The environment variable that should have had the key, and has not.
    pub(crate) missing: Option<&'static str>,
    /// Whether the server speaks OpenAI's protocol, and a schema can be sent to it as it is.
    pub(crate) plain: bool,
    /// Whether the server is one that only speaks OpenAI's protocol, whose models' names mean nothing to us.
    pub(crate) foreign: bool,
}

impl Target {
    pub(crate) fn new(config: &ModelConfig) -> Result<Target, ModelError> {
        let (space, name) = match config.model.split_once("::") {
            Some((space, name)) => (Some(space), name),
            None => (None, config.model.as_str()),
        };
        if name.trim().is_empty() {
            return wrong("model is empty; give a name, as in \"openai::gpt-5-mini\"");
        }
        let key = config.api_key.as_deref().map(str::trim).filter(|key| !key.is_empty()).map(str::to_owned);
        if let Some(base) = &config.base_url {
            return match space {
                None | Some("openai" | "ollama") => Target::at(base, name, key),
                Some("anthropic") => Target::behind(AdapterKind::Anthropic, base, &config.model, key),
                Some("gemini") => Target::behind(AdapterKind::Gemini, base, &config.model, key),
                Some(space) => wrong(&format!(
                    "model names the provider {space:?}, but base_url another server, which can speak the protocol of openai, \
                     anthropic or gemini; leave one of them out, or give the model's name without {space}::"
                )),
            };
        }
        let kind = match space {
            Some(space) if AdapterKind::from_lower_str(space).is_none() => {
                return wrong(&format!(
                    "model names the provider {space:?}, which is not known; give openai, anthropic, gemini, ollama or another \
                     that genai knows, or a bare name with base_url"
                ));
            }
            _ => AdapterKind::from_model(&config.model).unwrap_or(AdapterKind::Ollama),
        };
        if kind == AdapterKind::Ollama {
            return Target::at(OLLAMA, name, key);
        }
        Target::of(kind, &config.model, key)
    }

    /// A server that speaks OpenAI's protocol.
    fn at(base: &str, name: &str, key: Option<String>) -> Result<Target, ModelError> {
        let (mut url, host) = server(base)?;
        url.set_path(&format!("{}/chat/completions", url.path().trim_end_matches('/')));
        let mut headers = Headers::default();
        if let Some(key) = &key {
            headers.merge(("Authorization", format!("Bearer {}", sendable(key)?)));
        }
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(url.as_str()),
            // The address as we made it: without a key, no header names one.
            auth: AuthData::RequestOverride { url: url.to_string(), headers },
            model: ModelIden::new(AdapterKind::OpenAI, format!("openai::{name}")),
        };
        let client = Client::builder().with_reqwest(http()?).build().map_err(unbuilt)?;
        Ok(Target { client, spec: target.into(), host, key, missing: None, plain: true, foreign: true })
    }

    /// A server that speaks the protocol of a provider, as a gateway before it does.
    fn behind(kind: AdapterKind, base: &str, model: &str, key: Option<String>) -> Result<Target, ModelError> {
        let (mut url, host) = server(base)?;
        if url.query().is_some() {
            return wrong("base_url has a query, which cannot be sent in this provider's protocol; leave it out");
        }
        // What is asked for is added to it as it stands.
        url.set_path(&format!("{}/", url.path().trim_end_matches('/')));
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(url.as_str()),
            // The header cannot be left out: without a key it is empty.
            auth: AuthData::from_single(sendable(key.as_deref().unwrap_or_default())?),
            model: ModelIden::new(kind, model),
        };
        let client = Client::builder().with_reqwest(http()?).build().map_err(unbuilt)?;
        Ok(Target { client, spec: target.into(), host, key, missing: None, plain: false, foreign: false })
    }

    /// A provider that genai knows.
    fn of(kind: AdapterKind, model: &str, key: Option<String>) -> Result<Target, ModelError> {
        let variable = kind.default_key_env_name();
        let key = key.or_else(|| std::env::var(variable?).ok().filter(|key| !key.trim().is_empty()));
        let mut client = Client::builder().with_reqwest(http()?);
        if let Some(key) = &key {
            client = client.append_provider_config(kind, AuthData::from_single(sendable(key)?));
        }
        let client = client.build().map_err(unbuilt)?;
        let missing = variable.filter(|_| key.is_none());
        let (spec, host) = (ModelIden::new(kind, model).into(), kind.as_str().to_owned());
        Ok(Target { client, spec, host, key, missing, plain: kind == AdapterKind::OpenAI, foreign: false })
    }
}

/// The server at a base address, and its name for messages.
fn server(base: &str) -> Result<(Url, String), ModelError> {
    let parsed = Url::parse(base).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let Some(mut url) = parsed else {
        return wrong("base_url is no http or https address; give one as in \"http://localhost:8080/v1\"");
    };
    if !url.username().is_empty() || url.password().is_some() {
        return wrong("base_url has a user or password in it; give the key as the model's API key instead");
    }
    url.set_fragment(None);
    let host = match (url.host_str().unwrap_or_default(), url.port()) {
        (host, Some(port)) => format!("{host}:{port}"),
        (host, None) => host.to_owned(),
    };
    Ok((url, host))
}

/// An address without what may be secret in it.
pub(crate) fn without_secrets(base: &str) -> String {
    match Url::parse(base) {
        Ok(mut url) => {
            url.set_query(None);
            url.set_fragment(None);
            // Neither can fail for an address that has them.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.to_string()
        }
        Err(_) => "(no address)".to_owned(),
    }
}

/// A key that can stand in a header.
fn sendable(key: &str) -> Result<&str, ModelError> {
    match HeaderValue::from_str(key) {
        Ok(_) => Ok(key),
        Err(_) => {
            wrong("the API key has characters that no key has; see that it was copied whole, and nothing else with it")
        }
    }
}

fn http() -> Result<reqwest::Client, ModelError> {
    // The client speaks TLS, and wants to know by whose cryptography before it is made. Only a second call could fail.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // Key and picture go to the server that the operator named, and to no other. What is unpacked could be of any size.
    let client = reqwest::Client::builder().redirect(Policy::none()).no_gzip().connect_timeout(CONNECT).build();
    client.or_else(|error| wrong(&format!("no encrypted connections can be made here ({})", error.without_url())))
}

fn unbuilt(error: genai::Error) -> ModelError {
    ModelError::Config { reason: error.to_string() }
}

fn wrong<T>(reason: &str) -> Result<T, ModelError> {
    Err(ModelError::Config { reason: reason.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(model: &str, base_url: Option<&str>, key: Option<&str>) -> ModelConfig {
        ModelConfig {
            model: model.to_owned(),
            base_url: base_url.map(str::to_owned),
            api_key: key.map(str::to_owned),
            answers: crate::Answers::Auto,
            pictures: true,
            timeout: Duration::from_secs(1),
            retries: 0,
            max_tokens: 100,
            price: None,
        }
    }

    fn told(model: &str, base_url: Option<&str>, key: Option<&str>) -> String {
        match Target::new(&config(model, base_url, key)) {
            Ok(target) => target.host,
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn each_name_leads_to_a_server() {
        for (model, base, host) in [
            ("openai::gpt-5-mini", None, "OpenAI"),
            ("gpt-5-mini", None, "OpenAIResp"),
            ("anthropic::claude-x", None, "Anthropic"),
            ("gemini::gemini-x", None, "Gemini"),
            ("ollama::qwen3:8b", None, "localhost:11434"),
            ("qwen3:8b", None, "localhost:11434"),
            ("qwen3:8b", Some("http://box:8080/v1/"), "box:8080"),
            ("openai::x", Some("https://models.test/v1?api-version=1"), "models.test"),
            ("anthropic::x", Some("http://gateway:8080/v1"), "gateway:8080"),
            ("gemini::x", Some("https://gateway.test/v1beta/"), "gateway.test"),
        ] {
            assert_eq!(told(model, base, Some("k")), host, "{model} {base:?}");
        }
    }

    #[test]
    fn the_path_is_added_before_the_query() {
        let target = Target::new(&config("x", Some("https://models.test/v1/?v=1"), None)).ok().unwrap();
        let ModelSpec::Target(ServiceTarget { endpoint, .. }) = target.spec else { panic!("a target") };
        assert_eq!(endpoint.base_url(), "https://models.test/v1/chat/completions?v=1");
    }

    #[test]
    fn what_cannot_be_meant_is_refused_without_the_key() {
        for (model, base, key, part) in [
            ("", None, None, "model is empty"),
            ("openai::", None, None, "model is empty"),
            ("nobody::x", None, None, "\"nobody\""),
            ("groq::x", Some("http://box/v1"), None, "leave one of them out"),
            ("anthropic::x", Some("http://box/v1?v=1"), None, "has a query"),
            ("anthropic::x", Some("http://box/v1"), Some("hunter2\nhunter2"), "API key"),
            ("x", Some("box:8080"), None, "base_url is no http"),
            ("x", Some("ftp://box/v1"), None, "base_url is no http"),
            ("x", Some("http://me:hunter2@box/v1"), None, "a user or password"),
            ("x", Some("http://box/v1"), Some("hunter2\nhunter2"), "API key"),
            ("openai::x", None, Some("hunter2\nhunter2"), "API key"),
        ] {
            let told = told(model, base, key);
            assert!(told.contains(part) && !told.contains("hunter2"), "{model} {base:?}: {told}");
        }
    }
}
