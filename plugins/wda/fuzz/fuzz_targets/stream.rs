//! Any bytes as a stream of pictures, in any chunks: no panic, and no more kept than one picture and a head.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fingertip_wda::fuzz::stream(bytes));
