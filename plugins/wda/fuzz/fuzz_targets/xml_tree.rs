//! Any bytes as a XML page source: no panic, and a tree that keeps its promises.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fingertip_wda::fuzz::xml_tree(bytes));
