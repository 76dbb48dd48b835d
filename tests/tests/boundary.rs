//! What happens at the library boundary, through real libraries: panics, deadlines, ended work, logs, pictures, versions.

use driver_api::{DeviceConfig, ErrorKind, Launch, Outcome, PluginConfig, handle::DriverHandle};
use e2e::host::{binary, library};
use fingertip::plugin::{Library, Loader, Running};
use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

const SHORT: Duration = Duration::from_millis(200);
const LONG: Duration = Duration::from_secs(30);

async fn load(package: &str, cache: &Path) -> Library {
    let loader = Loader { cache: cache.to_owned(), prober: binary() };
    loader.load(&library(package), None).await.unwrap_or_else(|error| panic!("{error}"))
}

fn config() -> PluginConfig {
    let device = |id: &str| DeviceConfig { id: id.to_owned(), ..DeviceConfig::default() };
    PluginConfig { devices: vec![device("a"), device("panics")], ..PluginConfig::default() }
}

/// The unruly plugin, with a copy of its own: one that logs to whichever test loaded it first would be of no use.
async fn unruly(cache: &Path) -> (Running, DriverHandle) {
    let running = load("plugin_unruly", cache).await.start(&config(), |_| ()).expect("started");
    let driver = running.handle.driver("a").expect("a driver");
    driver.connect(LONG).await.expect("connected");
    (running, driver)
}

fn app(name: &str, argument: &str) -> Launch {
    Launch { app: name.to_owned(), arguments: vec![argument.to_owned()], ..Launch::default() }
}

#[tokio::test]
async fn a_panic_is_an_error_wherever_it_happens_and_the_plugin_goes_on() {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let (running, driver) = unruly(cache.path()).await;
    let error = driver.launch(&app("panic", ""), LONG).await.expect_err("it panics");
    assert_eq!((error.kind, error.outcome), (ErrorKind::Panicked, Outcome::Unknown));
    assert!(error.message.contains("asked to panic in async code"), "{error}");

    let error = running.handle.driver("panics").err().expect("it panics");
    assert!(error.kind == ErrorKind::Panicked && error.message.contains("while making a driver"), "{error}");
    let error = running.handle.read_capture(b"x").expect_err("it panics");
    assert!(error.kind == ErrorKind::Panicked && error.message.contains("on a capture"), "{error}");

    let mut options = config();
    options.options.insert("panic".to_owned(), true.into());
    let error = load("plugin_unruly", cache.path()).await.start(&options, |_| ()).err().expect("it panics");
    assert!(error.to_string().contains("asked to panic at start"), "{error}");

    driver.tap(driver_api::Point::new(1.0, 1.0), LONG).await.expect("it goes on");
}

#[tokio::test]
async fn work_whose_caller_left_is_ended() {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let (_running, driver) = unruly(cache.path()).await;
    let told = cache.path().join("dropped");
    let launch = app("hang", &told.display().to_string());
    assert!(tokio::time::timeout(SHORT, driver.launch(&launch, LONG)).await.is_err(), "it hangs");
    let seen = async {
        while !told.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, seen).await.expect("the plugin's work was dropped");
}

#[tokio::test]
async fn the_plugin_itself_ends_a_call_at_its_deadline() {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let (_running, driver) = unruly(cache.path()).await;
    let told = cache.path().join("dropped");
    let error = driver.launch(&app("hang", &told.display().to_string()), SHORT).await.expect_err("it hangs");
    assert_eq!((error.kind, error.outcome), (ErrorKind::Timeout, Outcome::Unknown));
    let left = driver.launch(&app("time-left", ""), LONG).await.expect("answered").id;
    let left: u64 = left.parse().expect("milliseconds");
    assert!((1..=30_000).contains(&left), "{left}");
}

#[tokio::test]
async fn a_thread_that_blocks_holds_up_nobody_else() {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let (running, driver) = unruly(cache.path()).await;
    let blocked = tokio::spawn({
        let driver = driver.clone();
        async move { driver.launch(&app("block", "400"), LONG).await }
    });
    let other = running.handle.driver("a").expect("another driver");
    other.connect(LONG).await.expect("the plugin's other thread answers");
    assert!(!blocked.is_finished(), "the first call still blocks its thread");
    blocked.await.expect("not cancelled").expect("answered");
}

/// Each event of this process's log, as `level plugin message`.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Log {
    fn on_event(&self, event: &tracing::Event<'_>, _: tracing_subscriber::layer::Context<'_, S>) {
        struct Text(String);
        impl tracing::field::Visit for Text {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                use std::fmt::Write;
                let _ = write!(self.0, " {}={value:?}", field.name());
            }
        }
        let mut text = Text(event.metadata().level().to_string());
        event.record(&mut text);
        self.0.lock().expect("sound").push(text.0);
    }
}

