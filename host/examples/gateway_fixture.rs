//! Throwaway: the fixture catalogue behind both doors.
#[allow(dead_code)]
#[path = "../src/gateway/tests/fixture.rs"]
mod fixture;
use fingertip::capability;


#[tokio::main]
async fn main() {
    use fingertip::gateway::*;
    use std::sync::Arc;
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(tracing::Level::WARN).init();
    let arg = std::env::args().nth(1).unwrap_or_default();
    let (catalogue, _) = fixture::catalogue();
    if arg == "mcp" {
        serve_stdio(catalogue, "stdio:1".into(), Arc::new(|s: &str| eprintln!("ended {s}"))).await.unwrap();
        return;
    }
    if arg == "join" {
        let away = join(&catalogue, std::env::args().nth(2).unwrap().parse().unwrap(), "secret", Some("stdio:2".into()));
        serve_stdio(away, "stdio:2".into(), Arc::new(|s: &str| eprintln!("ended {s}"))).await.unwrap();
        return;
    }
    let listener = tokio::net::TcpListener::bind(&arg).await.unwrap();
    let options = GatewayOptions {
        catalogue,
        plugins: Arc::new(|| serde_json::json!([])),
        ready: Arc::new(|| true),
        on_session_end: Arc::new(|s: &str| eprintln!("ended {s}")),
        token: std::env::var("TOKEN").ok(),
        allowed_hosts: vec![],
        join_secret: Some("secret".into()),
    };
    Gateway::new(options).serve(listener, tokio_util::sync::CancellationToken::new()).await.unwrap();
}
