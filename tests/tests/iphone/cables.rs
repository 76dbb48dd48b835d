//! iPhones on cables, through the *simulated* USB multiplexer: how they come and go, how they are reached, what keeps them from
//! being used.

use super::*;
use driver_api::{Connection, DeviceInfo, ErrorKind, Launch, Outcome, Platform, Via};
use e2e::usbmux_sim::{Fault, Listen, UsbApp, UsbPhone, UsbmuxSim};

const UDID: &str = "00008110-000A1B2C3D4E5F60";
const OTHER: &str = "aabbccddeeff00112233445566778899aabbccdd";

fn agent() -> WdaSim {
    let mut options = SimOptions::of(Generation::V16);
    options.phone.scale = 1.0;
    options.mjpeg_port = Some(0);
    WdaSim::start_now(options).expect("a simulator")
}

fn phone(udid: &str, agent: &WdaSim) -> UsbPhone {
    let mut phone = UsbPhone::with_agent(udid, agent);
    phone.name = "Lena’s iPhone".to_owned();
    phone.product_type = "iPhone16,1".to_owned();
    phone.os_version = "17.5".to_owned();
    phone.apps = vec![
        UsbApp::system("com.apple.Preferences", "Einstellungen"),
        UsbApp::system("com.apple.mobilenotes", "Notizen"),
        UsbApp::user("com.example.laden", "Läden"),
        UsbApp::user("com.example.agent.xctrunner", "Runner"),
    ];
    phone
}

fn plugin(muxer: &UsbmuxSim, devices: Value) -> Plugin {
    Plugin::start(json!({"options": {"usbmuxd": muxer.address()}, "devices": devices}))
}

async fn arrived(plugin: &mut Plugin) -> DeviceInfo {
    match plugin.next().await {
        DeviceEvent::Arrived(info) => info,
        other => panic!("{other:?}"),
    }
}

async fn left(plugin: &mut Plugin) -> String {
    match plugin.next().await {
        DeviceEvent::Left(id) => id,
        other => panic!("{other:?}"),
    }
}

fn named(app: &str) -> Launch {
    Launch { app: app.to_owned(), ..Launch::default() }
}

#[tokio::test]
async fn a_phone_appears_by_itself_is_used_and_leaves() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let mut plugin = plugin(&muxer, json!([]));
    assert_eq!(plugin.handle.devices().unwrap(), []);
    for _ in 0..2 {
        muxer.plug(phone(UDID, &agent));
        let info = arrived(&mut plugin).await;
        let expected = DeviceInfo {
            id: UDID.to_owned(),
            name: "Lena’s iPhone".to_owned(),
            platform: Platform::Ios,
            model: Some("iPhone 15 Pro".to_owned()),
            os_version: Some("17.5".to_owned()),
            connection: Connection { via: Via::Usb, address: format!("{UDID}, port 8100") },
        };
        assert_eq!(info, expected);
        let driver = plugin.handle.driver(UDID).unwrap();
        driver.probe(LONG).await.unwrap();
        driver.connect(LONG).await.unwrap();
        driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
        assert!(driver.tree(LONG).await.unwrap().nodes.len() > 5);
        assert!(driver.screenshot(LONG).await.unwrap().bytes.len() > 100);
        // The stream has a port of its own on the phone.
        driver.frames(0, LONG).await.unwrap();
        let ports: Vec<u16> = muxer.connects().iter().map(|(_, port)| *port).collect();
        assert!(ports.contains(&8100) && ports.contains(&9100) && ports.contains(&62078), "{ports:?}");
        assert_eq!(driver.device_info(LONG).await.unwrap().model.as_deref(), Some("iPhone 15 Pro"));

        muxer.unplug(UDID);
        assert_eq!(left(&mut plugin).await, UDID);
        let error = driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap_err();
        assert_eq!((error.kind, error.outcome), (ErrorKind::NotReachable, Outcome::NotDone), "{error}");
    }
    assert!(plugin.handle.driver("nosuch").is_err());
}

