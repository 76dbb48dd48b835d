//! Any bytes as packets of the USB multiplexer: no panic, and no more read than is allowed.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fingertip_wda::fuzz::usbmux(bytes));
