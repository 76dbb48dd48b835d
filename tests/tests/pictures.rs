//! How large pictures become as sent: noise, which no codec makes small, from the *simulated* iPhone through the real
//! driver and the real host.

use base64::{Engine, engine::general_purpose::STANDARD};
use e2e::{
    host::{Host, wda_devices},
    mcp::Mcp,
    wda_sim::{SimOptions, WdaSim},
};
use fingertip::perception::picture::decode;
use serde_json::{Value, json};

/// The contract's bound on a whole answer over MCP, in bytes.
const MOST: usize = 900_000;

/// A PNG of nothing but noise. It is stored rather than packed, since noise cannot be.
fn noise(width: u32, height: u32) -> Vec<u8> {
    let mut seed = width ^ height.rotate_left(16) ^ 0x9E37_79B9;
    let mut byte = || {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        (seed >> 11) as u8
    };
    let data: Vec<u8> = (0..width as usize * height as usize * 3).map(|_| byte()).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::NoCompression);
    encoder.write_header().and_then(|mut writer| writer.write_image_data(&data)).expect("a PNG");
    bytes
}

#[tokio::test]
async fn no_answer_with_a_picture_is_above_900_kilobytes_over_mcp_whatever_the_screen_shows() {
    // Points and scale: a phone, a large one, one whose point is a pixel, a tablet of 2048×2732 pixels.
    for (width, height, scale) in
        [(375.0, 667.0, 2.0), (430.0, 932.0, 3.0), (1080.0, 1600.0, 1.0), (1024.0, 1366.0, 2.0)]
    {
        let mut options = SimOptions::default();
        (options.phone.width, options.phone.height, options.phone.scale) = (width, height, scale);
        let sim = WdaSim::start(options).await.expect("a simulator");
        let host = Host::with(&wda_devices(&[("tablet", &sim.url())])).await;
        let (pixel_width, pixel_height) = ((width * scale) as u32, (height * scale) as u32);
        let bytes = noise(pixel_width, pixel_height);
        let body = json!({ "value": STANDARD.encode(&bytes), "sessionId": null }).to_string();
        sim.faults().answer("GET /screenshot", 200, body);
        let mcp = Mcp::new(&host, "agent");
        for arguments in [
            json!({}),
            json!({ "format": "png" }),
            json!({ "scale": scale }),
            json!({ "scale": 10, "format": "png" }),
            json!({ "scale": 0.77, "format": "png", "marks": true }),
        ] {
            let what = format!("{pixel_width}×{pixel_height} {arguments}");
            let text =
                mcp.request_text("tools/call", json!({ "name": "take_screenshot", "arguments": arguments })).await;
            println!("{what}: {} bytes", text.len());
            assert!(text.len() <= MOST, "{what}: {} bytes", text.len());
            let answer: Value = serde_json::from_str(&text).expect("JSON");
            let result = &answer["result"];
            assert_ne!(result["isError"], true, "{what}: {}", result["structuredContent"]);
            let content = result["content"].as_array().expect("content");
            let image = content.iter().find(|block| block["type"] == "image").expect("an image");
            let pixels = decode(&STANDARD.decode(image["data"].as_str().expect("text")).expect("base64"));
            let pixels = pixels.expect("a picture");
            // What the answer says of the picture is so, after it was made smaller too.
            let said = &result["structuredContent"];
            assert_eq!(
                (said["width"].as_u64(), said["height"].as_u64()),
                (Some(pixels.width.into()), Some(pixels.height.into())),
                "{what}"
            );
            let told = said["scale"].as_f64().expect("a number");
            assert!((told - f64::from(pixels.width) / width).abs() < 0.001, "{what}: scale {told} of {}", pixels.width);
            // It is no smaller than it must be: what was asked for, or at least a third of the bytes that there are.
            let asked = arguments["scale"].as_f64().unwrap_or(1.0).min(scale).min(if arguments["scale"].is_null() {
                1568.0 / height
            } else {
                10.0
            });
            let whole = f64::from(pixels.width) >= (width * asked).floor();
            assert!(whole || text.len() > MOST / 3, "{what}: {} × {} in {}", pixels.width, pixels.height, text.len());
        }
    }
}