#[tokio::test]
async fn commands_share_one_connection() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let mut plugin = plugin(&muxer, json!([]));
    muxer.plug(phone(UDID, &agent));
    arrived(&mut plugin).await;
    let driver = plugin.handle.driver(UDID).unwrap();
    driver.connect(LONG).await.unwrap();
    for _ in 0..20 {
        driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
    }
    assert_eq!(muxer.connects().iter().filter(|(_, port)| *port == 8100).count(), 1);
}

#[tokio::test]
async fn row_88_unplugging_in_the_middle_of_a_call_is_told_at_once() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let mut plugin = plugin(&muxer, json!([]));
    muxer.plug(phone(UDID, &agent));
    arrived(&mut plugin).await;
    let driver = plugin.handle.driver(UDID).unwrap();
    driver.connect(LONG).await.unwrap();
    agent.faults().hang("POST /actions");
    let tapping = driver.clone();
    let tapping = tokio::spawn(async move { tapping.tap(Point::new(5.0, 5.0), LONG).await });
    while !agent.requests().iter().any(|request| request.route == "/actions") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    muxer.unplug(UDID);
    let error = tapping.await.unwrap().unwrap_err();
    assert_eq!((error.kind, error.outcome), (ErrorKind::NotReachable, Outcome::Unknown));
    assert_eq!(left(&mut plugin).await, UDID);
    agent.faults().clear_all();
    // It comes back with another number, and is the same phone.
    muxer.plug(phone(UDID, &agent));
    assert_eq!(arrived(&mut plugin).await.id, UDID);
    driver.connect(LONG).await.unwrap();
    driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
}

#[tokio::test]
async fn a_udid_makes_the_cable_and_the_address_one_device() {
    let (muxer, by_cable, by_air) = (UsbmuxSim::start().unwrap(), agent(), agent());
    // Both ways lead to one phone; here to two, to tell them apart.
    let device = json!([{"id": "desk", "name": "Desk", "address": by_air.url(), "udid": UDID}]);
    let mut plugin = plugin(&muxer, device);
    let before = &plugin.handle.devices().unwrap()[0];
    assert_eq!((before.connection.via, before.connection.address.as_str()), (Via::Local, by_air.url().as_str()));
    let driver = plugin.handle.driver("desk").unwrap();
    driver.connect(LONG).await.unwrap();
    driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
    assert_eq!((by_air.touches().len(), by_cable.touches().len()), (1, 0));

    muxer.plug(phone(UDID, &by_cable));
    let plugged = arrived(&mut plugin).await;
    assert_eq!((plugged.id.as_str(), plugged.name.as_str(), plugged.connection.via), ("desk", "Desk", Via::Usb));
    driver.connect(LONG).await.unwrap();
    driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
    assert_eq!((by_air.touches().len(), by_cable.touches().len()), (1, 1));

    muxer.unplug(UDID);
    let unplugged = arrived(&mut plugin).await;
    assert_eq!((unplugged.id.as_str(), unplugged.connection.via), ("desk", Via::Local));
    driver.connect(LONG).await.unwrap();
    driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
    assert_eq!((by_air.touches().len(), by_cable.touches().len()), (2, 1));
}

#[tokio::test]
async fn a_configured_phone_without_an_address_waits_for_its_cable() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let mut plugin = plugin(&muxer, json!([{"id": "desk", "udid": UDID}]));
    let listed = &plugin.handle.devices().unwrap()[0];
    assert_eq!((listed.id.as_str(), listed.connection.via), ("desk", Via::Usb));
    let driver = plugin.handle.driver("desk").unwrap();
    let error = driver.probe(LONG).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotReachable);
    assert!(error.message.contains("not plugged in"), "{error}");
    muxer.plug(phone(UDID, &agent));
    assert_eq!(arrived(&mut plugin).await.name, "Lena’s iPhone");
    driver.connect(LONG).await.unwrap();
    muxer.unplug(UDID);
    assert_eq!(left(&mut plugin).await, "desk");
}

