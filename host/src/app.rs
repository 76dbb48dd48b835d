//! Wires the layers: configuration to plugins, plugins to devices, devices to the catalogue, the catalogue to the doors.
//!
//! No logic of its own: it knows which part goes where.

use crate::{
    agent::{self, Agent, Parts, Seat},
    capability::{self, Capability, Catalogue, Context, Effect, Policy, Settings},
    config::{
        Config, ConfigError, PluginEntry, Recogniser, Secret,
        fences::{Fences, FencesError},
        instance::{Claim, ClaimError, Instance},
    },
    device::Manager,
    gateway::{Gateway, GatewayOptions},
    perception::ocr::Added,
    plugin::{self, Finder, Library, Loader, Running},
    vision::Vision,
};
use driver_api::PluginConfig;
use fingertip_models::{Answers, Model, ModelConfig, ModelError, Price};
use fingertip_tasks::{Limits, Memory, MemoryError};
use serde_json::{Value, json};
use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// How long the start waits for devices to be looked at, so that the first list tells how they are.
const SETTLE: Duration = Duration::from_millis(300);
/// How long letting go of the devices may take at the end.
const LET_GO: Duration = Duration::from_secs(5);
/// How long a plugin whose search for devices failed is left alone.
const SEARCH_PAUSE: Duration = Duration::from_secs(5);