#[tokio::test]
async fn logs_carry_the_plugins_name_and_a_pictures_bytes_are_not_copied() {
    use tracing_subscriber::layer::SubscriberExt;
    let log = Log::default();
    let subscriber =
        tracing_subscriber::registry().with(tracing_subscriber::filter::LevelFilter::INFO).with(log.clone());
    tracing::subscriber::set_global_default(subscriber).expect("the only one of this process");
    let cache = tempfile::tempdir().expect("a temporary folder");
    // A module that another test of this process has loaded already logs to where that test was: take a copy of the file.
    let copy = cache.path().join("copy");
    let mut bytes = std::fs::read(library("plugin_unruly")).expect("read");
    bytes.push(0);
    std::fs::write(&copy, bytes).expect("written");
    let loader = Loader { cache: cache.path().join("cache"), prober: binary() };
    let library = loader.load(&copy, None).await.unwrap_or_else(|error| panic!("{error}"));
    let running = library.start(&config(), |_| ()).expect("started");
    let driver = running.handle.driver("a").expect("a driver");
    driver.connect(LONG).await.expect("connected");

    driver.input("3000000", LONG).await.expect("the size is taken");
    let picture = driver.screenshot(LONG).await.expect("a picture");
    assert_eq!(picture.bytes.len(), 3_000_000);
    let lines = log.0.lock().expect("sound").clone();
    let has = |parts: &[&str]| lines.iter().any(|line| parts.iter().all(|part| line.contains(part)));
    assert!(has(&["INFO", "plugin=\"unruly\"", "the unruly plugin starts", "devices=2"]), "{lines:?}");
    let address = format!("address={}", picture.bytes.as_ptr() as usize);
    assert!(has(&["a picture leaves", &address]), "{address}: {lines:?}");
    // The bytes outlive the call and are freed by their own allocator.
    let kept = picture.bytes.clone();
    drop(picture);
    assert!(kept.iter().all(|byte| *byte == 7));
}

/// A host one minor version later loads a plugin of today: what the plugin has works, what it lacks says so.
#[tokio::test]
async fn an_old_plugin_runs_in_a_newer_host() {
    use driver_api_next as newer;
    struct Host;
    impl newer::handle::Host for Host {
        fn log_level(&self) -> tracing::metadata::LevelFilter {
            tracing::metadata::LevelFilter::OFF
        }
        fn log(&self, _: newer::LogRecord) {}
        fn device_event(&self, _: newer::DeviceEvent) {}
    }
    let module = {
        // SAFETY: the library was built from this workspace a moment ago.
        let library = unsafe { libloading::Library::new(library("custom_driver")) }.expect("mapped");
        // SAFETY: the symbol's type is the header that the name stands for.
        let header = unsafe {
            *library
                .get::<newer::abi::AbiHeaderRef>(newer::abi::ROOT_MODULE_LOADER_NAME_WITH_NUL.as_bytes())
                .expect("a plugin")
        };
        std::mem::forget(library);
        newer::abi::accept(header).unwrap_or_else(|reason| panic!("{reason}"))
    };
    let config = newer::PluginConfig {
        devices: vec![newer::DeviceConfig { id: "pad".to_owned(), ..newer::DeviceConfig::default() }],
        ..newer::PluginConfig::default()
    };
    let plugin = newer::handle::PluginHandle::start(module, Host, &config).expect("started");
    let driver = plugin.driver("pad").expect("a driver");
    driver.connect(LONG).await.expect("connected");
    driver.tap(newer::Point::new(1.0, 1.0), LONG).await.expect("what it has works");
    let error = driver.vibrate(LONG).await.expect_err("what it lacks says so");
    assert_eq!(error.kind, newer::ErrorKind::Unsupported);
    assert!(error.message.contains("older"), "{error}");
}

#[tokio::test]
async fn a_newer_plugin_runs_in_this_host() {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let library = load("plugin_next", cache.path()).await;
    assert_eq!(library.identity.api_version, "1.1.0");
    let running = library.start(&config(), |_| ()).expect("started");
    let driver = running.handle.driver("a").expect("a driver");
    driver.connect(LONG).await.expect("connected");
    driver.tap(driver_api::Point::new(1.0, 1.0), LONG).await.expect("tapped");
    assert_eq!(driver.tree(LONG).await.expect("a tree").nodes[0].label.as_deref(), Some("Touched 1 times"));
}