#[tokio::test]
async fn row_83_several_phones_are_told_apart() {
    let (muxer, agents) = (UsbmuxSim::start().unwrap(), [agent(), agent()]);
    let mut plugin = plugin(&muxer, json!([]));
    for (udid, agent) in [UDID, OTHER].into_iter().zip(&agents) {
        muxer.plug(phone(udid, agent));
        assert_eq!(arrived(&mut plugin).await.id, udid);
        plugin.handle.driver(udid).unwrap().connect(LONG).await.unwrap();
    }
    let driver = plugin.handle.driver(OTHER).unwrap();
    driver.connect(LONG).await.unwrap();
    driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
    assert_eq!((agents[0].touches().len(), agents[1].touches().len()), (0, 1));
    muxer.unplug(UDID);
    assert_eq!(left(&mut plugin).await, UDID);
    driver.tap(Point::new(5.0, 5.0), LONG).await.unwrap();
}

#[tokio::test]
async fn row_100_each_phone_has_a_stream_of_its_own() {
    let muxer = UsbmuxSim::start().unwrap();
    let mut plugin = plugin(&muxer, json!([]));
    let mut agents = Vec::new();
    for (udid, width) in [(UDID, 320.0), (OTHER, 430.0)] {
        let mut options = SimOptions::of(Generation::V16);
        (options.phone.width, options.phone.scale, options.mjpeg_port) = (width, 1.0, Some(0));
        let agent = WdaSim::start_now(options).unwrap();
        muxer.plug(phone(udid, &agent));
        agents.push(agent);
        arrived(&mut plugin).await;
        let driver = plugin.handle.driver(udid).unwrap();
        driver.connect(LONG).await.unwrap();
        assert_eq!(f64::from(driver.frames(0, LONG).await.unwrap().picture.width), width);
    }
    // From the stream, not from pictures that stand in for it.
    assert!(agents.iter().all(|agent| !agent.requests().iter().any(|request| request.route == "/screenshot")));
}

#[tokio::test]
async fn row_81_what_keeps_a_phone_from_being_used_has_a_reason_of_its_own() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let mut plugin = plugin(&muxer, json!([]));
    muxer.plug(phone(UDID, &agent));
    arrived(&mut plugin).await;
    let driver = plugin.handle.driver(UDID).unwrap();
    driver.probe(LONG).await.unwrap();
    type Change = fn(&mut UsbPhone);
    let cases: [(Change, ErrorKind, &str); 4] = [
        (|phone| phone.ports.clear(), ErrorKind::HelperNotRunning, "start it on the phone"),
        (|phone| phone.paired = false, ErrorKind::NeedsTrust, "tap Trust"),
        (|phone| phone.paired = true, ErrorKind::HelperNotRunning, "port is closed"),
        // Told when it was plugged in; see below.
        (|phone| phone.os_version = "12.5.7".to_owned(), ErrorKind::HelperNotRunning, "port is closed"),
    ];
    for (change, kind, says) in cases {
        assert!(muxer.change(UDID, change));
        for error in [driver.probe(LONG).await.unwrap_err(), driver.connect(LONG).await.unwrap_err()] {
            assert_eq!((error.kind, error.outcome), (kind, Outcome::NotDone), "{error}");
            assert!(error.message.contains(says), "{error}");
        }
    }
    let mut old = phone(UDID, &agent);
    old.os_version = "12.5.7".to_owned();
    old.ports.clear();
    muxer.unplug(UDID);
    left(&mut plugin).await;
    muxer.plug(old);
    arrived(&mut plugin).await;
    let error = driver.probe(LONG).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::HelperNotRunning);
    assert!(error.message.contains("iOS 12.5.7") && error.message.contains("need iOS 15"), "{error}");
}

