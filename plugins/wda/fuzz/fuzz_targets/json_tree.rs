//! Any bytes as a JSON page source: no panic, and a tree that keeps its promises.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fingertip_wda::fuzz::json_tree(bytes));
