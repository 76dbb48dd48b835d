//! What `export_driver!` puts into a plugin library: its tokio runtime, its guards, its log.
//!
//! Every call runs as a task on the plugin's own runtime, so that a panic becomes an error and dropping the host's future
//! ends the work. Nothing here knows what the operations mean.

use crate::{
    DeviceEvent, DeviceEvents, Driver, Error, ErrorKind, Plugin, PluginConfig, Result,
    abi::{
        AbiError, AbiFrame, AbiFuture, AbiPicture, AbiPoint, AbiSwipe, DriverAbi, DriverAbi_TO, DriverObject,
        HostObject, LibHeader, PluginAbi, PluginAbi_TO, PluginModule, PluginModule_Ref, PluginObject, RArc, RResult,
        RSlice, RString, RootModuleResult, from_text, to_text,
    },
    log,
};
use abi_stable::{library::CheckTypeLayout, prefix_type::PrefixTypeTrait, sabi_trait::TD_Opaque};
use async_ffi::FfiFuture;
use std::{
    any::Any,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{runtime::Runtime, task::JoinHandle, time::Instant};
use tracing_subscriber::layer::SubscriberExt;

/// Makes this crate's library a plugin: `export_driver!("name", Type)`, where `Type` implements
/// [`Plugin`](crate::Plugin).
///
/// The name is what operators write into the configuration: lower case letters, digits and dashes. Use the macro once, at the
/// top level of a `cdylib` crate.
#[macro_export]
macro_rules! export_driver {
    ($name:literal, $plugin:ty) => {
        const _: () = {
            struct Exported;

            impl $crate::__private::Export for Exported {
                type Plugin = $plugin;
                const NAME: &'static str = $name;
                const VERSION: &'static str = env!("CARGO_PKG_VERSION");
            }

            // The name under which abi_stable looks for a library's header.
            #[unsafe(export_name = "_1as_0lib_1header_0root_bmodule_bloader")]
            pub static HEADER: $crate::__private::LibHeader = $crate::__private::header::<Exported>();
        };
    };
}

/// What the macro knows of a plugin.
pub trait Export: 'static {
    /// The plugin.
    type Plugin: Plugin;
    /// Its name.
    const NAME: &'static str;
    /// Its version.
    const VERSION: &'static str;
}

/// The header of a plugin library.
pub const fn header<E: Export>() -> LibHeader {
    // SAFETY: `load` answers a `PluginModule_Ref`, the type that is named here.
    unsafe { LibHeader::from_constructor::<PluginModule_Ref>(load::<E>, CheckTypeLayout::Yes) }
}

extern "C" fn load<E: Export>() -> RootModuleResult {
    abi_stable::library::__call_root_module_loader(|| {
        PluginModule { name: name::<E>, version: version::<E>, api_version, start: start_exported::<E> }
            .leak_into_prefix()
    })
}

extern "C" fn name<E: Export>() -> RString {
    E::NAME.into()
}

extern "C" fn version<E: Export>() -> RString {
    E::VERSION.into()
}

extern "C" fn api_version() -> RString {
    env!("CARGO_PKG_VERSION").into()
}

extern "C" fn start_exported<E: Export>(host: HostObject, config: RString) -> RResult<PluginObject, AbiError> {
    let host = Arc::new(host);
    forward_log(&host);
    guarded(|| start_plugin::<E::Plugin>(E::NAME, host, config))
}

/// Starts a plugin without a library around it; its log is this program's.
pub(crate) fn start<P: Plugin>(name: &str, host: HostObject, config: RString) -> RResult<PluginObject, AbiError> {
    guarded(|| start_plugin::<P>(name, Arc::new(host), config))
}

fn start_plugin<P: Plugin>(name: &str, host: Arc<HostObject>, config: RString) -> Result<PluginObject> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name(format!("plugin-{name}"))
        .enable_all()
        .build()
        .map_err(|error| Error::new(ErrorKind::Other, format!("its runtime could not be started: {error}")))?;
    let config: PluginConfig = from_text(&config)?;
    let plugin = {
        let _inside = runtime.enter();
        Arc::new(P::new(config)?)
    };
    let object = PluginSide { plugin, host, runtime: Arc::new(RuntimeSlot::new(runtime)) };
    Ok(PluginAbi_TO::from_ptr(RArc::new(object), TD_Opaque))
}

/// Sends what this copy of `tracing` and its panics say to the host. The first plugin start of a library decides.
fn forward_log(host: &Arc<HostObject>) {
    let level = log::filter(host.log_level());
    let sink = host.clone();
    let layer =
        log::Forward { send: move |level, target: &str, line: String| sink.log(level, target.into(), line.into()) };
    let subscriber = tracing_subscriber::registry().with(level).with(layer);
    if tracing::subscriber::set_global_default(subscriber).is_ok() {
        std::panic::set_hook(Box::new(|info| tracing::error!(target: "panic", "{info}")));
    }
}