#[tokio::test]
async fn row_80_installed_apps_come_over_the_cable_with_the_names_that_people_see() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let mut plugin = plugin(&muxer, json!([]));
    muxer.plug(phone(UDID, &agent));
    arrived(&mut plugin).await;
    let driver = plugin.handle.driver(UDID).unwrap();
    driver.connect(LONG).await.unwrap();
    // By the phone's own name, by the English one, by the id.
    for app in ["einstellungen", "Settings", "com.apple.Preferences"] {
        driver.home(LONG).await.unwrap();
        let app = driver.launch(&named(app), LONG).await.unwrap();
        assert_eq!((app.id.as_str(), app.name.as_deref()), ("com.apple.Preferences", Some("Einstellungen")));
    }
    let listed = driver.apps(LONG).await.unwrap();
    let names: Vec<_> = listed.apps.iter().map(|entry| entry.app.name.as_deref().unwrap_or_default()).collect();
    assert!(listed.complete && names.contains(&"Läden") && names.contains(&"Notizen"), "{listed:?}");
    assert!(!names.contains(&"Runner"), "{listed:?}");
    let running = listed.apps.iter().find(|entry| entry.app.id == "com.apple.Preferences").unwrap();
    assert_eq!(running.running, Some(true));
    // What is not installed is told without asking the agent for it: some hang on an unknown id.
    agent.clear_log();
    assert_eq!(driver.launch(&named("Nosuch"), LONG).await.unwrap_err().kind, ErrorKind::AppNotFound);
    assert!(!agent.requests().iter().any(|request| request.route.contains("/apps/launch")));
    // Installed meanwhile.
    muxer.change(UDID, |phone| phone.apps.push(UsbApp::user("com.fingertip.game", "Spiel")));
    assert_eq!(driver.launch(&named("Spiel"), LONG).await.unwrap().id, "com.fingertip.game");

    // A phone that does not trust this computer shows what runs, and says that this is not all.
    muxer.change(UDID, |phone| phone.paired = false);
    driver.connect(LONG).await.unwrap();
    let listed = driver.apps(LONG).await.unwrap();
    assert!(!listed.complete && !listed.apps.is_empty(), "{listed:?}");
    assert_eq!(driver.launch(&named("Settings"), LONG).await.unwrap().id, "com.apple.Preferences");
}

#[tokio::test]
async fn a_multiplexer_that_dies_takes_its_phones_along_and_brings_them_back() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let mut plugin = plugin(&muxer, json!([]));
    muxer.plug(phone(UDID, &agent));
    arrived(&mut plugin).await;
    let driver = plugin.handle.driver(UDID).unwrap();
    driver.connect(LONG).await.unwrap();
    muxer.stop();
    assert_eq!(left(&mut plugin).await, UDID);
    assert_eq!(driver.connect(LONG).await.unwrap_err().kind, ErrorKind::NotReachable);
    muxer.restart();
    muxer.plug(phone(UDID, &agent));
    assert_eq!(arrived(&mut plugin).await.id, UDID);
    driver.connect(LONG).await.unwrap();
}

#[tokio::test]
async fn a_multiplexer_that_talks_nonsense_is_asked_again() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    for fault in [Fault::Garbage, Fault::ShortLength, Fault::HugeLength, Fault::Half, Fault::Result(6), Fault::Close] {
        muxer.faults().next("Listen", fault.clone());
        let mut plugin = plugin(&muxer, json!([]));
        // The second time it is answered as it should be.
        muxer.plug(phone(UDID, &agent));
        assert_eq!(arrived(&mut plugin).await.id, UDID, "{fault:?}");
        // A phone's own services may fail as they like; it is there without its name.
        muxer.unplug(UDID);
        left(&mut plugin).await;
    }
    for fault in [Fault::Garbage, Fault::HugeLength, Fault::Half, Fault::Close] {
        muxer.faults().next("GetValue", fault.clone());
        let mut plugin = plugin(&muxer, json!([]));
        muxer.plug(phone(UDID, &agent));
        let info = arrived(&mut plugin).await;
        assert_eq!((info.name.as_str(), info.model), ("iPhone", None), "{fault:?}");
        plugin.handle.driver(UDID).unwrap().connect(LONG).await.unwrap();
        muxer.unplug(UDID);
        left(&mut plugin).await;
    }
}

