//! The muxer's own requests, as a client of usbmuxd sends them. It knows who is plugged in and where ports lead, not what
//! is said on a stream once it stands.

use super::bench::{Bench, Plugged};
use super::faults::{After, Framing};
use super::lockdown;
use super::socket::Socket;
use super::wire::{self, PATIENCE, Packet, dict, packet, read_packet, within, write};
use super::{apps, phone::UsbPhone};
use plist::{Dictionary, Value};
use std::{io, sync::Arc};
use tokio::{
    io::{AsyncReadExt, copy_bidirectional},
    net::TcpStream,
    sync::mpsc,
};

/// Done.
const OK: u32 = 0;
/// The request is unknown, or not one that may come now.
const BAD_COMMAND: u32 = 1;
/// There is no such phone.
const BAD_DEVICE: u32 = 2;
/// The phone refused the connection.
const REFUSED: u32 = 3;
/// The header's version is unknown.
const BAD_VERSION: u32 = 6;

/// The muxer's shortest answer.
pub(super) fn result(tag: u32, number: u32) -> Vec<u8> {
    packet(tag, &dict([("MessageType", "Result".into()), ("Number", number.into())]))
}

/// Answers one client until it leaves.
pub(super) async fn serve(bench: Arc<Bench>, mut socket: Socket) {
    if let Err(error) = converse(&bench, &mut socket).await {
        tracing::debug!(%error, "a client of the simulated muxer ended");
    }
}

/// Where a stream leads.
enum Target {
    Agent(TcpStream),
    Lockdown,
    Apps,
}

/// What comes of a request.
enum Turn {
    Answer(Vec<u8>),
    Listen,
    Stream(Arc<Plugged>, Target),
}

async fn converse(bench: &Arc<Bench>, socket: &mut Socket) -> io::Result<()> {
    loop {
        let packet = read_packet(socket).await?;
        let tag = packet.tag;
        let Some((kind, request)) = understand(&packet) else {
            let number = if packet.version > 1 { BAD_VERSION } else { BAD_COMMAND };
            write(socket, &result(tag, number)).await?;
            continue;
        };
        let turn = answer(bench, &kind, &request, tag).await;
        if let Some(fault) = bench.faults.take(&kind) {
            let good = if let Turn::Answer(good) = turn { good } else { result(tag, OK) };
            let (bytes, after) = fault.instead(&good, Framing::Muxer(tag));
            write(socket, &bytes).await?;
            match after {
                After::Continue => continue,
                After::Hold => wire::hold(socket).await,
                After::Close => {}
            }
            return Ok(());
        }
        match turn {
            Turn::Answer(bytes) => write(socket, &bytes).await?,
            Turn::Listen => {
                // Who is there is asked after the answer would have been written, so that no event is missed between.
                let (here, events) = bench.listen();
                write(socket, &result(tag, OK)).await?;
                for attached in here {
                    write(socket, &attached).await?;
                }
                return listen(socket, events).await;
            }
            Turn::Stream(plugged, target) => {
                write(socket, &result(tag, OK)).await?;
                return stream(bench, socket, &plugged, target).await;
            }
        }
    }
}

fn understand(packet: &Packet) -> Option<(String, Dictionary)> {
    if packet.version > 1 || packet.message != wire::PLIST {
        return None;
    }
    let request = wire::parse(&packet.body)?;
    let kind = request.get("MessageType")?.as_string()?.to_owned();
    Some((kind, request))
}

async fn answer(bench: &Bench, kind: &str, request: &Dictionary, tag: u32) -> Turn {
    match kind {
        "ListDevices" => Turn::Answer(packet(tag, &dict([("DeviceList", bench.list().into())]))),
        "ReadBUID" => Turn::Answer(packet(tag, &dict([("BUID", bench.buid.as_str().into())]))),
        "ReadPairRecord" => {
            let udid = request.get("PairRecordID").and_then(Value::as_string).unwrap_or_default();
            let trusting = |phone: &UsbPhone| phone.paired && phone.udid == udid;
            let record = bench.find(|plugged| trusting(&plugged.phone())).map(|plugged| plugged.pairing.record.clone());
            Turn::Answer(match record {
                Some(record) => packet(tag, &dict([("PairRecordData", Value::Data(record))])),
                None => result(tag, BAD_DEVICE),
            })
        }
        "Listen" => Turn::Listen,
        "Connect" => match connect(bench, request).await {
            Ok((plugged, target)) => Turn::Stream(plugged, target),
            Err(number) => Turn::Answer(result(tag, number)),
        },
        _ => Turn::Answer(result(tag, BAD_COMMAND)),
    }
}

async fn connect(bench: &Bench, request: &Dictionary) -> Result<(Arc<Plugged>, Target), u32> {
    let number = |key: &str| request.get(key).and_then(Value::as_unsigned_integer);
    let (Some(id), Some(port)) = (number("DeviceID"), number("PortNumber")) else { return Err(BAD_COMMAND) };
    // The port comes in network order, whatever the host's is.
    let port = u16::try_from(port).map_err(|_| BAD_COMMAND)?.swap_bytes();
    let plugged = bench.find(|plugged| u64::from(plugged.id) == id).ok_or(BAD_DEVICE)?;
    let (udid, address) = {
        let phone = plugged.phone();
        (phone.udid.clone(), phone.ports.get(&port).copied())
    };
    bench.log(&udid, port);
    let target = match address {
        Some(address) => {
            let agent = within(PATIENCE, TcpStream::connect(address)).await.map_err(|_| REFUSED)?;
            agent.set_nodelay(true).map_err(|_| REFUSED)?;
            Target::Agent(agent)
        }
        None if port == lockdown::PORT => Target::Lockdown,
        None if plugged.use_service(port) => Target::Apps,
        None => return Err(REFUSED),
    };
    Ok((plugged, target))
}

/// Sends events until the client leaves. Asking anything more on this connection is an error.
async fn listen(socket: &mut Socket, mut events: mpsc::Receiver<Arc<[u8]>>) -> io::Result<()> {
    let mut first = [0; wire::HEAD];
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Some(event) => write(socket, &event).await?,
                None => return Ok(()),
            },
            read = socket.read(&mut first) => {
                if read? > 0 {
                    write(socket, &result(0, BAD_COMMAND)).await?;
                }
                return Ok(());
            }
        }
    }
}

async fn stream(bench: &Bench, socket: &mut Socket, plugged: &Plugged, target: Target) -> io::Result<()> {
    let talk = async {
        match target {
            Target::Agent(mut agent) => copy_bidirectional(socket, &mut agent).await.map(drop),
            Target::Lockdown => lockdown::serve(socket, plugged, &bench.faults).await,
            Target::Apps => apps::serve(socket, plugged, &bench.faults).await,
        }
    };
    let over = tokio::select! {
        over = talk => Some(over),
        () = plugged.gone() => None,
    };
    over.unwrap_or_else(|| {
        socket.reset();
        Ok(())
    })
}
