//! The stream of pictures, and what stands in for it.

use super::*;
use base64::Engine;
use std::future::Future;

/// A picture of one pixel, as far as its head goes.
const JPEG: &[u8] = b"\xff\xd8\xff\xc0\0\x0b\x08\0\x01\0\x01\x01\xff\xd9";

#[tokio::test]
async fn row_97_the_stream_starts_after_a_byte_was_sent_and_ends_with_the_connection() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stream_address = format!("http://{}", listener.local_addr().unwrap());
    let ended = Arc::new(AtomicUsize::new(0));
    let (count, head) = (
        ended.clone(),
        "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=--BoundaryString\r\n\r\n",
    );
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let count = count.clone();
            tokio::spawn(async move {
                socket.read_u8().await.unwrap();
                socket.write_all(head.as_bytes()).await.unwrap();
                let part =
                    format!("--BoundaryString\r\nContent-type: image/jpeg\r\nContent-Length: {}\r\n\r\n", JPEG.len());
                while socket.write_all(&[part.as_bytes(), JPEG, b"\r\n\r\n"].concat()).await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                count.fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    let server = Server::start(sound).await;
    let config =
        json!({"devices": [{"id": "desk", "address": server.address, "options": {"stream_address": stream_address}}]});
    let driver = WdaPlugin::new(serde_json::from_value(config).unwrap()).unwrap().driver("desk").unwrap();
    assert!(driver.features().contains(&Feature::Frames));
    assert_eq!(driver.frames(0).await.unwrap_err().kind, ErrorKind::NotConnected);
    driver.connect().await.unwrap();
    let first = driver.frames(0).await.unwrap();
    assert_eq!((first.picture.width, first.picture.height, &first.picture.bytes[..]), (1, 1, JPEG));
    let later = driver.frames(first.number + 3).await.unwrap();
    assert!(later.number > first.number + 3);
    driver.disconnect().await.unwrap();
    while ended.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    driver.connect().await.unwrap();
    assert!(driver.frames(later.number).await.unwrap().number > later.number);
}

/// A phone whose pictures are one pixel large, with a stream that `serve` gives to each viewer.
async fn with_stream<F>(serve: impl Fn(tokio::net::TcpStream) -> F + Send + 'static) -> (Server, WdaDriver)
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stream_address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(serve(socket));
        }
    });
    let server = Server::start(|request| match request.line.as_str() {
        "GET /screenshot" => value(json!(base64::engine::general_purpose::STANDARD.encode(JPEG))),
        _ => sound(request),
    })
    .await;
    let config =
        json!({"devices": [{"id": "desk", "address": server.address, "options": {"stream_address": stream_address}}]});
    let driver = WdaPlugin::new(serde_json::from_value(config).unwrap()).unwrap().driver("desk").unwrap();
    driver.connect().await.unwrap();
    server.take();
    (server, driver)
}

const HEAD: &str = "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=--BoundaryString\r\n\r\n";

fn part() -> Vec<u8> {
    let head = format!("--BoundaryString\r\nContent-type: image/jpeg\r\nContent-Length: {}\r\n\r\n", JPEG.len());
    [head.as_bytes(), JPEG, b"\r\n\r\n"].concat()
}

#[tokio::test]
async fn row_95_a_stream_that_fails_is_left_alone_and_pictures_stand_in() {
    let viewers = Arc::new(AtomicUsize::new(0));
    let count = viewers.clone();
    let (server, driver) = with_stream(move |_closed| {
        count.fetch_add(1, Ordering::SeqCst);
        async {}
    })
    .await;
    let mut number = 0;
    for _ in 0..5 {
        let frame = driver.frames(number).await.unwrap();
        assert!(frame.number > number && frame.picture.width == 1);
        number = frame.number;
        driver.tap(Point::new(1.0, 1.0)).await.unwrap();
    }
    assert_eq!(viewers.load(Ordering::SeqCst), 1, "it is not tried again and again");
    assert_eq!(server.lines().iter().filter(|line| *line == "GET /screenshot").count(), 5);
}

#[tokio::test]
async fn row_8_a_stream_that_stalls_gives_no_old_picture() {
    let (server, driver) = with_stream(|mut socket| async move {
        socket.read_u8().await.unwrap();
        socket.write_all(&[HEAD.as_bytes(), &part()].concat()).await.unwrap();
        std::future::pending().await
    })
    .await;
    let first = driver.frames(0).await.unwrap();
    assert!(server.take().is_empty());
    // Nothing newer comes, and the one that is there grows old.
    let second = driver.frames(first.number).await.unwrap();
    assert!(second.number > first.number);
    assert_eq!(server.lines(), ["GET /screenshot"]);
}

#[tokio::test]
async fn row_96_only_the_newest_picture_is_kept_of_a_stream_that_nobody_reads() {
    let sent = Arc::new(AtomicUsize::new(0));
    let count = sent.clone();
    let (_server, driver) = with_stream(move |mut socket| {
        let count = count.clone();
        async move {
            socket.read_u8().await.unwrap();
            socket.write_all(HEAD.as_bytes()).await.unwrap();
            while socket.write_all(&part()).await.is_ok() {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
            }
        }
    })
    .await;
    let first = driver.frames(0).await.unwrap().number;
    // The stream is read on while nobody asks, so that it never backs up on the phone.
    let enough = first as usize + 2000;
    while sent.load(Ordering::SeqCst) < enough {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(driver.frames(first).await.unwrap().number > first + 1000);
}

#[tokio::test]
async fn without_a_stream_pictures_stand_in() {
    let server = Server::start(|request| match request.line.as_str() {
        "GET /screenshot" => value(json!(base64::engine::general_purpose::STANDARD.encode(JPEG))),
        _ => sound(request),
    })
    .await;
    let driver = driver(&server.address);
    assert!(driver.features().contains(&Feature::Frames));
    driver.connect().await.unwrap();
    assert_eq!(driver.frames(41).await.unwrap().number, 42);
    // A picture that cannot be taken either is what the caller reads.
    let (_server, driver) = connected(refuses("/screenshot", 500, "unable to capture screen", "")).await;
    assert_eq!(driver.frames(0).await.unwrap_err().kind, ErrorKind::PictureUnavailable);
}

#[tokio::test]
async fn a_stream_that_nobody_looks_at_is_let_go_of() {
    let ended = Arc::new(AtomicBool::new(false));
    let gone = ended.clone();
    let (_server, driver) = with_stream(move |mut socket| {
        let gone = gone.clone();
        async move {
            socket.read_u8().await.unwrap();
            socket.write_all(HEAD.as_bytes()).await.unwrap();
            while socket.write_all(&part()).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            gone.store(true, Ordering::SeqCst);
        }
    })
    .await;
    let first = driver.frames(0).await.unwrap().number;
    assert!(!ended.load(Ordering::SeqCst));
    // Nobody looks, and nobody disconnects.
    let until = std::time::Instant::now() + Duration::from_secs(20);
    while !ended.load(Ordering::SeqCst) {
        assert!(std::time::Instant::now() < until, "it goes on for ever");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(driver.frames(first).await.unwrap().number > first, "and comes back when somebody does");
}