/// A panic must not cross the boundary: it would end the process.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> RResult<T, AbiError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(answer) => answer.map_err(AbiError::from).into(),
        Err(panic) => RResult::RErr(panicked(&*panic).into()),
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let message = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    Error::unknown(ErrorKind::Panicked, format!("the plugin panicked: {message}"))
}

/// The plugin's runtime until `shutdown`, which may come from any thread.
struct RuntimeSlot {
    handle: tokio::runtime::Handle,
    runtime: Mutex<Option<Runtime>>,
}

impl RuntimeSlot {
    fn new(runtime: Runtime) -> Self {
        RuntimeSlot { handle: runtime.handle().clone(), runtime: Mutex::new(Some(runtime)) }
    }

    fn shutdown(&self) {
        if let Some(runtime) = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // Dropping it in place would block, which tokio forbids on the host's own threads.
            runtime.shutdown_background();
        }
    }
}

impl Drop for RuntimeSlot {
    fn drop(&mut self) {
        self.shutdown();
    }
}

struct PluginSide<P> {
    plugin: Arc<P>,
    host: Arc<HostObject>,
    runtime: Arc<RuntimeSlot>,
}

impl<P: Plugin> PluginSide<P> {
    fn inside<T>(&self, work: impl FnOnce(&P) -> Result<T>) -> RResult<T, AbiError> {
        let _inside = self.runtime.handle.enter();
        guarded(|| work(&self.plugin))
    }
}

impl<P: Plugin> PluginAbi for PluginSide<P> {
    fn devices(&self) -> RResult<RString, AbiError> {
        self.inside(|plugin| to_text(&plugin.devices()))
    }

    fn discover(&self) -> AbiFuture<()> {
        let host = self.host.clone();
        let events = DeviceEvents::new(move |event: DeviceEvent| match to_text(&event) {
            Ok(text) => host.device_event(text),
            Err(error) => tracing::error!(%error, "a device could not be reported"),
        });
        let plugin = self.plugin.clone();
        spawn(&self.runtime, None, async move { plugin.discover(events).await })
    }

    fn driver(&self, device_id: RString) -> RResult<DriverObject, AbiError> {
        self.inside(|plugin| {
            let driver = Arc::new(plugin.driver(&device_id)?);
            let object = DriverSide { driver, runtime: self.runtime.clone() };
            Ok(DriverAbi_TO::from_ptr(RArc::new(object), TD_Opaque))
        })
    }

    fn read_capture(&self, bytes: RSlice<'_, u8>) -> RResult<RString, AbiError> {
        self.inside(|plugin| to_text(&plugin.read_capture(bytes.as_slice())?))
    }

    fn shutdown(&self) {
        self.runtime.shutdown();
    }
}

tokio::task_local! {
    static DEADLINE: Instant;
}

/// How long the driver call that is running may still take; `None` outside of one.
pub fn time_left() -> Option<Duration> {
    DEADLINE.try_with(|deadline| deadline.saturating_duration_since(Instant::now())).ok()
}

struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs `work` on the plugin's runtime. The future that the host polls touches nothing but the task's handle.
fn spawn<T, A>(
    runtime: &RuntimeSlot,
    within: Option<Duration>,
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> AbiFuture<A>
where
    T: Send + 'static,
    A: From<T> + Send + 'static,
{
    let task = match within {
        None => runtime.handle.spawn(work),
        Some(within) => runtime.handle.spawn(async move {
            let deadline = Instant::now() + within;
            DEADLINE
                .scope(deadline, async move {
                    tokio::time::timeout_at(deadline, work).await.unwrap_or_else(|_| {
                        Err(Error::unknown(ErrorKind::Timeout, format!("no answer within {} ms", within.as_millis())))
                    })
                })
                .await
        }),
    };
    let mut task = AbortOnDrop(task);
    FfiFuture::new(async move {
        match (&mut task.0).await {
            Ok(answer) => answer.map(A::from).map_err(AbiError::from).into(),
            Err(failed) => RResult::RErr(match failed.try_into_panic() {
                Ok(panic) => panicked(&*panic).into(),
                Err(_) => Error::unknown(ErrorKind::NotConnected, "the plugin was shut down").into(),
            }),
        }
    })
}

struct DriverSide<D> {
    driver: Arc<D>,
    runtime: Arc<RuntimeSlot>,
}

impl<D: Driver> DriverSide<D> {
    /// Runs one operation of the driver as a task of its own.
    fn run<T, A, F>(&self, within_ms: u64, operation: impl FnOnce(Arc<D>) -> F) -> AbiFuture<A>
    where
        T: Send + 'static,
        A: From<T> + Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        // A cap keeps `Instant` arithmetic from overflowing on nonsense.
        let within = Duration::from_millis(within_ms.min(24 * 3600 * 1000));
        spawn(&self.runtime, Some(within), operation(self.driver.clone()))
    }
}

