//! Serves a **simulated** iPhone over WebDriverAgent's protocol until it is stopped, for drivers and clients that are tried
//! out by hand: `cargo run -p e2e --example wda-simulator -- --port 8100`.
//!
//! It reads its arguments and says where it listens; the phone and the protocol are the library's.

use e2e::wda_sim::{Generation, SimOptions, WdaSim};
use std::io::Write;

const HELP: &str = "A simulated iPhone behind WebDriverAgent's HTTP protocol. There is no phone.

  --port N          where to listen on loopback (8100; 0 takes a free port)
  --mjpeg-port N    serve the stream of pictures there too
  --passcode CODE   what unlocking asks for
  --locked          start on the lock screen
  --dark            dark appearance
  --generation G    the release that is imitated: 4, 9, 16.7 or 16 (16)
  --print-requests  one line on stderr for each request";

fn main() {
    let mut options = SimOptions { port: 8100, ..SimOptions::default() };
    let mut print = false;
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
            "--print-requests" => print = true,
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
    let sim = WdaSim::start_now(options).unwrap_or_else(|error| stop(&format!("cannot listen: {error}")));
    println!("This is a SIMULATED phone: it exists only in software.");
    if let Some(address) = sim.mjpeg_address() {
        println!("Stream of pictures: http://{address}/");
    }
    // Scripts wait for this line, which looks like the real agent's.
    println!("ServerURLHere->{}<-ServerURLHere", sim.url());
    drop(std::io::stdout().flush());
    let mut shown = 0;
    loop {
        std::thread::sleep(std::time::Duration::from_millis(if print { 200 } else { 60_000 }));
        if print {
            let requests = sim.requests();
            for request in requests.iter().skip(shown) {
                let status = request.status.map_or("-".to_owned(), |status| status.to_string());
                let body: String = request.body.chars().take(200).collect();
                eprintln!("{status} {} {} {body}", request.method, request.path);
            }
            shown = requests.len();
        }
    }
}

fn stop(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(2);
}