#[tokio::test]
async fn row_89_a_multiplexer_that_never_answers_holds_nothing_up() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let mut plugin = plugin(&muxer, json!([]));
    muxer.plug(phone(UDID, &agent));
    arrived(&mut plugin).await;
    let driver = plugin.handle.driver(UDID).unwrap();
    driver.connect(LONG).await.unwrap();
    // Its apps cannot be told; those that run are.
    muxer.faults().always("ReadPairRecord", Fault::Hang);
    let began = Instant::now();
    assert!(!driver.apps(LONG).await.unwrap().complete);
    assert_eq!(driver.launch(&named("Settings"), LONG).await.unwrap().id, "com.apple.Preferences");
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    // Why its port is closed cannot be told; that it is closed is.
    muxer.change(UDID, |phone| phone.ports.clear());
    assert_eq!(driver.probe(LONG).await.unwrap_err().kind, ErrorKind::HelperNotRunning);
    muxer.faults().always("Connect", Fault::Hang);
    assert_eq!(driver.probe(LONG).await.unwrap_err().kind, ErrorKind::NotReachable);
}

#[tokio::test]
async fn trust_that_was_taken_back_is_no_trust() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let mut plugin = plugin(&muxer, json!([]));
    let mut phone = phone(UDID, &agent);
    phone.ports.clear();
    muxer.plug(phone);
    arrived(&mut plugin).await;
    let driver = plugin.handle.driver(UDID).unwrap();
    assert_eq!(driver.probe(LONG).await.unwrap_err().kind, ErrorKind::HelperNotRunning);
    // The record is still there, but the phone knows nothing of it.
    muxer.faults().always("StartSession", Fault::Raw(framed("<key>Error</key><string>InvalidHostID</string>")));
    assert_eq!(driver.probe(LONG).await.unwrap_err().kind, ErrorKind::NeedsTrust);
}

/// An answer of the phone's services with this content.
fn framed(content: &str) -> Vec<u8> {
    let list = format!("<plist><dict>{content}</dict></plist>");
    [&(list.len() as u32).to_be_bytes()[..], list.as_bytes()].concat()
}

#[tokio::test]
async fn a_phone_that_cannot_say_what_it_is_at_first_is_asked_again() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let mut plugin = plugin(&muxer, json!([]));
    muxer.faults().next("GetValue", Fault::Close);
    muxer.plug(phone(UDID, &agent));
    assert_eq!(arrived(&mut plugin).await.model, None);
    let known = arrived(&mut plugin).await;
    assert_eq!((known.name.as_str(), known.model.as_deref()), ("Lena’s iPhone", Some("iPhone 15 Pro")));
}

#[tokio::test]
async fn every_form_of_the_multiplexers_address_is_understood() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("muxer");
    let muxer = UsbmuxSim::start_at(Listen::Unix(file.clone())).unwrap();
    let agent = agent();
    let path = file.display();
    for address in [path.to_string(), format!("UNIX:{path}"), format!("unix://{path}")] {
        let mut plugin = Plugin::start(json!({"options": {"usbmuxd": address}, "devices": []}));
        muxer.plug(phone(UDID, &agent));
        assert_eq!(arrived(&mut plugin).await.id, UDID);
        muxer.unplug(UDID);
        left(&mut plugin).await;
    }
}

#[tokio::test]
async fn phones_of_the_network_that_a_multiplexer_lists_count_only_where_they_are_expected() {
    let (muxer, agent) = (UsbmuxSim::start().unwrap(), agent());
    let mut plugin = plugin(&muxer, json!([{"id": "desk", "udid": OTHER}]));
    for udid in [UDID, OTHER] {
        let mut phone = phone(udid, &agent);
        phone.connection = e2e::usbmux_sim::Connection::Network("192.0.2.7".parse().unwrap());
        muxer.plug(phone);
    }
    assert_eq!(arrived(&mut plugin).await.id, "desk");
    muxer.plug(phone(UDID, &agent));
    assert_eq!(arrived(&mut plugin).await.id, UDID);
}