impl<D: Driver> DriverAbi for DriverSide<D> {
    fn features(&self) -> RResult<RString, AbiError> {
        let _inside = self.runtime.handle.enter();
        guarded(|| to_text(&self.driver.features()))
    }

    fn connect(&self, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.connect().await })
    }

    fn disconnect(&self, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.disconnect().await })
    }

    fn screenshot(&self, within_ms: u64) -> AbiFuture<AbiPicture> {
        self.run(within_ms, |driver| async move { driver.screenshot().await })
    }

    fn tap(&self, at: AbiPoint, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.tap(at.into()).await })
    }

    fn swipe(&self, swipe: AbiSwipe, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.swipe(swipe.into()).await })
    }

    fn input(&self, text: RString, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.input(&text).await })
    }

    fn launch(&self, launch: RString, within_ms: u64) -> AbiFuture<RString> {
        self.run(within_ms, |driver| async move { to_text(&driver.launch(from_text(&launch)?).await?) })
    }

    fn terminate(&self, app: RString, within_ms: u64) -> AbiFuture<bool> {
        self.run(within_ms, |driver| async move { driver.terminate(&app).await })
    }

    fn tree(&self, within_ms: u64) -> AbiFuture<RString> {
        self.run(within_ms, |driver| async move { to_text(&driver.tree().await?) })
    }

    fn home(&self, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.home().await })
    }

    fn lock(&self, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.lock().await })
    }

    fn unlock(&self, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.unlock().await })
    }

    fn probe(&self, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.probe().await })
    }

    fn long_press(&self, at: AbiPoint, hold_ms: u64, within_ms: u64) -> AbiFuture<()> {
        self.run(
            within_ms,
            move |driver| async move { driver.long_press(at.into(), Duration::from_millis(hold_ms)).await },
        )
    }

    fn double_tap(&self, at: AbiPoint, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.double_tap(at.into()).await })
    }

    fn gesture(&self, fingers: RString, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.gesture(from_text(&fingers)?).await })
    }

    fn press_button(&self, button: RString, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.press_button(from_text(&button)?).await })
    }

    fn apps(&self, within_ms: u64) -> AbiFuture<RString> {
        self.run(within_ms, |driver| async move { to_text(&driver.apps().await?) })
    }

    fn active_app(&self, within_ms: u64) -> AbiFuture<RString> {
        self.run(within_ms, |driver| async move { to_text(&driver.active_app().await?) })
    }

    fn open_url(&self, url: RString, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.open_url(&url).await })
    }

    fn alert(&self, within_ms: u64) -> AbiFuture<RString> {
        self.run(within_ms, |driver| async move { to_text(&driver.alert().await?) })
    }

    fn answer_alert(&self, button: RString, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.answer_alert(&button).await })
    }

    fn orientation(&self, within_ms: u64) -> AbiFuture<RString> {
        self.run(within_ms, |driver| async move { to_text(&driver.orientation().await?) })
    }

    fn set_orientation(&self, orientation: RString, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.set_orientation(from_text(&orientation)?).await })
    }

    fn clipboard(&self, within_ms: u64) -> AbiFuture<RString> {
        self.run(within_ms, |driver| async move { driver.clipboard().await })
    }

    fn set_clipboard(&self, text: RString, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.set_clipboard(&text).await })
    }

    fn hide_keyboard(&self, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |driver| async move { driver.hide_keyboard().await })
    }

    fn screen_info(&self, within_ms: u64) -> AbiFuture<RString> {
        self.run(within_ms, |driver| async move { to_text(&driver.screen_info().await?) })
    }

    fn device_info(&self, within_ms: u64) -> AbiFuture<RString> {
        self.run(within_ms, |driver| async move { to_text(&driver.device_info().await?) })
    }

    fn frames(&self, after: u64, within_ms: u64) -> AbiFuture<AbiFrame> {
        self.run(within_ms, move |driver| async move { driver.frames(after).await })
    }

    fn element_at_focus(&self, within_ms: u64) -> AbiFuture<RString> {
        self.run(within_ms, |driver| async move { to_text(&driver.element_at_focus().await?) })
    }

    #[cfg(feature = "next")]
    fn vibrate(&self, within_ms: u64) -> AbiFuture<()> {
        self.run(within_ms, |_driver| async move { Ok(()) })
    }
}
