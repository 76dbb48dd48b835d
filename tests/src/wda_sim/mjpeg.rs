//! The stream of pictures on its own port, framed as the phone's server frames it. It takes pictures from the phone and knows
//! no command.

use super::Sim;
use super::picture;
use std::{io, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

const HEAD: &str = "HTTP/1.0 200 OK\r\nServer: WDA MJPEG Server\r\nConnection: close\r\nMax-Age: 0\r\nExpires: 0\r\n\
                    Cache-Control: no-cache, private\r\nPragma: no-cache\r\n\
                    Content-Type: multipart/x-mixed-replace; boundary=--BoundaryString\r\n\r\n";

type Frame = Arc<Vec<u8>>;

/// Serves the stream. All clients share one loop, which rests while there are none.
pub(crate) async fn serve(sim: Arc<Sim>, listener: TcpListener) {
    let (frames, _) = watch::channel(Frame::default());
    let mut clients = JoinSet::new();
    let capture = capture(sim.clone(), frames.clone());
    tokio::pin!(capture);
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    clients.spawn(client(stream, frames.subscribe()));
                }
            }
            Some(_) = clients.join_next() => {}
            () = &mut capture => return,
        }
    }
}

async fn capture(sim: Arc<Sim>, frames: watch::Sender<Frame>) {
    let mut last: Option<(u64, f64, f64, Frame)> = None;
    loop {
        let rate = sim.agent().number("mjpegServerFramerate");
        let rate = if (1.0..=60.0).contains(&rate) { rate } else { 60.0 };
        tokio::time::sleep(Duration::from_secs_f64(1.0 / rate)).await;
        if frames.receiver_count() == 0 || sim.faults.stream_stalls() {
            continue;
        }
        let (quality, percent) = {
            let agent = sim.agent();
            (agent.number("mjpegServerScreenshotQuality"), agent.number("mjpegScalingFactor"))
        };
        let revision = {
            let mut phone = sim.phone();
            // What time alone changed counts too.
            phone.advance(Duration::ZERO);
            phone.revision()
        };
        let known = last.as_ref().filter(|(known, q, p, _)| (*known, *q, *p) == (revision, quality, percent));
        let frame = match known {
            Some((.., frame)) => frame.clone(),
            None => {
                let sim = sim.clone();
                let made = tokio::task::spawn_blocking(move || {
                    let shot = sim.phone().picture();
                    picture::decode(&shot)?.jpeg(percent, quality.clamp(1.0, 100.0) as u8)
                });
                let Ok(Ok(bytes)) = made.await else { continue };
                let frame = Arc::new(bytes);
                last = Some((revision, quality, percent, frame.clone()));
                frame
            }
        };
        frames.send_replace(frame);
    }
}

/// Nothing is sent before the client has sent something; what it sends does not matter.
async fn client(mut stream: TcpStream, mut frames: watch::Receiver<Frame>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut asked = [0; 1024];
    if stream.read(&mut asked).await? == 0 {
        return Ok(());
    }
    stream.write_all(HEAD.as_bytes()).await?;
    frames.mark_unchanged();
    // Frames that came while one was being sent are lost.
    while frames.changed().await.is_ok() {
        let frame = frames.borrow_and_update().clone();
        let part = format!("--BoundaryString\r\nContent-type: image/jpeg\r\nContent-Length: {}\r\n\r\n", frame.len());
        stream.write_all(part.as_bytes()).await?;
        stream.write_all(&frame).await?;
        stream.write_all(b"\r\n\r\n").await?;
    }
    Ok(())
}