/// Why the host does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The phones belong to another process, or the data folder cannot be used.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// The counter of leases cannot be kept.
    #[error(transparent)]
    Fences(#[from] FencesError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; choose another address with `listen` under [server]")]
    Listen {
        /// Which address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// What is known of tasks cannot be read.
    #[error(transparent)]
    Tasks(#[from] MemoryError),
    /// The model that works on tasks cannot be used as it is configured.
    #[error("[agent]: {0}")]
    Model(#[from] ModelError),
    /// The system gives no thread.
    #[error("the system gives no thread: {0}")]
    Thread(std::io::Error),
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(std::io::Error),
}

/// A plugin of the configuration, and what became of it.
pub struct PluginState {
    /// As the configuration calls it.
    pub named: String,
    /// Running, or why not.
    pub state: Result<Running, plugin::Error>,
}

/// A host that runs in this process.
pub struct App {
    /// What may be called.
    pub catalogue: Catalogue,
    /// All devices.
    pub manager: Manager,
    /// What works on tasks.
    agent: Agent,
    /// The plugins of the configuration.
    pub plugins: Arc<Vec<PluginState>>,
    /// Where it listens.
    pub address: SocketAddr,
    listener: TcpListener,
    config: Config,
    join_secret: Secret,
    /// Held for as long as the phones are this process's.
    _claim: Claim,
}

/// How a host is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// As the configuration says: by everybody who may.
    Configured,
    /// By other processes of this user only: the host of a client's connection that found no running server.
    Connected,
    /// By other processes of this user only: the host of a command that found no running server, and ends soon.
    Joined,
}

/// The catalogue as it is without any device, for documents and for joining a server that runs.
pub fn catalogue(config: &Config) -> Result<Catalogue, ConfigError> {
    let context = Context::new(Manager::new(Arc::new(|| (String::new(), 0))));
    Ok(Offered::new(config, &context, &Seat::default())?.all)
}

/// What is offered to callers, and to tasks: to these all of it but tasks.
struct Offered {
    all: Catalogue,
    to_tasks: Catalogue,
}

impl Offered {
    fn new(config: &Config, context: &Arc<Context>, seat: &Seat) -> Result<Offered, ConfigError> {
        let (phones, tasks) = (capability::catalogue(context), agent::capabilities(context, seat));
        let names = phones.iter().chain(&tasks).filter(|capability| capability.tool).map(|capability| capability.name);
        config.tools.check(&names.collect::<Vec<_>>())?;
        let acts = |capability: &Capability| capability.effect != Effect::Read;
        let offers = |capability: &&Capability| match capability.tool {
            true => config.tools.offers(capability.name, acts(capability)),
            // What is no tool cannot be named; it goes with the tool that it is about.
            false => config.tools.offers("get_task", acts(capability)),
        };
        let to_tasks: Vec<Capability> = phones.iter().filter(offers).cloned().collect();
        let all = to_tasks.iter().chain(tasks.iter().filter(offers)).cloned().collect();
        let offered = Offered { all: Catalogue::new(all), to_tasks: Catalogue::new(to_tasks) };
        context.offer(&offered.all);
        Ok(offered)
    }
}

/// What the operator forbids, in the words of those who hold to it.
fn policy(config: &Config) -> Policy {
    let tools = &config.tools;
    Policy {
        deny_apps: tools.deny_apps.clone(),
        url_schemes: tools.url_schemes.clone(),
        answer_alerts: tools.answer_alerts.clone(),
    }
}

/// The text recognisers that the operator added, for those who read with them.
pub fn recognisers(config: &Config) -> Vec<Added> {
    let added = |recogniser: &Recogniser| {
        let recogniser = recogniser.clone();
        Added { name: recogniser.model.display().to_string(), files: Box::new(move || recogniser.files()) }
    };
    config.perception.recognisers.iter().map(added).collect()
}

/// How often a model that cannot be reached is asked again.
const MODEL_RETRIES: u32 = 3;

/// The model that works on tasks.
fn model(config: &Config) -> Result<Option<Model>, ModelError> {
    let Some(model) = config.agent.model.clone() else { return Ok(None) };
    Model::new(ModelConfig {
        model: model.model,
        base_url: model.base_url.map(String::from),
        api_key: model.api_key.and_then(Result::ok).map(|key| key.expose().to_owned()),
        answers: model.answers.parse().unwrap_or(Answers::Auto),
        pictures: model.pictures,
        timeout: model.timeout,
        retries: MODEL_RETRIES,
        max_tokens: model.max_tokens,
        price: model.price.map(|(input, output)| Price { input, output }),
    })
    .map(Some)
}

/// What the operator chose for those who look and act.
fn settings(config: &Config) -> Settings {
    let vision = config.perception.vision.clone().map(Vision::new);
    Settings { policy: policy(config), recognisers: recognisers(config), vision }
}

impl App {
    /// Claims the data folder, loads the plugins, registers their devices, and listens.
    ///
    /// A plugin that is refused leaves the others, and the host, running.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(config: Config, reach: Reach) -> Result<App, StartError> {
        let claim = Instance::claim(&config.data_dir)?;
        let fences = Fences::open(&config.data_dir)?;
        let manager = Manager::new(Arc::new(move || {
            // An id that could be guessed would let one caller speak for another.
            let id = Secret::random().map(|secret| secret.expose().to_owned());
            (id.unwrap_or_else(|_| std::process::abort()), fences.next())
        }));
        let context = Context::with(manager.clone(), settings(&config));
        context.prepare();
        let seat = Seat::default();
        let Offered { all: catalogue, to_tasks } = Offered::new(&config, &context, &seat)?;
        let memory = Memory::open(&config.data_dir.join("tasks"), Limits::default())?;
        let parts = Parts {
            memory,
            tools: to_tasks,
            own: capability::catalogue(&context),
            config: config.agent.clone(),
            model: model(&config)?,
        };
        let agent = Agent::new(parts).map_err(StartError::Thread)?;
        let _ = seat.set(agent.clone());
        let address = match reach {
            Reach::Configured => config.listen,
            Reach::Connected | Reach::Joined => SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        };
        let listener = TcpListener::bind(address).await.map_err(|source| StartError::Listen { address, source })?;
        let address = listener.local_addr().map_err(|source| StartError::Listen { address, source })?;
        let plugins = load(&config, &manager).await;
        tokio::spawn(manager.clone().tend());
        let join_secret = Secret::random().map_err(StartError::Random)?;
        let mut config = config;
        if reach != Reach::Configured {
            // Nobody was told of this port, so that nobody needs to come in by it.
            config.token = Some(Secret::random().map_err(StartError::Random)?);
        }
        claim.publish(address, &join_secret)?;
        manager.settled(SETTLE).await;
        if reach != Reach::Joined {
            // A command ends soon: it must not begin what it cannot end.
            agent.begin().await;
        }
        Ok(App {
            catalogue,
            agent,
            manager,
            plugins: Arc::new(plugins),
            address,
            listener,
            config,
            join_secret,
            _claim: claim,
        })
    }

    /// What became of the plugins, for operators.
    fn plugins_report(&self) -> Arc<dyn Fn() -> Value + Send + Sync> {
        let (plugins, manager) = (self.plugins.clone(), self.manager.clone());
        Arc::new(move || report(&plugins, &manager))
    }

    /// Serves both doors until `stop`, then lets go of the devices.
    ///
    /// # Errors
    /// The listener broke.
    pub async fn serve(self, stop: CancellationToken) -> std::io::Result<()> {
        let gateway = Gateway::new(GatewayOptions {
            catalogue: self.catalogue.clone(),
            plugins: self.plugins_report(),
            ready: Arc::new(|| true),
            on_session_end: {
                let manager = self.manager.clone();
                Arc::new(move |session: &str| manager.forget_holder(session))
            },
            token: self.config.token.as_ref().map(|token| token.expose().to_owned()),
            allowed_hosts: self.allowed_hosts(),
            join_secret: Some(self.join_secret.expose().to_owned()),
        });
        let served = gateway.serve(self.listener, stop).await;
        self.agent.stop(LET_GO).await;
        self.manager.let_go(LET_GO).await;
        for plugin in self.plugins.iter() {
            if let Ok(running) = &plugin.state {
                running.handle.shutdown();
            }
        }
        served
    }

    /// A server that listens beyond this machine is called by names that it cannot know; its token is what guards it.
    fn allowed_hosts(&self) -> Vec<String> {
        if self.address.ip().is_loopback() { Vec::new() } else { vec!["*".to_owned()] }
    }
}

/// Loads and starts the plugins of the configuration, in its order.
async fn load(config: &Config, manager: &Manager) -> Vec<PluginState> {
    let finder = Finder::new(&config.plugin_dirs);
    let loader = Loader { cache: config.data_dir.join("plugins"), prober: prober() };
    let mut plugins = Vec::new();
    for entry in &config.plugins {
        let named = entry
            .name
            .clone()
            .unwrap_or_else(|| entry.path.as_deref().map(|path| path.display().to_string()).unwrap_or_default());
        let state = load_one(&finder, &loader, entry, manager).await;
        if let Err(error) = &state {
            tracing::error!(plugin = named, "a plugin is not used: {error}");
        }
        plugins.push(PluginState { named, state });
    }
    loader.prune(plugins.iter().filter_map(|plugin| plugin.state.as_ref().ok()));
    plugins
}

async fn load_one(
    finder: &Finder,
    loader: &Loader,
    entry: &PluginEntry,
    manager: &Manager,
) -> Result<Running, plugin::Error> {
    let file = match (&entry.path, &entry.name) {
        (Some(path), _) => path.clone(),
        (None, name) => finder.named(name.as_deref().unwrap_or_default())?,
    };
    let (config, manager) = (entry.config.clone(), manager.clone());
    let library = loader.load(&file, entry.sha256).await?;
    let running = library.start_with(move |library| start(library, &config, &manager)).await?;
    tokio::spawn(search(running.clone()));
    Ok(running)
}

/// Starts a plugin and registers the devices that it knows.
fn start(library: &Library, config: &PluginConfig, manager: &Manager) -> Result<Running, plugin::Error> {
    // The plugin may report a device before it has been started for good.
    let handle = Arc::new(OnceLock::<Running>::new());
    let running = library.start(config, {
        let (handle, manager) = (handle.clone(), manager.clone());
        move |event| {
            if let Some(running) = handle.get() {
                manager.happened(&running.identity.name, &running.handle, event);
            }
        }
    })?;
    let _ = handle.set(running.clone());
    let devices = running
        .handle
        .devices()
        .map_err(|source| plugin::Error::NotStarted { name: running.identity.name.clone(), source })?;
    for device in devices {
        manager.arrived(&running.identity.name, &running.handle, device);
    }
    Ok(running)
}

/// Lets a plugin look for devices, again and again should it fail.
async fn search(plugin: Running) {
    loop {
        if let Err(error) = plugin.handle.discover().await {
            if error.kind == driver_api::ErrorKind::NotConnected {
                return;
            }
            tracing::warn!(plugin = plugin.identity.name, %error, "looking for devices failed");
        }
        tokio::time::sleep(SEARCH_PAUSE).await;
    }
}

/// The program that tries plugins: this one.
pub fn prober() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("fingertip"))
}

fn report(plugins: &[PluginState], manager: &Manager) -> Value {
    let rows: Vec<Value> = plugins
        .iter()
        .map(|plugin| match &plugin.state {
            Ok(running) => json!({
                "name": running.identity.name,
                "version": running.identity.version,
                "api_version": running.identity.api_version,
                "file": running.file.display().to_string(),
                "sha256": running.sha256,
                "devices": manager.of_plugin(&running.identity.name),
            }),
            Err(error) => json!({ "name": plugin.named, "error": error.to_string() }),
        })
        .collect();
    json!({ "plugins": rows })
}
