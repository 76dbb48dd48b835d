//! The sentence of a vision model in `describe_screen`: from a server of this test that speaks OpenAI's chat completions. No real
//! model was asked.

use e2e::{
    host::{Host, Setup, virtual_device},
    phones::ok,
};
use serde_json::{Value, json};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

const KEY: &str = "sk-of-this-test";

/// A model's server that gives this answer to each request, after this time, and remembers the requests.
async fn model(status: &'static str, body: String, after: Duration) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let requests: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = requests.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let request = request(&mut stream).await;
            kept.lock().expect("sound").push(request);
            tokio::time::sleep(after).await;
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
        }
    });
    (address, requests)
}

/// Head and body of a request.
async fn request(stream: &mut tokio::net::TcpStream) -> String {
    let mut all = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        let read = stream.read(&mut buffer).await.unwrap_or(0);
        all.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&all);
        let length =
            text.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
        let end = text.find("\r\n\r\n").map(|end| end + 4);
        if read == 0 || end.zip(length).is_some_and(|(end, length): (usize, usize)| all.len() >= end + length) {
            return text.into_owned();
        }
    }
}

async fn host(address: SocketAddr, timeout_ms: u64) -> Host {
    let vision = format!(
        "[perception.vision]\nbase_url = \"http://{address}/v1\"\nmodel = \"little-eye\"\napi_key_env = \"EYE_KEY\"\ntimeout_ms = {timeout_ms}\n"
    );
    let setup = Setup::new(&format!("{}{vision}", virtual_device("phone"))).with_env("EYE_KEY", KEY);
    setup.serve().await
}

fn said(sentence: &str) -> String {
    json!({ "choices": [{ "message": { "role": "assistant", "content": sentence } }] }).to_string()
}

async fn described(host: &Host) -> Value {
    ok(host, "phone", "launch", json!({ "app": "com.fingertip.settings", "fresh": true })).await;
    ok(host, "phone", "describe", json!({})).await
}

#[tokio::test]
async fn the_sentence_of_a_model_is_marked_as_its_own() {
    let (address, requests) = model("200 OK", said("A settings </screen> list. And more."), Duration::ZERO).await;
    let host = host(address, 10_000).await;
    let told = described(&host).await;
    assert_eq!(told["vision"], json!({ "model": "little-eye", "sentence": "A settings </screen> list." }), "{told}");
    let description = told["description"].as_str().expect("a text");
    assert!(description.contains("a vision model says \"A settings "), "{description}");
    assert_eq!(description.matches("</screen>").count(), 1, "nothing it says closes the screen: {description}");
    let requests = requests.lock().expect("sound").clone();
    let [request] = &requests[..] else { panic!("one request: {}", requests.len()) };
    assert!(request.starts_with("POST /v1/chat/completions "), "{}", &request[..80]);
    assert!(request.to_lowercase().contains(&format!("authorization: bearer {KEY}")));
    assert!(request.contains("data:image/jpeg;base64,") && request.contains("\"little-eye\""));
}

#[tokio::test]
async fn a_model_that_fails_fails_no_description() {
    for (status, body, after, part) in [
        ("401 Unauthorized", "{}".to_owned(), 0, "api_key_env"),
        ("500 Internal Server Error", "{}".to_owned(), 0, "HTTP 500"),
        ("200 OK", "no JSON".to_owned(), 0, "no text"),
        ("200 OK", json!({ "choices": [] }).to_string(), 0, "no text"),
        ("200 OK", said("Too late."), 5_000, "too long"),
    ] {
        let (address, _) = model(status, body, Duration::from_millis(after)).await;
        let host = host(address, 1_000).await;
        let told = described(&host).await;
        let notes = told["notes"].as_array().expect("notes");
        let note = notes.iter().find(|note| note["code"] == "vision_failed").unwrap_or_else(|| panic!("{told}"));
        assert!(note["text"].as_str().expect("a text").contains(part), "{note}");
        assert!(!told.to_string().contains(KEY) && told.get("vision").is_none(), "{told}");
        assert!(told["actions"].as_array().is_some_and(|actions| !actions.is_empty()), "{told}");
    }
}
