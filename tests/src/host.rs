//! The real `fingertip` binary, started for a test and ended with it.
//!
//! It knows the binary's command line, its start-up summary and where cargo puts libraries. It knows nothing of what a test
//! wants to show.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

/// How long a start may take on a busy machine before the test gives up.
const START: Duration = Duration::from_secs(60);

/// The folder in which cargo puts this test's program, its libraries, and one level up the host.
fn deps() -> PathBuf {
    let program = std::env::current_exe().expect("a test has a program");
    program.parent().expect("a program is in a folder").to_owned()
}

/// The host's binary, as `cargo test --workspace` and `cargo nextest run --workspace` build it.
pub fn binary() -> PathBuf {
    let binary = deps().parent().expect("target/debug").join(format!("fingertip{}", std::env::consts::EXE_SUFFIX));
    assert!(binary.is_file(), "{} is missing: run the whole workspace's tests, which build it", binary.display());
    binary
}

/// The folder that holds the plugins that were built with this test.
pub fn plugin_dir() -> PathBuf {
    deps()
}

/// The library of a package, such as `plugin_unruly`.
pub fn library(package: &str) -> PathBuf {
    let name = format!("{}{package}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let file = deps().join(name);
    assert!(file.is_file(), "{} is missing: run the whole workspace's tests, which build it", file.display());
    file
}

/// Configuration of one virtual phone.
pub fn virtual_device(id: &str) -> String {
    format!("[[plugin]]\nname = \"virtual\"\n[[plugin.device]]\nid = {id:?}\n")
}

/// Configuration of iPhones: id and address of each.
pub fn wda_devices(devices: &[(&str, &str)]) -> String {
    let devices =
        devices.iter().map(|(id, address)| format!("[[plugin.device]]\nid = {id:?}\naddress = {address:?}\n"));
    format!("[[plugin]]\nname = \"wda\"\n{}", devices.collect::<String>())
}

/// Configuration of one device of a plugin that is taken from its library.
pub fn library_device(package: &str, id: &str) -> String {
    format!("[[plugin]]\npath = {:?}\n[[plugin.device]]\nid = {id:?}\n", library(package).display().to_string())
}

/// A folder with a configuration and a data folder of its own.
pub struct Setup {
    folder: TempDir,
    environment: Vec<(String, String)>,
}

impl Setup {
    /// `rest` is what follows the `[server]` part of the configuration.
    pub fn new(rest: &str) -> Self {
        Setup::with_server("", rest)
    }

    /// With further lines in the `[server]` part.
    pub fn with_server(server: &str, rest: &str) -> Self {
        let setup = Setup { folder: tempfile::tempdir().expect("a temporary folder"), environment: Vec::new() };
        setup.configure("127.0.0.1:0", server, rest);
        setup
    }

    /// With a variable in the binary's environment.
    pub fn with_env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Writes another configuration for the next start.
    pub fn configure(&self, listen: &str, server: &str, rest: &str) {
        let config = format!(
            "[server]\nlisten = {listen:?}\ndata_dir = \"data\"\nplugin_dirs = [{:?}]\n{server}\n{rest}\n",
            plugin_dir().display().to_string()
        );
        std::fs::write(self.folder().join("fingertip.toml"), config).expect("the folder is writable");
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The data folder.
    pub fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The binary with this configuration.
    pub fn command(&self) -> Command {
        let mut command = Command::new(binary());
        command
            .arg("--config")
            .arg(self.folder.path().join("fingertip.toml"))
            .env_remove("FINGERTIP_DATA_DIR")
            .env_remove("FINGERTIP_CONFIG")
            .envs(self.environment.iter().cloned())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// Runs a command to its end.
    pub async fn run(&self, arguments: &[&str]) -> std::process::Output {
        let output = self.command().args(arguments).output();
        tokio::time::timeout(START, output).await.expect("the command ends").expect("the command starts")
    }

    /// Starts the server.
    pub async fn serve(self) -> Host {
        Host::start(self).await
    }
}

/// A server that runs.
pub struct Host {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its configuration and data.
    pub setup: Setup,
    client: reqwest::Client,
    child: Child,
    log: tokio::task::JoinHandle<()>,
    lines: std::sync::Arc<std::sync::Mutex<Vec<String>>>,
}

impl Host {
    /// A server with this configuration after its `[server]` part.
    pub async fn with(rest: &str) -> Host {
        Setup::new(rest).serve().await
    }

    /// A server with one virtual phone, `phone`.
    pub async fn with_virtual_phone() -> Host {
        Host::with("[[plugin]]\nname = \"virtual\"\n[[plugin.device]]\nid = \"phone\"\n").await
    }

    /// Starts the server of a setup; it may have run before.
    pub async fn start(setup: Setup) -> Host {
        let mut child =
            setup.command().arg("serve").stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("started");
        let mut stderr = BufReader::new(child.stderr.take().expect("piped")).lines();
        let lines = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let started = async {
            while let Some(line) = stderr.next_line().await.expect("text") {
                lines.lock().expect("sound").push(line.clone());
                if let Some((_, address)) = line.split_once("listens on http://") {
                    return address.trim().parse().expect("an address");
                }
            }
            panic!("the server ended: {:?}", lines.lock().expect("sound"));
        };
        let address = tokio::time::timeout(START, started).await.expect("the server starts");
        let log = tokio::spawn({
            let lines = lines.clone();
            async move {
                while let Ok(Some(line)) = stderr.next_line().await {
                    lines.lock().expect("sound").push(line);
                }
            }
        });
        // The workspace's plugins make the HTTP client one that speaks TLS, which wants to know whose cryptography.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        Host { address, setup, client, child, log, lines }
    }

    /// What the server has written to standard error.
    pub fn log(&self) -> String {
        self.lines.lock().expect("sound").join("\n")
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// A URL of it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The HTTP client, for requests with a form of their own.
    pub fn client(&self) -> &reqwest::Client {
        &self.client
    }

    /// GETs a route: status and body.
    pub async fn get(&self, path: &str) -> (u16, serde_json::Value) {
        answer(self.client.get(self.url(path))).await
    }

    /// POSTs JSON to a route: status and body.
    pub async fn post(&self, path: &str, body: serde_json::Value) -> (u16, serde_json::Value) {
        answer(self.client.post(self.url(path)).header("content-type", "application/json").body(body.to_string())).await
    }

    /// POSTs JSON as this client, which is who holds leases.
    pub async fn post_as(&self, client: &str, path: &str, body: serde_json::Value) -> (u16, serde_json::Value) {
        let request = self.client.post(self.url(path)).header("content-type", "application/json");
        answer(request.header("x-client-id", client).body(body.to_string())).await
    }

    /// GETs a route until its body is as wanted: that body.
    pub async fn until(&self, path: &str, wanted: impl Fn(&serde_json::Value) -> bool) -> serde_json::Value {
        let mut last = serde_json::Value::Null;
        let seen = async {
            loop {
                last = self.get(path).await.1;
                if wanted(&last) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(25)).await;
            }
        };
        let in_time = tokio::time::timeout(START, seen).await.is_ok();
        assert!(in_time, "{path} stayed {last}");
        last
    }

    /// Asks the process to end, waits until it has, and gives the setup back for another start.
    pub async fn stop(mut self) -> Setup {
        let told = Command::new("kill").arg("-TERM").arg(self.pid().to_string()).status().await;
        assert!(told.is_ok_and(|status| status.success()), "the process is there");
        let ended = tokio::time::timeout(START, self.child.wait()).await.expect("it ends").expect("waited");
        assert!(ended.success(), "it ended with {ended}");
        self.log.abort();
        self.setup
    }

    /// Ends the process as if the machine had lost it, and gives the setup back for another start.
    pub async fn kill(mut self) -> Setup {
        self.child.kill().await.expect("killed");
        self.log.abort();
        self.setup
    }
}

async fn answer(request: reqwest::RequestBuilder) -> (u16, serde_json::Value) {
    let response = request.send().await.expect("the server answers");
    let status = response.status().as_u16();
    let text = response.text().await.expect("a body");
    let body = serde_json::from_str(&text).unwrap_or_else(|_| panic!("not JSON: {text}"));
    (status, body)
}
