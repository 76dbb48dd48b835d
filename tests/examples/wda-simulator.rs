//! Serves a **simulated** iPhone over WebDriverAgent's protocol until it is stopped, for drivers and clients that are tried
//! out by hand: `cargo run -p e2e --example wda-simulator -- --port 8100`. With `--usb` there may be several, and they are
//! reached through a simulated usbmuxd too.
//!
//! It reads its arguments and says where it listens; the phones and the protocols are the library's.

use e2e::{
    usbmux_sim::{Listen, UsbPhone, UsbmuxSim},
    wda_sim::{Generation, SimOptions, Touch, WdaSim},
};
use serde_json::json;
use std::io::Write;

const HELP: &str = "A simulated iPhone behind WebDriverAgent's HTTP protocol. There is no phone.

  --port N          where to listen on loopback (8100; 0 takes a free port)
  --mjpeg-port N    serve the stream of pictures there too
  --passcode CODE   what unlocking asks for
  --locked          start on the lock screen
  --dark            dark appearance
  --generation G    the release that is imitated: 4, 9, 16.7 or 16 (16)
  --usb ADDRESS     a simulated usbmuxd with the phone on it: 127.0.0.1:PORT (0 takes a free one) or a path
  --phones N        how many phones are on it (1); the ports above are the first one's
  --print-requests  one line on stderr for each request
  --ask             answers the line `touches` on stdin with all touches so far, as JSON on one line of stdout, and ends with
                    stdin";

fn main() {
    let mut options = SimOptions { port: 8100, ..SimOptions::default() };
    let (mut print, mut ask) = (false, false);
    let mut usb = None;
    let mut phones = 1_usize;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| stop(&format!("{argument} needs a value")));
        let port = |text: String| text.parse().unwrap_or_else(|_| stop(&format!("{text} is no port")));
        match argument.as_str() {
            "--port" => options.port = port(value()),
            "--mjpeg-port" => options.mjpeg_port = Some(port(value())),
            "--passcode" => options.phone.passcode = Some(value()),
            "--locked" => options.phone.locked = true,
            "--dark" => options.phone.dark = true,
            "--usb" => usb = Some(place(&value())),
            "--phones" => match value().parse() {
                Ok(number @ 1..=32) => phones = number,
                _ => stop("there are 1 to 32 phones"),
            },
            "--print-requests" => print = true,
            "--ask" => ask = true,
            "--generation" => {
                options.generation = match value().as_str() {
                    "4" => Generation::V4,
                    "9" => Generation::V9,
                    "16.7" => Generation::V16Early,
                    "16" => Generation::V16,
                    other => stop(&format!("there is no generation {other}: 4, 9, 16.7 or 16")),
                };
            }
            "--help" | "-h" => {
                println!("{HELP}");
                return;
            }
            other => stop(&format!("unknown argument {other}\n\n{HELP}")),
        }
    }
    if usb.is_none() && phones > 1 {
        stop("--phones needs --usb");
    }
    if usb.is_some() && options.mjpeg_port.is_none() {
        options.mjpeg_port = Some(0);
    }
    let mut sims = Vec::new();
    for _ in 0..phones {
        sims.push(WdaSim::start_now(options.clone()).unwrap_or_else(|error| stop(&format!("cannot listen: {error}"))));
        options.port = 0;
        options.mjpeg_port = options.mjpeg_port.map(|_| 0);
    }
    println!("This is a SIMULATED phone: it exists only in software.");
    if let Some(address) = sims[0].mjpeg_address() {
        println!("Stream of pictures: http://{address}/");
    }
    let _muxer = usb.map(|place| plug(place, &sims, &options));
    // Scripts wait for this line, which looks like the real agent's.
    println!("ServerURLHere->{}<-ServerURLHere", sims[0].url());
    drop(std::io::stdout().flush());
    if ask {
        return answer_questions(&sims);
    }
    let mut shown = vec![0; sims.len()];
    loop {
        std::thread::sleep(std::time::Duration::from_millis(if print { 200 } else { 60_000 }));
        for (sim, shown) in sims.iter().zip(&mut shown).filter(|_| print) {
            let requests = sim.requests();
            for request in requests.iter().skip(*shown) {
                let status = request.status.map_or("-".to_owned(), |status| status.to_string());
                let body: String = request.body.chars().take(200).collect();
                eprintln!("{status} {} {} {body}", request.method, request.path);
            }
            *shown = requests.len();
        }
    }
}

/// Answers what is asked on stdin until that ends.
fn answer_questions(sims: &[WdaSim]) {
    for line in std::io::stdin().lines() {
        let Ok(line) = line else { return };
        if line.trim() != "touches" {
            eprintln!("unknown question {line}: touches");
            continue;
        }
        let touches = sims.iter().flat_map(WdaSim::touches);
        let told = touches.map(|touch| match touch {
            Touch::Tap { at } => json!({ "tap": { "x": at.x, "y": at.y } }),
            other => json!({ "other": format!("{other:?}") }),
        });
        println!("{}", serde_json::Value::from_iter(told));
        drop(std::io::stdout().flush());
    }
}

/// Puts every phone on a simulated muxer and says how it is reached.
fn plug(place: Listen, sims: &[WdaSim], options: &SimOptions) -> UsbmuxSim {
    let muxer = UsbmuxSim::start_at(place).unwrap_or_else(|error| stop(&format!("no muxer: {error}")));
    println!("USBMUXD_SOCKET_ADDRESS={}", muxer.address());
    for (at, sim) in sims.iter().enumerate() {
        let mut phone = UsbPhone::with_agent(&format!("00008130-00F1A6E7{at:08X}"), sim);
        phone.name = format!("Simulated iPhone {}", at + 1);
        phone.os_version.clone_from(&options.os_version);
        // Otherwise libimobiledevice could not be tried out.
        phone.demands_certificate = false;
        println!("UDID={}", phone.udid);
        muxer.plug(phone);
    }
    muxer
}

fn place(text: &str) -> Listen {
    let Some((host, port)) = text.rsplit_once(':').filter(|_| !text.contains('/')) else {
        return Listen::Unix(text.into());
    };
    if host != "127.0.0.1" && host != "localhost" {
        stop(&format!("{host} is not this machine: 127.0.0.1:PORT or a path"));
    }
    Listen::Tcp(port.parse().unwrap_or_else(|_| stop(&format!("{port} is no port"))))
}

fn stop(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(2);
}
